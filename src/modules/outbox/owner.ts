import type { Db } from '../../platform/db.ts'
import { emailErrors } from './errors.ts'
import * as sql from './sql.ts'

/** The account that owns an email, for the operator only. @throws not_found */
export async function ownerOfEmail(db: Db, id: string): Promise<string> {
  const row = await db.one<{ account_id: string }>(sql.ownerOfEmail, [id])
  if (row === null) throw emailErrors.not_found()
  return row.account_id
}

/** Whether the email is stored, in any account. */
export async function hasEmail(db: Db, id: string): Promise<boolean> {
  return (await db.one(sql.ownerOfEmail, [id])) !== null
}
