// Limits mail to the addresses of the MX, because it is stored.
//
// `fbl@`, `tlsrpt@`, postmaster and abuse are known to everybody and prove nothing. One sender (IPv6: its /64) may submit MOST
// mails to these at once and PER_SECOND on average; beyond that it is told to retry later. A mail is counted when it is taken,
// once for each of these addresses and for each 64 KB begun. A sender that asks and submits nothing takes nothing from others
// behind the same address, but may ask at most ASKED_FOR_ONE times as often.
//
// The holder of a signed return path got it from us, but may be anybody who ever got a mail. Each return path takes as much as a
// sender may submit, whoever sends; a mailer that reports for many recipients is not held up.
//
// The tables are bounded; the sender or return path that was heard longest ago is forgotten first.

import { senderNetwork } from '../platform/addresses.ts'
import type { Clock } from '../platform/clock.ts'

export interface MxRate {
  /** Counts a requested public address. @returns whether the sender is over its limit now */
  asks(ip: string): boolean
  /** Counts a mail taken for a public address. */
  took(ip: string, bytes: number): void
  /** Whether a return path has had more than it takes. */
  hasEnough(localPart: string): boolean
  /** Counts a mail taken for a return path. */
  tookFor(localPart: string, bytes: number): void
}

export const MOST = 1_000
export const ASKED_FOR_ONE = 10
const PER_SECOND = 10
const COUNTED_ONCE_BYTES = 65_536
const MAX_NAMES = 10_000

export function mxRate(clock: Clock, enabled: boolean): MxRate {
  const asked = buckets(clock, ASKED_FOR_ONE)
  const taken = buckets(clock, 1)
  const takenFor = buckets(clock, 1)
  return {
    asks: (ip) => {
      if (!enabled) return false
      const name = senderNetwork(ip)
      return asked.spend(name) < 1 || taken.left(name) < 1
    },
    took: (ip, bytes) => {
      if (enabled) taken.spend(senderNetwork(ip), countOf(bytes))
    },
    hasEnough: (localPart) => enabled && takenFor.left(localPart) < 1,
    tookFor: (localPart, bytes) => {
      if (enabled) takenFor.spend(localPart, countOf(bytes))
    },
  }
}

function countOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / COUNTED_ONCE_BYTES))
}

interface Buckets {
  left(name: string): number
  /** @returns what was left before. Simultaneous mails may exceed what was left. */
  spend(name: string, count?: number): number
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
    spend: (name, count = 1) => {
      const before = left(name)
      known.delete(name)
      known.set(name, { left: Math.max(0, before - count), atMs: clock.monotonicMs() })
      const oldest = known.keys().next()
      if (known.size > MAX_NAMES && oldest.done !== true) known.delete(oldest.value)
      return before
    },
  }
}
