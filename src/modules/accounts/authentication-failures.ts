// Failed authentications, counted per address. The count only changes the answer to a failure, after the key or password
// turned out to be wrong. It never holds up a valid key, whatever else comes from its address.
//
// An address (IPv6: its /64) may fail FAILURES_BURST times at once and FAILURES_PER_SECOND on average.

import { senderNetwork } from '../../platform/addresses.ts'
import type { Clock } from '../../platform/clock.ts'
import { tokenBuckets } from '../../platform/token-buckets.ts'

export interface AuthenticationFailures {
  /** Counts one failure. @returns null while the address is within its limit, otherwise seconds to wait */
  count(ip: string): number | null
}

export const FAILURES_BURST = 1_000
export const FAILURES_PER_SECOND = 10

export function authenticationFailures(clock: Clock): AuthenticationFailures {
  const failed = tokenBuckets(clock, { burst: FAILURES_BURST, everyMs: 1_000 / FAILURES_PER_SECOND })
  return {
    count: (ip) => {
      const left = failed.take(senderNetwork(ip))
      return left >= 1 ? null : Math.max(1, Math.ceil((1 - left) / FAILURES_PER_SECOND))
    },
  }
}
