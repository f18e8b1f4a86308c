import assert from 'node:assert/strict'
import { test } from 'node:test'
import { putBackSince, systemClock } from './clock.ts'

test('a clock that is put back is noticed once; one that goes on, is put forward or drifts is not', () => {
  const START_MS = Date.parse('2026-03-01T12:00:00Z')
  let elapsedMs = 0
  let setMs = 0
  const clock = {
    ...systemClock(),
    now: () => new Date(START_MS + elapsedMs + setMs),
    monotonicMs: () => elapsedMs,
  }
  const isPutBack = putBackSince(clock)
  assert.equal(isPutBack(), true, 'nobody knows what was before')
  const turn = (ms: number): boolean => {
    elapsedMs += 250
    setMs += ms
    return isPutBack()
  }
  assert.equal(turn(0), false)
  assert.equal(turn(3 * 86_400_000), false)
  assert.equal(turn(-3 * 86_400_000), true)
  assert.equal(turn(0), false)
  for (let n = 0; n < 10; n++) assert.equal(turn(n % 2 === 0 ? -400 : 400), false)
  assert.equal(turn(-7_200_000), true)
  assert.equal(turn(0), false)
})
