// The statements on dashboard users and their sessions.

import { type Db, statement } from '../../platform/db.ts'

export const ROLES = ['owner', 'developer', 'viewer'] as const
export type Role = (typeof ROLES)[number]

export interface UserRow {
  readonly account_id: string
  readonly id: string
  readonly email: string
  readonly password_hash: string
  readonly role: Role
  readonly operator: boolean
  readonly totp_secret: Buffer | null
  readonly totp_pending: Buffer | null
  readonly totp_used: number
  readonly recovery_hashes: readonly Buffer[]
  readonly created_at: Date
  readonly last_seen_at: Date | null
}

export interface SessionRow {
  readonly account_id: string
  readonly id: string
  readonly user_id: string
  readonly created_at: Date
  readonly seen_at: Date
  readonly expires_at: Date
  readonly ip: string
  readonly agent: string
}

const USER = `account_id, id, email, password_hash, role, operator, totp_secret, totp_pending, totp_used, recovery_hashes, created_at,
  last_seen_at`
const USER_OF_U = USER.replaceAll(/\w+/g, 'u.$&')
const SESSION = 'account_id, id, user_id, created_at, seen_at, expires_at, ip, agent'

const BY_EMAIL = statement(
  'accounts_users_by_email',
  `select ${USER_OF_U} from dashboard_user u join account a on a.account_id = u.account_id where u.email = $1
   order by (u.operator or u.created_at = a.created_at) desc, u.created_at, u.id limit $2`,
)
const LIST_USERS = statement(
  'accounts_users',
  `select ${USER} from dashboard_user where account_id = $1 order by created_at, id`,
)
const LOCK_USERS = statement(
  'accounts_lock_users',
  `select ${USER} from dashboard_user where account_id = $1 order by created_at, id for update`,
)
const INSERT_USER = statement(
  'accounts_add_user',
  `insert into dashboard_user (account_id, id, email, password_hash, role, created_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (account_id, email) do nothing returning ${USER}`,
)
const SET_ROLE = statement(
  'accounts_set_user_role',
  `update dashboard_user set role = $3 where account_id = $1 and id = $2 returning ${USER}`,
)
const SET_PASSWORD = statement(
  'accounts_set_user_password',
  'update dashboard_user set password_hash = $3 where account_id = $1 and id = $2',
)
// Of two changes that have checked the same password, one comes first, and the other one's check no longer holds.
const CHANGE_PASSWORD = statement(
  'accounts_change_user_password',
  'update dashboard_user set password_hash = $3 where account_id = $1 and id = $2 and password_hash = $4',
)
const DELETE_USER = statement('accounts_delete_user', 'delete from dashboard_user where account_id = $1 and id = $2')
const OFFER_TOTP = statement(
  'accounts_offer_totp',
  'update dashboard_user set totp_pending = $3 where account_id = $1 and id = $2 and totp_secret is null',
)
// An offer is confirmed once, and only if it is still the one that was read.
const CONFIRM_TOTP = statement(
  'accounts_confirm_totp',
  `update dashboard_user set totp_secret = totp_pending, totp_pending = null, totp_used = $4, recovery_hashes = $5
   where account_id = $1 and id = $2 and totp_pending = $3 and totp_secret is null`,
)
const REMOVE_TOTP = statement(
  'accounts_remove_totp',
  `update dashboard_user set totp_secret = null, totp_pending = null, recovery_hashes = '{}'
   where account_id = $1 and id = $2`,
)
// One time step is accepted only once, even from simultaneous attempts.
const USE_TOTP = statement(
  'accounts_use_totp',
  'update dashboard_user set totp_used = $3 where account_id = $1 and id = $2 and totp_used < $3',
)
const USE_RECOVERY = statement(
  'accounts_use_recovery_code',
  `update dashboard_user set recovery_hashes = array_remove(recovery_hashes, $3)
   where account_id = $1 and id = $2 and $3 = any(recovery_hashes)`,
)

// Locks the user's row: a password set meanwhile is either seen here or ends this session too.
const INSERT_SESSION = statement(
  'accounts_add_session',
  `with seen as (
     update dashboard_user set last_seen_at = $5 where account_id = $1 and id = $3 and password_hash = $9 returning id)
   insert into dashboard_session (account_id, id, user_id, token_hash, created_at, seen_at, expires_at, ip, agent)
   select $1, $2, id, $4, $5, $5, $6, $7, $8 from seen`,
)
const FIND_SESSION = statement(
  'accounts_find_session',
  `select s.account_id, s.id, s.user_id, s.created_at, s.seen_at, s.expires_at, s.ip, s.agent, u.email, u.role, u.operator,
     u.totp_secret is not null as totp, case when u.operator then s.acting_id end as acting_id
   from dashboard_session s join dashboard_user u on u.account_id = s.account_id and u.id = s.user_id
   where s.token_hash = $1`,
)
const TOUCH_SESSION = statement(
  'accounts_touch_session',
  'update dashboard_session set seen_at = $3 where account_id = $1 and id = $2',
)
const LIST_SESSIONS = statement(
  'accounts_sessions',
  `select ${SESSION} from dashboard_session where account_id = $1 and user_id = $2 order by seen_at desc, id`,
)
const DELETE_SESSION = statement(
  'accounts_delete_session',
  'delete from dashboard_session where account_id = $1 and user_id = $2 and id = $3',
)
const DELETE_OTHERS = statement(
  'accounts_delete_other_sessions',
  'delete from dashboard_session where account_id = $1 and user_id = $2 and id is distinct from $3::uuid',
)
const FORGET_SESSIONS = statement(
  'accounts_forget_sessions',
  `delete from dashboard_session where (account_id, id) in (
     select account_id, id from dashboard_session where expires_at < $1 or seen_at < $2 limit $3)`,
)

/** Users of all accounts; operators and users made together with their account first. */
export function usersByEmail(db: Db, email: string, limit: number): Promise<readonly UserRow[]> {
  return db.query(BY_EMAIL, [email.toLowerCase(), limit])
}

export function listUsers(db: Db, accountId: string): Promise<readonly UserRow[]> {
  return db.query(LIST_USERS, [accountId])
}

export function lockUsers(db: Db, accountId: string): Promise<readonly UserRow[]> {
  return db.query(LOCK_USERS, [accountId])
}

/** @returns null when the account already has a user with that address */
export function addUser(
  db: Db,
  row: Pick<UserRow, 'account_id' | 'id' | 'email' | 'password_hash' | 'role' | 'created_at'>,
): Promise<UserRow | null> {
  const { account_id, id, email, password_hash, role, created_at } = row
  return db.one(INSERT_USER, [account_id, id, email.toLowerCase(), password_hash, role, created_at])
}

export function setUserRole(db: Db, accountId: string, id: string, role: Role): Promise<UserRow | null> {
  return db.one(SET_ROLE, [accountId, id, role])
}

/** @param user as read when its password was checked. @returns false when the password has been changed since */
export async function changeUserPassword(
  db: Db,
  { account_id, id, password_hash }: Pick<UserRow, 'account_id' | 'id' | 'password_hash'>,
  hash: string,
): Promise<boolean> {
  return (await db.execute(CHANGE_PASSWORD, [account_id, id, hash, password_hash])) > 0
}

export function setUserPassword(db: Db, accountId: string, id: string, hash: string): Promise<number> {
  return db.execute(SET_PASSWORD, [accountId, id, hash])
}

export async function deleteUser(db: Db, accountId: string, id: string): Promise<boolean> {
  return (await db.execute(DELETE_USER, [accountId, id])) === 1
}

/** @returns false when a second factor is enabled */
export async function offerTotp(db: Db, accountId: string, id: string, sealed: Buffer): Promise<boolean> {
  return (await db.execute(OFFER_TOTP, [accountId, id, sealed])) === 1
}

/** Enables the offer that `user` carried when it was read. @returns false when the offer has changed since */
export async function confirmTotp(
  db: Db,
  { account_id, id, totp_pending }: UserRow,
  { step, recovery }: { step: number; recovery: readonly Buffer[] },
): Promise<boolean> {
  return (await db.execute(CONFIRM_TOTP, [account_id, id, totp_pending, step, recovery])) === 1
}

export function removeTotp(db: Db, { account_id, id }: UserRow): Promise<number> {
  return db.execute(REMOVE_TOTP, [account_id, id])
}

export async function useTotpStep(db: Db, { account_id, id }: UserRow, step: number): Promise<boolean> {
  return (await db.execute(USE_TOTP, [account_id, id, step])) === 1
}

export async function useRecoveryHash(db: Db, { account_id, id }: UserRow, hash: Buffer): Promise<boolean> {
  return (await db.execute(USE_RECOVERY, [account_id, id, hash])) === 1
}

/** @returns false when the user's password has changed, or the user is gone */
export async function addSession(
  db: Db,
  row: SessionRow,
  tokenHash: Buffer,
  { password_hash }: Pick<UserRow, 'password_hash'>,
): Promise<boolean> {
  const { account_id, id, user_id, created_at, expires_at, ip, agent } = row
  const values = [account_id, id, user_id, tokenHash, created_at, expires_at, ip, agent, password_hash]
  return (await db.execute(INSERT_SESSION, values)) === 1
}

export interface FoundSession extends SessionRow {
  readonly email: string
  readonly role: Role
  readonly operator: boolean
  readonly totp: boolean
  /** The other account an operator looks into; null: their own. */
  readonly acting_id: string | null
}

export function findSession(db: Db, tokenHash: Buffer): Promise<FoundSession | null> {
  return db.one(FIND_SESSION, [tokenHash])
}

export function touchSession(db: Db, { account_id, id }: SessionRow, now: Date): Promise<number> {
  return db.execute(TOUCH_SESSION, [account_id, id, now])
}

export function listSessions(db: Db, accountId: string, userId: string): Promise<readonly SessionRow[]> {
  return db.query(LIST_SESSIONS, [accountId, userId])
}

export async function deleteSession(db: Db, accountId: string, userId: string, id: string): Promise<boolean> {
  return (await db.execute(DELETE_SESSION, [accountId, userId, id])) === 1
}

/** @param kept the session to keep; null ends all */
export function deleteSessionsBut(db: Db, accountId: string, userId: string, kept: string | null): Promise<number> {
  return db.execute(DELETE_OTHERS, [accountId, userId, kept])
}

export function forgetSessions(
  db: Db,
  { now, idleSince }: { now: Date; idleSince: Date },
  limit: number,
): Promise<number> {
  return db.execute(FORGET_SESSIONS, [now, idleSince, limit])
}
