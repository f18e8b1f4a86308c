// Accounts as their operator manages them. Creating one makes a live key, a test key, a dashboard user and an SMTP credential
// in one transaction. The operator can set its plan, override its limits, suspend it and resume it. The database itself
// announces each change on commit, so that every process notices.

import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { errors } from './errors.ts'
import { newKey } from './key-format.ts'
import { type ActionRecord, CONSOLE, type Operator, recordOperatorAction } from './operator-actions.ts'
import { newPassword, type Passwords } from './passwords.ts'
import type { Overrides, Plan } from './plans.ts'
import { newSmtpCredentials } from './smtp-credential.ts'
import {
  type AccountRow,
  insertAccount,
  insertKey,
  insertSmtp,
  insertUser,
  lockAccount,
  updateFeatures,
  updateLimits,
  updatePlan,
  updateSuspended,
} from './sql.ts'
import { SYSTEM_ACCOUNT_ID } from './system.ts'

export interface OperatorContext {
  readonly database: Database
  readonly secrets: Secrets
  readonly ids: Ids
  readonly clock: Clock
  readonly passwords: Passwords
  /** The acting operator. Absent: the console. */
  readonly by?: Operator
}

export interface CreatedAccount {
  readonly accountId: string
  readonly apiKey: string
  readonly testApiKey: string
  readonly dashboardPassword: string
}

export interface AccountRequest {
  readonly email: string
  readonly name: string
  /** Default: enterprise. */
  readonly plan?: Plan
}

/** The same rule as in the profile: one line. */
export const ACCOUNT_NAME = /^[^\u0000-\u001f\u007f-\u009f]{1,200}$/u

/** The returned secrets are stored nowhere in this form. */
export async function createAccount(context: OperatorContext, request: AccountRequest): Promise<CreatedAccount> {
  const { created, add } = await newAccount(context, request)
  await context.database.transaction(add)
  return created
}

/** Does the slow work up front, so that the transaction that adds the account stays short. */
export async function newAccount(
  { secrets, ids, clock, passwords, by = CONSOLE }: OperatorContext,
  { email, name, plan = 'enterprise' }: AccountRequest,
): Promise<{ readonly created: CreatedAccount; readonly add: (db: Db) => Promise<void> }> {
  const accountId = ids.next()
  const createdAt = clock.now()
  const dashboardPassword = newPassword(ids.bytes)
  const passwordHash = await passwords.hash(dashboardPassword)
  const keys = { live: newKey('live', ids.bytes), sandbox: newKey('sandbox', ids.bytes) }
  const add = async (db: Db): Promise<void> => {
    await insertAccount(db, { id: accountId, email, name, plan, createdAt })
    await insertUser(db, { accountId, id: ids.next(), email, passwordHash, createdAt })
    for (const mode of ['live', 'sandbox'] as const) {
      const { prefix, last4, hash } = keys[mode]
      await insertKey(db, {
        account_id: accountId,
        id: ids.next(),
        name: mode === 'live' ? 'First key' : 'First test key',
        prefix,
        last4,
        hash,
        mode,
        scopes: ['full'],
        domain_ids: null,
        allowed_ips: [],
        expires_at: null,
        created_at: createdAt,
      })
    }
    for (const row of newSmtpCredentials(secrets, ids, accountId, createdAt)) await insertSmtp(db, row)
    await recordOperatorAction(db, { ids, clock }, by, { action: 'account.create', accountId, detail: { plan } })
  }
  const created = { accountId, apiKey: keys.live.key, testApiKey: keys.sandbox.key, dashboardPassword }
  return { created, add }
}

/** @throws ApiError not_found */
export function setPlan(context: OperatorContext, accountId: string, plan: Plan): Promise<void> {
  const action = { action: 'account.plan', detail: { plan } }
  return changeLocked(context, accountId, action, (db) => updatePlan(db, accountId, plan))
}

/**
 * Overrides some of the plan's limits for one account; undefined removes an override.
 *
 * @throws ApiError not_found
 */
export function setLimits(
  context: OperatorContext,
  accountId: string,
  changes: { readonly [Name in keyof Overrides['limits']]: Overrides['limits'][Name] | undefined },
): Promise<void> {
  const changed = Object.entries(changes).map(([name, value]) => [name, value === undefined ? 'plan' : value])
  const action = { action: 'account.limits', detail: Object.fromEntries(changed) }
  return changeLocked(context, accountId, action, (db, { limits }) =>
    updateLimits(db, accountId, withoutUndefined({ ...limits, ...changes }) as Overrides['limits']),
  )
}

/**
 * @param enabled null removes the override
 * @throws ApiError not_found
 */
export function setFeature(
  context: OperatorContext,
  accountId: string,
  feature: keyof Overrides['features'],
  enabled: boolean | null,
): Promise<void> {
  const action = { action: 'account.features', detail: { [feature]: enabled ?? 'plan' } }
  return changeLocked(context, accountId, action, (db, { features }) =>
    updateFeatures(db, accountId, withoutUndefined({ ...features, [feature]: enabled ?? undefined })),
  )
}

/** Stops writing, sending and the queue everywhere within 5 s; reading stays allowed. @throws ApiError not_found */
export function suspend(context: OperatorContext, accountId: string): Promise<void> {
  const now = context.clock.now()
  return changeLocked(context, accountId, { action: 'account.suspend' }, (db) => updateSuspended(db, accountId, now))
}

/** @throws ApiError not_found */
export function resume(context: OperatorContext, accountId: string): Promise<void> {
  return changeLocked(context, accountId, { action: 'account.resume' }, (db) => updateSuspended(db, accountId, null))
}

/** Makes one change and logs it, in one transaction. */
function changeLocked(
  { database, ids, clock, by = CONSOLE }: OperatorContext,
  accountId: string,
  action: ActionRecord,
  change: (db: Db, row: AccountRow) => Promise<unknown>,
): Promise<void> {
  return database.transaction(async (db) => {
    // The system's own account belongs to nobody, and no list shows it.
    const row = accountId === SYSTEM_ACCOUNT_ID ? null : await lockAccount(db, accountId)
    if (row === null) throw errors.not_found()
    await change(db, row)
    await recordOperatorAction(db, { ids, clock }, by, { ...action, accountId })
  })
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T
}
