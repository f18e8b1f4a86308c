import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mediaTypeOf, parseMediaType } from './media-types.ts'

const READ: readonly (readonly [text: string, type: string | null, parameters?: Record<string, string>])[] = [
  ['image/png', 'image/png', {}],
  [' Image/PNG ', 'image/png', {}],
  ['text/calendar; method=REQUEST; charset=utf-8', 'text/calendar', { method: 'REQUEST', charset: 'utf-8' }],
  ['text/csv;charset="utf-8";header=present;', 'text/csv', { charset: 'utf-8', header: 'present' }],
  ['application/x-a; q="a\\"b; c=d"', 'application/x-a', { q: 'a"b; c=d' }],
  ['text/plain; charset=a; Charset=b', 'text/plain', { charset: 'a' }],
  ["text/plain; name*=utf-8''x", 'text/plain', {}],
  ['text', null],
  ['', null],
  ['text/plain; charset', null],
  ['text/plain; charset="utf-8', null],
  ['text/plain charset=utf-8', null],
  ['text/plain\r\nBcc: v@evil.test', null],
  ['text/plain; charset=ü', null],
]
for (const [text, type, parameters] of READ) {
  test(`${JSON.stringify(text)} is ${type === null ? 'no media type' : `a ${type}`}`, () => {
    const read = parseMediaType(text)
    assert.equal(read?.type ?? null, type)
    if (read !== null) assert.deepEqual(Object.fromEntries(read.parameters), parameters)
  })
}

test('no text makes the reader throw', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `a/b;${text}`),
      ),
      (text) => void parseMediaType(text),
    ),
  )
})

const NAMED: readonly (readonly [filename: string, content: string, type: string])[] = [
  ['Rechnung März.PDF', '%PDF', 'application/pdf'],
  ['logo.png', 'x', 'image/png'],
  ['plan.xlsx', 'x', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['list.csv', 'a,b', 'text/csv'],
  ['list.csv', 'a,ü', 'text/csv; charset=utf-8'],
  ['README', 'x', 'application/octet-stream'],
  ['setup.exe', 'x', 'application/octet-stream'],
  ['.png', 'x', 'image/png'],
  ['mail.eml', 'x', 'application/octet-stream'],
]
for (const [filename, content, type] of NAMED) {
  test(`${filename} with ${JSON.stringify(content)} in it is sent as ${type}`, () => {
    assert.equal(mediaTypeOf(filename, Buffer.from(content)), type)
  })
}

test('a text that is not UTF-8 gets no charset', () => {
  assert.equal(mediaTypeOf('a.txt', Buffer.from('k\xf6rper', 'latin1')), 'text/plain')
})
