// How much comes to addresses that prove nothing: `fbl@`, `tlsrpt@`, postmaster and abuse are known to everybody, and what they
// take is kept. One sender (IPv6: its /64) may hand in MOST of these at once and PER_SECOND on average, and is told to come again
// later past that. Signed addresses are not counted: who has one got it from us. The table is bounded; the sender that
// was heard longest ago is forgotten first.

import { senderNetwork } from '../platform/addresses.ts'
import type { Clock } from '../platform/clock.ts'

export interface MxRate {
  /** Counts one. @returns whether it is one too many */
  count(ip: string): boolean
}

export const MOST = 1_000
const PER_SECOND = 10
const MAX_SENDERS = 10_000

export function mxRate(clock: Clock, enabled: boolean): MxRate {
  const buckets = new Map<string, { readonly left: number; readonly atMs: number }>()
  return {
    count: (ip) => {
      if (!enabled) return false
      const name = senderNetwork(ip)
      const atMs = clock.monotonicMs()
      const known = buckets.get(name) ?? { left: MOST, atMs }
      const left = Math.min(MOST, known.left + ((atMs - known.atMs) / 1_000) * PER_SECOND)
      buckets.delete(name)
      buckets.set(name, { left: left >= 1 ? left - 1 : left, atMs })
      const oldest = buckets.keys().next()
      if (buckets.size > MAX_SENDERS && oldest.done !== true) buckets.delete(oldest.value)
      return left < 1
    },
  }
}
