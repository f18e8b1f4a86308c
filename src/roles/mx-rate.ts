// How much comes to addresses that prove nothing: `fbl@`, `tlsrpt@`, postmaster and abuse are known to everybody, and what they
// take is kept. One sender (IPv6: its /64) may hand in MOST of these at once and PER_SECOND on average, and is told to come again
// later past that. Mails are counted when they were taken, once for each of these addresses, as they are kept: who asks and hands
// in nothing takes nothing from others behind the same address, but may ask no more than ASKED_FOR_ONE times as often. Signed
// addresses are not counted: who has one got it from us. The tables are bounded; the sender that was heard longest ago is
// forgotten first.

import { senderNetwork } from '../platform/addresses.ts'
import type { Clock } from '../platform/clock.ts'

export interface MxRate {
  /** Counts a recipient that is asked for. @returns whether no more is taken of this sender now */
  asks(ip: string): boolean
  /** Counts a mail that was taken for a recipient. */
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
  /** @returns what was left before. Of mails that were on their way together some more are taken than were left. */
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
