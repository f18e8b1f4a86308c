import { dropDays } from '../../platform/db/partitions.ts'
import type { Database, Db } from '../../platform/db.ts'
import { timeOfId } from '../../platform/ids.ts'
import * as sql from './sql.ts'

const DAY_MS = 86_400_000
const DAYS_AHEAD = 7
const KEPT_DAYS = 14

/** Creates the daily partitions of hits from the day before `from` to a week after it. */
export async function ensureHitPartitions(db: Db, from: Date): Promise<void> {
  await db.query(sql.ensurePartitions, [new Date(from.getTime() - DAY_MS), DAYS_AHEAD + 2])
}

/** Does the same for each day on which one of these hits came in, whatever the current time. */
export async function ensureDaysOf(db: Db, hits: readonly { readonly id: string }[]): Promise<void> {
  const days = new Set(hits.map(({ id }) => Math.floor(timeOfId(id).getTime() / DAY_MS)))
  for (const day of days) await ensureHitPartitions(db, new Date(day * DAY_MS))
}

/** Drops the days of hits older than 14 days; their events stay in the log. Rejects when a reader blocks it for 500 ms. */
export async function dropHits(database: Database, now: Date): Promise<void> {
  await dropDays(database, sql.dropPartition, new Date(now.getTime() - KEPT_DAYS * DAY_MS))
}

/** Deletes the opens and clicks of these emails that have become events. */
export async function eraseHits(db: Db, accountId: string, emailIds: readonly string[]): Promise<void> {
  await db.execute(sql.eraseHits, [accountId, emailIds])
}
