// Connects the rooms that follow the log: the log over HTTP, statistics, webhooks, health. A part of the composition root.

import type { Config } from '../config.ts'
import type { AccountRoutesOptions, Accounts, TrackingDefaults } from '../modules/accounts/index.ts'
import type { DomainSettings, Domains } from '../modules/domains/index.ts'
import { eventRoutes, eventStreams } from '../modules/events/index.ts'
import { healthLoop, healthRoutes } from '../modules/health/index.ts'
import { noteDisabled, noticeServices, type SystemMailer, tellFormerAddress } from '../modules/notices/index.ts'
import { emailsTo, keptFacts } from '../modules/outbox/index.ts'
import { complainedDomains, openedDomains, statisticsLoop, statisticsRoutes } from '../modules/statistics/index.ts'
import { endingCertificates } from '../modules/tracking/index.ts'
import {
  type DisabledEndpoint,
  type FinishedRequest,
  webhookRoutes,
  webhookServices,
} from '../modules/webhooks/index.ts'
import type { Db } from '../platform/db.ts'
import { ApiError } from '../platform/errors.ts'
import type { AnyEndpoint } from '../platform/http.ts'
import type { Service } from '../platform/lifecycle.ts'
import type { Store } from '../platform/store.ts'
import type { Ground } from './ground.ts'
import { endingCertificate } from './listeners.ts'
import { closing, outgoingRequests } from './outgoing.ts'

export interface FollowersOptions {
  readonly config: Config
  readonly ground: Ground
  readonly store: Store
  readonly accounts: Accounts
  readonly domains: Domains
  readonly mailer: SystemMailer
  /** Whether the disk has room for mail. */
  readonly hasRoom: () => boolean
  /** Called after mail was queued. */
  readonly onMailed: () => void
  /** Called when a request to an endpoint is over. */
  readonly onWebhook: (request: FinishedRequest) => void
}

export interface Followers {
  readonly onMoved: AccountRoutesOptions['onMoved']
  readonly endpoints: readonly AnyEndpoint[]
  /** The services of the worker role. */
  readonly workers: readonly Service[]
  /** Services that hold responses open. They start after HTTP, so that they stop before it waits for its responses. */
  readonly beforeHttpStops: readonly Service[]
}

export function followersOf(options: FollowersOptions): Followers {
  const { config, ground, store, accounts, domains } = options
  const { clock, ids, log } = ground
  const { database, secrets } = store
  const isTracked = async (accountId: string, domain?: DomainSettings): Promise<boolean> => {
    const { tracking } = await accounts.settings(accountId)
    if (domain !== undefined) return isTrackedBy(tracking, domain)
    if (isTrackedBy(tracking, null)) return true
    const all = await domains.list({ accountId, domainIds: null }, { limit: null, offset: 0 })
    return all.domains.some(({ settings }) => isTrackedBy(tracking, settings))
  }
  const outgoing = outgoingRequests(config, ground)
  const streams = eventStreams({ database, clock, log, keptFacts })
  const onDisabled = async (db: Db, endpoint: DisabledEndpoint): Promise<void> => {
    const { accountId, id, reason } = endpoint
    log.warn({ account_id: accountId, webhook_id: id, reason }, 'webhook endpoint switched off')
    await noteDisabled(db, { clock, ids }, endpoint)
  }
  return {
    onMoved: async (db, moved) => {
      await tellFormerAddress(db, { clock, ids, mailer: options.mailer, buckets: accounts.buckets }, moved)
      return options.onMailed
    },
    endpoints: [
      ...eventRoutes({ database, clock, streams, gate: accounts.gate, emailsTo, keptFacts }),
      ...statisticsRoutes({ database, clock }),
      ...healthRoutes({ database, clock, ids, isTracked, domains }),
      ...webhookRoutes({
        database,
        clock,
        ids,
        secrets,
        connector: outgoing,
        allowPrivate: config.allowPrivateNetworks,
        onDisabled,
        limitOf: async (accountId) => {
          const { limits, plan } = await accounts.settings(accountId)
          return { limit: limits.webhooks, plan }
        },
      }),
    ],
    workers: [
      closing(outgoing, 'outgoing requests'),
      statisticsLoop({ database, log }),
      healthLoop({ database, clock, ids, isTracked, log }),
      ...webhookServices({
        database,
        clock,
        ids,
        secrets,
        connector: outgoing,
        keptFacts,
        log,
        onAttempt: options.onWebhook,
        onDisabled,
      }),
      ...noticeServices({
        database,
        clock,
        ids,
        log,
        mailer: options.mailer,
        buckets: accounts.buckets,
        // In the sandbox all mail stays on the server, and nobody reads an inbox without an owner.
        operatorEmail: config.delivery.kind === 'sandbox' ? null : config.operatorEmail,
        account: (accountId) => accounts.settings(accountId).catch(nullIfGone),
        month: () => accounts.quotas.period().month,
        hasRoom: options.hasRoom,
        certificate: () => endingCertificate(config, database.system),
        trackingCertificates: (now) => endingCertificates(database.system, now),
        complaints: async (least) => withNames(domains, await complainedDomains(database.system, least)),
        opens: async (least) => withNames(domains, await openedDomains(database.system, least)),
        onMailed: options.onMailed,
      }),
    ],
    beforeHttpStops: [streams.service],
  }
}

/** Without domains that no longer exist. */
async function withNames<Row extends { readonly account_id: string; readonly domain_id: string }>(
  domains: Pick<Domains, 'get'>,
  rows: readonly Row[],
) {
  const named = await Promise.all(
    rows.map(async (row) => {
      const { account_id: accountId, domain_id: id } = row
      const domain = await domains.get({ accountId, domainIds: null }, id).catch(nullIfGone)
      return domain === null ? [] : [{ ...row, accountId, id, name: domain.name }]
    }),
  )
  return named.flat()
}

/** Whether opens or clicks are tracked: by the domain's setting, or else the account's. */
function isTrackedBy(account: TrackingDefaults, domain: DomainSettings | null): boolean {
  const opens = domain?.openTrackingEnabled ?? account.openTrackingEnabled
  const clicks = domain?.clickTrackingEnabled ?? account.clickTrackingEnabled
  return (domain?.trackingEnabled ?? account.trackingEnabled) && (opens || clicks)
}

function nullIfGone(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null
  throw error
}
