// Retention of emails, contents and attempts: whole daily partitions once no account needs them, single accounts before that.
// Nothing may be deleted of an email that is still to be sent: the caller checks `oldestUnended` first.

import { dropDays } from '../../platform/db/partitions.ts'
import type { Database, Db } from '../../platform/db.ts'
import { firstIdAt, timeOfId } from '../../platform/ids.ts'
import * as sql from './sql-retention.ts'

const DAY_MS = 86_400_000
export const PARTITION_DAYS_AHEAD = 7
const FORGOTTEN_AT_ONCE = 500
/** Large contents take their time, and a statement has 30 s. */
const FORGOTTEN_BYTES = 64 * 1_048_576

/** Creates the daily partitions of emails, contents and attempts from yesterday to a week ahead. */
export async function ensureOutboxPartitions(db: Db, now: Date): Promise<void> {
  await db.query(sql.ensurePartitions, [new Date(now.getTime() - DAY_MS), PARTITION_DAYS_AHEAD + 2])
}

/** For each account with queued emails from before `before`: when the oldest of them was accepted. */
export async function oldestUnended(db: Db, before: Date): Promise<ReadonlyMap<string, Date>> {
  const rows = await db.query<{ account_id: string; id: string }>(sql.oldestUnended, [firstIdAt(before)])
  return new Map(rows.map(({ account_id: accountId, id }) => [accountId, timeOfId(id)]))
}

/** Drops the days entirely before `before`. Rejects when the table stays in use for longer than half a second. */
export async function dropOutboxDays(database: Database, what: 'emails' | 'contents', before: Date): Promise<void> {
  const drops = what === 'emails' ? [sql.dropEmails] : [sql.dropBodies, sql.dropPieces, sql.dropAttempts]
  for (const drop of drops) await dropDays(database, drop, before)
}

interface Stretch {
  readonly from: Date
  readonly before: Date
}

/** Deletes some of the contents and attempts of emails of [from, before). @returns where to continue; null: none is left */
export function forgetContents(database: Database, accountId: string, stretch: Stretch): Promise<Date | null> {
  return forget(database, [sql.forgetBodies, sql.forgetPieces, sql.forgetAttempts], accountId, stretch)
}

/** The same with the emails themselves. */
export function forgetEmails(database: Database, accountId: string, stretch: Stretch): Promise<Date | null> {
  return forget(database, [sql.forgetEmails], accountId, stretch)
}

/** The same with everything else of them, what waits to be sent included; emails being attempted must be none. */
export function forgetOutbox(database: Database, accountId: string, stretch: Stretch): Promise<Date | null> {
  const all = [sql.forgetQueued, sql.forgetBodies, sql.forgetPieces, sql.forgetAttempts, sql.forgetEmails]
  return forget(database, all, accountId, stretch)
}

/** Whether an attempt at an email of the account is under way. */
export async function hasLeasedEmails(db: Db, accountId: string): Promise<boolean> {
  return (await db.one(sql.hasLeased, [accountId])) !== null
}

export async function hasEmails(db: Db, accountId: string): Promise<boolean> {
  return (await db.one(sql.hasEmails, [accountId])) !== null
}

async function forget(
  database: Database,
  statements: readonly (typeof sql.forgetEmails)[],
  accountId: string,
  { from, before }: Stretch,
): Promise<Date | null> {
  const bounds = [accountId, firstIdAt(from), firstIdAt(before)]
  return database.transaction(async (db) => {
    const last = await db.one<{ id: string }>(sql.forgottenUpTo, [...bounds, FORGOTTEN_AT_ONCE, FORGOTTEN_BYTES])
    // The range ends on a whole millisecond after the id's.
    const next = last === null ? null : new Date(timeOfId(last.id).getTime() + 1)
    const until = next === null || next > before ? before : next
    const [, low] = bounds
    await Promise.all(statements.map((one) => db.execute(one, [accountId, low, firstIdAt(until)])))
    return next === null || next >= before ? null : next
  })
}

/** An email to a recipient who is being erased, locked until the transaction ends. */
export interface ErasedEmail {
  readonly id: string
  /** It is queued or being attempted. */
  readonly waits: boolean
}

/**
 * The next emails of an account to one recipient, in order of their ids. One transaction at a time erases emails of an account,
 * since the last recipient's erasure takes the content with it.
 *
 * @param recipient suppression key
 * @param window `after` an id, and accepted `before` a time
 */
export async function lockEmailsTo(
  db: Db,
  accountId: string,
  recipient: string,
  { after, before, limit }: { readonly after: string; readonly before: Date; readonly limit: number },
): Promise<readonly ErasedEmail[]> {
  await db.query(sql.lockErasing, [accountId])
  return db.query<ErasedEmail>(sql.lockTo, [accountId, recipient, after, firstIdAt(before), limit])
}

/** Deletes emails that have ended, with their attempts, and contents that no other recipient shares. */
export async function eraseEmails(db: Db, accountId: string, ids: readonly string[]): Promise<void> {
  for (const erase of sql.eraseEmails) await db.execute(erase, [accountId, ids])
}
