// What operators did, written down: who, from where, what, about which account. And who was shown an account's SMTP
// password: by a key that is `key <id>`, by a session its person's address.

import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import { addOperatorAction } from './sql-operator.ts'

/** A person who handles the installation. */
export interface Operator {
  readonly email: string
  readonly ip: string
}

/** Who acts by a command. */
export const CONSOLE: Operator & { readonly ip: '' } = { email: 'console', ip: '' }

export interface Deed {
  readonly action: string
  /** Null: about the installation. */
  readonly accountId?: string | null
  /** Never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>
}

/** Writes down what an operator does, in the transaction in which it is done. */
export async function noteDeed(
  db: Db,
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  { email, ip }: Operator,
  { action, accountId = null, detail = {} }: Deed,
): Promise<void> {
  const row = { id: ids.next(), at: clock.now(), operator: email, ip: ip === '' ? null : ip }
  await addOperatorAction(db, { ...row, action, account_id: accountId, detail })
}
