// Slows down password guessing: a name (an address, a user) may fail a number of times in a row, then once per interval.
// State is in the process and bounded; the name that failed longest ago is forgotten first. Simultaneous attempts get no
// more tries than sequential ones: an attempt that could exceed the limit waits for the outcome of those before it.

import type { Clock } from '../../platform/clock.ts'

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
const MAX_NAMES = 10_000

/** @param triesInARow after these, one more per `tryEveryMs` */
export function throttle(clock: Clock, triesInARow: number, tryEveryMs = TRY_EVERY_MS): Throttle {
  const buckets = new Map<string, { readonly tries: number; readonly atMs: number }>()
  const underWay = new Map<string, { tries: number; readonly behind: (() => void)[] }>()
  const left = (name: string): number => {
    const known = buckets.get(name)
    if (known === undefined) return triesInARow
    return Math.min(triesInARow, known.tries + (clock.monotonicMs() - known.atMs) / tryEveryMs)
  }
  const count = (name: string): void => {
    const tries = Math.max(0, left(name) - 1)
    buckets.delete(name)
    buckets.set(name, { tries, atMs: clock.monotonicMs() })
    const oldest = buckets.keys().next()
    if (buckets.size > MAX_NAMES && oldest.done !== true) buckets.delete(oldest.value)
  }
  return {
    begin: async (name) => {
      for (;;) {
        const tries = left(name)
        if (tries < 1) return Math.max(1, Math.ceil(((1 - tries) * tryEveryMs) / 1_000))
        const trying = underWay.get(name) ?? { tries: 0, behind: [] }
        if (tries - trying.tries >= 1) {
          trying.tries++
          underWay.set(name, trying)
          return 0
        }
        await new Promise<void>((resolve) => void trying.behind.push(resolve))
      }
    },
    end: (name, failed) => {
      if (failed) count(name)
      const trying = underWay.get(name)
      if (trying === undefined) return
      trying.tries--
      if (trying.tries === 0) underWay.delete(name)
      for (const next of trying.behind.splice(0)) next()
    },
    forget: (name) => {
      buckets.delete(name)
    },
  }
}
