// Limits mail to the addresses of the MX, because it is stored.
//
// `fbl@`, `tlsrpt@`, `dmarc@`, postmaster and abuse are known to everybody and prove nothing. One sender (IPv6: its /64) may
// submit MOST mails to these at once and one in EVERY_MS on average; beyond that it is told to retry later. A mail is counted when
// it is taken, once for each of these addresses and for each 64 KB begun. A sender that asks and submits nothing takes nothing
// from others behind the same address, but may ask at most ASKED_FOR_ONE times as often.
//
// The holder of a signed return path got it from us, but may be anybody who ever got a mail. Each return path takes as much as a
// sender may submit, whoever sends; a mailer that reports for many recipients is not held up. Simultaneous mails may exceed
// what was left.

import { senderNetwork } from '../platform/addresses.ts'
import type { Clock } from '../platform/clock.ts'
import { tokenBuckets } from '../platform/token-buckets.ts'

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
const EVERY_MS = 100
const COUNTED_ONCE_BYTES = 65_536

export function mxRate(clock: Clock, enabled: boolean): MxRate {
  const asked = tokenBuckets(clock, { burst: MOST * ASKED_FOR_ONE, everyMs: EVERY_MS / ASKED_FOR_ONE })
  const taken = tokenBuckets(clock, { burst: MOST, everyMs: EVERY_MS })
  const takenFor = tokenBuckets(clock, { burst: MOST, everyMs: EVERY_MS })
  return {
    asks: (ip) => {
      if (!enabled) return false
      const name = senderNetwork(ip)
      return asked.take(name) < 1 || taken.left(name) < 1
    },
    took: (ip, bytes) => {
      if (enabled) taken.take(senderNetwork(ip), countOf(bytes))
    },
    hasEnough: (localPart) => enabled && takenFor.left(localPart) < 1,
    tookFor: (localPart, bytes) => {
      if (enabled) takenFor.take(localPart, countOf(bytes))
    },
  }
}

function countOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / COUNTED_ONCE_BYTES))
}
