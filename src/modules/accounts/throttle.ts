// Slows down password guessing: a name (an address, a user) may fail a number of times in a row, then once per interval.
// State is in the process and bounded; the name that failed longest ago is forgotten first. Simultaneous attempts get no
// more tries than sequential ones: an attempt that could exceed the limit waits for the outcome of those before it.

import type { Clock } from '../../platform/clock.ts'
import { tokenBuckets } from '../../platform/token-buckets.ts'

export interface Throttle {
  /**
   * Starts an attempt, after waiting for those in progress that may use up the remaining tries.
   *
   * @returns 0 when started, and `end` must follow; otherwise how long the name must wait, in seconds
   */
  begin(name: string): Promise<number>
  end(name: string, failed: boolean): void
  forget(name: string): void
}

export const TRY_EVERY_MS = 60_000

/** @param triesInARow after these, one more per `tryEveryMs` */
export function throttle(clock: Clock, triesInARow: number, tryEveryMs = TRY_EVERY_MS): Throttle {
  const tries = tokenBuckets(clock, { burst: triesInARow, everyMs: tryEveryMs })
  const underWay = new Map<string, { tries: number; readonly behind: (() => void)[] }>()
  return {
    begin: async (name) => {
      for (;;) {
        const left = tries.left(name)
        if (left < 1) return Math.max(1, Math.ceil(((1 - left) * tryEveryMs) / 1_000))
        const trying = underWay.get(name) ?? { tries: 0, behind: [] }
        if (left - trying.tries >= 1) {
          trying.tries++
          underWay.set(name, trying)
          return 0
        }
        await new Promise<void>((resolve) => void trying.behind.push(resolve))
      }
    },
    end: (name, failed) => {
      if (failed) tries.take(name)
      const trying = underWay.get(name)
      if (trying === undefined) return
      trying.tries--
      if (trying.tries === 0) underWay.delete(name)
      for (const next of trying.behind.splice(0)) next()
    },
    forget: tries.forget,
  }
}
