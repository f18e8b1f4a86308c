// Writes hits into the database, each once by its id, and carries out the unsubscribes among the new ones.

import type { Clock } from '../../platform/clock.ts'
import { withDays } from '../../platform/db/partitions.ts'
import type { Database, Db } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import { ensureEventPartitions } from '../events/index.ts'
import { type UnsubscribeSource, unsubscribeByLink } from '../suppression/index.ts'
import { HIT_KINDS, type Hit, isUnsubscribe } from './hits.ts'
import { ensureDaysOf } from './partitions.ts'
import * as sql from './sql.ts'
import type { EmailLedger } from './types.ts'

export interface RecordOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly ledger: EmailLedger
}

/** In one transaction. Creates missing day partitions of hits and events. @param beside runs after the hits are written */
export function recordAll(
  options: RecordOptions,
  hits: readonly Hit[],
  beside: (db: Db) => Promise<void> = async () => undefined,
): Promise<void> {
  const { database, clock } = options
  const ensure = async (): Promise<void> => {
    await ensureDaysOf(database.system, hits)
    await ensureEventPartitions(database.system, clock.now())
  }
  return withDays(ensure, () =>
    database.transaction(async (db) => {
      await record(db, options, hits)
      await beside(db)
    }),
  )
}

async function record(db: Db, { ids, clock, ledger }: RecordOptions, hits: readonly Hit[]): Promise<void> {
  const rows = await db.query<{ id: string }>(sql.addHits, columns(hits))
  const asked = hits.filter(isUnsubscribe)
  if (asked.length === 0) return
  const news = new Set(rows.map(({ id }) => id))
  // In a fixed order, so that two transactions wait for each other instead of deadlocking.
  const fresh = asked.filter(({ id }) => news.has(id)).sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  const emails = await ledger.facts(
    db,
    fresh.map(({ accountId, emailId }) => ({ accountId, id: emailId })),
  )
  for (const hit of fresh) {
    const { accountId, emailId, recipient, sandbox, kind } = hit
    if (recipient === null) continue
    // When the mail is no longer kept, the facts from its token are used.
    const { domainId, stream, tag } = emails.get(emailId) ?? { ...hit, tag: null }
    await unsubscribeByLink(
      db,
      { ids, clock },
      {
        accountId,
        recipient,
        sandbox,
        source: kind as UnsubscribeSource,
        reason: null,
        mail: { emailId, domainId, stream, tag },
      },
    )
  }
}

function orderOf({ accountId, recipient }: Hit): string {
  return `${accountId} ${recipient}`
}

function columns(hits: readonly Hit[]): unknown[] {
  return [
    hits.map((hit) => hit.id),
    hits.map((hit) => hit.accountId),
    hits.map((hit) => hit.emailId),
    hits.map((hit) => HIT_KINDS[hit.kind]),
    hits.map((hit) => hit.at),
    hits.map((hit) => (hit.linkIndex === null ? null : Math.min(hit.linkIndex, 32_767))),
    hits.map((hit) => hit.url),
    hits.map((hit) => hit.hidden),
    hits.map((hit) => hit.head),
    hits.map((hit) => hit.prefetch),
    hits.map((hit) => hit.userAgent),
    hits.map((hit) => hit.ip),
    hits.map((hit) => !isUnsubscribe(hit)),
    hits.map((hit) => hit.domainId),
    hits.map((hit) => (hit.stream === 'broadcast' ? 1 : 0)),
    hits.map((hit) => hit.sandbox),
  ]
}
