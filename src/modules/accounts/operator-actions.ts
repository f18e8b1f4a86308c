// The log of operators' actions: who, from where, what, on which account. It also records who was shown an account's SMTP
// password: `key <id>` for a key, the person's address for a session.

import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { firstIdAt, type Ids } from '../../platform/ids.ts'
import { addOperatorAction, forgetOperatorActionsBefore } from './sql-operator.ts'

/** Two years. */
const KEPT_MS = 730 * 86_400_000

/** A person who manages the installation. */
export interface Operator {
  readonly email: string
  readonly ip: string
}

/** The actor of a console command. */
export const CONSOLE: Operator & { readonly ip: '' } = { email: 'console', ip: '' }

/** The actor of what the service does later on an operator's behalf. */
export const SERVICE: Operator & { readonly ip: '' } = { email: 'service', ip: '' }

export interface ActionRecord {
  readonly action: string
  /** Null: the action concerns the installation. */
  readonly accountId?: string | null
  /** Never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>
}

/** Logs an operator's action, in the transaction that carries it out. */
export async function recordOperatorAction(
  db: Db,
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  { email, ip }: Operator,
  { action, accountId = null, detail = {} }: ActionRecord,
): Promise<void> {
  const row = { id: ids.next(), at: clock.now(), operator: email, ip: ip === '' ? null : ip }
  await addOperatorAction(db, { ...row, action, account_id: accountId, detail })
}

/** Deletes actions older than two years. @returns how many; `limit` means that there may be more */
export function forgetOperatorActions(db: Db, now: Date, limit: number): Promise<number> {
  return forgetOperatorActionsBefore(db, firstIdAt(new Date(now.getTime() - KEPT_MS)), limit)
}
