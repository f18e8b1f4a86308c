// Guessing passwords made slow: a name (an address, a user) may fail some times in a row and then once in a while. Kept in
// the process, bounded; the name that failed longest ago is forgotten first. Tries at the same time are no more than tries
// one after the other: one that might be one too many waits for how those before it end.

import type { Clock } from '../../platform/clock.ts'

export interface Throttle {
  /**
   * Begins a try, behind those under way that may use up what is left.
   *
   * @returns 0: to be ended; else how long the name must wait, in seconds
   */
  begin(name: string): Promise<number>
  end(name: string, failed: boolean): void
  forget(name: string): void
}

export const TRY_EVERY_MS = 60_000
const MAX_NAMES = 10_000

/** @param triesInARow from then on one each `tryEveryMs` */
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
