import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ApiError, type FieldFault, validationError } from './errors.ts'
import { canonicalJson, endOfString, jsonFaults, parseJsonBody } from './json.ts'

test('of a very long name an answer repeats the beginning, and of many faults the first 100', () => {
  const [fault] = jsonFaults({ ['k'.repeat(5_000)]: { b: '\0' } })
  assert.match(fault?.field ?? '', /^k{500}…\.b$/)
  const field = `${'x'.repeat(499)}😀`
  const { details } = validationError(Array(1_000).fill({ field, rule: 'r', message: 'm'.repeat(5_000) }))
  const { fields } = details as { fields: FieldFault[] }
  assert.equal(fields.length, 100)
  assert.equal(fields[0]?.field, `${'x'.repeat(499)}\ufffd…`)
  assert.equal(fields[0]?.message.length, 501)
})

function refusalOf(text: string): FieldFault[] | null {
  try {
    parseJsonBody(Buffer.from(text))
    return null
  } catch (error) {
    return ((error as ApiError).details as { fields?: FieldFault[] }).fields ?? []
  }
}

test('an object has at most 10,000 names, wherever it is, and a body may have more in all', () => {
  const object = (count: number, name: string): string =>
    `{${Array.from({ length: count }, (_, n) => `"${name}${n}": ":"`).join(',')}}`
  const most = object(10_000, 'a')
  assert.equal(refusalOf(`{"list":[${most},${most}],"b":${most}}`), null)
  for (const text of [object(10_001, 'a'), `[{"a":{},"b":${object(10_001, 'b')}}]`]) {
    assert.deepEqual(refusalOf(text), [
      { field: '', rule: 'max_names', message: 'the body has an object of more than 10000 names' },
    ])
  }
  assert.equal(refusalOf(`[${'1,'.repeat(199_998)}1]`), null)
  assert.equal(refusalOf(`[${'1,'.repeat(200_000)}1]`)?.[0]?.rule, 'max_values')
  for (const text of [']'.repeat(50_000), '}:'.repeat(5_000)]) assert.deepEqual(refusalOf(text), [])
})

test('a string ends at its own quote, however many are escaped and however far apart', () => {
  const unit = fc.constantFrom('"', '\\', 'a'.repeat(70), '\n', ',')
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 300 }), fc.nat(4), (text, before) => {
      const written = JSON.stringify(text)
      const bytes = Buffer.from(`${' '.repeat(before)}${written},"b":"`)
      assert.equal(endOfString(bytes, before + 1), before + written.length - 1)
      assert.equal(endOfString(bytes.subarray(0, before + written.length - 1), before + 1), before + written.length - 1)
    }),
  )
})

test('a fault names the place of its value', () => {
  const found = jsonFaults({ to: [{ email: 'a' }, { email: '\0', n: Number.POSITIVE_INFINITY }], 'x\0': 2 ** 60 })
  assert.deepEqual(found.map(({ field, rule }) => `${field} ${rule}`).toSorted(), [
    'to[1].email no_nul',
    'to[1].n finite',
    'x? no_nul',
    'x? safe_integer',
  ])
})

test('canonical JSON is the same for every order of names, and differs where anything else does', () => {
  const text = canonicalJson({ b: [1, { d: null, c: '"' }], a: true, 10: 1, 9: 1 })
  assert.equal(text, canonicalJson({ 9: 1, a: true, 10: 1, b: [1, { c: '"', d: null }] }))
  assert.deepEqual(JSON.parse(text), { b: [1, { d: null, c: '"' }], a: true, 10: 1, 9: 1 })
  const others = [{ a: [1, 2] }, { a: [2, 1] }, { a: ['1', 2] }, { a: [[1, 2]] }, { a: [1], b: 2 }, {}, [], null, '', 0]
  assert.equal(new Set(others.map(canonicalJson)).size, others.length)
})
