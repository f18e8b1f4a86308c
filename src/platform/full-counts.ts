// Totals of long lists. Counting stops at a limit, and up to there it reads an index: of 100,000 rows 15 ms of the server, but
// 150 to 500 while mail goes out, for then it looks at each row that was changed since the last vacuum. A list that came to
// the limit is over it a moment later too, as a rule, so this is remembered for a while.

import type { Clock } from './clock.ts'
import { freshCache } from './fresh-cache.ts'

export interface FullCounts {
  /**
   * What `count` tells, asked again unless it told the limit for this filter a moment ago.
   *
   * @param filter all that the count depends on
   */
  total(filter: readonly unknown[], count: () => Promise<number>): Promise<number>
}

/** What is no longer over the limit is told as such for so long at most. */
const REMEMBERED_MS = 30_000
const MAX_REMEMBERED = 1_000
/** A filter of many ids is not kept. */
const MAX_FILTER_CHARS = 1_000

/** @param limit what `count` tells when it has stopped */
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
