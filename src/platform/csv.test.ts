import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { type CsvFault, type CsvRow, CsvTooLarge, cellOfTexts, csvLine, readCsv, textsOfCell } from './csv.ts'

async function collect<T>(from: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of from) found.push(one)
  return found
}

async function read(text: string, chunkBytes = 1 << 20): Promise<(CsvRow | CsvFault)[]> {
  const bytes = Buffer.from(text)
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += chunkBytes) chunks.push(bytes.subarray(at, at + chunkBytes))
  return collect(readCsv(Readable.from(chunks), 1 << 30))
}

const rowsOf = (found: readonly (CsvRow | CsvFault)[]) => found.flatMap((row) => ('cells' in row ? [row.cells] : []))

test('written cells are read back, including formulas, wherever the chunks end', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '=', "'", '+', '-', '@', '\t', ' ', 'é', '✓') })
  const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 9 }), async (written, chunkBytes) => {
      const found = await read(written.map(csvLine).join(''), chunkBytes)
      assert.deepEqual(rowsOf(found), written)
    }),
  )
})

test('no written cell begins like a formula', () => {
  for (const cell of ['=1+1', '+a@x.test', '-a@x.test', '@SUM(1)', '\t=1', "'=1", "''=1"]) {
    assert.match(csvLine([cell]), /^"?'/)
  }
})

test('a file without faults gives the same rows as a common parser', async () => {
  const plain = fc.string({ unit: fc.constantFrom('a', 'b', '@', '.', '_'), maxLength: 8 })
  const quoted = fc
    .string({ unit: fc.constantFrom('a', ',', '\n', '""', ' '), maxLength: 8 })
    .map((text) => `"${text}"`)
  const row = fc.array(fc.oneof(plain, quoted), { minLength: 2, maxLength: 4 }).map((cells) => cells.join(','))
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1 }), fc.constantFrom('\n', '\r\n'), async (rows, end) => {
      const text = rows.join(end) + end
      const expected = parse(text, { relax_column_count: true, record_delimiter: end, skip_empty_lines: true })
      assert.deepEqual(rowsOf(await read(text, 7)), expected)
    }),
  )
})

test('a broken row costs only that row and is reported with its line', async () => {
  const text = [
    'email,reason',
    '"broken"x,manual',
    'b@x.test,',
    '"open,manual',
    'c@x.test,"two',
    'lines"',
    'x'.repeat(70_000),
    'd@x.test,manual',
    '"open at the end',
    'e@x.test',
  ].join('\r\n')
  for (const chunkBytes of [61, 1000, 1 << 20]) {
    const found = await read(text, chunkBytes)
    assert.deepEqual(
      found.map((row) => ('cells' in row ? `${row.line} ${row.cells[0]}` : `${row.line}!`)),
      ['1 email', '2!', '3 b@x.test', '4!', '5 c@x.test', '7!', '8 d@x.test', '9!', '10 e@x.test'],
    )
  }
})

test('a byte order mark, CR line ends and octets that are not UTF-8 are read', async () => {
  assert.deepEqual(rowsOf(await read('\ufeffemail\ra@x.test\r\r')), [['email'], ['a@x.test']])
  const found = await collect(readCsv(Readable.from([Buffer.from([0x61, 0xff, 0x0a])]), 10))
  assert.deepEqual(rowsOf(found), [['a\ufffd']])
})

test('a file larger than allowed is refused', async () => {
  await assert.rejects(collect(readCsv(Readable.from([Buffer.alloc(11)]), 10)), CsvTooLarge)
})

test('unclosed quotes cost no more than a constant times the file', async () => {
  const hostile = `"${'""\n'.repeat(30)}`.repeat(20_000)
  const started = process.cpuUsage()
  await read(hostile, 65_536)
  const { user } = process.cpuUsage(started)
  assert.ok(user < 5_000_000, `${hostile.length} characters took ${user} µs`)
})

test('texts in one cell are read back as they were written', () => {
  const text = fc.oneof(fc.string({ minLength: 1 }), fc.stringMatching(/^[ ,"'=a]+$/))
  fc.assert(fc.property(fc.array(text), (texts) => assert.deepEqual(textsOfCell(cellOfTexts(texts)), texts)))
  for (const [cell, texts] of [
    ['a, b ,,c', ['a', 'b', 'c']],
    ['"One", "Two, 2"', ['One', 'Two, 2']],
    ['5" pipe,"half', ['5" pipe', '"half']],
    ['"a" b,c', ['"a" b', 'c']],
    ['', []],
  ] as const) {
    assert.deepEqual(textsOfCell(cell), texts)
  }
})
