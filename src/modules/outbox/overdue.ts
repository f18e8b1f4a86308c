// Finds expired mail that may not be sent: mail of a suspended account or to a paused destination. A claim skips it, so a
// separate walk goes through the queue in id order, in batches of a thousand rows, and looks up the emails of the blocked rows
// only. Expired mail is leased like any other and ended under the fence.

import type { Db } from '../../platform/db.ts'
import { blockedSql } from '../suppression/index.ts'
import { claimedOf, type QueueRow } from './queue.ts'
import * as sql from './sql.ts'
import type { Claimed } from './types.ts'

const CLAIM = sql.claimOverdue(
  blockedSql({ accountId: 'q.account_id', recipient: 'q.recipient_key', sandbox: 'q.sandbox', now: '$6::timestamptz' }),
)
export const OVERDUE_BATCH = 1_000

export interface OverdueAsk {
  readonly epoch: number
  /** The id after which the batch begins. */
  readonly after: string
  /** Paused destinations. */
  readonly sites: readonly number[]
  /** Suspended accounts. */
  readonly accounts: readonly string[]
  readonly now: Date
}

export interface OverdueAnswer {
  readonly claimed: readonly Claimed[]
  /** Where the next batch begins. Null: the walk has reached its end. */
  readonly after: string | null
}

/** The paused destinations. */
export async function pausedSites(db: Db): Promise<readonly number[]> {
  const rows = await db.query<{ id: number }>(sql.pausedSites)
  return rows.map(({ id }) => id)
}

/** Leases the expired emails of the next batch to a node. A dead epoch gets none. */
export async function claimOverdue(db: Db, ask: OverdueAsk): Promise<OverdueAnswer> {
  const { after, sites, accounts, epoch, now } = ask
  const rows = await db.query<QueueRow & { last: string | null; visited: number }>(CLAIM, [
    after,
    OVERDUE_BATCH,
    sites,
    accounts,
    epoch,
    now,
  ])
  const [first] = rows
  const claimed = rows.filter((row) => row.id !== null).map(claimedOf)
  return { claimed, after: first === undefined || first.visited < OVERDUE_BATCH ? null : first.last }
}
