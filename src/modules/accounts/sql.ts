// The statements of accounts, API keys and SMTP credentials. Metering (token buckets, usage) is in sql-meter.ts.

import { type Db, statement } from '../../platform/db.ts'
import type { KeyMode } from './key-format.ts'
import type { Overrides, Plan } from './plans.ts'

// --- accounts

export interface AccountRow {
  readonly account_id: string
  readonly email: string
  readonly name: string
  readonly company: string | null
  readonly timezone: string
  readonly locale: string
  readonly plan: Plan
  readonly limits: Overrides['limits']
  readonly features: Overrides['features']
  readonly suspended_at: Date | null
  readonly tracking_enabled: boolean
  readonly open_tracking_enabled: boolean
  readonly click_tracking_enabled: boolean
  readonly unsubscribe_header_enabled: boolean
  readonly enforce_sender_verification: boolean
  readonly block_disposable_emails: boolean
  readonly disposable_confidence_threshold: number
  readonly retention_days: number
  readonly created_at: Date
  readonly deleted_at: Date | null
}

const ACCOUNT_COLUMNS = `account_id, email, name, company, timezone, locale, plan, limits, features, suspended_at,
  tracking_enabled, open_tracking_enabled, click_tracking_enabled, unsubscribe_header_enabled,
  enforce_sender_verification, block_disposable_emails, disposable_confidence_threshold, retention_days, created_at,
  deleted_at`

const INSERT_ACCOUNT = statement(
  'accounts_insert',
  'insert into account (account_id, email, name, plan, created_at) values ($1, $2, $3, $4, $5)',
)
const ACCOUNT = statement('accounts_one', `select ${ACCOUNT_COLUMNS} from account where account_id = $1`)
const ACCOUNTS = statement(
  'accounts_some',
  `select ${ACCOUNT_COLUMNS} from account where account_id = any($1::uuid[]) order by account_id`,
)
const ACCOUNT_LIST = statement(
  'accounts_list',
  `select ${ACCOUNT_COLUMNS} from account where account_id > $1 and deleted_at is null order by account_id limit $2`,
)
const ACCOUNTS_BY_EMAIL = statement(
  'accounts_by_email',
  `select ${ACCOUNT_COLUMNS} from account
   where lower(email) = lower($1::text) or lower(email collate "C") = lower($1::text collate "C")
   order by account_id limit 2`,
)
const SUSPENDED = statement(
  'accounts_suspended',
  `select account_id, erased_at is null as holds_mail, deleted_at is null or suspended_at < deleted_at as by_operator
   from account where suspended_at is not null and (erased_at is null or suspended_at < deleted_at)`,
)
const SET_PLAN = statement('accounts_set_plan', 'update account set plan = $2 where account_id = $1')
const SET_LIMITS = statement('accounts_set_limits', 'update account set limits = $2 where account_id = $1')
const SET_FEATURES = statement('accounts_set_features', 'update account set features = $2 where account_id = $1')
const SET_SUSPENDED = statement(
  'accounts_set_suspended',
  `update account set suspended_at = case when $2::timestamptz is null then null else coalesce(suspended_at, $2) end
   where account_id = $1`,
)
const LOCK_ACCOUNT = statement(
  'accounts_lock',
  `select ${ACCOUNT_COLUMNS} from account where account_id = $1 and deleted_at is null for no key update`,
)
const UPDATE_PROFILE = statement(
  'accounts_update_profile',
  `update account set email = $2, name = $3, company = $4, timezone = $5, locale = $6, tracking_enabled = $7,
     open_tracking_enabled = $8, click_tracking_enabled = $9, unsubscribe_header_enabled = $10,
     enforce_sender_verification = $11, block_disposable_emails = $12, disposable_confidence_threshold = $13,
     retention_days = $14
   where account_id = $1`,
)
const INSERT_USER = statement(
  'accounts_insert_user',
  'insert into dashboard_user (account_id, id, email, password_hash, created_at) values ($1, $2, $3, $4, $5)',
)

export async function insertAccount(
  db: Db,
  row: { id: string; email: string; name: string; plan: Plan; createdAt: Date },
): Promise<void> {
  await db.execute(INSERT_ACCOUNT, [row.id, row.email, row.name, row.plan, row.createdAt])
}

export async function insertUser(
  db: Db,
  row: { accountId: string; id: string; email: string; passwordHash: string; createdAt: Date },
): Promise<void> {
  await db.execute(INSERT_USER, [row.accountId, row.id, row.email.toLowerCase(), row.passwordHash, row.createdAt])
}

export function selectAccount(db: Db, accountId: string): Promise<AccountRow | null> {
  return db.one<AccountRow>(ACCOUNT, [accountId])
}

/** Reads the row under a lock that makes other writers of it wait until the transaction ends. */
export function lockAccount(db: Db, accountId: string): Promise<AccountRow | null> {
  return db.one<AccountRow>(LOCK_ACCOUNT, [accountId])
}

export function selectAccounts(db: Db, accountIds: readonly string[]): Promise<readonly AccountRow[]> {
  return db.query<AccountRow>(ACCOUNTS, [accountIds])
}

/** Accounts in order of creation, after `afterId`. */
export function listAccounts(db: Db, afterId: string, limit: number): Promise<readonly AccountRow[]> {
  return db.query<AccountRow>(ACCOUNT_LIST, [afterId, limit])
}

/** At most two, enough to tell that an address is ambiguous. */
export function selectAccountsByEmail(db: Db, email: string): Promise<readonly AccountRow[]> {
  return db.query<AccountRow>(ACCOUNTS_BY_EMAIL, [email])
}

export interface SuspendedRow {
  readonly account_id: string
  /** False: it was deleted and nothing of it is left. */
  readonly holds_mail: boolean
  /** An operator suspended it. False: it was suspended by its deletion alone. */
  readonly by_operator: boolean
}

export function selectSuspended(db: Db): Promise<readonly SuspendedRow[]> {
  return db.query<SuspendedRow>(SUSPENDED)
}

/** @returns false when there is no such account */
export async function updatePlan(db: Db, accountId: string, plan: Plan): Promise<boolean> {
  return (await db.execute(SET_PLAN, [accountId, plan])) === 1
}

export async function updateLimits(db: Db, accountId: string, limits: Overrides['limits']): Promise<void> {
  await db.execute(SET_LIMITS, [accountId, JSON.stringify(limits)])
}

export async function updateFeatures(db: Db, accountId: string, features: Overrides['features']): Promise<void> {
  await db.execute(SET_FEATURES, [accountId, JSON.stringify(features)])
}

/** @param at null = not suspended; an account already suspended keeps its time */
export async function updateSuspended(db: Db, accountId: string, at: Date | null): Promise<boolean> {
  return (await db.execute(SET_SUSPENDED, [accountId, at])) === 1
}

export async function updateProfile(db: Db, row: AccountRow): Promise<void> {
  await db.execute(UPDATE_PROFILE, [
    row.account_id,
    row.email,
    row.name,
    row.company,
    row.timezone,
    row.locale,
    row.tracking_enabled,
    row.open_tracking_enabled,
    row.click_tracking_enabled,
    row.unsubscribe_header_enabled,
    row.enforce_sender_verification,
    row.block_disposable_emails,
    row.disposable_confidence_threshold,
    row.retention_days,
  ])
}

// --- API keys

export interface KeyRow {
  readonly account_id: string
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly last4: string
  readonly hash: Buffer
  readonly mode: KeyMode
  readonly scopes: readonly string[]
  readonly domain_ids: readonly string[] | null
  readonly allowed_ips: readonly string[]
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
  readonly last_used_ip: string | null
  readonly created_at: Date
  readonly revoked_at: Date | null
  readonly previous_prefix: string | null
  readonly previous_hash: Buffer | null
  readonly previous_valid_until: Date | null
}

const KEY_COLUMNS = `account_id, id, name, prefix, last4, hash, mode, scopes, domain_ids, allowed_ips, expires_at,
  last_used_at, last_used_ip, created_at, revoked_at, previous_prefix, previous_hash, previous_valid_until`

const KEYS_BY_PREFIX = statement(
  'accounts_keys_by_prefix',
  `select ${KEY_COLUMNS} from api_key where prefix = any($1::text[])
   union all
   select ${KEY_COLUMNS} from api_key where previous_prefix = any($1::text[])`,
)
const KEY_LIST = statement(
  'accounts_key_list',
  `select ${KEY_COLUMNS} from api_key where account_id = $1 order by id limit $2 offset $3`,
)
const KEY_COUNT = statement('accounts_key_count', 'select count(*) as total from api_key where account_id = $1')
const LOCK_KEYS = statement(
  'accounts_lock_keys',
  `select pg_advisory_xact_lock(hashtextextended('api keys ' || $1::text, 0))`,
)
const LIVE_KEY_COUNT = statement(
  'accounts_key_count_live',
  'select count(*) as total from api_key where account_id = $1 and revoked_at is null',
)
const KEY = statement('accounts_key', `select ${KEY_COLUMNS} from api_key where account_id = $1 and id = $2`)
const KEY_OWNER = statement('accounts_key_owner', 'select account_id from api_key where id = $1')
const LOCK_KEY = statement(
  'accounts_key_lock',
  `select ${KEY_COLUMNS} from api_key where account_id = $1 and id = $2 for no key update`,
)
const INSERT_KEY = statement(
  'accounts_key_insert',
  `insert into api_key (account_id, id, name, prefix, last4, hash, mode, scopes, domain_ids, allowed_ips, expires_at,
     created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
   returning ${KEY_COLUMNS}`,
)
const UPDATE_KEY = statement(
  'accounts_key_update',
  `update api_key set name = $3, scopes = $4, domain_ids = $5, allowed_ips = $6, expires_at = $7
   where account_id = $1 and id = $2 returning ${KEY_COLUMNS}`,
)
const REVOKE_KEY = statement(
  'accounts_key_revoke',
  `update api_key set revoked_at = coalesce(revoked_at, $3), previous_valid_until = null
   where account_id = $1 and id = $2 returning ${KEY_COLUMNS}`,
)
const ROTATE_KEY = statement(
  'accounts_key_rotate',
  `update api_key set previous_prefix = prefix, previous_hash = hash, previous_valid_until = $3, prefix = $4, last4 = $5,
     hash = $6
   where account_id = $1 and id = $2 returning ${KEY_COLUMNS}`,
)
const TOUCH_KEYS = statement(
  'accounts_keys_touch',
  `update api_key k set last_used_at = u.at, last_used_ip = u.ip
   from (select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[]) as t(account_id, id, at, ip)
         order by account_id, id) u
   where k.account_id = u.account_id and k.id = u.id and (k.last_used_at is null or k.last_used_at < u.at)`,
)

/** The rows whose current or previous secret starts with one of these prefixes. */
export function selectKeysByPrefix(db: Db, prefixes: readonly string[]): Promise<readonly KeyRow[]> {
  return db.query<KeyRow>(KEYS_BY_PREFIX, [prefixes])
}

/** @param limit null = all */
export function listKeys(db: Db, accountId: string, limit: number | null, offset: number): Promise<readonly KeyRow[]> {
  return db.query<KeyRow>(KEY_LIST, [accountId, limit, offset])
}

export async function countKeys(db: Db, accountId: string): Promise<number> {
  return (await db.one<{ total: number }>(KEY_COUNT, [accountId]))?.total ?? 0
}

/** Counts under a lock held until the transaction ends, so that keys added at the same time are all counted. */
export async function countLiveKeys(db: Db, accountId: string): Promise<number> {
  await db.query(LOCK_KEYS, [accountId])
  return (await db.one<{ total: number }>(LIVE_KEY_COUNT, [accountId]))?.total ?? 0
}

export function selectKey(db: Db, accountId: string, id: string): Promise<KeyRow | null> {
  return db.one<KeyRow>(KEY, [accountId, id])
}

/** Null when there is no such key. */
export async function selectKeyOwner(db: Db, id: string): Promise<string | null> {
  return (await db.one<{ account_id: string }>(KEY_OWNER, [id]))?.account_id ?? null
}

export function lockKey(db: Db, accountId: string, id: string): Promise<KeyRow | null> {
  return db.one<KeyRow>(LOCK_KEY, [accountId, id])
}

export type NewKeyRow = Pick<
  KeyRow,
  | 'account_id'
  | 'id'
  | 'name'
  | 'prefix'
  | 'last4'
  | 'hash'
  | 'mode'
  | 'scopes'
  | 'domain_ids'
  | 'allowed_ips'
  | 'expires_at'
  | 'created_at'
>

export function insertKey(db: Db, row: NewKeyRow): Promise<KeyRow | null> {
  return db.one<KeyRow>(INSERT_KEY, [
    row.account_id,
    row.id,
    row.name,
    row.prefix,
    row.last4,
    row.hash,
    row.mode,
    row.scopes,
    row.domain_ids,
    row.allowed_ips,
    row.expires_at,
    row.created_at,
  ])
}

export function updateKey(
  db: Db,
  row: Pick<KeyRow, 'account_id' | 'id' | 'name' | 'scopes' | 'domain_ids' | 'allowed_ips' | 'expires_at'>,
): Promise<KeyRow | null> {
  return db.one<KeyRow>(UPDATE_KEY, [
    row.account_id,
    row.id,
    row.name,
    row.scopes,
    row.domain_ids,
    row.allowed_ips,
    row.expires_at,
  ])
}

export function revokeKeyRow(db: Db, accountId: string, id: string, at: Date): Promise<KeyRow | null> {
  return db.one<KeyRow>(REVOKE_KEY, [accountId, id, at])
}

export function rotateKeyRow(
  db: Db,
  row: { accountId: string; id: string; previousValidUntil: Date; prefix: string; last4: string; hash: Buffer },
): Promise<KeyRow | null> {
  return db.one<KeyRow>(ROTATE_KEY, [row.accountId, row.id, row.previousValidUntil, row.prefix, row.last4, row.hash])
}

export interface Use {
  readonly accountId: string
  readonly id: string
  readonly at: Date
  readonly ip: string
}

export async function touchKeys(db: Db, uses: readonly Use[]): Promise<void> {
  await db.execute(TOUCH_KEYS, [
    uses.map(({ accountId }) => accountId),
    uses.map(({ id }) => id),
    uses.map(({ at }) => at),
    uses.map(({ ip }) => ip),
  ])
}

// --- SMTP credentials

export interface SmtpRow {
  readonly account_id: string
  readonly mode: KeyMode
  readonly username: string
  readonly password_sealed: Buffer
  readonly password_mac: Buffer
  readonly previous_mac: Buffer | null
  readonly previous_valid_until: Date | null
  readonly created_at: Date
  readonly rotated_at: Date | null
  readonly last_used_at: Date | null
}

const SMTP_COLUMNS = `account_id, mode, username, password_sealed, password_mac, previous_mac, previous_valid_until, created_at,
  rotated_at, last_used_at`
const INSERT_SMTP = statement(
  'accounts_smtp_insert',
  `insert into smtp_credential (account_id, mode, username, password_sealed, password_mac, created_at)
   values ($1, $2, $3, $4, $5, $6)`,
)
const SMTP = statement(
  'accounts_smtp',
  `select ${SMTP_COLUMNS} from smtp_credential where account_id = $1 and mode = $2`,
)
const SMTP_BY_NAME = statement(
  'accounts_smtp_by_name',
  `select ${SMTP_COLUMNS} from smtp_credential where username = $1 order by mode`,
)
const ROTATE_SMTP = statement(
  'accounts_smtp_rotate',
  `update smtp_credential set previous_mac = password_mac, previous_valid_until = $2, password_sealed = $3,
     password_mac = $4, rotated_at = $5
   where account_id = $1 and mode = $6 returning ${SMTP_COLUMNS}`,
)
const TOUCH_SMTP = statement(
  'accounts_smtp_touch',
  `update smtp_credential s set last_used_at = u.at
   from (select * from unnest($1::uuid[], $2::text[], $3::timestamptz[]) as t(account_id, mode, at)
         order by account_id, mode) u
   where s.account_id = u.account_id and s.mode = u.mode and (s.last_used_at is null or s.last_used_at < u.at)`,
)

export async function insertSmtp(
  db: Db,
  row: Pick<SmtpRow, 'account_id' | 'mode' | 'username' | 'password_sealed' | 'password_mac' | 'created_at'>,
): Promise<void> {
  const { account_id, mode, username, password_sealed, password_mac, created_at } = row
  await db.execute(INSERT_SMTP, [account_id, mode, username, password_sealed, password_mac, created_at])
}

export function selectSmtp(db: Db, accountId: string, mode: KeyMode): Promise<SmtpRow | null> {
  return db.one<SmtpRow>(SMTP, [accountId, mode])
}

/** Both credentials of an account, or none. */
export function selectSmtpByName(db: Db, username: string): Promise<readonly SmtpRow[]> {
  return db.query<SmtpRow>(SMTP_BY_NAME, [username])
}

export function rotateSmtpRow(
  db: Db,
  row: { accountId: string; mode: KeyMode; previousValidUntil: Date; sealed: Buffer; mac: Buffer; at: Date },
): Promise<SmtpRow | null> {
  return db.one<SmtpRow>(ROTATE_SMTP, [row.accountId, row.previousValidUntil, row.sealed, row.mac, row.at, row.mode])
}

export interface SmtpUse {
  readonly accountId: string
  readonly mode: KeyMode
  readonly at: Date
}

export async function touchSmtp(db: Db, uses: readonly SmtpUse[]): Promise<void> {
  await db.execute(TOUCH_SMTP, [
    uses.map(({ accountId }) => accountId),
    uses.map(({ mode }) => mode),
    uses.map(({ at }) => at),
  ])
}

/** For `SealedColumn`: a password is bound to its account and mode. */
export const sealedPasswords = statement(
  'accounts_passwords_to_seal',
  `select account_id || ' ' || mode as row_id, password_sealed as sealed from smtp_credential
   where (account_id, mode) >
       (coalesce(nullif(split_part($2, ' ', 1), ''), '00000000-0000-0000-0000-000000000000')::uuid, split_part($2, ' ', 2))
     and get_byte(password_sealed, 0) <> $1
   order by account_id, mode limit $3`,
)
export const replaceSealedPassword = statement(
  'accounts_password_sealed_anew',
  `update smtp_credential set password_sealed = $3
   where account_id = split_part($1, ' ', 1)::uuid and mode = split_part($1, ' ', 2) and password_sealed = $2`,
)
