// Helpers shared by this module's operator commands: finding the named account and reading options.

import { type OptionValues, UsageError } from '../../platform/command.ts'
import type { Database } from '../../platform/db.ts'
import { FIRST_ID, isUuid } from '../../platform/ids.ts'
import { type AccountRow, listAccounts, selectAccounts, selectAccountsByEmail } from './sql.ts'

/** @throws UsageError when the name is missing or ambiguous, Error when there is no such account */
export async function findAccount(
  { database }: { readonly database: Pick<Database, 'system'> },
  name: string | undefined,
): Promise<AccountRow> {
  if (name === undefined) throw new UsageError('name the account by its id or email')
  const found = isUuid(name)
    ? await selectAccounts(database.system, [name])
    : await selectAccountsByEmail(database.system, name)
  const [only] = found.filter(({ deleted_at: at }) => at === null)
  if (only === undefined) throw new Error(`there is no account ${name}`)
  if (found.length > 1) throw new UsageError(`several accounts have the email ${name}: name one by its id`)
  return only
}

/** The account with this id or email; without a name, the only account there is. @throws UsageError, Error */
export async function accountNamed(database: Pick<Database, 'system'>, name: string | null): Promise<string> {
  if (name !== null) return (await findAccount({ database }, name)).account_id
  const [only, ...others] = await listAccounts(database.system, FIRST_ID, 2)
  if (only === undefined) throw new Error('there is no account yet: create one with posthorn account create')
  if (others.length > 0) throw new UsageError('there are several accounts: name one by its id or email')
  return only.account_id
}

export function text(values: OptionValues, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

export function required(values: OptionValues, name: string): string {
  const value = text(values, name)?.trim()
  if (value === undefined || value === '') throw new UsageError(`--${name} is required`)
  return value
}
