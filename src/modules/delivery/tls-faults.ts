// Remembers where offered TLS failed: refused, broken or silent. A mail that does not require TLS gets around such a host, at a
// price: a hanging handshake costs a minute, and the host gets the mail in clear. So the fault is remembered for five minutes,
// and for twice as long each time it recurs, up to an hour. Meanwhile the host is tried after those that may give TLS, and then
// in clear at once. TLS that works clears the fault. Faults are kept in memory: each process finds them at the price of one mail.
//
// The key is host and address, because one of many servers of a name may be broken alone. The address alone is not enough:
// anybody can publish a host name with any address, and make it one that the server there refuses in the handshake.

import type { Clock } from '../../platform/clock.ts'
import { recentlyUsed } from '../../platform/recently-used.ts'
import type { Target } from './next-hops.ts'

export interface TlsFaults {
  /** Why TLS failed there recently; null: TLS may be tried. */
  of(host: Host): string | null
  /** @param why null: TLS works there */
  note(host: Host, why: string | null): void
}

type Host = Pick<Target, 'host' | 'ip'>

const FIRST_MS = 300_000
const LONGEST_MS = 3_600_000
const MAX_KNOWN = 10_000
/** A host's own words may have 64 K characters. */
const WHY_CHARS = 300

export function tlsFaults(clock: Clock): TlsFaults {
  const known = recentlyUsed<{ readonly why: string; readonly forMs: number; readonly untilMs: number }>(MAX_KNOWN)
  const keyOf = ({ host, ip }: Host): string => `${host} ${ip}`
  return {
    of: (host) => {
      const fault = known.get(keyOf(host))
      return fault !== undefined && clock.monotonicMs() < fault.untilMs ? fault.why : null
    },
    note: (host, why) => {
      const key = keyOf(host)
      const before = known.get(key)
      known.delete(key)
      if (why === null) return
      const nowMs = clock.monotonicMs()
      // Simultaneous connections each find the same fault: it counts once.
      const isAgain = before !== undefined && nowMs >= before.untilMs
      const forMs = isAgain ? Math.min(LONGEST_MS, before.forMs * 2) : (before?.forMs ?? FIRST_MS)
      // Copied: a slice would keep the whole text.
      const words = Buffer.from(why.slice(0, WHY_CHARS)).toString()
      known.set(key, { why: words, forMs, untilMs: nowMs + forMs })
    },
  }
}
