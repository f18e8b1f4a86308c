// Webhooks under hardship: the worker killed in the middle, a receiver down for hours with a large backlog, receivers that
// all go silent at once. WEBHOOKS_PENDING=100000 makes the second one long, and prints its figures.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type WebhookReceiver, webhookReceiver } from '../../../test/world/webhook-receiver.ts'
import { startWorld, type TestAccount, type World } from '../../../test/world/world.ts'
import { SETTLED_AFTER_MS } from '../../platform/clock.ts'
import { statement } from '../../platform/db.ts'
import { append, type NewEvent } from '../events/index.ts'

const PATH = '/api/v1/customer/webhooks'
const PENDING = Number(process.env['WEBHOOKS_PENDING'] ?? 1_000)
const DAY_MS = 86_400_000
const KEY = 'a secret of the tests that nobody else has'

function events(world: World, account: TestAccount, many: number): NewEvent[] {
  const { clock, ids } = world.rooms.ground
  return Array.from({ length: many }, () => ({
    eventId: ids.next(),
    at: clock.now(),
    accountId: account.accountId,
    domainId: null,
    emailId: ids.next(),
    type: 'email.delivered' as const,
    stream: 'transactional' as const,
    sandbox: false,
    tag: null,
    data: { smtp_code: 250 },
    facts: null,
  }))
}

async function tell(world: World, all: readonly NewEvent[]): Promise<void> {
  for (let i = 0; i < all.length; i += 1_000) await append(world.rooms.database.system, all.slice(i, i + 1_000))
}

async function endpoint(account: TestAccount, url: string): Promise<string> {
  const made = await account.api.post(PATH, { url, events: ['*'] })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data.id
}

async function until(what: string, holds: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${what} did not come about`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** A process with only the worker role, on the world's database. */
async function worker(world: World, dataDir: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '../../../test/world/worker-process.ts')], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: world.rooms.store.adminUrl,
      POSTHORN_DATA_DIR: dataDir,
      POSTHORN_SECRET_KEY: KEY,
      POSTHORN_ROLES: 'worker',
      POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true',
      POSTHORN_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const up = once(child.stdout as NodeJS.ReadableStream, 'data')
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the worker did not start')))
  await Promise.race([up, ended])
  ended.catch(() => undefined)
  return child
}

const LEASES_END = statement(
  'test_leases_end',
  `update webhook_queue set due = due - interval '1 minute' where lease is not null`,
)
const WAITING = statement('test_waiting', 'select count(*) as count from webhook_queue')

async function waiting(world: World): Promise<number> {
  return (await world.rooms.database.system.one<{ count: number }>(WAITING))?.count ?? 0
}

test('a worker killed during deliveries loses none, and repeats only those in progress', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api', POSTHORN_SECRET_KEY: KEY } })
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-worker-'))
  await using receiver = await webhookReceiver()
  receiver.answer = (_, reply) => void setTimeout(() => reply.end(), 30)
  const id = await endpoint(world.account, receiver.url)
  const all = events(world, world.account, 300)
  await tell(world, all)
  let repeats = 0
  for (const goal of [40, 150]) {
    const child = await worker(world, dataDir)
    await until(`${goal} deliveries`, () => receiver.received.length >= goal)
    child.kill('SIGKILL')
    await once(child, 'exit')
    // Simulates a minute's wait: the leases of a dead process end.
    repeats += await world.rooms.database.system.execute(LEASES_END)
  }
  const last = await worker(world, dataDir)
  try {
    await until('the end', async () => (await waiting(world)) === 0)
  } finally {
    last.kill('SIGTERM')
    await once(last, 'exit')
    await rm(dataDir, { recursive: true, force: true })
  }
  const heard = receiver.received.map(({ body }) => body.event_id as string)
  assert.deepEqual(new Set(heard), new Set(all.map(({ eventId }) => eventId)))
  assert.ok(heard.length - all.length <= repeats, `${heard.length - all.length} repeated, ${repeats} under way`)
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, all.length)
  const log = (await world.api.get(`${PATH}/${id}/deliveries?status=success&limit=1`)).body.pagination.total
  assert.equal(log, all.length)
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Memory in use after collection; what the process holds beyond that only depends on when it collects. */
function liveMb(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1_048_576
}

interface Pace {
  readonly perSecond: number
  readonly slowestMs: number
}

/** Measures the delivery rate of one endpoint over many events in sequence. */
async function paceOf(world: World, account: TestAccount, receiver: WebhookReceiver, many: number): Promise<Pace> {
  receiver.received.length = 0
  const told = new Map<string, number>()
  const began = performance.now()
  for (let i = 0; i < many; i += 100) {
    const some = events(world, account, 100)
    for (const { eventId } of some) told.set(eventId, performance.now())
    await tell(world, some)
    await until('its deliveries', () => receiver.received.length >= i + 100)
  }
  const late = receiver.received.map(({ body, atMs }) => atMs - (told.get(body.event_id) ?? atMs))
  return { perSecond: many / ((performance.now() - began) / 1_000), slowestMs: Math.max(...late) }
}

test(`a receiver that is down for six hours with ${PENDING} pending loses none and costs no other`, {
  timeout: 20 * 60_000,
}, async (t) => {
  await using world = await startWorld()
  const other = await world.newAccount()
  await using quick = await webhookReceiver()
  await using down = await webhookReceiver()
  const heard = new Set<string>()
  let isUp = false
  let tries = 0
  down.answer = ({ body }, reply) => {
    tries++
    down.received.length = 0
    if (isUp) heard.add(body.event_id)
    reply.writeHead(isUp ? 200 : 503).end()
  }
  const rounds = PENDING > 10_000 ? 2_000 : 200
  await endpoint(other, quick.url)
  await paceOf(world, other, quick, rounds)
  const alone = await paceOf(world, other, quick, rounds)
  await endpoint(world.account, down.url)
  const all = events(world, world.account, PENDING)
  await tell(world, all)
  await until('the queue', async () => (await waiting(world)) === PENDING, 60_000)
  const before = liveMb()
  let most = before
  const beside: Pace[] = []
  for (let quarter = 0; quarter < 24; quarter++) {
    world.clock.advance(15 * 60_000)
    if (quarter % 6 === 0) beside.push(await paceOf(world, other, quick, rounds))
    if (quarter % 6 === 0) most = Math.max(most, liveMb())
  }
  assert.ok(tries > 10)
  isUp = true
  world.clock.advance(6 * 3_600_000)
  const began = performance.now()
  await until('half of all', () => heard.size >= PENDING / 2, 15 * 60_000)
  most = Math.max(most, liveMb())
  await until('all', () => heard.size === PENDING, 15 * 60_000)
  const drained = PENDING / ((performance.now() - began) / 1_000)
  assert.deepEqual(heard, new Set(all.map(({ eventId }) => eventId)))
  const again = PENDING > 10_000 ? await paceOf(world, other, quick, rounds) : alone
  const best = Math.max(...beside.map(({ perSecond }) => perSecond))
  const grownMb = most - before
  t.diagnostic(
    `${PENDING} pending, ${tries} tries; another endpoint ${Math.round(alone.perSecond)} and ${Math.round(again.perSecond)}/s alone, ` +
      `${beside.map(({ perSecond }) => Math.round(perSecond)).join(' ')}/s beside, slowest ` +
      `${Math.round(Math.max(...beside.map(({ slowestMs }) => slowestMs)))} ms; memory in use ${Math.round(before)} MB, at most ${Math.round(most)}; ` +
      `drained at ${Math.round(drained)}/s`,
  )
  assert.ok(grownMb < 100, `${grownMb} MB`)
  // On a busy machine a figure says little; a drop by half would show on any.
  assert.ok(best > alone.perSecond * 0.5, `${best}/s beside, ${alone.perSecond}/s alone`)
})

const PUT_OFF = statement('test_put_off', 'select due, lease, attempt from webhook_queue where webhook_id = $1')

/** How far ahead the endpoint's deliveries are due, in seconds; null when there are none. */
async function aheadSeconds(world: World, webhookId: string): Promise<number | null> {
  const row = await world.rooms.database.system.one<{ due: Date }>(PUT_OFF, [webhookId])
  return row === null ? null : (row.due.getTime() - world.clock.now().getTime()) / 1_000
}

test('deliveries deferred by a clock three days ahead are sent when it is set back; a delay the receiver asked for holds', async () => {
  await using world = await startWorld()
  await using receiver = await webhookReceiver()
  receiver.answer = ({ path }, reply) => {
    if (path === '/hangs') return
    if (path === '/later') reply.writeHead(429, { 'retry-after': '3600' })
    if (path === '/down') reply.writeHead(503)
    reply.end()
  }
  const [down, later, hangs] = [
    await endpoint(world.account, `${receiver.url}/down`),
    await endpoint(world.account, `${receiver.url}/later`),
    await endpoint(world.account, `${receiver.url}/hangs`),
  ]
  await endpoint(world.account, `${receiver.url}/up`)
  // Events from before the endpoint would not be delivered.
  world.clock.advance(60_000)
  const tries = (path: string, { eventId }: NewEvent): number =>
    receiver.received.filter((one) => one.path === path && one.body.event_id === eventId).length
  const ahead = async (id: string, leastSeconds: number): Promise<boolean> =>
    ((await aheadSeconds(world, id)) ?? 0) > leastSeconds
  const settle = async (): Promise<void> => {
    // A worker that notices the clock only after this second waits fifteen more.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    world.clock.advance(SETTLED_AFTER_MS)
  }
  const first = events(world, world.account, 1)
  const [event] = first as [NewEvent]
  world.clock.set(3 * DAY_MS)
  await tell(world, first)
  await until('a first try each', () => ['/down', '/later', '/hangs'].every((path) => tries(path, event) === 1))
  for (const [id, seconds] of [
    [down, 1],
    [later, 3_500],
  ] as const) {
    await until('a try that is put off', () => ahead(id, seconds))
  }
  world.clock.set(-3 * DAY_MS)
  await settle()
  await until('a second try', () => tries('/down', event) >= 2 && tries('/later', event) >= 2)
  await until('an ordinary lease', async () => !(await ahead(hangs, 61)))
  assert.equal(tries('/hangs', event), 1, 'whoever has the lease is asking')
  await until('an hour for who asked for it', () => ahead(later, 3_500))
  world.clock.set(-6_000)
  await settle()
  const second = events(world, world.account, 1)
  await tell(world, second)
  await until('the next event', () => tries('/up', second[0] as NewEvent) === 1)
  assert.equal(tries('/later', event), 2)
})

test('receivers of many accounts that go silent at once delay no other', async () => {
  await using world = await startWorld()
  await using silent = await webhookReceiver()
  await using quick = await webhookReceiver()
  for (let i = 0; i < 6; i++) {
    const account = await world.newAccount()
    for (let j = 0; j < 3; j++) await endpoint(account, `${silent.url}/${i}/${j}`)
    // They start well, so that each has its full window when it goes silent.
    await tell(world, events(world, account, 20))
  }
  await until('their windows', () => silent.received.length === 360)
  silent.answer = () => undefined
  const other = await world.newAccount()
  await endpoint(other, quick.url)
  const accounts = await world.rooms.database.system.query<{ account_id: string }>(
    statement('test_accounts', 'select distinct account_id from webhook'),
  )
  for (const { account_id: accountId } of accounts) {
    if (accountId !== other.accountId) await tell(world, events(world, { ...other, accountId }, 50))
  }
  await until('the silence', () => silent.received.length > 360 + 200)
  const { slowestMs } = await paceOf(world, other, quick, 300)
  assert.ok(slowestMs < 2_500, `${slowestMs} ms`)
})
