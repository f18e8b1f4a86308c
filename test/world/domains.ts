// The room of sending domains behind its public door: two accounts, a fresh database, declared DNS, a clock turned by hand.
// The gate admits the keys in `principals`.

import assert from 'node:assert/strict'
import {
  type Domains,
  domainRoutes,
  domainsOf,
  type RemovedDomain,
  type SenderDomains,
  senderDomainsOf,
} from '../../src/modules/domains/index.ts'
import { ensureEventPartitions } from '../../src/modules/events/index.ts'
import { connect, type Database, statement } from '../../src/platform/db.ts'
import { ApiError } from '../../src/platform/errors.ts'
import { type Gate, httpServer, type Principal } from '../../src/platform/http.ts'
import { systemIds } from '../../src/platform/ids.ts'
import { createLogger } from '../../src/platform/log.ts'
import { type Secrets, secretsFrom } from '../../src/platform/secrets.ts'
import { freshDb } from './database.ts'
import { type DeclaredZones, declaredZones } from './zones.ts'

export const V1 = '/api/v1/customer/domains'
export const LEGACY = '/api/customer/domains'
export const START = new Date('2026-03-01T12:00:00Z')
export const HOUR_MS = 3_600_000

export const ids = systemIds()
export const ACCOUNT = ids.next()
export const OTHER = ids.next()
export const TRACKING_DOMAIN = ids.next()

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON, and the tests assert its shape
export type Json = any
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface DomainsFixture extends AsyncDisposable {
  readonly database: Database
  readonly domains: Domains
  readonly senders: SenderDomains
  readonly zones: DeclaredZones
  readonly secrets: Secrets
  readonly removed: readonly RemovedDomain[]
  /** By key. `ours`, `theirs`, and `reader`, which has only a read scope, are predefined. */
  readonly principals: Map<string, Principal>
  readonly time: { now: Date; monotonicMs: number }
  readonly clock: { now(): Date; monotonicMs(): number; sleep(): Promise<void> }
  ask(method: Method, url: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>
  /** @returns DomainDetail */
  addDomain(key?: string, name?: string): Promise<Json>
  /** Publishes the records as the API lists them, as the owner of the domain would. */
  publish(domain: Json, key?: string, without?: readonly string[]): Promise<void>
  eventsOf(domainId: string): Promise<readonly { readonly type: number; readonly data: Json }[]>
}

export interface Answered {
  readonly status: number
  readonly body: Json
  readonly headers: Readonly<Record<string, unknown>>
}

const EVENTS = statement('test_domain_events', 'select type, data from event where domain_id = $1 order by xid, seq')

export function principal(accountId: string, over: Partial<Principal> = {}): Principal {
  return { accountId, keyId: null, mode: 'live', scopes: ['full'], domainIds: null, ...over }
}

export async function startDomains(): Promise<DomainsFixture> {
  const store = await freshDb()
  const database = connect({ url: store.url, onError: () => undefined })
  for (let week = 0; week < 4; week++) {
    await ensureEventPartitions(database.system, new Date(START.getTime() + week * 168 * HOUR_MS))
  }
  const time = { now: START, monotonicMs: 0 }
  const clock = { now: () => time.now, monotonicMs: () => time.monotonicMs, sleep: async () => undefined }
  const secrets = secretsFrom(Buffer.alloc(32, 7))
  const zones = declaredZones({})
  const removed: RemovedDomain[] = []
  const domains = domainsOf({
    database,
    clock,
    ids,
    resolver: zones,
    secrets,
    spfMechanism: 'a:mx.posthorn.example',
    hostname: 'mx.posthorn.example',
    trackingDomainExists: async (_db, accountId, id) => accountId === ACCOUNT && id === TRACKING_DOMAIN,
    onRemoved: async (_db, domain) => void removed.push(domain),
  })
  const senders = senderDomainsOf({ database, clock, secrets, log: createLogger('silent') })
  await senders.listen()
  const principals = new Map([
    ['ours', principal(ACCOUNT)],
    ['theirs', principal(OTHER)],
    ['reader', principal(ACCOUNT, { scopes: ['domains:read'] })],
  ])
  const { ask, close } = await frontDoor(domains, gateOf(principals))
  let made = 0
  return {
    database,
    domains,
    senders,
    zones,
    secrets,
    removed,
    principals,
    time,
    clock,
    ask,
    addDomain: async (key = 'ours', name = `shop${++made}.example`) => {
      const { status, body } = await ask('POST', V1, { domain: name }, { 'x-api-key': key })
      assert.equal(status, 201, JSON.stringify(body))
      return body.data
    },
    publish: async (domain, key = 'ours', without = []) => {
      const { body } = await ask('GET', `${V1}/${domain.id}/dns`, undefined, { 'x-api-key': key })
      for (const { name, purpose, value } of body.dns_records) {
        if (without.includes(purpose)) continue
        // A zone holds the ownership tokens of several accounts side by side; of every other record there is one.
        const before = purpose === 'ownership' ? await zones.txt(name) : null
        zones.declare({ [name]: { TXT: [...(before?.kind === 'found' ? before.records : []), value] } })
      }
    },
    eventsOf: (domainId) => database.system.query(EVENTS, [domainId]),
    [Symbol.asyncDispose]: async () => {
      await close()
      await database.close()
      await store[Symbol.asyncDispose]()
    },
  }
}

function gateOf(principals: ReadonlyMap<string, Principal>): Gate {
  return {
    admit: async ({ apiKeyHeader, authorization }, { scope }) => {
      const asked = principals.get(String(apiKeyHeader ?? authorization?.replace('Bearer ', '')))
      if (asked === undefined) throw new ApiError(401, 'invalid_api_key', 'The API key is not valid')
      if (!asked.scopes.includes('full') && !asked.scopes.includes(scope)) {
        throw new ApiError(403, 'insufficient_scope', 'The key lacks a scope', { details: { required_scope: scope } })
      }
      return asked
    },
  }
}

async function frontDoor(
  domains: Domains,
  gate: Gate,
): Promise<{ readonly ask: DomainsFixture['ask']; readonly close: () => Promise<void> }> {
  const server = await httpServer({
    gate,
    log: createLogger('silent'),
    ids,
    trustedProxies: [],
    openapi: { publicUrl: 'http://127.0.0.1:8080', euUrl: null },
  })
  server.add(domainRoutes(domains))
  return {
    ask: async (method, url, body, headers = { 'x-api-key': 'ours' }) => {
      const answer = await server.app.inject({
        method,
        url,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
    },
    close: () => server.app.close(),
  }
}
