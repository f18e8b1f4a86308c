import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Clock, systemClock } from '../clock.ts'
import { fullCounts } from './full-counts.ts'

let nowMs = 0
const clock: Clock = { ...systemClock(), monotonicMs: () => nowMs }

test('only a count that reached its limit is repeated for half a minute without counting', async () => {
  const counts = fullCounts(clock, 100)
  let counted = 0
  const ask = (filter: readonly unknown[], total: number): Promise<number> =>
    counts.total(filter, async () => {
      counted++
      return total
    })
  assert.deepEqual([await ask(['a', null], 100), await ask(['a', null], 7), counted], [100, 100, 1])
  assert.deepEqual([await ask(['b', null], 99), await ask(['b', null], 98), counted], [99, 98, 3])
  nowMs += 30_001
  assert.deepEqual([await ask(['a', null], 7), await ask(['a', null], 6), counted], [7, 6, 5])
})

test('a long filter is counted each time', async () => {
  const counts = fullCounts(clock, 100)
  const long = ['x'.repeat(1_000)]
  await counts.total(long, async () => 100)
  assert.equal(await counts.total(long, async () => 3), 3)
})
