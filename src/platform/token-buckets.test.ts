import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from './clock.ts'
import { tokenBuckets } from './token-buckets.ts'

test('a bucket is full at first, goes down to none and refills over time, up to full', () => {
  let nowMs = 0
  const buckets = tokenBuckets({ ...systemClock(), monotonicMs: () => nowMs }, { burst: 3, everyMs: 100 })
  assert.deepEqual([buckets.left('a'), buckets.take('a'), buckets.take('a', 7), buckets.take('a')], [3, 3, 2, 0])
  nowMs = 150
  assert.deepEqual([buckets.left('a'), buckets.left('b')], [1.5, 3])
  nowMs = 1_000
  assert.equal(buckets.left('a'), 3)
})

test('of too many names the one that took longest ago is forgotten, which a look does not change', () => {
  const buckets = tokenBuckets({ ...systemClock(), monotonicMs: () => 0 }, { burst: 1, everyMs: 100 })
  for (const name of ['a', 'b', 'a']) buckets.take(name)
  for (let n = 0; n < 9_998; n++) buckets.take(`other ${n}`)
  assert.deepEqual([buckets.left('b'), buckets.left('a')], [0, 0])
  buckets.take('one more')
  assert.deepEqual([buckets.left('b'), buckets.left('a')], [1, 0])
  buckets.forget('a')
  assert.equal(buckets.left('a'), 1)
})
