// Whether our resolver can be trusted: the look-ups of the last minute, by name.

import type { Clock } from '../../platform/clock.ts'

const WATCHED_MS = 60_000
const MAX_WATCHED = 10_000
const FEW_LOOKUPS = 10

export interface LookUpWatch {
  /** @param missing the name does not exist, or has no hosts */
  add(site: string, missing: boolean): void
  /** True while most names seem to be missing: the fault is more likely in our resolver. */
  doubtful(): boolean
}

export function lookUpWatch(clock: Clock): LookUpWatch {
  const seen = new Map<string, { readonly atMs: number; readonly missing: boolean }>()
  const forget = (): void => {
    const oldestMs = clock.monotonicMs() - WATCHED_MS
    for (const [site, { atMs }] of seen) {
      if (atMs >= oldestMs && seen.size <= MAX_WATCHED) break
      seen.delete(site)
    }
  }
  return {
    add: (site, missing) => {
      seen.delete(site)
      seen.set(site, { atMs: clock.monotonicMs(), missing })
      forget()
    },
    // Of a handful of names, all may really be wrong.
    doubtful: () => {
      forget()
      let missing = 0
      for (const one of seen.values()) if (one.missing) missing++
      return seen.size >= FEW_LOOKUPS && missing * 2 > seen.size
    },
  }
}
