// Totals of long lists. Counting stops at a limit and reads an index until then: for 100,000 rows 15 ms of the server's time,
// but 150 to 500 ms while mail goes out, because then it checks each row changed since the last vacuum. A list that reached
// the limit is usually still over it a moment later, so this is remembered for a while.

import type { Clock } from '../clock.ts'
import { freshCache } from '../fresh-cache.ts'

export interface FullCounts {
  /**
   * The result of `count`, which runs unless it returned the limit for this filter a moment ago.
   *
   * @param filter everything that the count depends on
   */
  total(filter: readonly unknown[], count: () => Promise<number>): Promise<number>
}

/** Longest time a list that has dropped below the limit is still reported as over it. */
const REMEMBERED_MS = 30_000
const MAX_REMEMBERED = 1_000
/** A longer filter, such as one of many ids, is not remembered. */
const MAX_FILTER_CHARS = 1_000

/** @param limit what `count` returns when it has stopped counting */
export function fullCounts(clock: Clock, limit: number): FullCounts {
  const full = freshCache<true>({ clock, maxAgeMs: REMEMBERED_MS, maxEntries: MAX_REMEMBERED })
  return {
    total: async (filter, count) => {
      const key = JSON.stringify(filter)
      if (full.get(key) === true) return limit
      const asOfMs = clock.monotonicMs()
      const total = await count()
      if (total >= limit && key.length <= MAX_FILTER_CHARS) full.set(key, true, asOfMs)
      return total
    },
  }
}
