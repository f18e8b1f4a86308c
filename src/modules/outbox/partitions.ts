import type { Db } from '../../platform/db.ts'
import * as sql from './sql.ts'

const DAY_MS = 86_400_000
export const PARTITION_DAYS_AHEAD = 7

/** Makes the daily partitions of emails, contents and attempts from yesterday to a week ahead. */
export async function ensureOutboxPartitions(db: Db, now: Date): Promise<void> {
  await db.query(sql.ensurePartitions, [new Date(now.getTime() - DAY_MS), PARTITION_DAYS_AHEAD + 2])
}
