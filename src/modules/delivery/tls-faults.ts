// Where TLS was offered and came to nothing: refused, broken or silent. A mail that needs none finds the way around it, at a
// price: a handshake that hangs costs a minute, and what the host gets it gets in clear. So the fault is remembered, for five
// minutes and twice as long each time it is there again, up to an hour; meanwhile the host is tried after those that may give
// TLS, and then in clear at once. TLS that works is a good word for it, and all is forgotten. In memory, since each process
// finds it out at the price of one mail.
//
// By host and address: one of many servers of a name may be broken alone. Not by address alone: whoever names a host may
// give it any address, and make a name that the server there refuses in the handshake.

import type { Clock } from '../../platform/clock.ts'
import type { Target } from './ways.ts'

export interface TlsFaults {
  /** Why TLS failed there not long ago; null: it may be tried. */
  of(host: Host): string | null
  /** @param why null: TLS works there */
  note(host: Host, why: string | null): void
}

type Host = Pick<Target, 'host' | 'ip'>

const FIRST_MS = 300_000
const LONGEST_MS = 3_600_000
const MAX_KNOWN = 10_000

export function tlsFaults(clock: Clock): TlsFaults {
  const known = new Map<string, { readonly why: string; readonly forMs: number; readonly untilMs: number }>()
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
      // Of connections that were under way together each finds the same fault: it is one.
      const isAgain = before !== undefined && nowMs >= before.untilMs
      const forMs = isAgain ? Math.min(LONGEST_MS, before.forMs * 2) : (before?.forMs ?? FIRST_MS)
      known.set(key, { why, forMs, untilMs: nowMs + forMs })
      const [oldest] = known.keys()
      if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
    },
  }
}
