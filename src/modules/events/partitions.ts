// The daily partitions of the log. A partition is dropped once no account needs it; until then, events are deleted by account.

import { dropDays } from '../../platform/db/partitions.ts'
import type { Database, Db } from '../../platform/db.ts'
import { followerLags, OVERLAP_MS } from './follow.ts'
import * as sql from './sql.ts'

const DAY_MS = 86_400_000
export const PARTITION_DAYS_AHEAD = 7
const FORGOTTEN_AT_ONCE = 1_000

/** Creates the log's daily partitions from yesterday to a week ahead. Without them no mail can be accepted. */
export async function ensureEventPartitions(db: Db, now: Date): Promise<void> {
  await db.query(sql.ensurePartitions, [new Date(now.getTime() - DAY_MS), PARTITION_DAYS_AHEAD + 2])
}

/** The time up to which all followers have read, except for events written late: `now` if all is read, 1970 without followers. */
export async function readUpTo(db: Db, now: Date): Promise<Date> {
  const lags = await followerLags(db, now)
  if (lags.length === 0) return new Date(0)
  return new Date(now.getTime() - Math.max(0, ...lags.map(({ lagSeconds }) => lagSeconds)) * 1_000)
}

/**
 * Drops the days of the log that lie wholly before `before`, except those a follower may not have read yet: a stalled
 * follower loses nothing. Rejects when another transaction holds the log for longer than half a second.
 */
export async function dropEvents(
  database: Database,
  { before, now }: { readonly before: Date; readonly now: Date },
): Promise<void> {
  const read = await readUpTo(database.system, now)
  const until = new Date(Math.min(before.getTime(), read.getTime() - OVERLAP_MS))
  await dropDays(database, sql.dropPartition, until)
}

/**
 * Deletes a batch of an account's events in [from, before) that every follower has read.
 *
 * @returns the `from` of the next batch; null when this was the last
 */
export async function forgetEvents(
  { system }: Database,
  accountId: string,
  { from, before }: { readonly from: Date; readonly before: Date },
): Promise<Date | null> {
  const last = await system.one<{ at: Date }>(sql.forgottenUpTo, [accountId, from, before, FORGOTTEN_AT_ONCE - 1])
  await system.execute(sql.forget, [accountId, from, last === null ? before : last.at, before])
  return last === null ? null : new Date(last.at.getTime() + 1)
}

export async function hasEvents(db: Db, accountId: string): Promise<boolean> {
  return (await db.one(sql.hasEvents, [accountId])) !== null
}
