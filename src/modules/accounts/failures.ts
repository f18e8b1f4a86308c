// Failed authentications, counted per address. The count only changes the answer to a failure, after the key or password
// turned out to be wrong. It never holds up a valid key, whatever else comes from its address.
//
// An address (IPv6: its /64) may fail FAILURES_BURST times at once and FAILURES_PER_SECOND on average. The table is
// bounded; it forgets the address that failed longest ago first.

import { senderNetwork } from '../../platform/addresses.ts'
import type { Clock } from '../../platform/clock.ts'

export interface Failures {
  /** Counts one failure. @returns null while the address is within its limit, otherwise seconds to wait */
  count(ip: string): number | null
}

export const FAILURES_BURST = 1_000
export const FAILURES_PER_SECOND = 10
const MAX_ADDRESSES = 10_000

export function failures(clock: Clock): Failures {
  const buckets = new Map<string, { tokens: number; atMs: number }>()
  return {
    count: (ip) => {
      const name = senderNetwork(ip)
      const nowMs = clock.monotonicMs()
      const known = buckets.get(name) ?? { tokens: FAILURES_BURST, atMs: nowMs }
      const tokens = Math.min(FAILURES_BURST, known.tokens + ((nowMs - known.atMs) / 1_000) * FAILURES_PER_SECOND)
      buckets.delete(name)
      buckets.set(name, { tokens: Math.max(0, tokens - 1), atMs: nowMs })
      const oldest = buckets.keys().next()
      if (buckets.size > MAX_ADDRESSES && oldest.done !== true) buckets.delete(oldest.value)
      return tokens >= 1 ? null : Math.max(1, Math.ceil((1 - tokens) / FAILURES_PER_SECOND))
    },
  }
}
