import { dropDays } from '../../platform/db/partitions.ts'
import type { Database, Db } from '../../platform/db.ts'
import { KEPT_DAYS } from './schedule.ts'
import * as sql from './sql.ts'

const DAY_MS = 86_400_000
const DAYS_AHEAD = 7

/** Creates the delivery log's partitions, from yesterday to a week ahead. */
export async function ensureWebhookPartitions(db: Db, now: Date): Promise<void> {
  await db.query(sql.ensurePartitions, [new Date(now.getTime() - DAY_MS), DAYS_AHEAD + 2])
}

/** Drops the delivery log's expired days. Rejects when a reader keeps one locked all the while. */
export async function dropDeliveries(database: Database, now: Date): Promise<void> {
  await dropDays(database, sql.dropPartition, new Date(now.getTime() - (KEPT_DAYS + 1) * DAY_MS))
}
