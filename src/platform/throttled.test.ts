import assert from 'node:assert/strict'
import { test } from 'node:test'
import { throttled } from './throttled.ts'

test('acts at once, then once for all calls of the time, and at the end of it', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  let acts = 0
  const call = throttled(20, () => void acts++)
  call()
  assert.equal(acts, 1)
  call()
  call()
  assert.equal(acts, 1)
  context.mock.timers.tick(20)
  assert.equal(acts, 2)
  context.mock.timers.tick(20)
  assert.equal(acts, 2)
  call()
  assert.equal(acts, 3)
})
