// Records who overrode a soft block. They are kept beside the email's own snapshot until somebody deletes them.

import type { Db, Writer } from '../../platform/db.ts'
import * as sql from './sql.ts'

export interface Override {
  readonly accountId: string
  readonly emailId: string
  /** Null: a person using the dashboard. */
  readonly keyId: string | null
  readonly reason: string
  readonly score: number
}

/** Runs in the transaction that accepts the emails. */
export async function recordOverrides(db: Writer, overrides: readonly Override[], now: Date): Promise<void> {
  if (overrides.length === 0) return
  await db.execute(sql.RECORD_OVERRIDES, [
    overrides.map(({ accountId }) => accountId),
    overrides.map(({ emailId }) => emailId),
    overrides.map(({ keyId }) => keyId),
    overrides.map(({ reason }) => reason),
    overrides.map(({ score }) => score),
    now,
  ])
}

/** Newest first. */
export function listOverrides(
  db: Db,
  { accountId, from, limit }: { readonly accountId: string | null; readonly from: Date; readonly limit: number },
): Promise<readonly sql.OverrideRow[]> {
  return db.query<sql.OverrideRow>(sql.LIST_OVERRIDES, [accountId, from, limit])
}

/** Deletes the records of these emails. */
export async function eraseOverrides(db: Db, accountId: string, emailIds: readonly string[]): Promise<void> {
  await db.execute(sql.ERASE_OVERRIDES, [accountId, emailIds])
}
