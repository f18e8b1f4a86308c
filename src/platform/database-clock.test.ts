import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from './clock.ts'
import { followDatabase } from './database-clock.ts'
import type { Db } from './db.ts'
import { createLogger } from './log.ts'

test('the clock follows the database, but not the slowness of its answers', async () => {
  const START_MS = Date.parse('2026-03-01T12:00:00Z')
  let elapsedMs = 0
  let aheadMs = 0
  let wayMs = 0
  const corrections: number[] = []
  const warnings: object[] = []
  const clock = {
    ...systemClock(),
    monotonicMs: () => elapsedMs,
    now: () => new Date(START_MS + elapsedMs + aheadMs),
    correct: (byMs: number) => {
      corrections.push(byMs)
      aheadMs += byMs
    },
  }
  const one = async () => {
    elapsedMs += wayMs
    return { now: new Date(START_MS + elapsedMs) } as never
  }
  const db: Db = { one, query: async () => [], execute: async () => 0 }
  const log = { ...createLogger('silent'), warn: (fields: object) => void warnings.push(fields) }
  const follow = () => followDatabase({ db, clock, log })

  await follow()
  wayMs = 8_000
  await follow()
  aheadMs = 3_000
  await follow()
  assert.deepEqual(corrections, [], 'within the time that the answer was under way')
  wayMs = 0
  await follow()
  await follow()
  assert.deepEqual([corrections, warnings], [[-3_000], []])
  aheadMs = -420_000
  await follow()
  await follow()
  assert.deepEqual([corrections, warnings], [[-3_000, 420_000], [{ behind_ms: 420_000 }]])
  aheadMs += 60_000
  await follow()
  assert.equal(aheadMs, 0, 'what was added before stays')
})

test('corrections of the time of day add up', () => {
  const clock = systemClock()
  const before = clock.now().getTime()
  clock.correct(3_600_000)
  clock.correct(3_600_000)
  assert.equal(Math.round((clock.now().getTime() - before) / 60_000), 120)
})
