// Failed log-ins by address (IPv6: its /64): after MOST_FAILURES within FAILURES_WITHIN_MS each further failure is answered
// 421 and the connection closed. Only failures are answered so, after the check: whoever has the right password is not
// locked out by others behind the same address. The table is bounded; the address that failed longest ago is forgotten
// first.
//
// Such an answer, and that to a user who is locked out, waits for HELD_MS: with the bound on the connections of an address
// that is a bound on its tries, which without it costs a TLS handshake each as fast as it can. At most MAX_HELD wait.

import { senderNetwork } from '../platform/addresses.ts'
import type { Clock } from '../platform/clock.ts'

export interface LoginFailures {
  /** Counts one. @returns whether it is one too many */
  count(ip: string): boolean
  /** Returns when a refusal may be answered, at once when `signal` aborts. */
  hold(signal: AbortSignal): Promise<void>
}

export const MOST_FAILURES = 20
export const FAILURES_WITHIN_MS = 600_000
export const HELD_MS = 3_000
export const MAX_HELD = 1_000
const MAX_ADDRESSES = 10_000

export function loginFailures(clock: Clock, enabled: boolean): LoginFailures {
  const failedAt = new Map<string, number[]>()
  let held = 0
  return {
    count: (ip) => {
      if (!enabled) return false
      const name = senderNetwork(ip)
      const now = clock.monotonicMs()
      const recent = (failedAt.get(name) ?? []).filter((at) => now - at < FAILURES_WITHIN_MS)
      failedAt.delete(name)
      failedAt.set(name, [...recent, now].slice(-MOST_FAILURES))
      const oldest = failedAt.keys().next()
      if (failedAt.size > MAX_ADDRESSES && oldest.done !== true) failedAt.delete(oldest.value)
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
