import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readSendRequest } from './request.ts'

/** What is read of an attachment's content; null: it is refused. */
function contentOf(content: string): Buffer | null {
  const attachments = [{ filename: 'f', content }]
  const body = { from: 'a@shop.example', to: 'b@dest.example', subject: 's', text: 't', attachments }
  const { request, faults } = readSendRequest(body as Parameters<typeof readSendRequest>[0], new Date())
  if (request !== null) return request.attachments[0]?.content ?? null
  assert.deepEqual(
    faults.map(({ field, rule }) => [field, rule]),
    [['attachments[0].content', 'base64']],
  )
  return null
}

test('base64 is read wherever its lines end, padded or not, and is the bytes again', () => {
  const lineEnd = fc.constantFrom('', '', '', '\n', '\r\n', '\r', '\r\n\r\n')
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), fc.array(lineEnd), (bytes, isPadded, ends) => {
      const text = Buffer.from(bytes).toString('base64')
      const chars = [...(isPadded ? text : text.replaceAll('=', ''))]
      const broken = chars.map((char, i) => char + (ends[i % (ends.length || 1)] ?? '')).join('')
      assert.deepEqual(contentOf(broken), Buffer.from(bytes))
    }),
  )
})

const NOT_BASE64 = [
  'QUI=QUI=',
  'QQ==QQ==',
  '=QUI',
  'QUJDR',
  'QU JD',
  'QU\tJD',
  'QUJ-',
  'QUJ_',
  'QÜJD',
  'QUJ😀',
  'QUJD\0',
]
for (const text of NOT_BASE64) {
  test(`${JSON.stringify(text)} is not base64`, () => {
    assert.equal(contentOf(text), null)
  })
}
