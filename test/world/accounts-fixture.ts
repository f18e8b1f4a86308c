// Shared by the tests of the accounts room: a fresh database, the room on top of it, and a real HTTP server in front.

import type { AddressInfo } from 'node:net'
import { type CreatedAccount, createAccount, type OperatorContext } from '../../src/modules/accounts/accounts.ts'
import { createKey, type KeyRequest, type KeyWithSecret, UNBOUNDED } from '../../src/modules/accounts/keys.ts'
import { passwords } from '../../src/modules/accounts/passwords.ts'
import { BUILT_IN, type Plan, type Plans } from '../../src/modules/accounts/plans.ts'
import { type Accounts, type AccountsOptions, accountsRoom } from '../../src/modules/accounts/room.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { connect, type Database } from '../../src/platform/db.ts'
import { type AnyEndpoint, endpoint, httpServer, single } from '../../src/platform/http.ts'
import { systemIds } from '../../src/platform/ids.ts'
import { createLogger } from '../../src/platform/log.ts'
import { secretsFrom } from '../../src/platform/secrets.ts'
import { freshDb, type TestDatabase } from './database.ts'

export interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly body: any
  readonly headers: Headers
}

export interface Node extends AsyncDisposable {
  readonly room: Accounts
  readonly database: Database
  call(
    method: string,
    path: string,
    init?: { key?: string; headers?: Record<string, string>; body?: unknown },
  ): Promise<Answered>
}

export interface Fixture extends AsyncDisposable {
  readonly operator: OperatorContext
  readonly database: Database
  readonly url: string
  account(plan?: Plan): Promise<CreatedAccount>
  /** One process: its own room and HTTP server. With `deaf` it does not listen for notifications. */
  node(options?: Partial<AccountsOptions> & { deaf?: boolean; plans?: Plans }): Promise<Node>
}

export const log = createLogger('silent')
const secrets = secretsFrom(Buffer.alloc(32, 7))
const ids = systemIds()
const clock = systemClock()

export async function fixture(
  endpoints: (room: Accounts, operator: OperatorContext) => readonly AnyEndpoint[] = () => [],
): Promise<Fixture> {
  const db: TestDatabase = await freshDb()
  const errors: unknown[] = []
  const database = connect({ url: db.url, onError: (error) => errors.push(error) })
  const operator: OperatorContext = { database, secrets, ids, clock, passwords: passwords(ids.bytes) }
  const nodes: Node[] = []
  let made = 0
  return {
    operator,
    database,
    url: db.url,
    account: (plan = 'enterprise') =>
      createAccount(operator, { email: `owner${++made}@example.com`, name: 'Owner', plan }),
    node: async ({ deaf = false, ...options } = {}) => {
      const own = connect({ url: db.url, onError: (error) => errors.push(error), maxConnections: 16 })
      const room = accountsRoom({
        database: own,
        clock,
        secrets,
        plans: BUILT_IN,
        rateLimits: false,
        publicUrl: 'http://127.0.0.1:8080',
        log,
        ids,
        ...options,
      })
      if (!deaf) await room.service.start()
      const server = await httpServer({
        gate: room.gate,
        log,
        ids,
        trustedProxies: ['127.0.0.1'],
        openapi: { publicUrl: 'http://127.0.0.1', euUrl: null },
      })
      server.add([...probes, ...endpoints(room, operator)])
      await server.app.listen({ host: '127.0.0.1', port: 0 })
      const { port } = server.app.server.address() as AddressInfo
      const made: Node = {
        room,
        database: own,
        call: (method, path, init) => ask(`http://127.0.0.1:${port}${path}`, method, init),
        [Symbol.asyncDispose]: async () => {
          await server.app.close()
          if (!deaf) await room.service.stop(AbortSignal.timeout(5_000))
          await own.close()
        },
      }
      nodes.push(made)
      return made
    },
    [Symbol.asyncDispose]: async () => {
      for (const node of nodes) await node[Symbol.asyncDispose]()
      await database.close()
      await db[Symbol.asyncDispose]()
    },
  }
}

/** One endpoint for each check the gate can make. */
const probes: readonly AnyEndpoint[] = (
  [
    ['GET', 'read', { scope: 'domains:read' }],
    ['POST', 'write', { scope: 'domains:write' }],
    ['POST', 'look', { scope: 'domains:read', reads: true }],
    ['POST', 'send', { scope: 'send', rate: 'send' }],
    ['POST', 'verify', { scope: 'domains:write', rate: 'verify' }],
    ['POST', 'health', { scope: 'stats:read', rate: 'health_refresh' }],
    ['GET', 'risk', { scope: 'risk', requires: 'risk' }],
    ['GET', 'content', { scope: 'content', requires: 'content_events' }],
  ] as const
).map(([method, name, access]) =>
  endpoint({
    method,
    path: `/probe/${name}`,
    access,
    summary: name,
    tag: 'probe',
    answers: {},
    handle: async ({ principal }) => single(principal),
  }),
)

async function ask(
  url: string,
  method: string,
  { key, headers = {}, body }: { key?: string; headers?: Record<string, string>; body?: unknown } = {},
): Promise<Answered> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(key !== undefined && { 'x-api-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}

/** A live key that may only send, unless `wanted` says otherwise. */
export function newKey(
  { database, operator }: Pick<Fixture, 'database' | 'operator'>,
  accountId: string,
  wanted: Partial<KeyRequest> = {},
): Promise<KeyWithSecret> {
  return createKey(
    database.system,
    { ...operator, ownedDomains: async () => new Set<string>() },
    { accountId, ...UNBOUNDED },
    { name: 'k', mode: 'live', scopes: ['send'], domainIds: null, allowedIps: [], expiresAt: null, ...wanted },
  )
}

/** Polls until it is true. @throws after `withinMs` */
export async function until(what: () => Promise<boolean>, withinMs = 60_000): Promise<number> {
  const since = clock.monotonicMs()
  while (!(await what())) {
    if (clock.monotonicMs() - since > withinMs) throw new Error(`not within ${withinMs} ms`)
    await clock.sleep(50, AbortSignal.timeout(10_000))
  }
  return clock.monotonicMs() - since
}
