// The foundation of a process: clock, ids, log, DNS. Tests replace it with their own.

import type { Config } from '../config.ts'
import { type CorrectableClock, systemClock } from '../platform/clock.ts'
import { authoritativeResolver } from '../platform/dns/authoritative.ts'
import { dnsResolver } from '../platform/dns/resolver.ts'
import type { Resolver } from '../platform/dns.ts'
import { largeTurns, type Turns } from '../platform/files/body-spool.ts'
import { type Ids, systemIds } from '../platform/ids.ts'
import { createLogger, type Logger } from '../platform/log.ts'
import { systemMemory } from '../platform/memory.ts'

/** The dependencies on the outside, which tests replace. */
export interface Ground {
  readonly clock: CorrectableClock
  readonly ids: Ids
  readonly log: Logger
  /** For delivery, and for questions about other people's domains. */
  readonly resolver: Resolver
  /** For the verification of the accounts' own domains: never from a cache. */
  readonly verifier: Resolver
  /** Turns for large bodies, from all entry points together. */
  readonly turns: Turns
}

export function systemGround(config: Config): Ground {
  const clock = systemClock()
  const cached = dnsResolver({ clock, servers: config.dnsServers })
  const verifier =
    config.dnsServers.length > 0
      ? cached.fresh()
      : authoritativeResolver(cached, { clock, allowPrivate: config.allowPrivateNetworks })
  const ids = systemIds(() => clock.now().getTime())
  return {
    clock,
    ids,
    log: createLogger(config.logLevel, clock),
    resolver: cached,
    verifier,
    turns: largeTurns(systemMemory()),
  }
}
