import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from './clock.ts'
import { freshCache } from './fresh-cache.ts'

test('what is too old counts as absent, also what was read when the clock stood at 0', () => {
  let nowMs = 0
  const cache = freshCache<string>({
    clock: { ...systemClock(), monotonicMs: () => nowMs },
    maxAgeMs: 10,
    maxEntries: 2,
  })
  cache.set('a', 'one', nowMs)
  nowMs = 10
  assert.equal(cache.get('a'), 'one')
  nowMs = 11
  assert.equal(cache.get('a'), undefined)
  cache.set('b', 'read long ago', 0)
  assert.equal(cache.get('b'), undefined)
})

test('of too many the least recently used goes first', () => {
  const cache = freshCache<number>({ clock: systemClock(), maxAgeMs: 60_000, maxEntries: 2 })
  const nowMs = systemClock().monotonicMs()
  for (const [value, key] of ['a', 'b'].entries()) cache.set(key, value, nowMs)
  cache.get('a')
  cache.set('c', 2, nowMs)
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => cache.get(key)),
    [0, undefined, 2],
  )
})

test('any number of entries can be removed by their values', () => {
  const clock = systemClock()
  const cache = freshCache<number>({ clock, maxAgeMs: 60_000, maxEntries: 10 })
  const keys = Array.from({ length: 12 }, (_, n) => `${n}`)
  for (const [n, key] of keys.entries()) cache.set(key, n, clock.monotonicMs())
  cache.get('3')
  cache.deleteWhere((n) => n % 2 === 0 || n > 8)
  assert.deepEqual(
    keys.filter((key) => cache.get(key) !== undefined),
    ['3', '5', '7'],
  )
  cache.deleteWhere(() => true)
  assert.deepEqual(
    keys.filter((key) => cache.get(key) !== undefined),
    [],
  )
})
