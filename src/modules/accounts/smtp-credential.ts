// SMTP credentials: one user name and password per account. The user's document wants the password shown again, so it is
// sealed under the instance's secret for the one endpoint that shows it; submission compares a keyed hash and opens
// nothing. After a rotation with grace the password before stays good until its time.
//
// A sandbox key is never shown a password that sends live mail. It gets one of the same user name whose mail stays in the
// house: derived from the hash of the live one, which it does not tell, so it changes with every rotation.
//
// The user name `apikey` with an API key of scope `send` logs in as that key. Nothing here is cached: a rotation, a
// revocation or a suspension holds for the next log-in at once.

import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import type { Principal } from '../../platform/http.ts'
import type { Ids } from '../../platform/ids.ts'
import { type Secrets, sameSecret } from '../../platform/secrets.ts'
import { isAllowed } from './addresses.ts'
import { errors } from './errors.ts'
import type { Failures } from './failures.ts'
import { keyFault, principalOf } from './gate.ts'
import { randomBase62 } from './key-format.ts'
import type { KeyLookup } from './key-lookup.ts'
import { allows } from './scopes.ts'
import type { SettingsReader } from './settings.ts'
import { rotateSmtpRow, type SmtpRow, selectSmtp, selectSmtpByName } from './sql.ts'
import type { UseLog } from './uses.ts'

const SEAL = 'smtp-password'
const MAC = 'smtp-password-mac'
const SANDBOX = 'smtp-password-sandbox'
const USERNAME_CHARS = 20
const PASSWORD_CHARS = 32
const SANDBOX_PASSWORD_BYTES = 24
const KEY_USERNAME = 'apikey'

export interface SmtpCredential {
  readonly username: string
  readonly password: string
  readonly createdAt: Date
  readonly rotatedAt: Date | null
  readonly lastUsedAt: Date | null
  /** Until when the password before is good; null when it is not. */
  readonly previousValidUntil: Date | null
}

export function newSmtpCredential(
  secrets: Secrets,
  ids: Ids,
  accountId: string,
  createdAt: Date,
): Pick<SmtpRow, 'account_id' | 'username' | 'password_sealed' | 'password_mac' | 'created_at'> {
  const password = randomBase62(PASSWORD_CHARS, ids.bytes)
  return {
    account_id: accountId,
    username: `smtp_${randomBase62(USERNAME_CHARS, ids.bytes)}`,
    password_sealed: secrets.seal(SEAL, accountId, password),
    password_mac: macOf(secrets, accountId, password),
    created_at: createdAt,
  }
}

/** Who asks, and thereby whose mail the password sends. */
type Owner = Pick<Principal, 'accountId' | 'mode'>

export async function readSmtpCredential(db: Db, secrets: Secrets, owner: Owner, now: Date): Promise<SmtpCredential> {
  const row = await selectSmtp(db, owner.accountId)
  if (row === null) throw errors.not_found()
  return shown(secrets, row, owner.mode, now)
}

/** @param graceMs how long the present password stays good; 0 = not at all */
export async function rotateSmtpCredential(
  db: Db,
  { secrets, ids, clock }: { readonly secrets: Secrets; readonly ids: Ids; readonly clock: Clock },
  { accountId, mode }: Owner,
  graceMs: number,
): Promise<SmtpCredential> {
  const password = randomBase62(PASSWORD_CHARS, ids.bytes)
  const now = clock.now()
  const row = await rotateSmtpRow(db, {
    accountId,
    previousValidUntil: new Date(now.getTime() + graceMs),
    sealed: secrets.seal(SEAL, accountId, password),
    mac: macOf(secrets, accountId, password),
    at: now,
  })
  if (row === null) throw errors.not_found()
  return shown(secrets, row, mode, now)
}

export type SmtpLogin =
  | { readonly kind: 'ok'; readonly principal: Principal }
  /** Wrong name or password, or a key that may not: one answer for all. */
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
  readonly failures: Failures
  readonly uses: UseLog
}

/** Rejects when the database does not answer: the caller then says 454, not 535. */
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

async function byPassword(
  { database, secrets, clock, uses }: SmtpLoginParts,
  username: string,
  password: string,
): Promise<Principal | null> {
  if (!/^smtp_[0-9A-Za-z]+$/.test(username)) return null
  const row = await selectSmtpByName(database.system, username)
  const mac = macOf(secrets, row?.account_id ?? NOBODY, password)
  if (row === null) return null
  const now = clock.now()
  const graceLasts = row.previous_valid_until !== null && row.previous_valid_until > now
  const good = [row.password_mac, graceLasts ? row.previous_mac : null].filter((one) => one !== null)
  const sandboxed = (one: Buffer): boolean =>
    sameSecret(mac, macOf(secrets, row.account_id, sandboxPassword(secrets, row.account_id, one)))
  const mode = good.some((one) => sameSecret(mac, one)) ? 'live' : good.some(sandboxed) ? 'sandbox' : null
  if (mode === null) return null
  uses.smtp({ accountId: row.account_id, at: now })
  return { accountId: row.account_id, keyId: null, mode, scopes: ['send'], domainIds: null }
}

function macOf(secrets: Secrets, accountId: string, password: string): Buffer {
  return secrets.mac(MAC, `${accountId}\0${password}`)
}

/** @param mac the hash of the live password that it goes with */
function sandboxPassword(secrets: Secrets, accountId: string, mac: Buffer): string {
  const digest = secrets.mac(SANDBOX, `${accountId}\0${mac.toString('hex')}`)
  return `test${BigInt(`0x${digest.toString('hex', 0, SANDBOX_PASSWORD_BYTES)}`).toString(36)}`
}

function shown(secrets: Secrets, row: SmtpRow, mode: Principal['mode'], now: Date): SmtpCredential {
  const until = row.previous_valid_until
  const { account_id: accountId } = row
  return {
    username: row.username,
    password:
      mode === 'live'
        ? secrets.open(SEAL, accountId, row.password_sealed).toString()
        : sandboxPassword(secrets, accountId, row.password_mac),
    createdAt: row.created_at,
    rotatedAt: row.rotated_at,
    lastUsedAt: row.last_used_at,
    previousValidUntil: until !== null && until > now ? until : null,
  }
}
