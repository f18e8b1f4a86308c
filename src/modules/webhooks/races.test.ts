// Races between two statements of the worker: it runs on a database that can be paused before one of them.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { untilBlocked } from '../../../test/world/blocked.ts'
import { webhookReceiver } from '../../../test/world/webhook-receiver.ts'
import { startWorld, type TestAccount, type World } from '../../../test/world/world.ts'
import { outgoingRequests } from '../../composition/outgoing.ts'
import { type Database, type Statement, statement } from '../../platform/db.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { append, type NewEvent } from '../events/index.ts'
import { enqueue } from './fan-out.ts'
import { type Ended, recordEnded } from './record-results.ts'
import * as sql from './sql.ts'
import { webhookWorker } from './worker.ts'

const PATH = '/api/v1/customer/webhooks'
const LIMIT_MS = 20_000

let world: World
before(async () => {
  world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
})
after(() => world[Symbol.asyncDispose]())

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + LIMIT_MS; !(await holds()); ) {
    if (performance.now() > end) throw new Error(`${what} did not come about`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function event(account: TestAccount): NewEvent {
  const { clock, ids } = world.rooms.ground
  return {
    eventId: ids.next(),
    at: clock.now(),
    accountId: account.accountId,
    domainId: null,
    emailId: null,
    type: 'suppression.created',
    stream: 'transactional',
    sandbox: false,
    tag: null,
    data: { email: 'ann@x.test' },
    facts: null,
  }
}

/** Queues deliveries as the fan-out does. @returns the ids of their events */
async function queue(account: TestAccount, webhookId: string, many: number, id?: string): Promise<readonly string[]> {
  const { database, ground } = world.rooms
  const events = Array.from({ length: many }, () => event(account))
  await append(database.system, events)
  const due = ground.clock.now()
  const own = { accountId: account.accountId, webhookId, due, leading: false, held: false }
  await enqueue(
    database.system,
    events.map((one) => ({ ...own, id: id ?? ground.ids.next(), event: one })),
  )
  return events.map(({ eventId }) => eventId)
}

const WAITING = statement('test_waiting', 'select count(*)::int as count from webhook_queue where webhook_id = $1')

async function waiting(webhookId: string): Promise<number> {
  return (await world.rooms.database.system.one<{ count: number }>(WAITING, [webhookId]))?.count ?? 0
}

async function endpoint(account: TestAccount, url: string): Promise<string> {
  const made = await account.api.post(PATH, { url, events: ['*'] })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data.id
}

interface Hooks {
  /** Called before each worker statement outside transactions. */
  readonly before?: (what: Statement) => Promise<void>
  /** Called after the worker was notified of a change. */
  readonly heard?: (payload: string | null) => void
}

/** Only the worker, on the world's database. */
async function worker({ before = async () => undefined, heard = () => undefined }: Hooks): Promise<AsyncDisposable> {
  const { database, ground, store, config } = world.rooms
  const { system } = database
  const hooked: Database = {
    ...database,
    system: {
      query: async (what, values) => {
        await before(what)
        return system.query(what, values)
      },
      one: async (what, values) => {
        await before(what)
        return system.one(what, values)
      },
      execute: async (what, values) => {
        await before(what)
        return system.execute(what, values)
      },
    },
    listen: (channel, hear) =>
      database.listen(channel, (payload) => {
        hear(payload)
        heard(payload)
      }),
  }
  const connector = outgoingRequests(config, ground)
  const { clock, ids, log } = ground
  const onDisabled = async (): Promise<void> => undefined
  const running = webhookWorker({
    database: hooked,
    clock,
    ids,
    log,
    secrets: store.secrets,
    connector,
    keptFacts: async () => new Map(),
    onDisabled,
  })
  await running.start()
  return {
    [Symbol.asyncDispose]: async () => {
      await running.stop(AbortSignal.timeout(LIMIT_MS))
      await connector.close()
    },
  }
}

test('the remaining queue of a disabled endpoint is dropped, but nothing of one enabled meanwhile', async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  const id = await endpoint(account, receiver.url)
  await account.api.put(`${PATH}/${id}`, { is_active: false })
  // As left by a fan-out that read the endpoint while it was enabled.
  const [left] = await queue(account, id, 1)
  let told: readonly string[] = []
  const switchOn = async ({ name }: Statement): Promise<void> => {
    if (name !== sql.purge.name || told.length > 0) return
    await account.api.put(`${PATH}/${id}`, { is_active: true })
    told = await queue(account, id, 1)
  }
  await using _ = await worker({ before: switchOn })
  await until('the delivery', () => receiver.received.some(({ body }) => body.event_id === told[0]))
  assert.ok(left)
})

test('a disabled or removed endpoint gets no more requests, and a new secret signs what waits', async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  const ids: string[] = []
  for (const name of ['off', 'removed', 'resealed']) ids.push(await endpoint(account, `${receiver.url}/${name}`))
  const [off = '', removed = '', resealed = ''] = ids
  const heard: (string | null)[] = []
  const held: (() => void)[] = []
  let holds = false
  receiver.answer = (_, reply) => void (holds ? held.push(() => reply.end()) : reply.end())
  await using _ = await worker({ heard: (payload) => heard.push(payload) })
  // Quick successes, so that each has as many waiting in the worker as in progress.
  for (const id of ids) await queue(account, id, 60)
  await until('the first', async () => (await Promise.all(ids.map(waiting))).every((count) => count === 0))
  holds = true
  for (const id of ids) await queue(account, id, 60)
  const begun = (name: string) => receiver.received.filter(({ path }) => path === `/${name}`).length - 60
  await until('those under way', () => begun('off') === 16 && begun('removed') === 16 && begun('resealed') === 16)
  await account.api.put(`${PATH}/${off}`, { is_active: false })
  await account.api.delete(`${PATH}/${removed}`)
  const { secret } = (await account.api.post(`${PATH}/${resealed}/regenerate-secret`)).body
  await until('the word', () => ids.every((id) => heard.includes(id)))
  holds = false
  receiver.received.length = 0
  for (const answer of held) answer()
  await until('the rest', () => receiver.received.length >= 44)
  await until('the end', async () => (await waiting(resealed)) === 0)
  assert.deepEqual([...new Set(receiver.received.map(({ path }) => path))], ['/resealed'])
  const { createHmac } = await import('node:crypto')
  for (const { bytes, headers } of receiver.received) {
    assert.equal(headers['x-webhook-signature'], createHmac('sha256', secret).update(bytes).digest('hex'))
  }
})

test('attempts in progress while their endpoint is disabled are logged with their result', async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  const ids: string[] = []
  for (const name of ['good', 'bad', 'again', 'removed']) ids.push(await endpoint(account, `${receiver.url}/${name}`))
  const [good = '', bad = '', again = '', removed = ''] = ids
  const held: (() => void)[] = []
  receiver.answer = ({ path }, reply) => void held.push(() => reply.writeHead(path === '/bad' ? 500 : 200).end())
  for (const id of ids) await queue(account, id, 1)
  const tried = `update webhook_queue set attempt = 1, last = '{"http_status": 503}' where webhook_id = $1`
  await world.rooms.database.system.execute(statement('test_tried', tried), [again])
  await using _ = await worker({})
  await until('all under way', () => held.length === 4)
  for (const id of [good, bad, again]) await account.api.put(`${PATH}/${id}`, { is_active: false })
  await account.api.delete(`${PATH}/${removed}`)
  type Delivery = Record<'status' | 'http_status' | 'attempt', unknown>
  const log = async (id: string): Promise<readonly unknown[][]> => {
    const { body } = await account.api.get(`${PATH}/${id}/deliveries`)
    return body.data.map(({ status, http_status: code, attempt }: Delivery) => [status, code, attempt])
  }
  const logs = () => Promise.all([good, bad, again].map(log))
  assert.deepEqual(await logs(), [[], [], [['failed', 503, 1]]])
  for (const answer of held) answer()
  const done = [[['success', 200, 1]], [['failed', 500, 1]], [['success', 200, 2]]]
  await until('the logs', async () => JSON.stringify(await logs()) === JSON.stringify(done))
  assert.equal(held.length, 4, 'none is tried again')
  for (const id of ids) assert.equal(await waiting(id), 0)
  const left = statement('test_left_of_removed', 'select from webhook_delivery where webhook_id = $1')
  assert.deepEqual(await world.rooms.database.system.query(left, [removed]), [])
})

test('a delivery older than the log ends, and so do those recorded with it', async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  const id = await endpoint(account, receiver.url)
  const longAgo = new Date(world.clock.now().getTime() - 60 * 86_400_000)
  await queue(account, id, 1, firstIdAt(longAgo))
  await queue(account, id, 1)
  await using _ = await worker({})
  await until('the end', async () => (await waiting(id)) === 0)
  assert.equal(receiver.received.length, 2)
  assert.equal((await account.api.get(`${PATH}/${id}/deliveries`)).body.data.length, 1)
})

const BLOCK = statement('test_block', 'lock table webhook_queue in share mode')
const BLOCKED = statement(
  'test_blocked',
  `select count(*)::int as count from pg_locks where relation = 'webhook_queue'::regclass and not granted`,
)
const IMPATIENT = statement('test_impatient', `set local lock_timeout = '3s'`)

test('a long replay delays neither the fan-out nor the results of others', async () => {
  const account = await world.newAccount()
  const id = await endpoint(account, 'http://127.0.0.1:9/hook')
  const from = world.clock.now()
  await append(world.rooms.database.system, [event(account)])
  const { database } = world.rooms
  const replayed: Promise<{ readonly status: number }>[] = []
  await database.transaction(async (db) => {
    await db.execute(BLOCK)
    const to = new Date(world.clock.now().getTime() + 1_000)
    replayed.push(account.api.post(`${PATH}/${id}/replay`, { from: from.toISOString(), to: to.toISOString() }))
    await until('the replay', async () => ((await db.one<{ count: number }>(BLOCKED))?.count ?? 0) > 0)
    await database.transaction(async (other) => {
      await other.execute(IMPATIENT)
      assert.equal((await other.query(sql.listeners, [[account.accountId]])).length, 1)
      const noted = [[id], [world.clock.now()], ['success'], [true], [0], [false], 1_000]
      assert.equal((await other.query(sql.noteResults, noted)).length, 1)
    })
  })
  const answers = await Promise.all(replayed)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200],
  )
})

const TRANSACTIONS = statement(
  'test_transactions',
  'select count(distinct xmin::text)::int as count from webhook_queue where webhook_id = $1',
)

test('a replay is queued in several transactions, which no follower of the log waits for', async () => {
  const account = await world.newAccount()
  const id = await endpoint(account, 'http://127.0.0.1:9/hook')
  const from = world.clock.now()
  const { system } = world.rooms.database
  await append(
    system,
    Array.from({ length: 2_001 }, () => event(account)),
  )
  const period = { from: from.toISOString(), to: new Date(world.clock.now().getTime() + 1_000).toISOString() }
  const { body } = await account.api.post(`${PATH}/${id}/replay`, period)
  assert.equal(body.data.queued, 2_001)
  assert.equal(await waiting(id), 2_001)
  assert.equal((await system.one<{ count: number }>(TRANSACTIONS, [id]))?.count, 3)
})

test('what happens now does not wait behind many older deliveries to its endpoint', async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  const id = await endpoint(account, receiver.url)
  await queue(account, id, 1_000)
  world.clock.advance(1)
  const [now] = await queue(account, id, 1)
  await using _ = await worker({})
  await until('all of them', () => receiver.received.length === 1_001)
  const place = receiver.received.findIndex(({ body }) => body.event_id === now)
  assert.ok(place < 100, `it came as number ${place}`)
})

test('a late answer from the previous address says nothing about the endpoint', async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  const moved = await endpoint(account, `${receiver.url}/moved`)
  const resumed = await endpoint(account, `${receiver.url}/resumed`)
  const held: (() => void)[] = []
  receiver.answer = (_, reply) => void held.push(() => reply.writeHead(410).end())
  for (const id of [moved, resumed]) await queue(account, id, 1)
  await using _ = await worker({})
  await until('both under way', () => held.length === 2)
  await account.api.put(`${PATH}/${moved}`, { url: `${receiver.url}/new` })
  for (const is_active of [false, true]) await account.api.put(`${PATH}/${resumed}`, { is_active })
  for (const answer of held) answer()
  for (const id of [moved, resumed]) {
    await until(
      'the log',
      async () => (await account.api.get(`${PATH}/${id}/deliveries?status=failed`)).body.data.length === 1,
    )
    const { is_active: isActive, disabled_at: disabledAt } = (await account.api.get(`${PATH}/${id}`)).body.data
    assert.deepEqual([isActive, disabledAt ?? null], [true, null])
  }
  receiver.answer = (_, reply) => void reply.writeHead(410).end()
  await queue(account, moved, 1)
  await until('the end', async () => (await account.api.get(`${PATH}/${moved}`)).body.data.is_active === false)
})

const TOUCH = statement('test_touch_webhook', 'update webhook set name = name where id = $1')

test('a result that waits for its endpoint and a change queued behind it do not deadlock', async () => {
  const account = await world.newAccount()
  const url = 'http://127.0.0.1:9/hook'
  const id = await endpoint(account, url)
  const { database, ground } = world.rooms
  const { clock, ids } = ground
  const facts = { http_status: 500, duration_ms: 1, response_body: null, error: 'http: the receiver answered 500' }
  const result = { success: false, gone: false, retryAfter: null, facts }
  const asked = { id: ids.next(), lease: ids.next(), eventId: ids.next(), webhookId: id, url, startedAt: clock.now() }
  const ended: Ended = { ...asked, logged: null, attempt: 0, leading: false, result, wasSent: true }
  const work: Promise<unknown>[] = []
  // A fan-out that has read the endpoint is running too, and ends last.
  await database.transaction(async (fanning) => {
    await database.transaction(async (db) => {
      await db.execute(TOUCH, [id])
      work.push(recordEnded({ database, clock, onDisabled: async () => undefined }, [ended]))
      await untilBlocked(database, 1)
      for (const more of [2, 3]) {
        work.push(account.api.post(`${PATH}/${id}/regenerate-secret`).then(({ status }) => assert.equal(status, 200)))
        await untilBlocked(database, more)
      }
      await fanning.query(sql.listeners, [[account.accountId]])
    })
    await work[0]
  })
  await Promise.all(work)
  assert.equal((await account.api.get(`${PATH}/${id}`)).body.data.last_delivery_status, 'failed')
})
