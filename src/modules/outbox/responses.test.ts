import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storedResponse } from './responses.ts'

test('a response is kept whole up to 1,000 characters; a longer one is cut there and says so', () => {
  const whole = `550 ${'x'.repeat(996)}`
  assert.equal(storedResponse(whole), whole)
  const cut = storedResponse(`${whole}y`)
  assert.equal(cut, `${whole.slice(0, 999)}…`)
})

test('a response that is cut within a character, or has NUL, can be stored', () => {
  const cut = storedResponse(`${'x'.repeat(998)}😀${'y'.repeat(9)}`)
  assert.deepEqual([cut.length, cut.isWellFormed()], [1_000, true])
  assert.equal(storedResponse('550 a\0b'), '550 ab')
})
