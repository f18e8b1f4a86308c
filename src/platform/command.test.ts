import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureText } from './command.ts'
import { ApiError, validationError } from './errors.ts'

test('with --json an API error is printed with its code, anything else in words', () => {
  const details = { action: 'block', overridable: false }
  const refused = new ApiError(422, 'recipient_suppressed', 'The address is on the suppression list', { details })
  assert.equal(failureText(refused, false), 'posthorn: The address is on the suppression list')
  assert.deepEqual(JSON.parse(failureText(refused, true)), {
    error: 'The address is on the suppression list',
    code: 'recipient_suppressed',
    details,
  })
  const faulty = validationError([{ field: 'from', rule: 'email', message: 'is no address' }])
  assert.equal(failureText(faulty, false), 'posthorn: refused:\n  from: is no address')
  assert.equal(JSON.parse(failureText(faulty, true)).details.fields[0].rule, 'email')
  const broken = new Error('the file could not be read', { cause: new Error('ENOENT') })
  for (const inJson of [false, true]) {
    assert.equal(failureText(broken, inJson), 'posthorn: the file could not be read: ENOENT')
  }
})
