import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { startWorld, type World } from '../../../test/world/world.ts'
import { statement } from '../../platform/db.ts'
import { append, dropEvents, type EventType, ensureEventPartitions, type NewEvent } from '../events/index.ts'
import { statisticsCommands } from './cli.ts'
import { COUNTERS } from './counters.ts'
import { followStatistics, rebuildStatistics } from './jobs.ts'

const V1 = '/api/v1/stats/outbound'
const DAY_MS = 86_400_000

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world[Symbol.asyncDispose]())

const WAITING = statement(
  'test_waiting',
  `select exists (select from event e, follower f where f.name = 'statistics' and (e.xid, e.seq) > (f.xid, f.seq)) as more`,
)

/** Waits until the whole log is counted: a transaction open elsewhere holds followers back for a moment. */
async function settle(): Promise<void> {
  const { database } = world.rooms
  do await followStatistics(database)
  while ((await database.system.one<{ more: boolean }>(WAITING))?.more !== false)
}

/** Followers look back some days for late commits; these tests use days long past. */
async function lookBack(): Promise<void> {
  await world.rooms.database.system.execute(statement('test_look_back', `update follower set at = '-infinity'`))
}

let made = 0
function event(accountId: string, type: EventType, over: Partial<NewEvent> = {}): NewEvent {
  const { clock, ids } = world.rooms.ground
  return {
    eventId: ids.next(),
    at: clock.now(),
    accountId,
    domainId: null,
    emailId: ids.next(),
    type,
    stream: 'transactional',
    sandbox: false,
    tag: null,
    data: null,
    facts: null,
    ...over,
  }
}

const tell = (events: readonly NewEvent[]): Promise<void> => append(world.rooms.database.system, events)

const IDS = Array.from({ length: 4 }, (_, i) => `01890000-0000-7000-8000-00000000000${i}`)
const DOMAINS = ['0189aaaa-0000-7000-8000-000000000001', '0189aaaa-0000-7000-8000-000000000002'] as const

/** A log in which each email keeps its domain, tag, stream and sandbox, as in real logs. */
const log = fc.array(
  fc.record({
    minutesAgo: fc.integer({ min: 0, max: 2_800 }),
    email: fc.nat({ max: 3 }),
    type: fc.constantFrom<EventType>(
      'email.sent',
      'email.delivered',
      'email.bounced',
      'email.complained',
      'email.opened',
      'email.clicked',
      'email.failed',
      'email.suppressed',
      'email.deferred',
      'email.unsubscribed',
    ),
    bounce: fc.constantFrom('hard', 'soft', 'block', 'unknown'),
    platform: fc.constantFrom('desktop', 'mobile', 'webmail', 'unknown'),
    isMachine: fc.boolean(),
  }),
  { maxLength: 60 },
)

type Fact = typeof log extends fc.Arbitrary<infer Value> ? (Value extends (infer One)[] ? One : never) : never

const dimsOf = (email: number) => ({
  domainId: email === 3 ? null : (DOMAINS[email % 2] ?? null),
  tag: email < 2 ? 'news' : null,
  stream: email === 1 ? ('broadcast' as const) : ('transactional' as const),
  sandbox: email === 2,
})

/** The same figures, counted without roll-ups. */
function recount(
  facts: readonly (Fact & { at: Date })[],
  timezone: string,
  wanted: (email: number) => boolean,
): ReadonlyMap<string, Record<string, number>> {
  const days = new Map<string, Record<string, number>>()
  const date = (at: Date): string => new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(at)
  const add = (at: Date, name: string): void => {
    const day = days.get(date(at)) ?? {}
    day[name] = (day[name] ?? 0) + 1
    days.set(date(at), day)
  }
  const first = new Map<string, Date>()
  for (const fact of facts) {
    if (!wanted(fact.email)) continue
    const { at, type, email, isMachine } = fact
    if (type === 'email.sent') add(at, 'sent')
    if (type === 'email.bounced') add(at, fact.bounce)
    if (type === 'email.opened') {
      add(at, isMachine ? 'machine_opens' : 'opens')
      if (!isMachine) add(at, `on_${fact.platform}`)
    }
    if (type === 'email.clicked') add(at, isMachine ? 'bot_clicks' : 'clicks')
    if (!isMachine && (type === 'email.opened' || type === 'email.clicked')) {
      const name = `${type === 'email.opened' ? 'unique_opens' : 'unique_clicks'} ${email}`
      const known = first.get(name)
      if (known === undefined || at < known) first.set(name, at)
    }
  }
  for (const [name, at] of first) add(at, name.split(' ')[0] ?? '')
  return days
}

test('every figure equals a recount of the log in every time zone, under every filter and after a replay', async () => {
  const { database, ground } = world.rooms
  await ensureEventPartitions(database.system, new Date(ground.clock.now().getTime() - 4 * DAY_MS))
  await fc.assert(
    fc.asyncProperty(
      log,
      fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Kiritimati', 'Europe/Vienna'),
      fc.constantFrom(
        '',
        'tag=news',
        `domain_id=${DOMAINS[0]}`,
        'stream=broadcast',
        `tag=news&domain_id=${DOMAINS[1]}`,
      ),
      fc.boolean(),
      async (facts, timezone, filter, sandboxToo) => {
        const account = await world.newAccount()
        const now = ground.clock.now().getTime()
        const dated = facts.map((fact) => ({ ...fact, at: new Date(now - fact.minutesAgo * 60_000) }))
        const mails = IDS.map((id) => `${id.slice(0, -4)}${(made++).toString(16).padStart(4, '0')}`)
        const events = dated.map((fact) =>
          event(account.accountId, fact.type, {
            at: fact.at,
            emailId: mails[fact.email] ?? null,
            ...dimsOf(fact.email),
            data: { type: fact.bounce, platform: fact.platform, is_machine: fact.isMachine },
          }),
        )
        // In two stretches, so that firsts are also found in the database.
        await tell(events.slice(0, events.length / 2))
        await settle()
        await tell(events.slice(events.length / 2))
        await settle()
        const expected = recount(dated, timezone, (email) => {
          const dims = dimsOf(email)
          return (
            (sandboxToo || !dims.sandbox) &&
            (!filter.includes('tag') || dims.tag === 'news') &&
            (!filter.includes('stream') || dims.stream === 'broadcast') &&
            (!filter.includes('domain') || filter.includes(dims.domainId ?? 'none'))
          )
        })
        const query = `timezone=${encodeURIComponent(timezone)}&include_sandbox=${sandboxToo}&${filter}`
        const names: Record<string, readonly string[]> = {
          sends: ['sent'],
          bounces: ['hard', 'soft', 'block', 'unknown'],
          opens: ['opens', 'unique_opens', 'machine_opens'],
          clicks: ['clicks', 'unique_clicks', 'bot_clicks'],
          'opens/platforms': ['desktop', 'mobile', 'webmail', 'unknown'],
        }
        const overview = (await account.api.get(`${V1}?${query}`)).body.data
        for (const [report, figures] of Object.entries(names)) {
          const { body, status } = await account.api.get(`${V1}/${report}?${query}`)
          assert.equal(status, 200, JSON.stringify(body))
          assert.equal(body.data.length, 30)
          for (const day of body.data) {
            for (const name of figures) {
              const counted = expected.get(day.date)?.[report === 'opens/platforms' ? `on_${name}` : name] ?? 0
              assert.equal(day[name], counted, `${report} ${name} on ${day.date}`)
            }
          }
          for (const name of figures) {
            const whole = report === 'opens/platforms' ? overview.platforms : overview
            assert.equal(whole[name], body.totals[name], `${report} ${name} in the overview`)
            const sum = body.data.reduce((total: number, day: Record<string, number>) => total + (day[name] ?? 0), 0)
            assert.equal(body.totals[name], sum)
          }
        }
      },
    ),
    { numRuns: 15 },
  )
  const all = statement('test_buckets', `select * from stat_bucket order by 1, 2, 3, 4, 5, 6, 7, 8`)
  const nonZero = async () =>
    (await database.system.query<Record<string, number>>(all)).filter((row) => COUNTERS.some((name) => row[name] !== 0))
  const before = await nonZero()
  assert.ok(before.length > 50)
  const lines: string[] = []
  const [rebuild] = statisticsCommands
  const context = {
    ...world.rooms,
    ...ground,
    print: (line: string) => lines.push(line),
    secrets: world.rooms.store.secrets,
  }
  await rebuild?.run(context as never, { json: true }, [])
  assert.ok(JSON.parse(lines[0] ?? '').events >= 0)
  await settle()
  assert.deepEqual(await nonZero(), before)
})

test('an unsubscribe without a mail counts in no stream, also in a rebuild', async () => {
  const account = await world.newAccount()
  const id = account.accountId
  await account.api.post('/api/v1/customer/unsubscribes', { email: 'gone@example.net' })
  await tell([
    event(id, 'email.unsubscribed'),
    event(id, 'email.unsubscribed', { stream: 'broadcast' }),
    event(id, 'email.unsubscribed', { stream: 'broadcast' }),
  ])
  await settle()
  const figures = () =>
    Promise.all(
      ['', 'stream=transactional', 'stream=broadcast'].map(
        async (query): Promise<number> => (await account.api.get(`${V1}?${query}`)).body.data.unsubscribes,
      ),
    )
  assert.deepEqual(await figures(), [4, 1, 2])
  await rebuildStatistics(world.rooms.database)
  await settle()
  assert.deepEqual(await figures(), [4, 1, 2])
})

test('a rebuild keeps the figures of days that are no longer in the log', async () => {
  const account = await world.newAccount()
  const old = new Date(world.clock.now().getTime() - 20 * DAY_MS)
  await world.rooms.database.system.execute(
    statement(
      'test_old',
      `insert into stat_bucket (account_id, scope, span, domain_id, tag, bucket, stream, sandbox, sent)
       values ($1, 0, 1, '00000000-0000-0000-0000-000000000000', '', date_trunc('day', $2::timestamptz), 0, false, 7)`,
    ),
    [account.accountId, old],
  )
  const [rebuild] = statisticsCommands
  await rebuild?.run({ ...world.rooms, print: () => undefined } as never, {}, [])
  assert.equal((await account.api.get(`${V1}/sends`)).body.totals.sent, 7)
})

test('retention drops raw events by partition, but keeps their figures and events that a follower has yet to read', async () => {
  const { database } = world.rooms
  const { system } = database
  const account = await world.newAccount()
  const old = new Date(world.clock.now().getTime() - 100 * DAY_MS)
  const day = old.toISOString().slice(0, 10)
  const partition = `event_${day.replaceAll('-', '')}`
  const there = statement('test_partition', 'select to_regclass($1) is not null as there')
  const isThere = async (): Promise<boolean | undefined> =>
    (await system.one<{ there: boolean }>(there, [`posthorn.${partition}`]))?.there
  // Created before there are old events: the retention of the running service must leave them alone as well.
  const slow = statement('test_slow', `insert into follower (name, at) values ('slow', $1)`)
  await system.execute(slow, [old])
  await ensureEventPartitions(system, new Date(old.getTime() + DAY_MS))
  await lookBack()
  await tell(Array.from({ length: 5 }, () => event(account.accountId, 'email.sent', { at: old })))
  const report = async () => (await account.api.get(`${V1}/sends?from_date=${day}&to_date=${day}`)).body.totals.sent
  await settle()
  assert.equal(await report(), 5)
  // Its unread events begin with these, whatever the service has done in the meantime.
  const behind = statement(
    'test_slow_at',
    `update follower set at = $1, xid = e.xid, seq = e.seq - 1
     from (select xid, seq from event where account_id = $2 order by xid, seq limit 1) e where name = 'slow'`,
  )
  await system.execute(behind, [old, account.accountId])
  const now = world.clock.now()
  const before = new Date(now.getTime() - 90 * DAY_MS)
  await dropEvents(database, { before, now })
  assert.equal(await isThere(), true)
  await system.execute(statement('test_no_slow', `update follower set at = now()`))
  await dropEvents(database, { before: new Date(old.getTime() - DAY_MS), now })
  assert.equal(await isThere(), true)
  await dropEvents(database, { before, now })
  assert.equal(await isThere(), false)
  assert.equal(await report(), 5)
  const [rebuild] = statisticsCommands
  await rebuild?.run({ ...world.rooms, print: () => undefined } as never, {}, [])
  assert.equal(await report(), 5)
})

// In Vienna the clocks change in the nights to March 29 and to October 25, 2026; in Havana midnight of November 1 comes twice.
const NIGHTS: readonly [timezone: string, at: string, day: string][] = [
  ['Europe/Vienna', '2026-03-28T22:59:59Z', '2026-03-28'],
  ['Europe/Vienna', '2026-03-28T23:00:00Z', '2026-03-29'],
  ['Europe/Vienna', '2026-03-29T21:59:59Z', '2026-03-29'],
  ['Europe/Vienna', '2026-03-29T22:00:00Z', '2026-03-30'],
  ['Europe/Vienna', '2026-10-24T21:59:59Z', '2026-10-24'],
  ['Europe/Vienna', '2026-10-24T22:00:00Z', '2026-10-25'],
  ['Europe/Vienna', '2026-10-25T22:59:59Z', '2026-10-25'],
  ['Europe/Vienna', '2026-10-25T23:00:00Z', '2026-10-26'],
  ['America/Havana', '2026-11-01T03:59:59Z', '2026-10-31'],
  ['America/Havana', '2026-11-01T04:00:00Z', '2026-11-01'],
  ['America/Havana', '2026-11-01T05:30:00Z', '2026-11-01'],
  ['America/Havana', '2026-11-02T04:59:59Z', '2026-11-01'],
  ['America/Havana', '2026-11-02T05:00:00Z', '2026-11-02'],
]
test('days of 23 and of 25 hours begin and end by their local clocks', async () => {
  const { system } = world.rooms.database
  for (const day of ['2026-03-29', '2026-10-25', '2026-11-01']) {
    await ensureEventPartitions(system, new Date(`${day}T12:00:00Z`))
  }
  for (const [timezone, nights] of Map.groupBy(NIGHTS, ([zone]) => zone)) {
    const account = await world.newAccount()
    await lookBack()
    for (const [, at] of nights) await tell([event(account.accountId, 'email.sent', { at: new Date(at) })])
    await settle()
    const expected = Map.groupBy(nights, ([, , day]) => day)
    const query = `timezone=${timezone}&from_date=2026-03-01&to_date=2026-11-05`
    const { data, totals } = (await account.api.get(`${V1}/sends?${query}`)).body
    assert.equal(data.length, 250)
    for (const { date, sent } of data) assert.equal(sent, expected.get(date)?.length ?? 0, `${timezone} ${date}`)
    assert.equal(totals.sent, nights.length)
  }
})

test('usage reports the results of the month at once and exactly', async () => {
  const account = await world.newAccount()
  const id = account.accountId
  await tell([
    ...Array.from({ length: 3 }, () => event(id, 'email.sent')),
    event(id, 'email.delivered'),
    event(id, 'email.sent', { sandbox: true }),
  ])
  await settle()
  await tell([
    event(id, 'email.delivered'),
    event(id, 'email.bounced', { data: { type: 'hard' } }),
    event(id, 'email.deferred'),
    event(id, 'email.complained'),
    event(id, 'email.failed'),
  ])
  const { body } = await account.api.get('/api/customer/usage')
  const expected = { delivered: 2, bounced: 1, failed: 1, deferred: 1, complained: 1, delivery_rate: 0.6667 }
  assert.deepEqual(body.data.delivery, expected)
  await settle()
  assert.deepEqual((await account.api.get('/api/v1/customer/usage')).body.data.delivery, expected)
})

test('mail sent last month and delivered this month counts here, without a rate above 1', async () => {
  const account = await world.newAccount()
  const id = account.accountId
  const rate = async (): Promise<unknown> => {
    const { delivered, delivery_rate } = (await account.api.get('/api/v1/customer/usage')).body.data.delivery
    return [delivered, delivery_rate]
  }
  await tell([event(id, 'email.delivered')])
  assert.deepEqual(await rate(), [1, null])
  await tell([event(id, 'email.sent'), event(id, 'email.delivered')])
  assert.deepEqual(await rate(), [2, 1])
})

const OVERVIEW = [
  ...[
    'sent',
    'bounces',
    'hard',
    'soft',
    'block',
    'unknown',
    'spam_complaints',
    'opens',
    'unique_opens',
    'machine_opens',
  ],
  ...[
    'desktop',
    'mobile',
    'webmail',
    'platforms',
    'clicks',
    'unique_clicks',
    'bot_clicks',
    'delivered',
    'unsubscribes',
  ],
  ...['failed', 'suppressed', 'delivery_rate', 'bounce_rate', 'complaint_rate', 'open_rate', 'click_rate'],
]

test('the overview has all figures and rates, null where the divisor is 0', async () => {
  const account = await world.newAccount()
  const id = account.accountId
  const empty = (await account.api.get(V1)).body
  assert.equal(empty.data.delivery_rate, null)
  assert.equal(empty.data.sent, 0)
  const [one, two] = [world.rooms.ground.ids.next(), world.rooms.ground.ids.next()]
  const opened = (emailId: string, isMachine: boolean) =>
    event(id, 'email.opened', { emailId, data: { is_machine: isMachine, platform: 'mobile' } })
  await tell([
    ...Array.from({ length: 3 }, () => event(id, 'email.sent')),
    ...Array.from({ length: 3 }, () => event(id, 'email.delivered')),
    event(id, 'email.complained'),
    opened(one, true),
    opened(one, false),
    opened(one, false),
    opened(two, true),
  ])
  await settle()
  const { data, period } = (await account.api.get(V1)).body
  assert.deepEqual(
    [data.opens, data.unique_opens, data.machine_opens, data.open_rate, data.complaint_rate, data.platforms.mobile],
    [2, 1, 2, 0.3333, 0.3333, 2],
  )
  assert.deepEqual(Object.keys(data).sort(), OVERVIEW.toSorted())
  assert.deepEqual([data.desktop, data.mobile, data.webmail, data.unknown], [0, 2, 0, 0])
  assert.equal(period.timezone, 'UTC')
  const machines = (await account.api.get(`${V1}?include_machine=true`)).body.data
  assert.deepEqual([machines.opens, machines.unique_opens, machines.open_rate], [4, 2, 0.3333])
  const legacy = await account.api.get('/api/stats/outbound')
  assert.deepEqual(legacy.body.data, data)
  assert.equal(legacy.headers.get('link'), `<${V1}>; rel="successor-version"`)
})

test('a rate never exceeds 1, however late mail arrives', async () => {
  const account = await world.newAccount()
  const id = account.accountId
  const today = world.rooms.ground.clock.now().toISOString().slice(0, 10)
  const before = new Date(Date.parse(today) - 60_000)
  await tell([
    event(id, 'email.sent', { at: before }),
    event(id, 'email.sent', { at: before }),
    event(id, 'email.sent'),
    ...Array.from({ length: 3 }, () => event(id, 'email.delivered')),
  ])
  await settle()
  const { data } = (await account.api.get(`${V1}?from_date=${today}&to_date=${today}`)).body
  assert.deepEqual([data.sent, data.delivered, data.delivery_rate], [1, 3, 1])
})

const FAULTS = [
  'from_date=2026-02-30',
  'from_date=x',
  'from_date=2026-02-02&to_date=2026-02-01',
  'from_date=2025-01-01&to_date=2026-01-01',
  // Without to_date a period ends today, neither earlier nor later.
  'from_date=2020-01-01',
  'from_date=2999-01-01',
  'timezone=Mars/Base',
  'timezone=%2B02:00',
  'domain_id=x',
  'stream=none',
  'include_machine=perhaps',
]
for (const query of FAULTS) {
  test(`a report asked with ${query} is refused`, async () => {
    const { status, body } = await world.api.get(`${V1}/sends?${query}`)
    assert.deepEqual([status, body.code], [400, 'invalid_parameter'])
  })
}

test('a fault of the period is reported for a parameter that was given', async () => {
  const faultOf = async (query: string) => (await world.api.get(query)).body.details
  assert.equal((await faultOf(`${V1}/sends?from_date=2999-01-01`)).parameter, 'from_date')
  const backwards = 'from_date=2026-02-02&to_date=2026-02-01'
  for (const path of [`${V1}/sends`, '/api/v1/customer/health-score/history']) {
    assert.deepEqual(await faultOf(`${path}?${backwards}`), { parameter: 'to_date', rule: 'not_before_from_date' })
  }
})

test('a period that ends in the first days of the calendar begins with the first day', async () => {
  for (const timezone of ['UTC', 'Europe/Vienna']) {
    const { status, body } = await world.api.get(`${V1}/sends?to_date=0001-01-03&timezone=${timezone}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      body.data.map(({ date }: { date: string }) => date),
      ['0001-01-01', '0001-01-02', '0001-01-03'],
    )
  }
})

test('a key bound to domains sees only their figures', async () => {
  const account = await world.newAccount()
  const domainId = await world.verifiedDomain('bound.example', account)
  const made = await account.api.post('/api/v1/customer/api-keys', { name: 'bound', domain_ids: [domainId] })
  const bound = world.apiWith(made.body.data.key)
  await tell([event(account.accountId, 'email.sent', { domainId }), event(account.accountId, 'email.sent')])
  await settle()
  assert.equal((await account.api.get(`${V1}/sends`)).body.totals.sent, 2)
  assert.equal((await bound.get(`${V1}/sends`)).body.totals.sent, 1)
  assert.equal((await bound.get(`${V1}/sends?domain_id=${DOMAINS[0]}`)).body.totals.sent, 0)
})
