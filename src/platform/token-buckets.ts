// Token buckets by name, in the memory of this process. A bucket holds `burst` tokens and gets one back every `everyMs`; a name
// that is not known has a full one. The table is bounded: the name whose tokens were taken longest ago is forgotten first.

import type { Clock } from './clock.ts'
import { recentlyUsed } from './recently-used.ts'

export interface TokenBuckets {
  /** Tokens in the bucket now, also parts of one. */
  left(name: string): number
  /** Takes tokens, down to none. @returns what was left before */
  take(name: string, tokens?: number): number
  /** Fills the bucket. */
  forget(name: string): void
}

const MAX_NAMES = 10_000

export function tokenBuckets(
  clock: Clock,
  { burst, everyMs }: { readonly burst: number; readonly everyMs: number },
): TokenBuckets {
  const buckets = recentlyUsed<{ readonly tokens: number; readonly atMs: number }>(MAX_NAMES)
  const left = (name: string): number => {
    // A look does not make a name more recent.
    const bucket = buckets.peek(name)
    return bucket === undefined ? burst : Math.min(burst, bucket.tokens + (clock.monotonicMs() - bucket.atMs) / everyMs)
  }
  return {
    left,
    take: (name, tokens = 1) => {
      const before = left(name)
      buckets.set(name, { tokens: Math.max(0, before - tokens), atMs: clock.monotonicMs() })
      return before
    },
    forget: (name) => void buckets.delete(name),
  }
}
