// API keys as their account manages them. A key can create, change, rotate or revoke only keys that may do no more than
// itself: `api_keys:write` alone does not lead to `full`, a domain-bound key cannot manage keys of other domains, a test
// key no live key, and a key limited to addresses or an end date none with other addresses or a later end. A key may
// always revoke itself.

import { parseNetwork } from '../../platform/addresses.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import { endFaults, type FieldFault, validationError } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http.ts'
import { type Ids, isUuid } from '../../platform/ids.ts'
import { areWithin } from './addresses.ts'
import { errors } from './errors.ts'
import { type KeyMode, newKey } from './key-format.ts'
import { allows } from './scopes.ts'
import {
  countLiveKeys,
  insertKey,
  type KeyRow,
  lockKey,
  revokeKeyRow,
  rotateKeyRow,
  selectKey,
  updateKey,
} from './sql.ts'

export interface KeyContext {
  readonly ids: Ids
  readonly clock: Clock
  /** Returns those of the ids that are domains of the account. */
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

/** Faults in the body of a new or changed key that the schema cannot express, for any body. */
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

/** Faults of an end that is not in the future. */
export function keyEndFaults(expiresAt: unknown, now: Date): readonly FieldFault[] {
  return endFaults(expiresAt, now, 'must lie in the future')
}

/** @throws ApiError insufficient_scope, validation_error, invalid_state (too many keys) */
export async function createKey(
  db: Db,
  context: KeyContext,
  owner: KeyOwner,
  request: KeyRequest,
): Promise<KeyWithSecret> {
  const faults: FieldFault[] = []
  const allowedIps = networksOf(request.allowedIps, faults)
  const domainIds = await domainsOf(db, context, owner.accountId, request.domainIds, faults)
  const now = context.clock.now()
  faults.push(...keyEndFaults(request.expiresAt, now))
  if (faults.length > 0) throw validationError(faults)
  assertWithin(await reachOf(db, owner), { ...request, domainIds, allowedIps })
  if ((await countLiveKeys(db, owner.accountId)) >= MAX_LIVE_KEYS) {
    throw errors.invalid_state({ limit: MAX_LIVE_KEYS }, { message: 'The account has as many keys as there may be' })
  }
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
  owner: KeyOwner,
  id: string,
  changes: Partial<Omit<KeyRequest, 'mode'>>,
): Promise<KeyRow> {
  const row = await lockLiveKey(db, owner, id)
  const reach = await reachOf(db, owner)
  assertWithin(reach, reachOfKey(row))
  const faults: FieldFault[] = []
  const domainIds =
    changes.domainIds === undefined
      ? row.domain_ids
      : await domainsOf(db, context, owner.accountId, changes.domainIds, faults)
  const allowedIps = changes.allowedIps === undefined ? row.allowed_ips : networksOf(changes.allowedIps, faults)
  if (faults.length > 0) throw validationError(faults)
  const scopes = [...new Set(changes.scopes ?? row.scopes)]
  const expiresAt = changes.expiresAt === undefined ? row.expires_at : changes.expiresAt
  assertWithin(reach, { mode: row.mode, scopes, domainIds, allowedIps, expiresAt })
  const changed = await updateKey(db, {
    account_id: owner.accountId,
    id,
    name: changes.name ?? row.name,
    scopes,
    domain_ids: domainIds,
    allowed_ips: allowedIps,
    expires_at: expiresAt,
  })
  if (changed === null) throw errors.not_found()
  return changed
}

/**
 * Gives a key a new secret. If the grace period of the secret before the current one is still running, it ends at once.
 *
 * @param graceMs how long the current secret stays valid; 0 = not at all
 * @throws ApiError not_found, invalid_state (revoked), insufficient_scope
 */
export async function rotateKey(
  db: Db,
  { ids, clock }: Pick<KeyContext, 'ids' | 'clock'>,
  owner: KeyOwner,
  id: string,
  graceMs: number,
): Promise<KeyWithSecret> {
  const present = await lockLiveKey(db, owner, id)
  assertWithin(await reachOf(db, owner), reachOfKey(present))
  const { key, prefix, last4, hash } = newKey(present.mode, ids.bytes)
  const previousValidUntil = new Date(clock.now().getTime() + graceMs)
  const row = await rotateKeyRow(db, { accountId: owner.accountId, id, previousValidUntil, prefix, last4, hash })
  if (row === null) throw errors.not_found()
  return { row, key }
}

/** Revokes a key for good. Repeating it changes nothing. @throws ApiError not_found, insufficient_scope */
export async function revokeKey(db: Db, clock: Clock, owner: KeyOwner, id: string): Promise<KeyRow> {
  const present = await lockKey(db, owner.accountId, id)
  if (present === null) throw errors.not_found()
  if (present.id !== owner.keyId) assertWithin(await reachOf(db, owner), reachOfKey(present))
  const row = await revokeKeyRow(db, owner.accountId, id, clock.now())
  if (row === null) throw errors.not_found()
  return row
}

/** The caller who manages keys: with a key, or without one (a session, the operator). */
export type KeyOwner = Pick<Principal, 'accountId' | 'keyId' | 'mode' | 'scopes' | 'domainIds'>

/** The operator. */
export const UNBOUNDED: Omit<KeyOwner, 'accountId'> = { keyId: null, mode: 'live', scopes: ['full'], domainIds: null }

/** Everything that bounds what a key may do. */
type Reach = Omit<KeyRequest, 'name'>

async function reachOf(db: Db, { accountId, keyId, mode, scopes, domainIds }: KeyOwner): Promise<Reach> {
  if (keyId === null) return { mode, scopes, domainIds, allowedIps: [], expiresAt: null }
  const row = await selectKey(db, accountId, keyId)
  if (row === null) throw errors.invalid_api_key()
  return reachOfKey(row)
}

function reachOfKey(row: KeyRow): Reach {
  const { mode, scopes, domain_ids: domainIds, allowed_ips: allowedIps, expires_at: expiresAt } = row
  return { mode, scopes, domainIds, allowedIps, expiresAt }
}

function assertWithin(owner: Reach, wanted: Reach): void {
  const beyond = wanted.scopes.find((scope) => !allows(owner.scopes, scope))
  if (beyond !== undefined) throw errors.insufficient_scope({ required_scope: beyond })
  const why = whyBeyond(owner, wanted)
  if (why !== null) throw errors.insufficient_scope({ required_scope: 'full' }, { message: why })
}

function whyBeyond(owner: Reach, wanted: Reach): string | null {
  const { domainIds: domains } = owner
  if (domains !== null && (wanted.domainIds === null || wanted.domainIds.some((id) => !domains.includes(id))))
    return 'A key bound to domains cannot handle a key for others'
  if (owner.mode === 'sandbox' && wanted.mode === 'live')
    return 'A test key handles test keys alone: give mode "sandbox", or make the key with a live one, in the dashboard or by posthorn key create'
  if (!areWithin(wanted.allowedIps, owner.allowedIps))
    return 'A key for some addresses cannot handle a key that is good from others'
  if (owner.expiresAt !== null && (wanted.expiresAt === null || wanted.expiresAt > owner.expiresAt))
    return 'A key with an end cannot handle a key that is good for longer'
  return null
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
