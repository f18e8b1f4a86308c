// Counts failed log-ins by address (IPv6: by /64). After MOST_FAILURES within FAILURES_WITHIN_MS each further failure is
// answered 421 and the connection closed. Only failures get this answer, after the check: a client with the right password is
// not locked out by others behind the same address. The table is bounded; the address with the oldest last failure is
// forgotten first.
//
// This answer, and the answer to a locked-out user, is delayed by HELD_MS. With the limit on an address's connections, that
// limits its tries; otherwise an address could try as fast as it can make TLS handshakes. At most MAX_HELD answers are delayed.

import { senderNetwork } from '../platform/addresses.ts'
import type { Clock } from '../platform/clock.ts'
import { recentlyUsed } from '../platform/recently-used.ts'

export interface LoginFailures {
  /** Counts a failure. @returns whether it is over the limit */
  count(ip: string): boolean
  /** Resolves when a refusal may be sent; at once when `signal` aborts. */
  hold(signal: AbortSignal): Promise<void>
}

export const MOST_FAILURES = 20
export const FAILURES_WITHIN_MS = 600_000
export const HELD_MS = 3_000
export const MAX_HELD = 1_000
const MAX_ADDRESSES = 10_000

export function loginFailures(clock: Clock, enabled: boolean): LoginFailures {
  const failedAt = recentlyUsed<number[]>(MAX_ADDRESSES)
  let held = 0
  return {
    count: (ip) => {
      if (!enabled) return false
      const name = senderNetwork(ip)
      const now = clock.monotonicMs()
      const recent = (failedAt.get(name) ?? []).filter((at) => now - at < FAILURES_WITHIN_MS)
      failedAt.set(name, [...recent, now].slice(-MOST_FAILURES))
      return recent.length >= MOST_FAILURES
    },
    hold: async (signal) => {
      if (held >= MAX_HELD) return
      held++
      await clock.sleep(HELD_MS, signal).catch(() => undefined)
      held--
    },
  }
}
