// The delivery role's service and what it gets from other rooms. A part of the composition root.

import os from 'node:os'
import { type Config, firstDays } from '../config.ts'
import type { VerpMac } from '../mail/verp.ts'
import type { Accounts } from '../modules/accounts/index.ts'
import {
  type Delivery,
  type DeliveryOptions,
  deliveryService,
  HALF_LIMITS,
  type HtmlReader,
  sideBySide,
  type WarmUp,
  warmUpOf,
} from '../modules/delivery/index.ts'
import type { InstanceKey, SenderDomains } from '../modules/domains/index.ts'
import { inboxOwner, isTlsReport } from '../modules/notices/index.ts'
import { type FreshEmails, releaseRemoved } from '../modules/outbox/index.ts'
import type { Store } from '../platform/store.ts'
import type { Traces } from '../platform/traces.ts'
import { ownMx } from '../roles/own-mx.ts'
import type { Ground } from './ground.ts'
import { noteAttempt, type ServiceMetrics } from './metrics.ts'
import type { OutgoingTls } from './outgoing.ts'
import { relayOf } from './relay.ts'
import { logAttempt, traceAttempt } from './spans.ts'
import type { trackingParts } from './tracking.ts'

export interface DeliveryParts {
  readonly config: Config
  readonly ground: Ground
  readonly store: Store
  readonly accounts: Accounts
  readonly senders: SenderDomains
  readonly instanceKey: InstanceKey | null
  readonly verpMac: VerpMac
  readonly tracking: ReturnType<typeof trackingParts>
  /** Null unless mail goes directly to its receivers. */
  readonly outgoing: OutgoingTls | null
  readonly fresh: FreshEmails | null
  readonly html: HtmlReader
  readonly metrics: ServiceMetrics
  readonly traces: Traces
}

/** Null without the role. Mail to many with addresses of its own gets connections, windows and pauses of its own. */
export function deliveryOf(parts: DeliveryParts): Delivery | null {
  const { config, ground, store, accounts, senders, instanceKey, tracking, outgoing, fresh, html, metrics, traces } =
    parts
  const { clock, ids, log } = ground
  const { database } = store
  if (!config.roles.includes('delivery')) return null
  const warmUp = warmUpOfNew(parts)
  const common: Omit<DeliveryOptions, 'nodeName' | 'sourceIps'> = {
    database,
    clock,
    ids,
    log,
    mode: config.delivery.kind,
    relay: relayOf(config),
    hostname: config.hostname,
    smtpPort: config.smtpPort,
    allowPrivateNetworks: config.allowPrivateNetworks,
    isOurs: ownMx(config),
    resolver: ground.resolver,
    verpMac: parts.verpMac,
    signingKeys: (db, domainIds) => senders.signingKeys(db, domainIds),
    instanceKey,
    releaseRemoved: (emailIds) => releaseRemoved(database.system, emailIds),
    enforcesVerification: async (accountId) => (await accounts.settings(accountId)).enforceSenderVerification,
    fresh,
    suspendedAccounts: () => [...accounts.suspendedAccounts()],
    onAttempt: (tried) => {
      logAttempt(log, tried)
      traceAttempt(traces, tried, noteAttempt(metrics, tried))
    },
    tracking: tracking.tracking,
    inboxOwner,
    isTlsReport,
    html,
    journals: tracking.journals,
    turns: ground.turns,
    ...(outgoing !== null && { transport: outgoing.transport }),
    ...(warmUp !== null && { sources: warmUp }),
  }
  const nodeName = `${os.hostname()}:${process.pid}`
  const { sourceIps, bulkSourceIps } = config
  if (bulkSourceIps.length === 0 || config.delivery.kind === 'sandbox')
    return sideBySide([deliveryService({ ...common, nodeName, sourceIps })], warmUp)
  const half = { ...common, limits: HALF_LIMITS }
  const halves = [
    deliveryService({ ...half, nodeName, sourceIps, mail: 'single' }),
    deliveryService({ ...half, nodeName: `${nodeName}:bulk`, sourceIps: bulkSourceIps, mail: 'bulk' }),
  ]
  return sideBySide(halves, warmUp)
}

/** The warm-up of the new source addresses; null when none is new. */
function warmUpOfNew({ config, ground: { clock, log }, store }: DeliveryParts): WarmUp | null {
  const since = firstDays(config)
  if (since.size === 0) return null
  const onError = (err: unknown): void => log.warn({ err }, 'the counts of new source addresses were not written')
  return warmUpOf({ db: store.database.system, clock, since, onError })
}
