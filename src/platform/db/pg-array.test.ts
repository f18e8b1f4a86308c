import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { freshDb } from '../../../test/world/database.ts'
import { connect, statement } from '../db.ts'
import { arrayText } from './pg-array.ts'

const fresh = await freshDb()
const database = connect({ url: fresh.url, onError: () => undefined })
after(async () => {
  await database.close()
  await fresh[Symbol.asyncDispose]()
})

const columns = statement(
  'test_columns',
  `select t, n, b, at, bytes from unnest($1::text[], $2::float8[], $3::boolean[], $4::timestamptz[], $5::bytea[])
     with ordinality as u(t, n, b, at, bytes, i) order by i`,
)

/** Text that PostgreSQL can store: no NUL, no half of a surrogate pair. */
const hardText = fc.oneof(
  fc.constantFrom(
    '',
    'NULL',
    'null',
    '{}',
    '{a,b}',
    '"',
    '\\',
    '\\"',
    'a\nb',
    '\u0001"',
    '\u2028"',
    'ü"ß\\',
    ' a ',
    '😀"',
  ),
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0') && text.isWellFormed()),
)
const some = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(values, { nil: null })
const row = fc.record(
  {
    t: some(hardText),
    n: some(fc.double({ noNaN: true }).map((n) => (Object.is(n, -0) ? 0 : n))),
    b: some(fc.boolean()),
    at: some(
      fc.date({
        min: new Date('0001-01-01T00:00:00Z'),
        max: new Date('9999-12-31T23:59:59.999Z'),
        noInvalidDate: true,
      }),
    ),
    bytes: some(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
  },
  { noNullPrototype: true },
)

test('values given to a statement in columns come back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
      const back = await database.system.query(columns, [
        rows.map(({ t }) => t),
        rows.map(({ n }) => n),
        rows.map(({ b }) => b),
        rows.map(({ at }) => at),
        rows.map(({ bytes }) => bytes),
      ])
      assert.deepEqual(back, rows)
    }),
    { numRuns: 200 },
  )
})

test('repeated elements are each written', () => {
  const at = new Date(0)
  assert.equal(arrayText(['a', 'a', null, undefined, 'a']), '{"a","a",NULL,NULL,"a"}')
  assert.equal(arrayText([at, at]), '{1970-01-01T00:00:00.000Z,1970-01-01T00:00:00.000Z}')
  assert.equal(arrayText([undefined, undefined]), '{NULL,NULL}')
  assert.equal(arrayText([]), '{}')
})

test('values that are not plain are left to the driver', () => {
  assert.equal(arrayText([['a'], ['b']]), null)
  assert.equal(arrayText([{ a: 1 }]), null)
  assert.equal(arrayText([new Date(Number.NaN)]), null)
  assert.equal(arrayText([new Date('-000001-01-01T00:00:00Z')]), null)
})
