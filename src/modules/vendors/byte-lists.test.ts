import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { withBytesInBase64 } from './byte-lists.ts'

const rewritten = (text: string): string => withBytesInBase64(Buffer.from(text)).toString()

test('a list of bytes becomes base64, whatever its blanks', () => {
  const bytes = fc.uint8Array({ maxLength: 300 })
  const blank = fc.constantFrom('', ' ', '\n  ')
  const name = fc.constantFrom('content', 'data')
  fc.assert(
    fc.property(bytes, blank, name, name, (file, space, first, second) => {
      const list = `${space}[${space}${[...file].join(`${space},${space}`)}${space}]`
      const base64 = Buffer.from(file).toString('base64')
      const one = (called: string): string =>
        `{"a":["x"],"type":"Buffer"${space},${space}"${called}"${space}:${list},"é":[1]}`
      const text = rewritten(`{"to":["a"],"attachments"${space}:${space}[{},${one(first)},${one(second)}]}`)
      const read = (called: string): object => ({ a: ['x'], type: 'Buffer', [called]: base64, é: [1] })
      assert.deepEqual(JSON.parse(text), { to: ['a'], attachments: [{}, read(first), read(second)] })
    }),
  )
})

// Each row is left as it is, for the parser and the validation to refuse.
const LEFT = [
  '{"content":[256]}',
  '{"content":[-1]}',
  '{"content":[1.5]}',
  '{"content":[01]}',
  '{"content":[1 2]}',
  '{"content":[1,]}',
  '{"content":[,1]}',
  '{"content":[1,,2]}',
  '{"content":["a"]}',
  '{"content":[[1]]}',
  '{"content":[null]}',
  '{"content":[1',
  '{"content":[1,2',
  '{"to":[1,2]}',
  '{"data":[1,2]}',
  '{"type":"buffer","data":[1,2]}',
  '{"type":"Buffer","a":1,"data":[1,2]}',
  '"data":[1,2]',
  ' "data":[1,2]',
  '{"to":["content",[1,2]]}',
  '{"content":{"to":[1,2]}}',
  '{"subject":"\\"content\\":[1,2]"}',
  '{"a \\"content":[1,2]}',
  '[1,2]',
  '"content":',
  '"',
  '',
]
for (const text of LEFT) {
  test(`${text || 'no text'} is left as it is`, () => assert.equal(rewritten(text), text))
  test(`${text || 'no text'} is left as it is in attachments`, () => {
    const whole = `{"attachments":[${text}`
    assert.equal(rewritten(whole), whole)
  })
}

// Lists called content that are none of an attachment.
for (const text of [
  '{"content":[1,2]}',
  '{"template":{"variables":{"content":[1,2]}}}',
  '{"attachments":[],"content":[1,2]}',
  '{"attachments":[{"a":{"content":[1,2]}}]}',
  '{"attachments":{"content":[1,2]}}',
  '{"a":["attachments",[{"content":[1,2]}]]}',
  '{"a":"attachments","b":[{"content":[1,2]}]}',
  '{"\\"attachments":[{"content":[1,2]}]}',
  `{"attachments":[{"content":${'['.repeat(70)}`,
]) {
  test(`${text} is left as it is`, () => assert.equal(rewritten(text), text))
}

test('more lists than a call may have files are left to the parser', () => {
  const list = '{"content":[1]}'
  const read = JSON.parse(rewritten(`{"attachments":[${Array(10_001).fill(list).join()}]}`)).attachments
  assert.deepEqual([read[9_999].content, read[10_000].content], ['AQ==', [1]])
})

test('any bytes are taken', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void withBytesInBase64(Buffer.from(bytes))))
})
