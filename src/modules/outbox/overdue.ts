// Mail that is over while nobody may send it: of a suspended account, or to a destination that is held back. A claim passes
// it by, so it is looked for by itself: a walk over the queue in the order of ids, by lots of a thousand rows, of which the
// blocked ones alone are held against their emails. What is over is leased like any mail, to be ended under the fence.

import type { Db } from '../../platform/db.ts'
import { blockedSql } from '../suppression/index.ts'
import { claimedOf, type QueueRow } from './queue.ts'
import * as sql from './sql.ts'
import type { Claimed } from './types.ts'

const CLAIM = sql.claimOverdue(
  blockedSql({ accountId: 'q.account_id', recipient: 'q.recipient_key', sandbox: 'q.sandbox', now: '$6::timestamptz' }),
)
export const OVERDUE_LOT = 1_000

export interface OverdueAsk {
  readonly epoch: number
  /** The lot begins behind this id. */
  readonly after: string
  /** Destinations that are held back. */
  readonly sites: readonly number[]
  /** Accounts that are suspended. */
  readonly accounts: readonly string[]
  readonly now: Date
}

export interface OverdueAnswer {
  readonly claimed: readonly Claimed[]
  /** Where the next lot begins. Null: the walk came to its end. */
  readonly after: string | null
}

/** The destinations that are held back. */
export async function pausedSites(db: Db): Promise<readonly number[]> {
  const rows = await db.query<{ id: number }>(sql.pausedSites)
  return rows.map(({ id }) => id)
}

/** Leases what is over in the next lot to a node. A dead epoch gets none. */
export async function claimOverdue(db: Db, ask: OverdueAsk): Promise<OverdueAnswer> {
  const { after, sites, accounts, epoch, now } = ask
  const rows = await db.query<QueueRow & { last: string | null; visited: number }>(CLAIM, [
    after,
    OVERDUE_LOT,
    sites,
    accounts,
    epoch,
    now,
  ])
  const [first] = rows
  const claimed = rows.filter((row) => row.id !== null).map(claimedOf)
  return { claimed, after: first === undefined || first.visited < OVERDUE_LOT ? null : first.last }
}
