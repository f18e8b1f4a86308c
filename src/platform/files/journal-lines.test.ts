import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { linesFrom, newSheet, sheetOf, wholeIn } from './journal-lines.ts'

const LINES = ['a', 'Grüße aus Köln', '{"url":"https://target.test/%E2%98%83"}', '☃'.repeat(300), 'x'.repeat(100_000)]

test('each line is written after its checksum of eight digits, and is read back', () => {
  const bytes = sheetOf(LINES).bytes()
  const written = LINES.map((line) => `${crc32(line).toString(16).padStart(8, '0')} ${line}\n`).join('')
  assert.equal(bytes.toString(), written)
  assert.deepEqual(linesFrom(bytes, 0, 100), { lines: LINES, end: bytes.length })
  // One line in a few thousand has a checksum that begins with zeros.
  const short = Array.from({ length: 5_000 }, (_, i) => `line ${i}`)
  assert.ok(short.some((line) => crc32(line) < 0x100000))
  assert.deepEqual(linesFrom(sheetOf(short).bytes(), 0, 5_000).lines, short)
})

test('lines are read in limited numbers, from where the last read ended, up to the zeros of a prepared file', () => {
  const bytes = Buffer.concat([sheetOf(LINES).bytes(), Buffer.alloc(100)])
  const first = linesFrom(bytes, 0, 2)
  assert.deepEqual(first.lines, LINES.slice(0, 2))
  const rest = linesFrom(bytes, first.end, 100)
  assert.deepEqual(rest.lines, LINES.slice(2))
  assert.deepEqual(linesFrom(bytes, rest.end, 100), { lines: [], end: rest.end })
})

test('a torn, altered or empty line is skipped, and those around it are read', () => {
  const [a, b, c] = ['first', 'second', 'third'].map((line) => sheetOf([line]).bytes()) as [Buffer, Buffer, Buffer]
  const altered = Buffer.from(b)
  altered[12] = 0x58
  assert.deepEqual(linesFrom(Buffer.concat([a, altered, c]), 0, 9).lines, ['first', 'third'])
  assert.deepEqual(linesFrom(Buffer.concat([a, b.subarray(0, 12)]), 0, 9).lines, ['first'])
  assert.deepEqual(linesFrom(Buffer.concat([a, Buffer.from('\n00000000 \nx\n'), c]), 0, 9).lines, ['first', 'third'])
  assert.deepEqual(wholeIn(Buffer.concat([a, b.subarray(0, 12)])), a)
  assert.equal(wholeIn(b.subarray(0, 12)).length, 0)
})

test('a cleared sheet starts empty and keeps its buffer', () => {
  const sheet = newSheet()
  for (const line of LINES) sheet.add(line)
  const { roomBytes } = sheet
  assert.ok(roomBytes > 100_000)
  assert.deepEqual(sheet.read(), LINES)
  assert.equal(sheet.lines, LINES.length)
  sheet.clear()
  assert.equal(sheet.lines, 0)
  assert.equal(sheet.bytes().length, 0)
  sheet.add('once more')
  assert.deepEqual(sheet.read(), ['once more'])
  assert.equal(sheet.roomBytes, roomBytes)
})
