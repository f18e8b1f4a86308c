// SMTP credentials: one user name per account, with one password for live mail and one for sandbox mail, which is never
// delivered. A live key reads and rotates the live password, a sandbox key the sandbox one, and neither the other's. The
// user's document requires that a password can be shown again, so it is sealed under the instance's secret, for the one
// endpoint that shows it. Submission compares a keyed hash and opens nothing. After a rotation with grace, the previous
// password stays valid until its time.
//
// The password sends from every domain of the account, from every address and without end. So a key bound to domains,
// addresses or a date is not shown it.
//
// A log-in costs the same whatever is wrong with it, even for an unknown name: one lookup by name and two hashes.
//
// The user name `apikey` with an API key of scope `send` as the password logs in as that key. Passwords are not cached: a
// rotation holds for the next log-in. Keys and suspensions come from caches that a change clears within 5 s.

import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import type { Principal } from '../../platform/http.ts'
import type { Ids } from '../../platform/ids.ts'
import { type Secrets, sameSecret } from '../../platform/secrets.ts'
import type { SettingsReader } from './account-settings.ts'
import { isAllowed } from './addresses.ts'
import type { AuthenticationFailures } from './authentication-failures.ts'
import { errors } from './errors.ts'
import { keyFault, principalOf } from './gate.ts'
import { type KeyMode, randomBase62 } from './key-format.ts'
import type { KeyLookup } from './key-lookup.ts'
import type { LastUseLog } from './last-use.ts'
import { allows } from './scopes.ts'
import { type KeyRow, rotateSmtpRow, type SmtpRow, selectKey, selectSmtp, selectSmtpByName } from './sql.ts'

export const SEAL = 'smtp-password'
const MAC = 'smtp-password-mac'
const MODES = ['live', 'sandbox'] as const
const USERNAME_CHARS = 20
const PASSWORD_CHARS = 32
const KEY_USERNAME = 'apikey'

/** Everything except the password, which is not opened for it. */
export interface SmtpUser {
  readonly username: string
  readonly createdAt: Date
  readonly rotatedAt: Date | null
  readonly lastUsedAt: Date | null
  /** How long the previous password is valid; null when it is not. */
  readonly previousValidUntil: Date | null
}

export interface SmtpCredential extends SmtpUser {
  readonly password: string
}

/** Creates a new account's two credentials. */
export function newSmtpCredentials(
  secrets: Secrets,
  ids: Ids,
  accountId: string,
  createdAt: Date,
): readonly Pick<SmtpRow, 'account_id' | 'mode' | 'username' | 'password_sealed' | 'password_mac' | 'created_at'>[] {
  const username = `smtp_${randomBase62(USERNAME_CHARS, ids.bytes)}`
  return MODES.map((mode) => {
    const password = newPassword(mode, ids)
    return {
      account_id: accountId,
      mode,
      username,
      password_sealed: secrets.seal(SEAL, rowOf(accountId, mode), password),
      password_mac: macOf(secrets, accountId, mode, password),
      created_at: createdAt,
    }
  })
}

/** The caller; its mode decides which password it gets. */
type Owner = Pick<Principal, 'accountId' | 'keyId' | 'mode'>

/** @throws ApiError insufficient_scope for a key that is bound to domains, addresses or a date */
export async function readSmtpCredential(db: Db, secrets: Secrets, owner: Owner, now: Date): Promise<SmtpCredential> {
  return shown(secrets, await smtpRowOf(db, owner), now)
}

/** @throws ApiError as `readSmtpCredential` */
export async function readSmtpUser(db: Db, owner: Owner, now: Date): Promise<SmtpUser> {
  return userOf(await smtpRowOf(db, owner), now)
}

async function smtpRowOf(db: Db, owner: Owner): Promise<SmtpRow> {
  await assertUnbound(db, owner)
  const row = await selectSmtp(db, owner.accountId, owner.mode)
  if (row === null) throw errors.not_found()
  return row
}

/**
 * @param graceMs how long the current password stays valid; 0 = not at all
 * @throws ApiError insufficient_scope for a key that is bound to domains, addresses or a date
 */
export async function rotateSmtpCredential(
  db: Db,
  { secrets, ids, clock }: { readonly secrets: Secrets; readonly ids: Ids; readonly clock: Clock },
  owner: Owner,
  graceMs: number,
): Promise<SmtpCredential> {
  await assertUnbound(db, owner)
  const { accountId, mode } = owner
  const password = newPassword(mode, ids)
  const now = clock.now()
  const row = await rotateSmtpRow(db, {
    accountId,
    mode,
    previousValidUntil: new Date(now.getTime() + graceMs),
    sealed: secrets.seal(SEAL, rowOf(accountId, mode), password),
    mac: macOf(secrets, accountId, mode, password),
    at: now,
  })
  if (row === null) throw errors.not_found()
  return shown(secrets, row, now)
}

async function assertUnbound(db: Db, { accountId, keyId }: Owner): Promise<void> {
  if (keyId === null) return
  const key = await selectKey(db, accountId, keyId)
  if (key === null) throw errors.invalid_api_key()
  const bound = boundTo(key)
  if (bound === null) return
  throw errors.insufficient_scope(
    { required_scope: 'full' },
    { message: `A key bound to ${bound} submits by SMTP as the user apikey, with itself as the password` },
  )
}

function boundTo(key: KeyRow): string | null {
  if (key.domain_ids !== null) return 'domains'
  if (key.allowed_ips.length > 0) return 'addresses'
  return key.expires_at === null ? null : 'a date'
}

export type SmtpLogin =
  | { readonly kind: 'ok'; readonly principal: Principal }
  /** Wrong name or password, or a key without permission: the same answer for all. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'suspended' }
  /** Too many failures from this address. */
  | { readonly kind: 'throttled' }

export interface SmtpLoginParts {
  readonly database: Database
  readonly secrets: Secrets
  readonly clock: Clock
  readonly keys: KeyLookup
  readonly settings: SettingsReader
  readonly failures: AuthenticationFailures
  readonly uses: LastUseLog
}

/** Rejects when the database does not answer: the caller then replies 454, not 535. */
export async function authenticateSmtp(
  parts: SmtpLoginParts,
  { username, password, ip }: { readonly username: string; readonly password: string; readonly ip: string },
): Promise<SmtpLogin> {
  const principal = await (username === KEY_USERNAME
    ? byKey(parts, password, ip)
    : byPassword(parts, username, password))
  if (principal === null) return { kind: parts.failures.count(ip) === null ? 'refused' : 'throttled' }
  const { suspended } = await parts.settings.get(principal.accountId)
  return suspended ? { kind: 'suspended' } : { kind: 'ok', principal }
}

async function byKey({ keys, clock, uses }: SmtpLoginParts, key: string, ip: string): Promise<Principal | null> {
  const found = await keys.find(key)
  if (found === null || keyFault(found, clock.now()) !== null) return null
  const { row } = found
  if (!isAllowed(ip, row.allowed_ips) || !allows(row.scopes, 'send')) return null
  uses.key({ accountId: row.account_id, id: row.id, at: clock.now(), ip })
  return principalOf(row)
}

const NOBODY = '00000000-0000-0000-0000-000000000000'
const NO_MAC = Buffer.alloc(32)
const USERNAME = /^smtp_[0-9A-Za-z]{1,64}$/

async function byPassword(
  { database, secrets, clock, uses }: SmtpLoginParts,
  username: string,
  password: string,
): Promise<Principal | null> {
  const rows = await selectSmtpByName(database.system, USERNAME.test(username) ? username : '')
  const now = clock.now()
  let good: SmtpRow | null = null
  for (const mode of MODES) {
    const row = rows.find((one) => one.mode === mode)
    const mac = macOf(secrets, row?.account_id ?? NOBODY, mode, password)
    const graceLasts = row?.previous_valid_until != null && row.previous_valid_until > now
    const present = sameSecret(mac, row?.password_mac ?? NO_MAC)
    const before = sameSecret(mac, (graceLasts ? row.previous_mac : null) ?? NO_MAC)
    if (row !== undefined && (present || before)) good = row
  }
  if (good === null) return null
  const { account_id: accountId, mode } = good
  uses.smtp({ accountId, mode, at: now })
  return { accountId, keyId: null, mode, scopes: ['send'], domainIds: null }
}

/** The row id that a sealed password is bound to. */
function rowOf(accountId: string, mode: KeyMode): string {
  return `${accountId} ${mode}`
}

function macOf(secrets: Secrets, accountId: string, mode: KeyMode, password: string): Buffer {
  return secrets.mac(MAC, `${accountId}\0${mode}\0${password}`)
}

/** A sandbox password starts with `test`. */
function newPassword(mode: KeyMode, ids: Ids): string {
  const random = randomBase62(PASSWORD_CHARS, ids.bytes)
  return mode === 'live' ? random : `test${random}`
}

function shown(secrets: Secrets, row: SmtpRow, now: Date): SmtpCredential {
  const password = secrets.open(SEAL, rowOf(row.account_id, row.mode), row.password_sealed).toString()
  return { ...userOf(row, now), password }
}

function userOf(row: SmtpRow, now: Date): SmtpUser {
  const until = row.previous_valid_until
  return {
    username: row.username,
    createdAt: row.created_at,
    rotatedAt: row.rotated_at,
    lastUsedAt: row.last_used_at,
    previousValidUntil: until !== null && until > now ? until : null,
  }
}
