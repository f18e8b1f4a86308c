// What the sending room gets from the others. A part of the composition root.

import type { Config } from '../config.ts'
import type { Accounts } from '../modules/accounts/index.ts'
import type { SenderDomains } from '../modules/domains/index.ts'
import type { FreshEmails, SiteIds } from '../modules/outbox/index.ts'
import type { RiskRoom } from '../modules/risk/index.ts'
import { acceptance, type SendingOptions, type Templates } from '../modules/sending/index.ts'
import type { DatabaseHeartbeat } from '../platform/database-heartbeat.ts'
import type { DiskGuard } from '../platform/files/disk.ts'
import type { Ids } from '../platform/ids.ts'
import type { Store } from '../platform/store.ts'
import type { Traces } from '../platform/traces.ts'
import type { Ground } from './ground.ts'
import { noteAccepted, type ServiceMetrics } from './metrics.ts'
import { traceAccepted } from './spans.ts'

export interface SendingParts {
  readonly config: Config
  readonly ground: Ground
  readonly store: Store
  readonly accounts: Accounts
  readonly senders: SenderDomains
  readonly sites: SiteIds
  readonly risk: RiskRoom
  readonly templates: Templates
  readonly disk: DiskGuard
  readonly heartbeat: DatabaseHeartbeat
  /** Null without the delivery role. */
  readonly fresh: FreshEmails | null
  readonly metrics: ServiceMetrics
  readonly traces: Traces
  /** Called after each commit of accepted emails. */
  readonly onAccepted: () => void
}

export function sendingOptionsOf(parts: SendingParts): SendingOptions & { readonly ids: Ids } {
  const { config, ground, store, accounts, senders, risk, templates } = parts
  const { disk, heartbeat, metrics, traces } = parts
  const { clock, ids } = ground
  const { database } = store
  const accepting = acceptance({
    database,
    clock,
    ids,
    sites: parts.sites,
    quota: accounts.quotas.emails,
    risk,
    takesMail: disk.takesMail,
    fresh: parts.fresh,
    onAccepted: parts.onAccepted,
  })
  return {
    ids,
    database,
    clock,
    sandboxed: config.delivery.kind === 'sandbox',
    risk,
    acceptance: {
      idle: accepting.idle,
      // For REST and SMTP alike: an answer within seconds, even when the database hangs.
      submit: async (submission) => {
        const began = clock.monotonicMs()
        const accepted = await heartbeat.whileBeating(() => accepting.submit(submission), true)
        metrics.note('accepts', (clock.monotonicMs() - began) / 1_000)
        if (accepted.kind === 'done') {
          traceAccepted(traces, accepted.outcomes, clock.monotonicMs() - began)
          noteAccepted(metrics, accepted.outcomes)
        }
        return accepted
      },
    },
    lookups: {
      domain: (db, accountId, name) => senders.senderDomain(db, accountId, name),
      account: async (accountId) => {
        const { tracking: settings, ...policy } = await accounts.settings(accountId)
        return { settings, policy }
      },
    },
    templateFiller: templates.filler,
  }
}
