// Endpoints: created within the plan's limit, changed, disabled, enabled, removed. Disabling or removing an endpoint drops
// what is queued for it; nothing is caught up later. The log keeps what was attempted, as failed.

import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import { type FieldFault, validationError } from '../../platform/errors.ts'
import { type Ids, isUuid } from '../../platform/ids.ts'
import { type UrlFault, urlFault } from '../../platform/network/connect.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { ownedDomains } from '../domains/index.ts'
import { clearDisabled, clearRemoved } from './clearing.ts'
import { errors } from './errors.ts'
import { newSecret, type SigningSecrets } from './sign.ts'
import * as sql from './sql.ts'
import type { Endpoint } from './types.ts'

export const PURPOSE = 'webhook'

export interface EndpointContext {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly secrets: Secrets
  readonly allowPrivate: boolean
  /** Maximum number of the account's endpoints (null = unlimited), and the name of its plan. */
  readonly limitOf: (accountId: string) => Promise<{ readonly limit: number | null; readonly plan: string }>
}

/** The caller. A key bound to domains sees only endpoints bound to these domains. */
export interface Asker {
  readonly accountId: string
  readonly domainIds: readonly string[] | null
}

export interface EndpointChange {
  readonly name?: string
  readonly url?: string
  readonly events?: readonly string[]
  /** Empty counts as null: all domains. */
  readonly domain_ids?: readonly string[] | null
  readonly is_active?: boolean
}

export type Shown = Endpoint & { readonly secret?: string }

export function openSecrets(secrets: Secrets, id: string, sealed: sql.SealedSecrets, now: Date): SigningSecrets {
  const { secret, previous_secret: previous, previous_secret_until: until } = sealed
  const opened = (one: Buffer): string => secrets.open(PURPOSE, id, one).toString('utf8')
  return {
    present: opened(secret),
    previous: previous !== null && until !== null && until > now ? opened(previous) : null,
  }
}

/** @throws ApiError webhook_limit_reached, validation_error */
export async function createEndpoint(
  context: EndpointContext,
  requester: Asker,
  given: EndpointChange & { readonly url: string; readonly events: readonly string[] },
): Promise<Shown> {
  const { database, clock, ids, secrets } = context
  const { accountId } = requester
  const { limit, plan } = await context.limitOf(accountId)
  return database.tenant(accountId, async (db) => {
    const domains = await checked(db, context, requester, given, null)
    await db.query(sql.lockAccount, [accountId])
    const { total = 0 } = (await db.one<{ total: number }>(sql.countAll, [accountId])) ?? {}
    if (limit !== null && total >= limit) throw errors.webhook_limit_reached({ limit, plan })
    const id = ids.next()
    const secret = newSecret(ids.bytes)
    const row = await db.one<Endpoint>(sql.insert, [
      accountId,
      id,
      given.name ?? new URL(given.url).hostname,
      given.url,
      [...new Set(given.events)],
      domains,
      given.is_active ?? true,
      secrets.seal(PURPOSE, id, secret),
      secret.slice(-4),
      clock.now(),
    ])
    if (row === null) throw errors.not_found()
    return { ...row, secret }
  })
}

/** @throws ApiError not_found, validation_error */
export async function changeEndpoint(
  context: EndpointContext,
  requester: Asker,
  id: string,
  change: EndpointChange,
): Promise<Endpoint> {
  const each = <T>(work: (db: Db) => Promise<T>): Promise<T> => context.database.tenant(requester.accountId, work)
  if (change.is_active === true) {
    await each((db) => readEndpoint(db, requester, id))
    await clearDisabled(each, id, context.clock.now())
  }
  const changed = await each(async (db) => {
    const before = await db.one<Endpoint>(sql.lockOne, [requester.accountId, requester.domainIds, id])
    if (before === null) throw errors.not_found()
    const domains = await checked(db, context, requester, change, before.domain_ids)
    const isActive = change.is_active ?? before.is_active
    const now = context.clock.now()
    const row = await db.one<Endpoint>(sql.update, [
      requester.accountId,
      id,
      change.name ?? before.name,
      change.url ?? before.url,
      [...new Set(change.events ?? before.events)],
      domains,
      isActive,
      now,
    ])
    await db.query(sql.notify, [id])
    if (row === null) throw errors.not_found()
    return row
  })
  if (!changed.is_active) await clearDisabled(each, id, context.clock.now())
  return changed
}

/** @throws ApiError not_found */
export async function removeEndpoint({ database }: EndpointContext, requester: Asker, id: string): Promise<void> {
  const each = <T>(work: (db: Db) => Promise<T>): Promise<T> => database.tenant(requester.accountId, work)
  await each((db) => readEndpoint(db, requester, id))
  await clearRemoved(each, id)
  await each(async (db) => {
    const row = await db.one<Endpoint>(sql.lockOne, [requester.accountId, requester.domainIds, id])
    if (row === null) throw errors.not_found()
    await db.execute(sql.dropQueued, [requester.accountId, id])
    await db.execute(sql.remove, [requester.accountId, id])
    await db.query(sql.notify, [id])
  })
}

/**
 * Replaces the secret from the next attempt on.
 *
 * @param graceMs for how long requests are signed with the present one too
 * @throws ApiError not_found
 */
export async function regenerateSecret(
  context: EndpointContext,
  requester: Asker,
  { id, graceMs }: { readonly id: string; readonly graceMs: number },
): Promise<Shown> {
  const { database, clock, ids, secrets } = context
  return database.tenant(requester.accountId, async (db) => {
    if ((await db.one<Endpoint>(sql.lockOne, [requester.accountId, requester.domainIds, id])) === null)
      throw errors.not_found()
    const secret = newSecret(ids.bytes)
    const sealed = secrets.seal(PURPOSE, id, secret)
    const now = clock.now()
    const until = graceMs === 0 ? null : new Date(now.getTime() + graceMs)
    const row = await db.one<Endpoint>(sql.setSecret, [requester.accountId, id, sealed, secret.slice(-4), now, until])
    if (row === null) throw errors.not_found()
    await db.query(sql.notify, [id])
    return { ...row, secret }
  })
}

/** @throws ApiError not_found */
export async function readEndpoint(
  db: Db,
  { accountId, domainIds }: Asker,
  id: string,
): Promise<{ readonly endpoint: Endpoint; readonly sealed: sql.SealedSecrets }> {
  const row = await db.one<Endpoint & sql.SealedSecrets>(sql.one, [accountId, domainIds, id])
  if (row === null) throw errors.not_found()
  const { secret, previous_secret, ...endpoint } = row
  return { endpoint, sealed: { secret, previous_secret, previous_secret_until: row.previous_secret_until } }
}

/** Faults the schema cannot express, for any body. */
export async function changeFaults(context: EndpointContext, requester: Asker, body: unknown): Promise<FieldFault[]> {
  const { url, domain_ids: asked } = (body ?? {}) as Readonly<Record<string, unknown>>
  const domains = Array.isArray(asked) && asked.every(isUuid) ? asked : []
  const faults = typeof url === 'string' ? urlFaults(context, url) : []
  if (domains.length === 0) return faults
  return context.database.tenant(requester.accountId, async (db) => [
    ...faults,
    ...(await domainFaults(db, requester, domains)),
  ])
}

function urlFaults({ allowPrivate }: EndpointContext, url: string): FieldFault[] {
  const rule = urlFault(url, allowPrivate)
  if (rule === null) return []
  return [{ field: 'url', rule, message: `is not an address that notifications can go to: ${URL_WANTED[rule]}` }]
}

const URL_WANTED: Readonly<Record<UrlFault, string>> = {
  url: 'it must be an absolute URL such as https://example.com/hooks',
  scheme: 'it must begin with https://',
  userinfo: 'it must name no user and no password',
  port: 'its port must be 443, 8443 or one above 1023 that no database, cache or proxy is known by',
  private_address: 'its host must be reached on the public internet',
}

// An endpoint keeps a domain that was deleted, so that it does not widen; what was read of it may be written back.
async function domainFaults(db: Db, { accountId, domainIds: boundTo }: Asker, asked: readonly string[]) {
  const owned = await ownedDomains(db, accountId, lowered(asked))
  const absent = lowered(asked).filter((id) => !owned.has(id))
  const kept = absent.length === 0 ? [] : await db.query<{ id: string }>(sql.namedDomains, [accountId, absent])
  const gone = new Set(kept.map(({ id }) => id))
  return asked.flatMap((given, i): FieldFault[] => {
    const id = given.toLowerCase()
    if (gone.has(id) || (owned.has(id) && (boundTo === null || boundTo.includes(id)))) return []
    return [{ field: `domain_ids[${i}]`, rule: 'domain', message: 'is not a domain of this account' }]
  })
}

/** The endpoint's domains after a change; null = all. @throws ApiError validation_error with all faults */
async function checked(
  db: Db,
  context: EndpointContext,
  requester: Asker,
  { url, domain_ids: asked }: EndpointChange,
  before: readonly string[] | null,
): Promise<readonly string[] | null> {
  const faults = url === undefined ? [] : urlFaults(context, url)
  const wanted = asked === undefined ? before : asked === null || asked.length === 0 ? null : lowered(asked)
  if (wanted !== null) faults.push(...(await domainFaults(db, requester, asked ?? [])))
  if (wanted === null && requester.domainIds !== null) {
    faults.push({ field: 'domain_ids', rule: 'domain', message: 'must name domains that the key is bound to' })
  }
  if (faults.length > 0) throw validationError(faults)
  return wanted
}

function lowered(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.map((id) => id.toLowerCase()))]
}
