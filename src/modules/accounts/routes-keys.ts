// The endpoints of API keys (contract section 3). Only the answers to creation and rotation contain the secret.

import { type Static, Type } from 'typebox'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { graceMsOf, Rotation } from '../../platform/http/grace-period.ts'
import {
  type AnyEndpoint,
  DateTime,
  dataOf,
  endpoint,
  exampleBody,
  IdParams,
  list,
  listOf,
  NO_STORE,
  named,
  nullable,
  PagePagination,
  type Principal,
  pageWindow,
  pageWindowIfAsked,
  paginationOf,
  single,
  Uuid,
  WholePage,
  WholePageLimit,
} from '../../platform/http.ts'
import type { Ids } from '../../platform/ids.ts'
import { errors } from './errors.ts'
import {
  changeKey,
  createKey,
  KEY_NAME,
  type KeyContext,
  type KeyRequest,
  type KeyWithSecret,
  keyEndFaults,
  MAX_LIVE_KEYS,
  MAX_NAME_CHARS,
  MAX_NETWORKS,
  requestFaults,
  revokeKey,
  rotateKey,
} from './keys.ts'
import type { Accounts } from './room.ts'
import { SCOPES } from './scopes.ts'
import { countKeys, type KeyRow, listKeys, selectKey } from './sql.ts'

const TAG = 'API keys'
const PATH = '/api/v1/customer/api-keys'
const MAX_DOMAINS = 100

const Modes = ['live', 'sandbox'] as const

const Scope = named('Scope', Type.Enum([...SCOPES]))
const KeyMode = named('KeyMode', Type.Enum([...Modes]))
const DOMAIN_IDS = 'Domains that the key is limited to. Null means all domains of the account.'
const ALLOWED_IPS = 'IP addresses and CIDR networks from which the key can be used. Empty means any.'
const KEY = {
  id: Uuid,
  name: Type.String(),
  prefix: Type.String({ description: 'First 16 characters of the key.' }),
  last4: Type.String(),
  mode: KeyMode,
  scopes: Type.Array(Scope),
  domain_ids: nullable(Type.Array(Uuid, { description: DOMAIN_IDS })),
  allowed_ips: Type.Array(Type.String(), { description: ALLOWED_IPS }),
  expires_at: nullable(DateTime),
  last_used_at: nullable(DateTime),
  last_used_ip: nullable(Type.String()),
  created_at: DateTime,
  revoked_at: nullable(DateTime),
  previous_valid_until: nullable(
    Type.String({ format: 'date-time', description: 'When the previous secret expires. Null when none is valid.' }),
  ),
}
const Key = named('ApiKey', Type.Object(KEY))
const KeyShownOnce = named(
  'ApiKeyWithSecret',
  Type.Object({ ...KEY, key: Type.String({ description: 'The API key itself. Shown only once.' }) }),
)

const CHANGEABLE = {
  name: Type.String({ minLength: 1, maxLength: MAX_NAME_CHARS, pattern: KEY_NAME.source }),
  scopes: Type.Array(Scope, { minItems: 1, maxItems: SCOPES.length }),
  domain_ids: nullable(Type.Array(Uuid, { maxItems: MAX_DOMAINS, description: DOMAIN_IDS })),
  allowed_ips: Type.Array(Type.String({ maxLength: 64 }), { maxItems: MAX_NETWORKS, description: ALLOWED_IPS }),
  expires_at: nullable(DateTime),
}
const Creation = named(
  'CreateApiKeyRequest',
  Type.Object(
    {
      ...Type.Partial(Type.Object(CHANGEABLE)).properties,
      name: CHANGEABLE.name,
      mode: Type.Optional(KeyMode),
    },
    { additionalProperties: false },
  ),
)
const Change = named('UpdateApiKeyRequest', Type.Partial(Type.Object(CHANGEABLE), { additionalProperties: false }))
export interface KeyRoutesOptions {
  readonly accounts: Accounts
  readonly database: Database
  readonly ids: Ids
  readonly clock: Clock
  readonly ownedDomains: KeyContext['ownedDomains']
}

export function keyRoutes({ accounts, database, ids, clock, ownedDomains }: KeyRoutesOptions): readonly AnyEndpoint[] {
  const context = { ids, clock, ownedDomains }
  const read = { scope: 'api_keys:read' } as const
  const write = { scope: 'api_keys:write' } as const
  const wire = (row: KeyRow) => wireKey(row, clock.now())
  const moreFaults = async (body: unknown, { accountId }: Principal) => [
    ...(await requestFaults(database, context, accountId, body)),
    ...keyEndFaults((body as { readonly expires_at?: unknown } | null)?.expires_at, clock.now()),
  ]
  const shownOnce = ({ row, key }: KeyWithSecret) => ({ ...wire(row), key })
  return [
    endpoint({
      method: 'GET',
      path: PATH,
      access: read,
      operationId: 'listApiKeys',
      summary: 'List API keys, including revoked ones',
      tag: TAG,
      query: Type.Object({ page: WholePage, limit: WholePageLimit }),
      answers: { 200: listOf(Key, PagePagination) },
      handle: ({ principal: { accountId }, query }) =>
        database.tenant(accountId, async (db) => {
          const total = await countKeys(db, accountId)
          const asked = pageWindowIfAsked(query)
          const { limit, offset } = asked ?? FIRST_KEYS
          const rows = await listKeys(db, accountId, limit, offset)
          const window = asked === null && rows.length === limit ? FIRST_KEYS : asked
          return list(rows.map(wire), paginationOf(window, rows.length, total))
        }),
    }),
    endpoint({
      method: 'POST',
      path: PATH,
      access: write,
      operationId: 'createApiKey',
      summary: 'Create an API key. Its secret is shown only once.',
      tag: TAG,
      examples: exampleBody(
        { name: 'Shop', scopes: ['send'], allowed_ips: ['203.0.113.10'], expires_at: '2099-12-31T23:59:59Z' },
        'A key for one server, that can only send',
      ),
      body: Creation,
      moreFaults,
      answers: { 201: dataOf(KeyShownOnce) },
      errors: [errors.invalid_state],
      handle: async ({ principal, body }) => {
        const request = { ...DEFAULTS, ...changesOf(body), mode: body.mode ?? 'live', name: body.name }
        const made = await database.tenant(principal.accountId, (db) => createKey(db, context, principal, request))
        return { ...single(shownOnce(made), { status: 201 }), headers: NO_STORE }
      },
    }),
    endpoint({
      method: 'GET',
      path: `${PATH}/{id}`,
      access: read,
      operationId: 'getApiKey',
      summary: 'Get an API key',
      tag: TAG,
      params: IdParams,
      answers: { 200: dataOf(Key) },
      errors: [errors.not_found],
      handle: async ({ principal: { accountId }, params }) => {
        const row = await database.tenant(accountId, (db) => selectKey(db, accountId, params.id))
        if (row === null) throw errors.not_found()
        return single(wire(row))
      },
    }),
    endpoint({
      method: 'PATCH',
      path: `${PATH}/{id}`,
      access: write,
      operationId: 'updateApiKey',
      summary: "Update an API key's name, scopes, domains, allowed addresses or expiry",
      tag: TAG,
      params: IdParams,
      examples: exampleBody({ name: 'Shop, both servers', allowed_ips: [] }, 'Another name, and no limit of addresses'),
      body: Change,
      moreFaults,
      answers: { 200: dataOf(Key) },
      errors: [errors.not_found, errors.invalid_state],
      handle: async ({ principal, params, body }) => {
        const row = await database.tenant(principal.accountId, (db) =>
          changeKey(db, context, principal, params.id, changesOf(body)),
        )
        accounts.forget(principal.accountId)
        return single(wire(row))
      },
    }),
    endpoint({
      method: 'DELETE',
      path: `${PATH}/{id}`,
      access: write,
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key',
      tag: TAG,
      params: IdParams,
      answers: { 200: dataOf(Key) },
      errors: [errors.not_found],
      handle: async ({ principal, params }) => {
        const row = await database.tenant(principal.accountId, (db) => revokeKey(db, clock, principal, params.id))
        accounts.forget(principal.accountId)
        return single(wire(row))
      },
    }),
    endpoint({
      method: 'POST',
      path: `${PATH}/{id}/rotate`,
      access: write,
      operationId: 'rotateApiKey',
      summary: 'Rotate the secret of an API key. The old one can stay valid for a grace period.',
      tag: TAG,
      params: IdParams,
      examples: exampleBody({ grace_period_hours: 24 }, 'The old key works for a day'),
      body: Rotation,
      answers: { 200: dataOf(KeyShownOnce) },
      errors: [errors.not_found, errors.invalid_state],
      handle: async ({ principal, params, body }) => {
        const rotated = await database.tenant(principal.accountId, (db) =>
          rotateKey(db, context, principal, params.id, graceMsOf(body)),
        )
        accounts.forget(principal.accountId)
        return { ...single(shownOnce(rotated)), headers: NO_STORE }
      },
    }),
  ]
}

/** What a list without paging shows at most. Revoked keys are kept, so an account may have more. */
const FIRST_KEYS = pageWindow({ limit: 10 * MAX_LIVE_KEYS })

const DEFAULTS: Omit<KeyRequest, 'name' | 'mode'> = {
  scopes: ['full'],
  domainIds: null,
  allowedIps: [],
  expiresAt: null,
}

function changesOf(body: Static<typeof Change>): Partial<Omit<KeyRequest, 'mode'>> {
  const { name, scopes, domain_ids: domainIds, allowed_ips: allowedIps, expires_at: expiresAt } = body
  return {
    ...(name !== undefined && { name }),
    ...(scopes !== undefined && { scopes }),
    ...(domainIds !== undefined && { domainIds }),
    ...(allowedIps !== undefined && { allowedIps }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt === null ? null : new Date(expiresAt) }),
  }
}

/** A key as the API and the operator's commands show it. */
export function wireKey(row: KeyRow, now: Date): Static<typeof Key> {
  const until = row.previous_valid_until
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    last4: row.last4,
    mode: row.mode,
    scopes: [...row.scopes] as Static<typeof Key>['scopes'],
    domain_ids: row.domain_ids === null ? null : [...row.domain_ids],
    allowed_ips: [...row.allowed_ips],
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    last_used_ip: row.last_used_ip,
    created_at: row.created_at.toISOString(),
    revoked_at: row.revoked_at?.toISOString() ?? null,
    previous_valid_until: until !== null && until > now ? until.toISOString() : null,
  }
}
