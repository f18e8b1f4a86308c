import type { Db } from '../../platform/db.ts'
import * as sql from './sql.ts'

const DAY_MS = 86_400_000
const DAYS_AHEAD = 7

/** Makes the daily partitions of hits from the day before `from` to a week after it. */
export async function ensureHitPartitions(db: Db, from: Date): Promise<void> {
  await db.query(sql.ensurePartitions, [new Date(from.getTime() - DAY_MS), DAYS_AHEAD + 2])
}

/** Drops the days of hits that lie wholly before `before`; their events stay in the log. */
export async function dropHits(db: Db, before: Date): Promise<void> {
  await db.query(sql.dropPartitions, [before])
}
