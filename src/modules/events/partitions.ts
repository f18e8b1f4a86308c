import type { Db } from '../../platform/db.ts'
import * as sql from './sql.ts'

const DAY_MS = 86_400_000
export const PARTITION_DAYS_AHEAD = 7

/** Makes the log's daily partitions from yesterday to a week ahead. Without them nothing can be accepted. */
export async function ensureEventPartitions(db: Db, now: Date): Promise<void> {
  await db.query(sql.ensurePartitions, [new Date(now.getTime() - DAY_MS), PARTITION_DAYS_AHEAD + 2])
}

/** Drops the days of the log that lie wholly before `before`. */
export async function dropEvents(db: Db, before: Date): Promise<void> {
  await db.query(sql.dropPartitions, [before])
}
