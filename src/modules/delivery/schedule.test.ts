import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { firstIdAt } from '../../platform/ids.ts'
import { nextTry, putOffBounds } from './schedule.ts'

const START = new Date('2026-03-01T12:00:00.000Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const expiresAt = new Date(START.getTime() + 72 * HOUR)
const at = (ms: number): Date => new Date(START.getTime() + ms)

const TABLE: [endedAfterMs: number, nextAfterMs: number | null][] = [
  [0, 6 * MINUTE],
  [30_000, 6 * MINUTE],
  [6 * MINUTE, 15 * MINUTE],
  [14 * MINUTE, 15 * MINUTE],
  [15 * MINUTE + 1, 30 * MINUTE],
  [31 * MINUTE, HOUR],
  [61 * MINUTE, 2 * HOUR],
  [2 * HOUR, 4 * HOUR],
  [4 * HOUR, 10 * HOUR],
  [10 * HOUR, 16 * HOUR],
  [63 * HOUR, 64 * HOUR],
  [64 * HOUR, 70 * HOUR],
  [70 * HOUR, null],
  [500 * HOUR, null],
  [-5 * MINUTE, 6 * MINUTE],
]

for (const [ended, next] of TABLE) {
  const name = next === null ? 'the last' : `followed by one ${next / MINUTE} min after acceptance`
  test(`a try that ends ${ended / MINUTE} min after acceptance is ${name}`, () => {
    assert.deepEqual(nextTry({ start: START, expiresAt }, at(ended), 0, 0), next === null ? null : at(next))
  })
}

test('when the start lies ahead because a clock was put back, the number of tries gives the next wait', () => {
  const start = at(72 * HOUR)
  const ahead = { start, expiresAt: at(144 * HOUR) }
  const waits = [0, 1, 5, 6, 9].map((tries) => nextTry(ahead, at(0), 0, tries)?.getTime())
  assert.deepEqual(
    waits,
    [6 * MINUTE, 9 * MINUTE, 2 * HOUR, 6 * HOUR, 6 * HOUR].map((ms) => at(ms).getTime()),
  )
})

/** Whether an email with this id and number of claims counts as deferred too far. */
function isTooFar(id: string, claims: number, at: Date, now: Date): boolean {
  return putOffBounds(now).some(
    ({ fromId, beforeId, claims: most, latest }) => id >= fromId && id < beforeId && claims <= most && at > latest,
  )
}

test('no time given by the schedule is too far, however long after', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -6 * MINUTE, max: 69 * HOUR }),
      fc.integer({ min: 0, max: 7 * HOUR }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      fc.integer({ min: 0, max: 20 }),
      (ended, later, chance, tries) => {
        const next = nextTry({ start: START, expiresAt }, at(ended), chance, tries)
        assert.ok(next !== null)
        assert.ok(!isTooFar(firstIdAt(START), tries + 1, next, at(ended + later)))
      },
    ),
  )
})

test('no time given by the number of tries is too far when the start lies ahead', () => {
  const span = { start: at(72 * HOUR), expiresAt: at(144 * HOUR) }
  for (let tries = 0; tries < 20; tries++) {
    const next = nextTry(span, at(0), 0.999, tries)
    assert.ok(next !== null && !isTooFar(firstIdAt(span.start), tries + 1, next, at(0)), `${tries} tries`)
  }
})

// Each row: an email's age when a clock is put back, its number of claims, and how far ahead it may be due.
const BOUNDS: [ageMs: number, claims: number, withinMs: number][] = [
  [1 * MINUTE, 1, 13 * MINUTE],
  [20 * MINUTE, 3, 23 * MINUTE],
  [90 * MINUTE, 5, 73 * MINUTE],
  [3 * HOUR, 6, 139 * MINUTE],
  [30 * HOUR, 9, 403 * MINUTE],
  [-2 * HOUR, 1, 13 * MINUTE],
  [-72 * HOUR, 3, 23 * MINUTE],
  [-72 * HOUR, 9, 403 * MINUTE],
]
for (const [age, claims, within] of BOUNDS) {
  test(`an email ${age / MINUTE} min old that was claimed ${claims} times is deferred for ${within / MINUTE} min at most`, () => {
    const id = firstIdAt(at(-age))
    assert.ok(isTooFar(id, claims, at(within), START))
    assert.ok(!isTooFar(id, claims, at(within - MINUTE), START))
  })
}

test('a try is never earlier than the schedule and at most 10 % later', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 69 * HOUR }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (ended, chance) => {
        const exact = nextTry({ start: START, expiresAt }, at(ended), 0, 0)
        const spread = nextTry({ start: START, expiresAt }, at(ended), chance, 0)
        assert.ok(exact !== null && spread !== null)
        assert.ok(spread >= exact && spread > at(ended))
        assert.ok(spread.getTime() - START.getTime() <= (exact.getTime() - START.getTime()) * 1.1)
      },
    ),
  )
})

test('no try is at or after the time an email expires', () => {
  assert.equal(nextTry({ start: START, expiresAt: at(6 * MINUTE) }, at(0), 0, 0), null)
  assert.deepEqual(nextTry({ start: START, expiresAt: at(6 * MINUTE + 1) }, at(0), 0, 0), at(6 * MINUTE))
  assert.equal(nextTry({ start: START, expiresAt: at(6 * MINUTE + 1) }, at(0), 0.5, 0), null)
})
