// Failed log-ins by address: after 20 within ten minutes each further failure is answered 421 and the connection closed.
// Only failures are answered so, after the check: whoever has the right password is not locked out by others behind the
// same address. The table is bounded; the address that failed longest ago is forgotten first.

import type { Clock } from '../platform/clock.ts'

export interface LoginFailures {
  /** Counts one. @returns whether it is one too many */
  count(ip: string): boolean
}

const MOST = 20
const WITHIN_MS = 600_000
const MAX_ADDRESSES = 10_000

export function loginFailures(clock: Clock, enabled: boolean): LoginFailures {
  const failedAt = new Map<string, number[]>()
  return {
    count: (ip) => {
      if (!enabled) return false
      const now = clock.monotonicMs()
      const recent = (failedAt.get(ip) ?? []).filter((at) => now - at < WITHIN_MS)
      failedAt.delete(ip)
      failedAt.set(ip, [...recent, now].slice(-MOST))
      const oldest = failedAt.keys().next()
      if (failedAt.size > MAX_ADDRESSES && oldest.done !== true) failedAt.delete(oldest.value)
      return recent.length >= MOST
    },
  }
}
