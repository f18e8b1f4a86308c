// Hearing back, connected: what comes to the inbound MX and over HTTP about mails that were sent, and the system's own mail,
// by which what is for the operator goes on. A part of the composition root.

import type { Config } from './config.ts'
import type { Ground } from './ground.ts'
import { reportedEmails } from './letters.ts'
import { bounceRoutes, type Inbound, inboundOf, inboundRoutes } from './modules/bounces/index.ts'
import type { Domains } from './modules/domains/index.ts'
import { operatorForward, type SystemMailer, systemMailer } from './modules/notices/index.ts'
import type { SiteIds } from './modules/outbox/index.ts'
import type { AnyEndpoint } from './platform/http.ts'
import type { Store } from './platform/store.ts'

export interface HearingOptions {
  readonly config: Config
  readonly ground: Ground
  readonly store: Store
  readonly domains: Domains
  readonly sites: SiteIds
  readonly verpMac: (text: Buffer) => Buffer
  /** After the commit that ends a report, with what became of it. */
  readonly onRead: (kind: string, outcome: string) => void
}

export interface Hearing {
  readonly inbound: Inbound
  readonly mailer: SystemMailer
  readonly endpoints: readonly AnyEndpoint[]
}

export function hearingOf({ config, ground, store, domains, sites, verpMac, onRead }: HearingOptions): Hearing {
  const { clock, ids, log } = ground
  const { database } = store
  const { hostname } = config
  const emails = reportedEmails(clock)
  const mailer = systemMailer({
    clock,
    ids,
    sites,
    from: config.systemFrom ?? `posthorn@${hostname}`,
    hostname,
    signingDomain: async (name) => (await domains.find(name)).find(({ status }) => status === 'verified')?.id ?? null,
  })
  const forward = operatorForward({
    mailer,
    // In the sandbox nothing leaves this machine, and an inbox of nobody is no place to read.
    operator: config.delivery.kind === 'sandbox' ? null : config.operatorEmail,
    hostname,
  })
  const inbound = inboundOf({ database, clock, ids, log, verpMac, emails, forward, onRead })
  return {
    inbound,
    mailer,
    endpoints: [...bounceRoutes({ database }), ...inboundRoutes({ database, clock, ids, verpMac, emails, inbound })],
  }
}
