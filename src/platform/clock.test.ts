import assert from 'node:assert/strict'
import { test } from 'node:test'
import { putBackSince, SETTLED_AFTER_MS, systemClock } from './clock.ts'

const DAY_MS = 86_400_000

test('a clock that is put back is reported once it has settled; one that runs on, is put forward or drifts is not', () => {
  const START_MS = Date.parse('2026-03-01T12:00:00Z')
  let elapsedMs = 0
  let setMs = 0
  const clock = {
    ...systemClock(),
    now: () => new Date(START_MS + elapsedMs + setMs),
    monotonicMs: () => elapsedMs,
  }
  const isPutBack = putBackSince(clock)
  /** How often the step is reported within the minute after it. */
  const toldAfter = (stepMs: number, thenMs = 0): number => {
    setMs += stepMs
    let told = 0
    for (let at = 0; at < 60_000; at += 250) {
      elapsedMs += 250
      if (at === 5_000) setMs += thenMs
      if (isPutBack()) {
        told++
        assert.ok(at >= SETTLED_AFTER_MS, 'not before the clock has settled')
      }
    }
    return told
  }
  assert.equal(toldAfter(0), 1, 'nobody knows what was before')
  assert.equal(toldAfter(0), 0)
  assert.equal(toldAfter(3 * DAY_MS), 0)
  assert.equal(toldAfter(-3 * DAY_MS), 1)
  for (let n = 0; n < 10; n++) assert.equal(toldAfter(n % 2 === 0 ? -400 : 400), 0)
  assert.equal(toldAfter(-7_200_000), 1)
  assert.equal(toldAfter(-3 * DAY_MS, 3 * DAY_MS), 1, 'of a machine whose correction came later')
  assert.equal(toldAfter(0), 0)
})
