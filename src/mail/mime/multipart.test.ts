import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundaryOf, headerWithin, partsBetween, readingBudget } from './multipart.ts'

const partsOf = (body: string, boundary = 'b'): string[] =>
  partsBetween(Buffer.from(body), boundary, readingBudget())
    .map(({ start, end }) => body.slice(start, end))
    .toArray()

// Each row: a body, and its parts (RFC 2046 section 5.1.1: the line end before a delimiter belongs to the delimiter).
const BODIES: readonly (readonly [what: string, body: string, parts: readonly string[]])[] = [
  ['two parts', '--b\r\none\r\n--b\r\ntwo\r\n--b--\r\n', ['one', 'two']],
  ['a preamble and an epilogue', 'before\r\n--b\r\none\r\n--b--\r\nafter\r\n--b\r\nnone\r\n', ['one']],
  ['bare line feeds', '--b\none\n--b\ntwo\n--b--', ['one', 'two']],
  ['empty parts', '--b\r\n--b\r\n\r\n--b--', ['', '']],
  ['an empty part between line feeds', '--b\n\n--b--', ['']],
  ['blanks behind a delimiter', '--b \t\r\none\r\n--b-- \r\n', ['one']],
  ['a hundred blanks behind it', `--b${' '.repeat(100)}\r\none\r\n--b--`, ['one']],
  ['a longer word is no delimiter', '--b\r\none\r\n--bc\r\n--b-\r\n--b--x\r\n--b--', ['one\r\n--bc\r\n--b-\r\n--b--x']],
  ['nor is one within a line', '--b\r\none --b\r\n --b\r\n--b--', ['one --b\r\n --b']],
  ['no end', '--b\r\none\r\n--b\r\ntwo', ['one', 'two']],
  ['no line behind the last delimiter', '--b\r\none\r\n--b', ['one', '']],
  ['no delimiter', 'one\r\ntwo', []],
  ['nothing', '', []],
]
for (const [what, body, parts] of BODIES) {
  test(`the parts of a multipart: ${what}`, () => {
    assert.deepEqual(partsOf(body), parts)
  })
}

test('at most 20,000 delimiters of one message are read, over all its bodies', () => {
  const budget = readingBudget()
  const body = Buffer.from('--b\n'.repeat(15_000))
  assert.equal(partsBetween(body, 'b', budget).toArray().length, 15_000)
  // 4,999 parts have an end; the one under way is not yielded.
  assert.equal(partsBetween(body, 'b', budget).toArray().length, 4_999)
  assert.equal(partsBetween(body, 'b', budget).toArray().length, 0)
})

test('at most 256 KB of one header, and 1 MB of all, are read', () => {
  const header = (bytes: number): Buffer => Buffer.from(`${'x: y\r\n'.repeat(Math.ceil(bytes / 6))}\r\n`)
  const budget = readingBudget()
  assert.equal(headerWithin(header(300_000), budget), null)
  assert.equal(headerWithin(header(200_000), budget)?.bodyStart, header(200_000).length)
  for (let i = 0; i < 2; i++) assert.notEqual(headerWithin(header(200_000), budget), null)
  assert.equal(headerWithin(header(200_000), budget), null)
  assert.equal(headerWithin(header(6), budget), null)
})

// Each row: a Content-Type, and its boundary (RFC 2045 section 5.1).
const TYPES: readonly (readonly [type: string, boundary: string | null])[] = [
  ['multipart/mixed; boundary=b', 'b'],
  ['multipart/mixed; charset=x; BOUNDARY = "a b"; x=y', 'a b'],
  ['multipart/mixed; boundary="a\\"b "', 'a"b'],
  ['multipart/mixed;boundary=a=b;c', 'a=b'],
  [`multipart/mixed; boundary="${'x'.repeat(201)}"`, null],
  ['multipart/mixed', null],
  ['multipart/mixed; xboundary=b', null],
]
for (const [type, boundary] of TYPES) {
  test(`the boundary of ${type.slice(0, 60)} is ${boundary}`, () => {
    assert.equal(boundaryOf(type), boundary)
  })
}
