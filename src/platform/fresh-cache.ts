// A cache of recent reads, bounded in number (least recently used goes first) and in age. An entry that is too old counts
// as absent, so a change made elsewhere is seen after `maxAgeMs` at the latest, even if a notification was lost.

import type { Clock } from './clock.ts'
import { recentlyUsed } from './recently-used.ts'

export interface FreshCache<Value> {
  /** Undefined when absent or too old. */
  get(key: string): Value | undefined
  /** @param asOfMs `clock.monotonicMs()` from before the value was read */
  set(key: string, value: Value, asOfMs: number): void
  delete(key: string): void
  deleteWhere(matches: (value: Value) => boolean): void
  clear(): void
}

export function freshCache<Value>({
  clock,
  maxAgeMs,
  maxEntries,
}: {
  readonly clock: Clock
  readonly maxAgeMs: number
  readonly maxEntries: number
}): FreshCache<Value> {
  // Ages are kept here: LRUCache takes what was set at time 0 for ageless, and a test's clock may begin there.
  const entries = recentlyUsed<{ readonly value: Value; readonly asOfMs: number }>(maxEntries)
  return {
    get: (key) => {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (clock.monotonicMs() - entry.asOfMs <= maxAgeMs) return entry.value
      entries.delete(key)
      return undefined
    },
    set: (key, value, asOfMs) => void entries.set(key, { value, asOfMs }),
    delete: (key) => void entries.delete(key),
    deleteWhere: (matches) => {
      for (const [key, { value }] of entries) if (matches(value)) entries.delete(key)
    },
    clear: () => entries.clear(),
  }
}
