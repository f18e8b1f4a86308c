// Failed authentications, counted by address. It only changes what a failure is answered, after the key or password was
// found to be wrong: who has a good one is never held up, whatever else comes from their address.
//
// An address (IPv6: its /64) may fail FAILURES_BURST times at once and FAILURES_PER_SECOND on average. The table is
// bounded; the address that failed longest ago is forgotten first.

import { senderNetwork } from '../../platform/addresses.ts'
import type { Clock } from '../../platform/clock.ts'

export interface Failures {
  /** Counts one failure. @returns seconds until the next would be counted again, null while the address is within bounds */
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
