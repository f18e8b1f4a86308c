// What readers did with an email: its counters, and the facts that tracking needs. Only people are counted here; machines
// appear in the log alone.

import type { Db } from '../../platform/db.ts'
import type { Stream } from '../events/index.ts'
import * as sql from './sql.ts'

export interface EmailKey {
  readonly accountId: string
  readonly id: string
}

export interface EngagedEmail {
  readonly id: string
  readonly domainId: string | null
  readonly stream: Stream
  readonly sandbox: boolean
  readonly tag: string | null
  readonly deliveredAt: Date | null
  readonly openCount: number
  readonly clickCount: number
}

interface Row {
  readonly id: string
  readonly domain_id: string | null
  readonly stream: number
  readonly sandbox: boolean
  readonly tag: string | null
  readonly delivered_at: Date | null
  readonly open_count: number
  readonly click_count: number
}

/** By id; emails that no longer exist are missing. */
export async function engagedEmails(db: Db, keys: readonly EmailKey[]): Promise<ReadonlyMap<string, EngagedEmail>> {
  return byId(await db.query<Row>(sql.engagedEmails, columns(keys)))
}

/** The same, locked until the transaction ends. It does not wait: emails locked by another transaction are missing too. */
export async function lockEngagedEmails(db: Db, keys: readonly EmailKey[]): Promise<ReadonlyMap<string, EngagedEmail>> {
  return byId(await db.query<Row>(sql.lockEngagedEmails, columns(keys)))
}

/** Counts what people did, in the transaction that locked the emails. At most one entry per email. */
export async function countEngagement(
  db: Db,
  counts: readonly (EmailKey & { readonly opens: number; readonly clicks: number })[],
): Promise<void> {
  if (counts.length === 0) return
  await db.execute(sql.countEngagement, [
    ...columns(counts),
    counts.map(({ opens }) => opens),
    counts.map(({ clicks }) => clicks),
  ])
}

function columns(keys: readonly EmailKey[]): [string[], string[]] {
  return [keys.map(({ accountId }) => accountId), keys.map(({ id }) => id)]
}

function byId(rows: readonly Row[]): ReadonlyMap<string, EngagedEmail> {
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        domainId: row.domain_id,
        stream: row.stream === 1 ? 'broadcast' : 'transactional',
        sandbox: row.sandbox,
        tag: row.tag,
        deliveredAt: row.delivered_at,
        openCount: row.open_count,
        clickCount: row.click_count,
      },
    ]),
  )
}
