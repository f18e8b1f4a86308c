// API keys as their account handles them. A key can make, change or rotate only keys that may do no more than itself:
// `api_keys:write` alone is no way to `full`, a key bound to domains none to the others, a test key none to live mail.

import { parseNetwork } from '../../platform/addresses.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import { endFaults, type FieldFault, validationError } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http.ts'
import { type Ids, isUuid } from '../../platform/ids.ts'
import { errors } from './errors.ts'
import { type KeyMode, newKey } from './key-format.ts'
import { allows } from './scopes.ts'
import { countLiveKeys, insertKey, type KeyRow, lockKey, revokeKeyRow, rotateKeyRow, updateKey } from './sql.ts'

export interface KeyContext {
  readonly ids: Ids
  readonly clock: Clock
  /** Which of these ids are domains of the account. */
  readonly ownedDomains: (db: Db, accountId: string, domainIds: readonly string[]) => Promise<ReadonlySet<string>>
}

export interface KeyRequest {
  readonly name: string
  readonly mode: KeyMode
  readonly scopes: readonly string[]
  /** Null or empty = all domains. */
  readonly domainIds: readonly string[] | null
  readonly allowedIps: readonly string[]
  readonly expiresAt: Date | null
}

export interface KeyWithSecret {
  readonly row: KeyRow
  /** Shown once. */
  readonly key: string
}

export const MAX_LIVE_KEYS = 1_000
export const MAX_NAME_CHARS = 128
export const MAX_NETWORKS = 100
/** One line of text. */
export const KEY_NAME = /^[^\u0000-\u001f\u007f-\u009f]*$/

/** What of the body of a new or changed key the schema cannot tell, whatever came. */
export async function requestFaults(
  database: Pick<Database, 'tenant'>,
  context: KeyContext,
  accountId: string,
  body: unknown,
): Promise<readonly FieldFault[]> {
  const { allowed_ips: ips, domain_ids: domains } = (body ?? {}) as Readonly<Record<string, unknown>>
  const faults: FieldFault[] = []
  if (Array.isArray(ips) && ips.every((ip) => typeof ip === 'string')) networksOf(ips, faults)
  if (Array.isArray(domains) && domains.length > 0 && domains.every(isUuid))
    await database.tenant(accountId, (db) => domainsOf(db, context, accountId, domains, faults))
  return faults
}

/** A key that would have ended already. */
export function keyEndFaults(expiresAt: unknown, now: Date): readonly FieldFault[] {
  return endFaults(expiresAt, now, 'must lie in the future')
}

/** @throws ApiError insufficient_scope, validation_error, invalid_state (too many keys) */
export async function createKey(
  db: Db,
  context: KeyContext,
  owner: Pick<Principal, 'accountId'> & Reach,
  request: KeyRequest,
): Promise<KeyWithSecret> {
  assertWithin(owner, request)
  const faults: FieldFault[] = []
  const allowedIps = networksOf(request.allowedIps, faults)
  const domainIds = await domainsOf(db, context, owner.accountId, request.domainIds, faults)
  const now = context.clock.now()
  if ((await countLiveKeys(db, owner.accountId)) >= MAX_LIVE_KEYS) {
    throw errors.invalid_state({ limit: MAX_LIVE_KEYS }, { message: 'The account has as many keys as there may be' })
  }
  faults.push(...keyEndFaults(request.expiresAt, now))
  if (faults.length > 0) throw validationError(faults)
  const { key, prefix, last4, hash } = newKey(request.mode, context.ids.bytes)
  const row = await insertKey(db, {
    account_id: owner.accountId,
    id: context.ids.next(),
    name: request.name,
    prefix,
    last4,
    hash,
    mode: request.mode,
    scopes: [...new Set(request.scopes)],
    domain_ids: domainIds,
    allowed_ips: allowedIps,
    expires_at: request.expiresAt,
    created_at: now,
  })
  if (row === null) throw new Error('a key was not inserted')
  return { row, key }
}

/** @throws ApiError not_found, invalid_state (revoked), insufficient_scope, validation_error */
export async function changeKey(
  db: Db,
  context: KeyContext,
  owner: Pick<Principal, 'accountId'> & Reach,
  id: string,
  changes: Partial<Omit<KeyRequest, 'mode'>>,
): Promise<KeyRow> {
  const row = await lockLiveKey(db, owner, id)
  const faults: FieldFault[] = []
  const domainIds =
    changes.domainIds === undefined
      ? row.domain_ids
      : await domainsOf(db, context, owner.accountId, changes.domainIds, faults)
  const allowedIps = changes.allowedIps === undefined ? row.allowed_ips : networksOf(changes.allowedIps, faults)
  if (faults.length > 0) throw validationError(faults)
  const scopes = [...new Set(changes.scopes ?? row.scopes)]
  assertWithin(owner, { mode: row.mode, scopes, domainIds })
  const changed = await updateKey(db, {
    account_id: owner.accountId,
    id,
    name: changes.name ?? row.name,
    scopes,
    domain_ids: domainIds,
    allowed_ips: allowedIps,
    expires_at: changes.expiresAt === undefined ? row.expires_at : changes.expiresAt,
  })
  if (changed === null) throw errors.not_found()
  return changed
}

/**
 * A new secret for the same key. The secret before the present one, if its grace still lasted, ends at once.
 *
 * @param graceMs how long the present secret stays good; 0 = not at all
 * @throws ApiError not_found, invalid_state (revoked), insufficient_scope
 */
export async function rotateKey(
  db: Db,
  { ids, clock }: Pick<KeyContext, 'ids' | 'clock'>,
  owner: Pick<Principal, 'accountId'> & Reach,
  id: string,
  graceMs: number,
): Promise<KeyWithSecret> {
  const present = await lockLiveKey(db, owner, id)
  assertWithin(owner, { mode: present.mode, scopes: present.scopes, domainIds: present.domain_ids })
  const { key, prefix, last4, hash } = newKey(present.mode, ids.bytes)
  const previousValidUntil = new Date(clock.now().getTime() + graceMs)
  const row = await rotateKeyRow(db, { accountId: owner.accountId, id, previousValidUntil, prefix, last4, hash })
  if (row === null) throw errors.not_found()
  return { row, key }
}

/** Final. Once more is the same. @throws ApiError not_found */
export async function revokeKey(db: Db, clock: Clock, accountId: string, id: string): Promise<KeyRow> {
  const row = await revokeKeyRow(db, accountId, id, clock.now())
  if (row === null) throw errors.not_found()
  return row
}

/** How far a key reaches. */
export type Reach = Pick<Principal, 'mode' | 'scopes' | 'domainIds'>

/** The operator's reach. */
export const UNBOUNDED: Reach = { mode: 'live', scopes: ['full'], domainIds: null }

function assertWithin(owner: Reach, wanted: Reach): void {
  const beyond = wanted.scopes.find((scope) => !allows(owner.scopes, scope))
  if (beyond !== undefined) throw errors.insufficient_scope({ required_scope: beyond })
  const wider =
    owner.domainIds !== null &&
    (wanted.domainIds === null || wanted.domainIds.some((id) => owner.domainIds?.includes(id) !== true))
  if (wider) {
    throw errors.insufficient_scope(
      { required_scope: 'full' },
      { message: 'A key bound to domains cannot make a key for others' },
    )
  }
  if (owner.mode === 'sandbox' && wanted.mode === 'live') {
    throw errors.insufficient_scope({ required_scope: 'full' }, { message: 'A test key cannot make a live key' })
  }
}

async function lockLiveKey(db: Db, { accountId }: Pick<Principal, 'accountId'>, id: string): Promise<KeyRow> {
  const row = await lockKey(db, accountId, id)
  if (row === null) throw errors.not_found()
  if (row.revoked_at !== null) throw errors.invalid_state()
  return row
}

function networksOf(texts: readonly string[], faults: FieldFault[]): readonly string[] {
  return texts.flatMap((text, index) => {
    const network = parseNetwork(text)
    if (network !== null) return [network]
    faults.push({ field: `allowed_ips[${index}]`, rule: 'cidr', message: 'is no network such as 192.0.2.0/24' })
    return []
  })
}

async function domainsOf(
  db: Db,
  { ownedDomains }: KeyContext,
  accountId: string,
  domainIds: readonly string[] | null,
  faults: FieldFault[],
): Promise<readonly string[] | null> {
  if (domainIds === null || domainIds.length === 0) return null
  const ids = [...new Set(domainIds.map((id) => id.toLowerCase()))]
  const owned = await ownedDomains(db, accountId, ids)
  for (const [index, id] of domainIds.entries()) {
    if (!owned.has(id.toLowerCase())) {
      faults.push({ field: `domain_ids[${index}]`, rule: 'exists', message: 'is no domain of this account' })
    }
  }
  return ids
}
