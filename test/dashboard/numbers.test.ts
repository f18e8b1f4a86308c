import assert from 'node:assert/strict'
import { test } from 'node:test'
import { counted } from '../../dashboard/src/words/number-format.ts'

test('one of something is written in the singular, all other numbers in the plural', () => {
  const said = [0, 1, 2, 1_000].map((count) => counted(count, 'address', 'addresses'))
  assert.deepEqual(said, ['0 addresses', '1 address', '2 addresses', '1,000 addresses'])
  assert.equal(counted(1, 'email'), '1 email')
})
