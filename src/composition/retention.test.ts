import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { startWorld, type TestAccount, type World } from '../../test/world/world.ts'
import { dropEvents, ensureEventPartitions } from '../modules/events/index.ts'
import { dropOutboxDays, ensureOutboxPartitions, forgetContents } from '../modules/outbox/index.ts'
import { rebuildStatistics } from '../modules/statistics/index.ts'
import { statement } from '../platform/db.ts'
import { forgetWhatIsOld, retentionLoop } from './retention.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NEVER = new AbortController().signal

/** Advances the clock and makes the partitions of that day, as the hourly turn does. */
async function live(world: World, days: number): Promise<void> {
  const { system } = world.rooms.database
  world.clock.advance(days * DAY_MS)
  await ensureEventPartitions(system, world.clock.now())
  await ensureOutboxPartitions(system, world.clock.now())
}

async function send(account: TestAccount, to: string, over: object = {}): Promise<string> {
  const mail = { from: 'a@sandbox.example', to: [to], subject: 'Hello', text: 'Hello', ...over }
  const { status, body } = await account.testApi.post('/api/v1/send', mail)
  assert.equal(status, 202, JSON.stringify(body))
  return body.data.email_id
}

const WAITING = statement(
  'test_retention_waiting',
  `select exists (select from queue where state <> 2) or exists (select from event e, follower f where (e.xid, e.seq) > (f.xid, f.seq)) as more`,
)

/** Waits until everything that can be sent is sent, and every follower has read the log. */
async function settle(world: World): Promise<void> {
  const { database } = world.rooms
  do await new Promise((resolve) => setTimeout(resolve, 50))
  while ((await database.system.one<{ more: boolean }>(WAITING))?.more !== false)
}

const LEFT = statement(
  'test_retention_left',
  `select (select count(*)::int from email where account_id = $1) as emails,
     (select count(*)::int from email_body where account_id = $1) as bodies,
     (select count(*)::int from email_body_piece where account_id = $1) as pieces,
     (select count(*)::int from attempt where account_id = $1) as attempts,
     (select count(*)::int from event where account_id = $1) as events,
     (select count(*)::int from bounce where account_id = $1) as bounces`,
)
const leftOf = (world: World, { accountId }: TestAccount) =>
  world.rooms.database.system.one<Record<string, number>>(LEFT, [accountId])

const forget = ({ rooms }: World): Promise<void> =>
  forgetWhatIsOld({ database: rooms.database, ground: rooms.ground }, NEVER)

async function keep(account: TestAccount, days: number): Promise<void> {
  const { status } = await account.api.patch('/api/v1/customer/profile', { retention_days: days })
  assert.equal(status, 200)
}

const ALL = { emails: 2, bodies: 2, pieces: 2, attempts: 2, events: 5, bounces: 1 }
const SHELL = { emails: 2, bodies: 0, pieces: 0, attempts: 0, events: 0, bounces: 0 }
const NOTHING = { emails: 0, bodies: 0, pieces: 0, attempts: 0, events: 0, bounces: 0 }

test('each account keeps its data for its own retention, and its figures for ever', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  const { database } = world.rooms
  const brief = await world.newAccount()
  const usual = await world.newAccount()
  const long = await world.newAccount()
  await keep(brief, 10)
  await keep(long, 120)
  const firsts = new Map<TestAccount, string>()
  for (const account of [brief, usual, long]) {
    firsts.set(account, await send(account, 'ann@customer.example'))
    await send(account, 'bounce@sandbox.test')
  }
  await database.system.execute(
    statement(
      'test_retention_pieces',
      `insert into email_body_piece (id, account_id, piece, body) select id, account_id, 1, 'more' from email`,
    ),
  )
  await settle(world)
  const day = world.clock.now().toISOString().slice(0, 10)
  const report = async (account: TestAccount) =>
    (await account.api.get(`/api/v1/stats/outbound?from_date=${day}&to_date=${day}&include_sandbox=true`)).body.data
  const figures = await report(brief)
  assert.deepEqual([figures.sent, figures.delivered, figures.bounces], [2, 1, 1])
  const left = () => Promise.all([brief, usual, long].map((account) => leftOf(world, account)))
  const sameFigures = async (): Promise<void> => {
    for (const account of [brief, usual, long]) assert.deepEqual(await report(account), figures)
  }

  await live(world, 10)
  await forget(world)
  assert.deepEqual(await left(), [ALL, ALL, ALL], 'kept for ten whole days')
  await live(world, 1)
  await forget(world)
  assert.deepEqual(await left(), [SHELL, ALL, ALL])
  const { body } = await brief.testApi.get(`/api/v1/emails/${firsts.get(brief)}`)
  assert.equal(body.data.to, 'ann@customer.example')
  assert.deepEqual([body.data.text, body.data.attempts, body.data.events], [null, [], []])
  await sameFigures()
  await rebuildStatistics(database)
  await sameFigures()

  await send(brief, 'bob@customer.example')
  await settle(world)
  await live(world, 50)
  await forget(world)
  assert.deepEqual(await left(), [{ ...NOTHING, emails: 1 }, ALL, ALL], 'the row itself goes after 60 days')
  assert.equal((await brief.testApi.get(`/api/v1/emails/${firsts.get(brief)}`)).status, 404)
  await live(world, 30)
  await forget(world)
  assert.deepEqual(await left(), [NOTHING, NOTHING, ALL])
  await rebuildStatistics(database)
  await sameFigures()

  await live(world, 30)
  await forget(world)
  assert.deepEqual(await left(), [NOTHING, NOTHING, NOTHING])
  const partitions = statement(
    'test_retention_partitions',
    `select to_regclass('posthorn.email_' || $1) is null as gone`,
  )
  assert.deepEqual(await database.system.one(partitions, [day.replaceAll('-', '')]), { gone: true })
  await rebuildStatistics(database)
  await sameFigures()
})

test('data still to be sent, told or read is kept, and of its account only older data is deleted', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox', POSTHORN_ROLES: 'api,delivery' } })
  const { system } = world.rooms.database
  const scheduled = await world.newAccount()
  const untold = await world.newAccount()
  for (const account of [scheduled, untold]) await keep(account, 1)
  const at = new Date(world.clock.now().getTime() + 20 * DAY_MS).toISOString()
  await send(scheduled, 'ann@customer.example', { scheduled_at: at })
  await send(untold, 'ann@customer.example')
  const queued = statement('test_retention_sent', `select count(*)::int as more from queue where state <> 2`)
  while ((await system.one<{ more: number }>(queued))?.more !== 0)
    await new Promise((resolve) => setTimeout(resolve, 20))
  await live(world, 5)
  await forget(world)
  const left = () => Promise.all([scheduled, untold].map((account) => leftOf(world, account)))
  const unread = [
    { emails: 1, bodies: 1, pieces: 0, attempts: 0, events: 1, bounces: 0 },
    { emails: 1, bodies: 1, pieces: 0, attempts: 1, events: 2, bounces: 0 },
  ]
  assert.deepEqual(await left(), unread, 'no follower has begun')
  const pending = statement(
    'test_retention_untold',
    `insert into webhook_queue (id, account_id, webhook_id, event_id, event_at, event, due)
     select event_id, account_id, gen_random_uuid(), event_id, at, type, now() from event where account_id = $1 order by at limit 1`,
  )
  await system.execute(pending, [untold.accountId])
  const read = statement(
    'test_retention_read',
    `with last as (select xid, seq, at from event order by xid desc, seq desc limit 1)
     insert into follower (name, xid, seq, at) select n, xid, seq, at from last, unnest(array['statistics', 'webhooks', 'notices']) n
     on conflict (name) do update set xid = excluded.xid, seq = excluded.seq, at = excluded.at`,
  )
  await system.execute(read)
  await forget(world)
  assert.deepEqual(await left(), unread, 'one is to be sent, one to be told')
  await system.execute(statement('test_retention_told', 'delete from webhook_queue'))
  await forget(world)
  assert.deepEqual(await left(), [unread[0], { emails: 1, bodies: 0, pieces: 0, attempts: 0, events: 0, bounces: 0 }])
})

test('large contents are deleted a few at a time', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  const { account, clock, rooms } = world
  for (const to of ['ann', 'bob', 'cyd']) {
    await send(account, `${to}@customer.example`)
    clock.advance(1_000)
  }
  await settle(world)
  await rooms.database.system.execute(statement('test_retention_large', 'update email set size_bytes = 40000000'))
  const now = clock.now()
  const [from, before] = [new Date(now.getTime() - DAY_MS), now]
  const next = await forgetContents(rooms.database, account.accountId, { from, before })
  assert.equal((await leftOf(world, account))?.['bodies'], 1)
  assert.ok(next !== null)
  assert.equal(await forgetContents(rooms.database, account.accountId, { from: next, before }), null)
  assert.equal((await leftOf(world, account))?.['bodies'], 0)
})

test('an account whose data cannot be deleted does not keep that of the others', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  const [stuck, other] = [await world.newAccount(), await world.newAccount()]
  for (const account of [stuck, other]) {
    await keep(account, 10)
    await send(account, 'ann@customer.example')
  }
  await settle(world)
  const admin = new pg.Client({ connectionString: world.rooms.store.adminUrl })
  await admin.connect()
  try {
    await admin.query(`
      create function posthorn.refuse() returns trigger language plpgsql as $$ begin raise 'stuck'; end $$;
      create trigger stuck before delete on posthorn.attempt for each row
        when (old.account_id = '${stuck.accountId}') execute function posthorn.refuse()`)
    await live(world, 11)
    await assert.rejects(forget(world), /stuck/)
    assert.deepEqual([(await leftOf(world, stuck))?.['attempts'], (await leftOf(world, other))?.['attempts']], [1, 0])
    await admin.query('drop trigger stuck on posthorn.attempt')
    await forget(world)
    assert.equal((await leftOf(world, stuck))?.['attempts'], 0)
  } finally {
    await admin.end()
  }
})

test('of the day of what waits nothing is deleted, so a rebuild counts that day once', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  const { account, clock } = world
  await keep(account, 1)
  const morning = Math.ceil(clock.now().getTime() / DAY_MS) * DAY_MS + 8 * HOUR_MS
  await live(world, (morning - clock.now().getTime()) / DAY_MS)
  await send(account, 'ann@customer.example')
  await settle(world)
  clock.advance(4 * HOUR_MS)
  await send(account, 'bob@customer.example')
  const at = new Date(clock.now().getTime() + 20 * DAY_MS).toISOString()
  await send(account, 'later@customer.example', { scheduled_at: at })
  await settle(world)
  const day = clock.now().toISOString().slice(0, 10)
  const sent = async (): Promise<number> =>
    (await account.api.get(`/api/v1/stats/outbound?from_date=${day}&to_date=${day}&include_sandbox=true`)).body.data
      .sent
  assert.equal(await sent(), 2)
  await live(world, 5)
  await forget(world)
  assert.equal((await leftOf(world, account))?.['events'], 5)
  await rebuildStatistics(world.rooms.database)
  assert.equal(await sent(), 2)
})

test('a reader holds up a drop, and nobody waits long behind the drop', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  const { database } = world.rooms
  await send(world.account, 'ann@customer.example')
  await settle(world)
  await live(world, 100)
  const look = statement('test_retention_look', 'select count(*)::int as events from event')
  const reading = Promise.withResolvers<void>()
  const began = Promise.withResolvers<void>()
  const reader = database.transaction(async (db) => {
    await db.one(look)
    began.resolve()
    await reading.promise
  })
  await began.promise
  const dropping = assert.rejects(forget(world), /lock timeout/)
  const waits: number[] = []
  for (let i = 0; i < 10; i++) {
    const asked = performance.now()
    await database.system.one(look)
    waits.push(performance.now() - asked)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  await dropping
  assert.ok(Math.max(...waits) < 20_000, `waited ${Math.max(...waits)} ms`)
  reading.resolve()
  await reader
  await forget(world)
  assert.deepEqual(await leftOf(world, world.account), NOTHING)
})

const OLD_DAYS = statement(
  'test_retention_old_days',
  `select ensure_partitions('hit', true, $1::date, 2), ensure_partitions('webhook_delivery', true, $1::date, 2)`,
)
const DAYS_OF = statement(
  'test_retention_days_of',
  `select count(*) filter (where inhparent = 'hit'::regclass)::int as hits,
     count(*) filter (where inhparent = 'webhook_delivery'::regclass)::int as deliveries from pg_inherits`,
)

test('days of hits and webhook deliveries are dropped one by one, and no drop waits long for a reader', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  const { database } = world.rooms
  const days = () => database.system.one<{ hits: number; deliveries: number }>(DAYS_OF)
  const young = await days()
  await database.system.query(OLD_DAYS, [new Date(world.clock.now().getTime() - 40 * DAY_MS)])
  const old = { hits: (young?.hits ?? 0) + 2, deliveries: (young?.deliveries ?? 0) + 2 }
  assert.deepEqual(await days(), old)
  await database.transaction(async (db) => {
    await db.query(statement('test_retention_reads_hits', 'select from hit'))
    await assert.rejects(forget(world), /lock timeout/)
  })
  assert.deepEqual(await days(), old)
  await database.transaction(async (db) => {
    await db.query(statement('test_retention_reads_deliveries', 'select from webhook_delivery'))
    await assert.rejects(forget(world), /lock timeout/)
  })
  assert.deepEqual(await days(), { ...old, hits: young?.hits })
  await forget(world)
  assert.deepEqual(await days(), young)
})

test('processes that make and drop the same days at once do not block each other', async () => {
  await using world = await startWorld()
  const { database } = world.rooms
  const now = world.clock.now()
  const before = new Date(now.getTime() - 2 * DAY_MS)
  const machines = [1, 2, 3, 4]
  const [event, email] = [await days(world, 'event'), await days(world, 'email')]
  for (const back of [30, 20, 10]) {
    const then = new Date(now.getTime() - back * DAY_MS)
    const made = () => [ensureEventPartitions(database.system, then), ensureOutboxPartitions(database.system, then)]
    await Promise.all(machines.flatMap(made))
  }
  assert.ok((await days(world, 'event')) >= event + 27 && (await days(world, 'email')) >= email + 27)
  const drops = () => [dropEvents(database, { before, now }), dropOutboxDays(database, 'emails', before)]
  await Promise.all(machines.flatMap(drops))
  assert.equal(await days(world, 'email'), email)
  const left = await days(world, 'event')
  assert.ok(left < event + 10, 'the log keeps some days more, for those who read it late')
  await Promise.all(drops())
  assert.equal(await days(world, 'event'), left, 'nothing was left to drop')
})

const DAYS = statement(
  'test_retention_days',
  'select count(*)::int as days from pg_inherits where inhparent = $1::regclass',
)
async function days({ rooms }: World, table: string): Promise<number> {
  return (await rooms.database.system.one<{ days: number }>(DAYS, [table]))?.days ?? 0
}

const SETTLED = statement('test_retention_settled', 'select seen_at, doubted_since from settled_time')

test('a clock that is two years ahead deletes nothing until it has stood there for a day', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  const { database, ground } = world.rooms
  for (const to of ['ann@customer.example', 'bounce@sandbox.test']) await send(world.account, to)
  await settle(world)
  const retention = retentionLoop({ database, ground })
  await retention.start()
  /** One turn, at the present time of day. @returns whether the time is doubted */
  const turn = async (): Promise<boolean> => {
    const asked = world.clock.now()
    for (const end = performance.now() + 30_000; performance.now() < end; ) {
      retention.wake()
      await new Promise((resolve) => setTimeout(resolve, 20))
      const found = await database.system.one<{ seen_at: Date; doubted_since: Date | null }>(SETTLED, [])
      if (found !== null && found.seen_at >= asked) return found.doubted_since !== null
    }
    throw new Error('no turn of retention')
  }
  assert.equal(await turn(), false)
  await live(world, 730)
  for (let hour = 0; hour < 24; hour += 8) {
    assert.equal(await turn(), true)
    assert.deepEqual(await leftOf(world, world.account), { ...ALL, pieces: 0 })
    world.clock.advance(DAY_MS / 3)
  }
  assert.equal(await turn(), false)
  for (const end = performance.now() + 30_000; performance.now() < end; await turn())
    if ((await leftOf(world, world.account))?.['bounces'] === 0) break
  await retention.stop(AbortSignal.timeout(10_000))
  assert.deepEqual(await leftOf(world, world.account), NOTHING)
})
