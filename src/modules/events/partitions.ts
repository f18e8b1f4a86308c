import type { Database, Db } from '../../platform/db.ts'
import { OVERLAP_MS } from './follow.ts'
import * as sql from './sql.ts'

const DAY_MS = 86_400_000
export const PARTITION_DAYS_AHEAD = 7

/** Makes the log's daily partitions from yesterday to a week ahead. Without them nothing can be accepted. */
export async function ensureEventPartitions(db: Db, now: Date): Promise<void> {
  await db.query(sql.ensurePartitions, [new Date(now.getTime() - DAY_MS), PARTITION_DAYS_AHEAD + 2])
}

/**
 * Drops the days of the log that lie wholly before `before`, but for those that a follower may have yet to read: one that
 * stood still loses nothing. Whoever uses the log is waited for two seconds, since all others wait behind a drop that waits;
 * then it is for the next time.
 */
export function dropEvents(database: Database, before: Date): Promise<void> {
  return database.transaction(async (db) => {
    await db.execute(sql.waitShortly)
    const slowest = await db.one<{ at: Date | null }>(sql.slowestFollower)
    if (slowest === null || slowest.at === null) return
    const unread = slowest.at.getTime() - OVERLAP_MS
    await db.query(sql.dropPartitions, [new Date(Math.min(before.getTime(), unread))])
  })
}
