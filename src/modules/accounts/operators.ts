// Operators: dashboard users who manage the installation. They get this right on the console (`posthorn operator grant`)
// or by a set-up token that the console prints, never over HTTP from another operator.
//
// - A set-up token works once and expires after a week; printing a new one ends the earlier ones. It is stored as a hash. With
//   the address of a user of its account it is the way back for an operator who lost the password or the second factor.
// - An operator may look into another account. What they read there is not logged. Each request that may change something
//   is logged before it is carried out, as is each of their actions on accounts and destinations.

import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import { newAccount, type OperatorContext } from './accounts.ts'
import { errors } from './errors.ts'
import { hashOf } from './key-format.ts'
import { CONSOLE, recordOperatorAction } from './operator-actions.ts'
import { selectAccount } from './sql.ts'
import {
  countUsersOf,
  findSetupToken,
  listOperators,
  putOperator,
  putSetupToken,
  setActing,
  setOperator,
  useSetupToken,
} from './sql-operator.ts'
import type { FoundSession } from './sql-users.ts'
import { SYSTEM_ACCOUNT_ID } from './system.ts'

export const SETUP_TOKEN_LIFE_MS = 7 * 86_400_000
const TOKEN_BYTES = 32

export interface OperatorsOptions {
  readonly database: Database
  readonly ids: Ids
  readonly clock: Clock
}

/** Lets an operator's session act for another account. @throws ApiError not_found */
export async function openAccount(
  options: OperatorsOptions,
  session: FoundSession,
  ip: string,
  accountId: string,
): Promise<void> {
  await options.database.transaction(async (db) => {
    const isThere = accountId !== SYSTEM_ACCOUNT_ID && (await selectAccount(db, accountId))?.deleted_at === null
    if (!isThere) throw errors.not_found()
    await setActing(db, session, accountId === session.account_id ? null : accountId)
    await recordOperatorAction(db, options, { email: session.email, ip }, { action: 'account.open', accountId })
  })
}

/** Returns the session to the operator's own account. */
export async function closeAccount(options: OperatorsOptions, session: FoundSession, ip: string): Promise<void> {
  if (session.acting_id === null) return
  const accountId = session.acting_id
  await options.database.transaction(async (db) => {
    await setActing(db, session, null)
    await recordOperatorAction(db, options, { email: session.email, ip }, { action: 'account.close', accountId })
  })
}

export interface OperatorGrant {
  readonly email: string
  /** Null: when granting, the only account with a user of that address; when revoking, all accounts. */
  readonly accountId: string | null
  readonly operator: boolean
}

/** @throws Error when no user has that address, or when granting and several accounts have one */
export async function grantOperator(
  options: OperatorsOptions,
  { email, accountId, operator }: OperatorGrant,
): Promise<number> {
  return options.database.transaction(async (db) => {
    const users = await countUsersOf(db, email, accountId)
    if (users === 0) throw new Error(`no dashboard user has the address ${email}`)
    if (users > 1 && operator) throw new Error(`several accounts have a user ${email}: name the account as well`)
    const changed = await setOperator(db, email, accountId, operator)
    const action = operator ? 'operator.grant' : 'operator.revoke'
    if (changed > 0)
      await recordOperatorAction(db, options, CONSOLE, { action, detail: { email: email.toLowerCase() } })
    return changed
  })
}

/** True when the installation has an operator. */
export async function hasOperator({ system }: Pick<Database, 'system'>): Promise<boolean> {
  return (await listOperators(system)).length > 0
}

/**
 * Makes a token with which somebody becomes an operator; ends all earlier tokens.
 *
 * @param accountId the account that they become an owner of; null creates one
 */
export async function newSetupToken(
  { database, ids, clock }: OperatorsOptions,
  accountId: string | null,
): Promise<string> {
  const token = ids.bytes(TOKEN_BYTES).toString('base64url')
  const expiresAt = new Date(clock.now().getTime() + SETUP_TOKEN_LIFE_MS)
  await database.transaction((db) => putSetupToken(db, { hash: hashOf(token), accountId, expiresAt }))
  return token
}

/** Email of the user a first account is created with, until somebody takes it over. */
export const PLACEHOLDER = 'owner@localhost.localdomain'

export interface SetUp {
  readonly token: string
  readonly email: string
  readonly password: string
  /** Name of the account; null: an existing account keeps its name, a new one is named after the address. */
  readonly name: string | null
}

/** Uses up a token and creates the operator: both or neither. @throws ApiError invalid_token */
export async function setUp(context: OperatorContext, asked: SetUp): Promise<void> {
  const { database, ids, clock, passwords } = context
  const { email, name } = asked
  const hash = hashOf(asked.token)
  // No password is hashed without a valid token: hashing keeps a core busy for a while.
  const found = await findSetupToken(database.system, hash)
  if (found === null || found.expires_at <= clock.now()) throw errors.invalid_token()
  const account = found.account_id === null ? await newAccount(context, { email, name: name ?? email }) : null
  const accountId = found.account_id ?? account?.created.accountId ?? ''
  const passwordHash = await passwords.hash(asked.password)
  const row = { accountId, id: ids.next(), email, name, passwordHash, createdAt: clock.now() }
  await database.transaction(async (db) => {
    if (!(await useSetupToken(db, hash))) throw errors.invalid_token()
    await account?.add(db)
    await putOperator(db, row, PLACEHOLDER)
    await recordOperatorAction(db, context, CONSOLE, {
      action: 'operator.setup',
      accountId,
      detail: { email: email.toLowerCase() },
    })
  })
}
