// Limits mail to addresses that prove nothing: `fbl@`, `tlsrpt@`, postmaster and abuse are known to everybody, and their mail is
// stored. One sender (IPv6: its /64) may submit MOST of these at once and PER_SECOND on average; beyond that it is told to retry
// later. A mail is counted when it is taken, once for each of these addresses, because it is stored for each. A sender that asks
// and submits nothing takes nothing from others behind the same address, but may ask at most ASKED_FOR_ONE times as often. Signed
// addresses are not counted: their holders got them from us. The tables are bounded; the sender that was heard longest ago is
// forgotten first.

import { senderNetwork } from '../platform/addresses.ts'
import type { Clock } from '../platform/clock.ts'

export interface MxRate {
  /** Counts a requested recipient. @returns whether the sender is over its limit now */
  asks(ip: string): boolean
  /** Counts a mail taken for a recipient. */
  took(ip: string): void
}

export const MOST = 1_000
export const ASKED_FOR_ONE = 10
const PER_SECOND = 10
const MAX_SENDERS = 10_000

export function mxRate(clock: Clock, enabled: boolean): MxRate {
  const asked = buckets(clock, ASKED_FOR_ONE)
  const taken = buckets(clock, 1)
  return {
    asks: (ip) => {
      if (!enabled) return false
      const name = senderNetwork(ip)
      return asked.spend(name) < 1 || taken.left(name) < 1
    },
    took: (ip) => {
      if (enabled) taken.spend(senderNetwork(ip))
    },
  }
}

interface Buckets {
  left(name: string): number
  /** @returns what was left before. Simultaneous mails may exceed what was left. */
  spend(name: string): number
}

function buckets(clock: Clock, times: number): Buckets {
  const known = new Map<string, { readonly left: number; readonly atMs: number }>()
  const left = (name: string): number => {
    const one = known.get(name)
    if (one === undefined) return MOST * times
    const elapsedMs = clock.monotonicMs() - one.atMs
    return Math.min(MOST * times, one.left + (elapsedMs / 1_000) * PER_SECOND * times)
  }
  return {
    left,
    spend: (name) => {
      const before = left(name)
      known.delete(name)
      known.set(name, { left: Math.max(0, before - 1), atMs: clock.monotonicMs() })
      const oldest = known.keys().next()
      if (known.size > MAX_SENDERS && oldest.done !== true) known.delete(oldest.value)
      return before
    },
  }
}
