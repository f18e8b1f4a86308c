// Connects the feedback about sent mail, which arrives at the inbound MX and over HTTP, and the system's own mail, which forwards
// what is for the operator. A part of the composition root.

import type { Config } from '../config.ts'
import type { VerpMac } from '../mail/verp.ts'
import { SYSTEM_ACCOUNT_ID } from '../modules/accounts/index.ts'
import { bounceRoutes, type Inbound, inboundOf, inboundRoutes } from '../modules/bounces/index.ts'
import { dmarcIntake, dmarcReportRoutes } from '../modules/dmarc/index.ts'
import { type Domains, errors as domainErrors, type Holder, SELECTOR_PATTERN } from '../modules/domains/index.ts'
import { type Hostnames, hostnamesOf } from '../modules/machines/index.ts'
import { operatorForward, type SystemMailer, systemMailer } from '../modules/notices/index.ts'
import type { SiteIds } from '../modules/outbox/index.ts'
import { tlsIntake, tlsReportRoutes } from '../modules/transport/index.ts'
import type { AnyEndpoint, Principal } from '../platform/http.ts'
import type { Store } from '../platform/store.ts'
import type { Ground } from './ground.ts'
import { reportedEmails } from './stored-emails.ts'

export interface FeedbackOptions {
  readonly config: Config
  readonly ground: Ground
  readonly store: Store
  readonly domains: Domains
  readonly sites: SiteIds
  readonly verpMac: VerpMac
  /** Called after the commit that completes a report, with its outcome. */
  readonly onRead: (kind: string, outcome: string) => void
}

export interface FeedbackIntake {
  readonly inbound: Inbound
  readonly hostnames: Hostnames
  readonly mailer: SystemMailer
  readonly endpoints: readonly AnyEndpoint[]
}

export function feedbackIntake({
  config,
  ground,
  store,
  domains,
  sites,
  verpMac,
  onRead,
}: FeedbackOptions): FeedbackIntake {
  const { clock, ids, log, resolver } = ground
  const { database } = store
  const { hostname } = config
  const emails = reportedEmails(clock)
  const mailer = systemMailer({
    clock,
    ids,
    sites,
    from: config.systemFrom,
    hostname,
    signingDomain: async (name) => (await domains.find(name)).find(({ status }) => status === 'verified')?.id ?? null,
  })
  const forward = operatorForward({
    mailer,
    // In the sandbox nothing leaves this machine, and nobody reads an inbox without an owner.
    operator: config.delivery.kind === 'sandbox' ? null : config.operatorEmail,
    hostname,
  })
  const aggregated = { clock, ids, ownersOf: (domain: string) => ownersOf(domains, hostname, domain) }
  const aggregates = { tls: tlsIntake(aggregated), dmarc: dmarcIntake(aggregated) }
  const inbound = inboundOf({ database, clock, ids, log, verpMac, emails, resolver, forward, aggregates, onRead })
  const ofDomains = {
    ...{ database, hostname, notFound: domainErrors.not_found },
    domainName: async (principal: Principal, id: string) => (await domains.get(holderOf(principal), id)).name,
  }
  return {
    inbound,
    hostnames: hostnamesOf({ database, log, hostname }),
    mailer,
    endpoints: [
      ...bounceRoutes({ database }),
      ...inboundRoutes({ database, clock, ids, verpMac, emails, inbound }),
      ...tlsReportRoutes(ofDomains),
      ...dmarcReportRoutes({ ...ofDomains, clock, selectorPattern: SELECTOR_PATTERN }),
    ],
  }
}

function holderOf({ accountId, domainIds }: Principal): Holder {
  return { accountId, domainIds: domainIds?.map((id) => id.toLowerCase()) ?? null }
}

/** Reports about our own host belong to the operator and are kept with the system account. */
async function ownersOf(domains: Domains, hostname: string, name: string): Promise<readonly string[]> {
  if (!name.includes('.') || !/^[a-z0-9.-]{1,253}$/.test(name)) return []
  const host = name === hostname.toLowerCase() ? [SYSTEM_ACCOUNT_ID] : []
  const found = await domains.find(name)
  const shown = found.filter(({ status }) => status === 'verified' || status === 'temporary_failure')
  return [...host, ...shown.map(({ accountId }) => accountId)]
}
