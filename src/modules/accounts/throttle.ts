// Guessing passwords made slow: a name (an address, a user) may fail some times in a row and then once in a while. Kept in
// the process, bounded; the name that failed longest ago is forgotten first.

import type { Clock } from '../../platform/clock.ts'

export interface Throttle {
  /** How long the name must wait before its next try, seconds; 0 = it may try. */
  waitSeconds(name: string): number
  count(name: string): void
  forget(name: string): void
}

export const TRY_EVERY_MS = 60_000
const MAX_NAMES = 10_000

/** @param triesInARow from then on one each minute */
export function throttle(clock: Clock, triesInARow: number): Throttle {
  const buckets = new Map<string, { readonly tries: number; readonly atMs: number }>()
  const left = (name: string): number => {
    const known = buckets.get(name)
    if (known === undefined) return triesInARow
    return Math.min(triesInARow, known.tries + (clock.monotonicMs() - known.atMs) / TRY_EVERY_MS)
  }
  return {
    waitSeconds: (name) => {
      const tries = left(name)
      return tries >= 1 ? 0 : Math.max(1, Math.ceil(((1 - tries) * TRY_EVERY_MS) / 1_000))
    },
    count: (name) => {
      const tries = Math.max(0, left(name) - 1)
      buckets.delete(name)
      buckets.set(name, { tries, atMs: clock.monotonicMs() })
      const oldest = buckets.keys().next()
      if (buckets.size > MAX_NAMES && oldest.done !== true) buckets.delete(oldest.value)
    },
    forget: (name) => {
      buckets.delete(name)
    },
  }
}
