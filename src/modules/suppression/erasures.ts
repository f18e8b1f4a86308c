// Requests to erase what was sent to a recipient. At once, what waits for the address is canceled, and a salted hash takes its place
// on the lists, in one transaction with the request. What was sent is erased afterwards (src/composition/recipient-erasure.ts); the
// request itself keeps the address until then.

import type { Database, Db } from '../../platform/db.ts'
import { platformErrors } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http.ts'
import { assertWholeAccount } from '../accounts/index.ts'
import { type Context, erase } from './entries.ts'
import type { Window } from './lists.ts'
import * as sql from './sql-erasures.ts'

/** Until then, mail in acceptance that the lists did not stop yet is stored. */
const ERASE_AFTER_MS = 30_000
/** When a worker that dies over a request is followed by another. */
const LEASE_MS = 600_000
/** For emails that are being sent, or whose events are still to be delivered to a webhook. */
const LOOK_AGAIN_MS = 300_000

export interface Erasing extends Context {
  readonly database: Database
  /** Cancels an account's emails waiting for a recipient. @returns how many */
  readonly cancelWaiting: (accountId: string, recipient: string) => Promise<number>
  /** Deletes what other rooms know of the person apart from emails, in the transaction of the request. */
  readonly forgetPerson: (db: Db, accountId: string, recipient: string) => Promise<void>
}

export interface ErasureRow {
  readonly id: string
  /** Null once it is completed. */
  readonly email: string | null
  readonly emails_canceled: number
  readonly emails_erased: number
  readonly created_at: Date
  readonly completed_at: Date | null
}

export interface RequestedErasure {
  readonly erasure: ErasureRow
  /** False when it continues an open request. */
  readonly created: boolean
  /** Emails canceled by this call. */
  readonly canceled: number
}

/**
 * Requests the erasure of a recipient. An open request for the same address is continued.
 *
 * @param recipient suppression key of the address
 * @throws ApiError insufficient_scope for a key bound to some domains
 */
export async function requestErasure(
  { database, ids, clock, cancelWaiting, forgetPerson }: Erasing,
  principal: Pick<Principal, 'accountId' | 'keyId' | 'domainIds'>,
  recipient: string,
): Promise<RequestedErasure> {
  assertWholeAccount(
    principal,
    'A key bound to domains cannot erase a recipient: it concerns the emails of every domain',
  )
  const { accountId, keyId } = principal
  const canceled = await cancelWaiting(accountId, recipient)
  // The account may not change what the lists remember of removals, so the service's own role does it.
  return database.transaction(async (db) => {
    await forgetPerson(db, accountId, recipient)
    await erase(db, { ids, clock }, { accountId, recipient })
    const now = clock.now()
    const id = ids.next()
    const due = new Date(now.getTime() + ERASE_AFTER_MS)
    const erasure = await db.one<ErasureRow>(sql.REQUEST, [accountId, id, recipient, keyId, canceled, now, due])
    if (erasure === null) throw new Error('a request for erasure was not written')
    return { erasure, created: erasure.id === id, canceled }
  })
}

/** Newest first. */
export async function listErasures(
  db: Db,
  accountId: string,
  { limit, offset }: Window,
): Promise<{ readonly erasures: readonly ErasureRow[]; readonly total: number }> {
  const [erasures, count] = await Promise.all([
    db.query<ErasureRow>(sql.LIST, [accountId, limit, offset]),
    db.one<{ total: number }>(sql.COUNT, [accountId]),
  ])
  return { erasures, total: count?.total ?? 0 }
}

/** @throws ApiError not_found */
export async function readErasure(db: Db, accountId: string, id: string): Promise<ErasureRow> {
  const row = await db.one<ErasureRow>(sql.READ, [accountId, id])
  if (row === null) throw platformErrors.not_found()
  return row
}

/** A request of which something is left to be erased. */
export interface OpenErasure {
  readonly accountId: string
  readonly id: string
  /** Suppression key of the address. */
  readonly recipient: string
  /** What is accepted after this time is not erased. */
  readonly coversUntil: Date
}

interface ClaimedRow {
  readonly account_id: string
  readonly id: string
  readonly recipient: string
  readonly covers_until: Date
}

/** Leases the request that is due first to one worker, for ten minutes; null: none is due. */
export async function claimErasure(db: Db, now: Date): Promise<OpenErasure | null> {
  const until = new Date(now.getTime() + LEASE_MS)
  const row = await db.one<ClaimedRow>(sql.CLAIM, [now, until])
  if (row === null) return null
  return { accountId: row.account_id, id: row.id, recipient: row.recipient, coversUntil: row.covers_until }
}

/** Counts emails canceled after the request was made. */
export async function countCanceled(db: Db, { accountId, id }: OpenErasure, emails: number): Promise<void> {
  await db.execute(sql.COUNT_CANCELED, [accountId, id, emails])
}

/** Counts erased emails, in the transaction that erases them. */
export async function countErased(db: Db, { accountId, id }: OpenErasure, emails: number): Promise<void> {
  await db.execute(sql.COUNT_ERASED, [accountId, id, emails])
}

/**
 * Notes the end of a turn. A request that was made again meanwhile covers more than this turn, and stays due for it.
 *
 * @param isDone whether nothing is left: the request then forgets the address
 * @returns whether it was noted
 */
export async function noteErasure(
  db: Db,
  { accountId, id, coversUntil }: OpenErasure,
  isDone: boolean,
  now: Date,
): Promise<boolean> {
  const due = isDone ? null : new Date(now.getTime() + LOOK_AGAIN_MS)
  return (await db.execute(sql.NOTE, [accountId, id, due, now, coversUntil])) > 0
}
