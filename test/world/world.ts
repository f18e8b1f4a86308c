// The world of a test: the real service over a fresh database, with a DNS of declared zones that answers NXDOMAIN for all
// else, receivers on real loopback sockets, and a clock turned by hand.
//
//   await using world = await startWorld({ zones: { 'example.net': { MX: ['10 mx.example.net'] } } })
//   const sent = await world.api.post('/api/v1/send', { ... })

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type Rooms, startApp } from '../../src/app.ts'
import type { Ground } from '../../src/composition/ground.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { createAccount, type OperatorContext, passwords } from '../../src/modules/accounts/index.ts'
import { type CorrectableClock, systemClock } from '../../src/platform/clock.ts'
import { connect } from '../../src/platform/db.ts'
import { largeTurns } from '../../src/platform/files/body-spool.ts'
import { systemIds } from '../../src/platform/ids.ts'
import { createLogger, type Logger, type LogLevel } from '../../src/platform/log.ts'
import { openSecrets, renewSecrets } from '../../src/platform/secrets/keys.ts'
import type { SubmissionPorts } from '../../src/roles/submission.ts'
import { freshDbOfToday } from './database.ts'
import { type DeclaredZones, declaredZones, type Zones } from './zones.ts'

export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests read answers of many shapes
  readonly body: any
  readonly headers: Headers
}

export interface Api {
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  delete(path: string, headers?: Record<string, string>): Promise<Reply>
}

export interface TestAccount {
  readonly accountId: string
  readonly apiKey: string
  readonly testApiKey: string
  /** With the live key. */
  readonly api: Api
  /** With the test key. */
  readonly testApi: Api
}

export interface ManualClock extends CorrectableClock {
  /** Advances the time of day and the monotonic clock. Sleepers whose time has come wake up. */
  advance(ms: number): void
  /** Changes the time of day only, like setting a clock. */
  set(ms: number): void
}

export interface World extends AsyncDisposable {
  readonly url: string
  /** 0 without the MX role. */
  readonly mxPort: number
  readonly submissionPorts: SubmissionPorts
  readonly rooms: Rooms
  readonly clock: ManualClock
  readonly zones: DeclaredZones
  /** The context that the commands of `posthorn account` use. */
  readonly operator: OperatorContext
  /** The first account, with its live key. */
  readonly account: TestAccount
  readonly api: Api
  newAccount(name?: string): Promise<TestAccount>
  /** Stops gracefully, as on SIGTERM; the database stays. */
  stop(deadline: AbortSignal): Promise<void>
  /** Starts another node over the same database, by default one with the API. @returns calls to it with a given key */
  secondNode(changed?: Partial<Config>): Promise<(key: string) => Api>
  /** Calls with any key, or none. */
  apiWith(key: string | null): Api
  /** A verified domain of the account, made through the API and the declared zones. @returns its id */
  verifiedDomain(name: string, owner?: TestAccount): Promise<string>
}

export interface WorldOptions {
  readonly settings?: Readonly<Record<string, string>>
  readonly zones?: Zones
  /** A log level, or a logger. */
  readonly log?: LogLevel | Logger
  /** Reaches the database another way, such as through a proxy. @returns its connection string */
  readonly way?: (url: string) => Promise<string>
}

export async function startWorld({
  settings = {},
  zones = {},
  log = 'silent',
  way = async (url) => url,
}: WorldOptions = {}): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const fresh = stack.use(await freshDbOfToday())
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-world-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const config: Config = readConfig({
    POSTHORN_DATA_DIR: dataDir,
    POSTHORN_HTTP_PORT: '0',
    POSTHORN_SUBMISSION_PORT: '0',
    POSTHORN_SUBMISSION_TLS_PORT: '0',
    POSTHORN_MX_PORT: '0',
    POSTHORN_HOSTNAME: 'mail.posthorn.test',
    POSTHORN_DELIVERY: 'direct',
    POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTHORN_RATE_LIMITS: 'off',
    POSTHORN_SECRET_KEY: 'a secret of the tests that nobody else has',
    ...settings,
  })
  const clock = manualClock()
  const dns = declaredZones(zones)
  const ground: Ground = {
    clock,
    ids: systemIds(() => clock.now().getTime()),
    log: typeof log === 'string' ? createLogger(log) : log,
    resolver: dns,
    verifier: dns,
    turns: largeTurns(),
  }
  const database = connect({ url: await way(fresh.url), onError: () => undefined })
  stack.defer(() => database.close())
  const secrets = await openSecrets(database, config)
  const renew = () => renewSecrets(database, secrets, config)
  const store = {
    adminUrl: fresh.url,
    clusterFolders: [],
    database,
    secrets,
    renewSecrets: renew,
    close: async () => undefined,
  }
  const app = await startApp(config, ground, store)
  let stopped: Promise<void> | null = null
  const stop = (deadline: AbortSignal): Promise<void> => {
    stopped ??= app.stop(deadline)
    return stopped
  }
  stack.defer(() => stop(AbortSignal.timeout(10_000)))
  /** Another node, as far as one process can be two: its own rooms and connections over the same database. */
  const secondNode = async (changed: Partial<Config> = {}): Promise<(key: string) => Api> => {
    const own = connect({ url: fresh.url, onError: () => undefined })
    nodes.defer(() => own.close())
    const held = await openSecrets(own, config)
    const ownStore = { ...store, database: own, secrets: held, renewSecrets: () => renewSecrets(own, held, config) }
    const node = await startApp({ ...config, roles: ['api'], ...changed }, ground, ownStore)
    nodes.defer(() => node.stop(AbortSignal.timeout(10_000)))
    return (key) => apiOf(`http://127.0.0.1:${node.httpPort}`, key)
  }
  const nodes = stack.use(new AsyncDisposableStack())
  const url = `http://127.0.0.1:${app.httpPort}`
  const apiWith = (key: string | null): Api => apiOf(url, key)

  const operator = { database, secrets, ids: ground.ids, clock, passwords: passwords(ground.ids.bytes) }
  let accounts = 0
  const newAccount = async (name = 'Test'): Promise<TestAccount> => {
    const made = await createAccount(operator, { email: `owner${++accounts}@posthorn.test`, name })
    return { ...made, api: apiWith(made.apiKey), testApi: apiWith(made.testApiKey) }
  }
  const account = await newAccount()
  const owned = stack.move()
  return {
    url,
    mxPort: app.mxPort ?? 0,
    submissionPorts: app.submissionPorts ?? { starttls: [], implicitTls: [] },
    rooms: app.rooms,
    clock,
    zones: dns,
    operator,
    account,
    api: account.api,
    newAccount,
    stop,
    secondNode,
    apiWith,
    verifiedDomain: async (name, owner = account) => {
      const { status, body } = await owner.api.post('/api/v1/customer/domains', { domain: name })
      assert.equal(status, 201, JSON.stringify(body))
      const { id } = body.data
      const records = (await owner.api.get(`/api/v1/customer/domains/${id}/dns`)).body.dns_records
      for (const record of records as { name: string; value: string }[])
        dns.declare({ [record.name]: { TXT: [record.value] } })
      const verified = await owner.api.post(`/api/v1/customer/domains/${id}/verify`)
      assert.equal(verified.body.verified, true, JSON.stringify(verified.body))
      return id
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function apiOf(url: string, key: string | null): Api {
  const call = async (
    method: string,
    where: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> => {
    const reply = await fetch(url + where, {
      method,
      redirect: 'manual',
      headers: {
        ...(key !== null && { 'x-api-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await reply.text()
    const isJson = reply.headers.get('content-type')?.includes('json') === true
    return { status: reply.status, body: isJson ? JSON.parse(text) : text, headers: reply.headers }
  }
  return {
    get: (where, headers) => call('GET', where, undefined, headers),
    post: (where, body, headers) => call('POST', where, body, headers),
    put: (where, body, headers) => call('PUT', where, body, headers),
    patch: (where, body, headers) => call('PATCH', where, body, headers),
    delete: (where, headers) => call('DELETE', where, undefined, headers),
  }
}

/** Runs in real time and can be advanced: what becomes due then is due at once. */
export function manualClock(): ManualClock {
  const real = systemClock()
  const sleepers = new Set<{ readonly untilMs: number; readonly wake: () => void }>()
  let aheadMs = 0
  let offsetMs = 0
  const monotonicMs = (): number => real.monotonicMs() + aheadMs
  return {
    now: () => new Date(real.now().getTime() + aheadMs + offsetMs),
    monotonicMs,
    // The database runs in real time; a clock that was turned by hand must not follow it back.
    correct: () => undefined,
    set: (ms) => {
      offsetMs += ms
    },
    sleep: async (ms, signal) => {
      const turned = Promise.withResolvers<void>()
      const sleeper = { untilMs: monotonicMs() + ms, wake: turned.resolve }
      sleepers.add(sleeper)
      const over = new AbortController()
      const either = AbortSignal.any([signal, over.signal])
      try {
        await Promise.race([real.sleep(ms, either), turned.promise])
      } finally {
        sleepers.delete(sleeper)
        over.abort()
      }
    },
    advance: (ms) => {
      aheadMs += ms
      for (const sleeper of sleepers) if (sleeper.untilMs <= monotonicMs()) sleeper.wake()
    },
  }
}
