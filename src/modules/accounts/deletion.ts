// Deleting an account. At once, in one transaction: its keys, passwords, users and sessions end, it is suspended, so its queue
// stops, and what says whose it was leaves its row. Its data is deleted afterwards (src/composition/erasure.ts). The row stays:
// links and reports of its mail still arrive for a year, and what they add is deleted again.

import type { Db } from '../../platform/db.ts'
import { validationError } from '../../platform/errors.ts'
import type { OperatorContext } from './accounts.ts'
import { errors } from './errors.ts'
import { CONSOLE, recordOperatorAction } from './operator-actions.ts'
import { lockAccount } from './sql.ts'
import * as sql from './sql-deletion.ts'
import { SYSTEM_ACCOUNT_ID } from './system.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Until then every process has noticed that the account is suspended, and mail in acceptance is stored. */
const ERASE_AFTER_MS = 30_000
/** When a worker that dies over an erasure is followed by another. */
const LEASE_MS = 600_000
const LOOK_AGAIN_MS = 60_000
/** Longer than reports and clicks come in, and than anything of an account is kept. */
const LOOK_FOR_DAYS = 400

/**
 * Deletes an account.
 *
 * @param confirm its email address, so that nobody deletes another one by a slip
 * @throws ApiError not_found, validation_error, invalid_state while a user of the account is an operator
 */
export function deleteAccount(
  { database, ids, clock, by = CONSOLE }: OperatorContext,
  accountId: string,
  confirm: string,
): Promise<void> {
  return database.transaction(async (db) => {
    const row = accountId === SYSTEM_ACCOUNT_ID ? null : await lockAccount(db, accountId)
    if (row === null) throw errors.not_found()
    if (confirm.trim().toLowerCase() !== row.email.toLowerCase()) {
      const message = "is not the account's email address"
      throw validationError([{ field: 'confirm', rule: 'confirmation', message }])
    }
    if ((await db.one<{ found: boolean }>(sql.hasOperators, [accountId]))?.found === true) {
      const message = 'A user of the account is an operator of this installation: revoke that first'
      throw errors.invalid_state({}, { message })
    }
    for (const end of sql.endAccess) await db.execute(end, [accountId])
    const now = clock.now()
    await db.execute(sql.markDeleted, [accountId, now, new Date(now.getTime() + ERASE_AFTER_MS)])
    await recordOperatorAction(db, { ids, clock }, by, { action: 'account.delete', accountId })
  })
}

/** A deleted account whose data is to be looked for. */
export interface DueErasure {
  readonly accountId: string
  readonly createdAt: Date
  readonly deletedAt: Date
  /** When nothing was left for the first time; null: not yet. */
  readonly erasedAt: Date | null
}

/** Leases the account that is due first to one worker, for ten minutes; null: none is due. */
export async function claimErasure(db: Db, now: Date): Promise<DueErasure | null> {
  const row = await db.one<{ account_id: string; created_at: Date; deleted_at: Date; erased_at: Date | null }>(
    sql.claim,
    [now, new Date(now.getTime() + LEASE_MS)],
  )
  if (row === null) return null
  return { accountId: row.account_id, createdAt: row.created_at, deletedAt: row.deleted_at, erasedAt: row.erased_at }
}

/** @param isEmpty whether nothing of the account was left */
export async function noteErasure(
  db: Db,
  { accountId, deletedAt, erasedAt }: DueErasure,
  isEmpty: boolean,
  now: Date,
): Promise<void> {
  const at = isEmpty || erasedAt !== null ? nextLook(deletedAt, now) : new Date(now.getTime() + LOOK_AGAIN_MS)
  await db.execute(sql.note, [accountId, at, isEmpty ? now : null])
}

/** Hourly for a day, then daily; null: nothing can arrive any more. */
function nextLook(deletedAt: Date, now: Date): Date | null {
  const ageMs = now.getTime() - deletedAt.getTime()
  if (ageMs >= LOOK_FOR_DAYS * DAY_MS) return null
  return new Date(now.getTime() + (ageMs < DAY_MS ? HOUR_MS : DAY_MS))
}
