import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FieldFault, validationError } from './errors.ts'
import { jsonFaults } from './json.ts'

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
