// The statements of the operator: the list of accounts, the log of actions, and the set-up tokens.

import { containing, matches } from '../../platform/db/sql-pattern.ts'
import { type Db, statement } from '../../platform/db.ts'
import type { Plan } from './plans.ts'
import { deleteSessionsBut } from './sql-users.ts'

const OVERVIEW_COLUMNS = 'a.account_id, a.name, a.email, a.plan, a.suspended_at, a.created_at'
// Leaves out the system's own account, and deleted ones.
const FILTER = `a.account_id <> $2 and a.deleted_at is null
  and ($3::text is null or ${matches('a.name', '$3')} or ${matches('a.email', '$3')} or a.account_id::text = $4
    or exists (select from dashboard_user d where d.account_id = a.account_id and ${matches('d.email', '$3')}))
  and ($5::text is null or a.plan = $5)
  and ($6::boolean is null or (a.suspended_at is not null) = $6)`
// What is looked up for each account is looked up for the page alone, not for the accounts before it.
const OVERVIEWS = statement(
  'accounts_overviews',
  `with page as materialized (
     select ${OVERVIEW_COLUMNS} from account a where ${FILTER} order by a.account_id desc limit $7 offset $8)
   select ${OVERVIEW_COLUMNS},
     coalesce((select u.used from usage u where u.account_id = a.account_id and u.resource = 'emails' and u.month = $1), 0)
       as emails,
     (select count(*)::int from dashboard_user d where d.account_id = a.account_id) as users
   from page a order by a.account_id desc`,
)
const COUNT_OVERVIEWS = statement(
  'accounts_count_overviews',
  `select count(*)::int as total from account a where $1::date is not null and ${FILTER}`,
)
const PER_PLAN = statement(
  'accounts_per_plan',
  'select plan, count(*)::int as accounts from account where account_id <> $1 and deleted_at is null group by plan',
)

const ADD_ACTION = statement(
  'accounts_add_operator_action',
  `insert into operator_action (id, at, operator, ip, action, account_id, detail) values ($1, $2, $3, $4, $5, $6, $7)`,
)
const ACTIONS = statement(
  'accounts_operator_actions',
  `with page as materialized (
     select id, at, operator, ip, action, account_id, detail from operator_action
     where ($1::uuid is null or account_id = $1) order by id desc limit $2 offset $3)
   select o.id, o.at, o.operator, o.ip, o.action, o.account_id, o.detail, nullif(a.name, '') as account_name
   from page o left join account a on a.account_id = o.account_id order by o.id desc`,
)
const FORGET_ACTIONS = statement(
  'accounts_forget_operator_actions',
  'delete from operator_action where id = any(array(select id from operator_action where id < $1 order by id limit $2))',
)
const COUNT_ACTIONS = statement(
  'accounts_count_operator_actions',
  'select count(*)::int as total from operator_action where ($1::uuid is null or account_id = $1)',
)

const ACT_AS = statement(
  'accounts_act_as',
  `update dashboard_session set acting_id = $4 where account_id = $1 and user_id = $2 and id = $3`,
)
const SET_OPERATOR = statement(
  'accounts_set_operator',
  `update dashboard_user set operator = $2 where email = $1 and operator <> $2 and ($3::uuid is null or account_id = $3)
   returning account_id, id`,
)
const USERS_OF_ADDRESS = statement(
  'accounts_count_users_of_address',
  'select count(*)::int as users from dashboard_user where email = $1 and ($2::uuid is null or account_id = $2)',
)
const OPERATORS = statement(
  'accounts_operators',
  'select account_id, id, email, role, created_at, last_seen_at from dashboard_user where operator order by account_id, id',
)
const ADD_TOKEN = statement(
  'accounts_add_setup_token',
  'insert into setup_token (hash, account_id, expires_at) values ($1, $2, $3)',
)
// Without the lock, two tokens made at once would each delete only the earlier ones, and both would remain.
const LOCK_TOKENS = statement(
  'accounts_lock_setup_tokens',
  `select pg_advisory_xact_lock(hashtextextended('setup tokens', 0))`,
)
const DROP_TOKENS = statement('accounts_drop_setup_tokens', 'delete from setup_token')
const FIND_TOKEN = statement(
  'accounts_find_setup_token',
  'select account_id, expires_at from setup_token where hash = $1',
)
const USE_TOKEN = statement('accounts_use_setup_token', 'delete from setup_token where hash = $1')
const RENAME_ACCOUNT = statement(
  'accounts_name_first',
  `update account set email = case when email = $4 then $2 else email end, name = coalesce($3, name)
   where account_id = $1`,
)
const DROP_USER_OF_ADDRESS = statement(
  'accounts_drop_user_of_address',
  'delete from dashboard_user where account_id = $1 and email = $2 and last_seen_at is null',
)
const PUT_OPERATOR = statement(
  'accounts_put_operator',
  `insert into dashboard_user (account_id, id, email, password_hash, role, operator, created_at)
   values ($1, $2, $3, $4, 'owner', true, $5)
   on conflict (account_id, email) do update set password_hash = excluded.password_hash, role = 'owner', operator = true,
     totp_secret = null, totp_pending = null, recovery_hashes = '{}'
   returning id`,
)

export interface AccountOverview {
  readonly account_id: string
  readonly name: string
  readonly email: string
  readonly plan: Plan
  readonly suspended_at: Date | null
  readonly created_at: Date
  /** Number accepted in the month. */
  readonly emails: number
  readonly users: number
}

export interface OverviewFilter {
  /** `YYYY-MM-01` */
  readonly month: string
  /** The account to leave out: the system's. */
  readonly but: string
  /** Part of a name or address, or a whole id; null: all. */
  readonly search: string | null
  readonly plan: Plan | null
  readonly suspended: boolean | null
}

function filterValues({ month, but, search, plan, suspended }: OverviewFilter): unknown[] {
  return [month, but, containing(search), search?.toLowerCase() ?? null, plan, suspended]
}

/** Newest first. */
export function accountOverviews(
  db: Db,
  filter: OverviewFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<readonly AccountOverview[]> {
  return db.query(OVERVIEWS, [...filterValues(filter), limit, offset])
}

/** @returns how many of the actions before this id were deleted, at most `limit` */
export function forgetOperatorActionsBefore(db: Db, id: string, limit: number): Promise<number> {
  return db.execute(FORGET_ACTIONS, [id, limit])
}

export async function countAccounts(db: Db, filter: OverviewFilter): Promise<number> {
  return (await db.one<{ total: number }>(COUNT_OVERVIEWS, filterValues(filter)))?.total ?? 0
}

export function accountsPerPlan(
  db: Db,
  but: string,
): Promise<readonly { readonly plan: Plan; readonly accounts: number }[]> {
  return db.query(PER_PLAN, [but])
}

export interface OperatorAction {
  readonly id: string
  readonly at: Date
  readonly operator: string
  readonly ip: string | null
  readonly action: string
  readonly account_id: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

export async function addOperatorAction(db: Db, row: OperatorAction): Promise<void> {
  const { id, at, operator, ip, action, account_id, detail } = row
  await db.execute(ADD_ACTION, [id, at, operator, ip, action, account_id, JSON.stringify(detail)])
}

/** Newest first. `accountId` null: all accounts. */
export function operatorActions(
  db: Db,
  accountId: string | null,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<readonly (OperatorAction & { readonly account_name: string | null })[]> {
  return db.query(ACTIONS, [accountId, limit, offset])
}

export async function countOperatorActions(db: Db, accountId: string | null): Promise<number> {
  return (await db.one<{ total: number }>(COUNT_ACTIONS, [accountId]))?.total ?? 0
}

/** @param actingId null: back to their own account */
export async function setActing(
  db: Db,
  session: { readonly account_id: string; readonly user_id: string; readonly id: string },
  actingId: string | null,
): Promise<void> {
  await db.execute(ACT_AS, [session.account_id, session.user_id, session.id, actingId])
}

/** @param accountId only this account; null: all. @returns how many users of that address were changed */
export async function setOperator(db: Db, email: string, accountId: string | null, operator: boolean): Promise<number> {
  return (await db.query(SET_OPERATOR, [email.toLowerCase(), operator, accountId])).length
}

/** @param accountId only this account; null: all */
export async function countUsersOf(db: Db, email: string, accountId: string | null): Promise<number> {
  return (await db.one<{ users: number }>(USERS_OF_ADDRESS, [email.toLowerCase(), accountId]))?.users ?? 0
}

export interface OperatorRow {
  readonly account_id: string
  readonly id: string
  readonly email: string
  readonly role: string
  readonly created_at: Date
  readonly last_seen_at: Date | null
}

export function listOperators(db: Db): Promise<readonly OperatorRow[]> {
  return db.query(OPERATORS)
}

/** Replaces all tokens with this one. Call within a transaction. */
export async function putSetupToken(
  db: Db,
  {
    hash,
    accountId,
    expiresAt,
  }: { readonly hash: Buffer; readonly accountId: string | null; readonly expiresAt: Date },
): Promise<void> {
  await db.query(LOCK_TOKENS)
  await db.execute(DROP_TOKENS)
  await db.execute(ADD_TOKEN, [hash, accountId, expiresAt])
}

/** @returns null when there is no such token */
export function findSetupToken(
  db: Db,
  hash: Buffer,
): Promise<{ readonly account_id: string | null; readonly expires_at: Date } | null> {
  return db.one(FIND_TOKEN, [hash])
}

/** @returns false when it was used up in the meantime */
export async function useSetupToken(db: Db, hash: Buffer): Promise<boolean> {
  return (await db.execute(USE_TOKEN, [hash])) === 1
}

export interface NewOperator {
  readonly accountId: string
  readonly id: string
  readonly email: string
  /** New name of the account; null keeps the present one. */
  readonly name: string | null
  readonly passwordHash: string
  readonly createdAt: Date
}

/**
 * Adds an operator to an account. An account that still has the placeholder is handed to them. A user with that address becomes
 * the operator, without their second factor and signed out everywhere: this is also the way back for whoever lost access.
 */
export async function putOperator(db: Db, row: NewOperator, placeholder: string): Promise<void> {
  const { accountId, id, email, name, passwordHash, createdAt } = row
  await db.execute(RENAME_ACCOUNT, [accountId, email, name, placeholder])
  await db.execute(DROP_USER_OF_ADDRESS, [accountId, placeholder])
  const user = await db.one<{ id: string }>(PUT_OPERATOR, [accountId, id, email.toLowerCase(), passwordHash, createdAt])
  if (user !== null) await deleteSessionsBut(db, accountId, user.id, null)
}
