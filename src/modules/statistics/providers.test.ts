import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { startWorld, type World } from '../../../test/world/world.ts'
import { statement } from '../../platform/db.ts'
import { append, type EventType, ensureEventPartitions } from '../events/index.ts'
import { followStatistics, rebuildStatistics } from './jobs.ts'

const REPORT = '/api/v1/stats/outbound/providers'
const DAY_MS = 86_400_000
const ANSWERS = ['accepted', 'deferred', 'bounced', 'blocked'] as const
type Answer = (typeof ANSWERS)[number]

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world[Symbol.asyncDispose]())

const WAITING = statement(
  'test_waiting',
  `select exists (select from event e, follower f where f.name = 'statistics' and (e.xid, e.seq) > (f.xid, f.seq)) as more`,
)
const ALL = statement('test_answers', 'select * from stat_provider order by 1, 2, 3, 4, 5, 6, 7, 8, 9')

async function settle(): Promise<void> {
  const { database } = world.rooms
  do await followStatistics(database)
  while ((await database.system.one<{ more: boolean }>(WAITING))?.more !== false)
}

// How each event counts; the last ones do not answer an attempt.
const KINDS: readonly (readonly [type: EventType, bounce: string | null, answer: Answer | null])[] = [
  ['email.delivered', null, 'accepted'],
  ['email.deferred', null, 'deferred'],
  ['email.failed', null, 'deferred'],
  ['email.bounced', 'hard', 'bounced'],
  ['email.bounced', 'soft', 'bounced'],
  ['email.bounced', 'unknown', 'bounced'],
  ['email.bounced', 'block', 'blocked'],
  ['email.sent', null, null],
  ['email.opened', null, null],
]
const DOMAINS = ['0189aaaa-0000-7000-8000-000000000001', '0189aaaa-0000-7000-8000-000000000002']
const ZONES = 'UTC Etc/GMT Asia/Kathmandu America/St_Johns Pacific/Kiritimati Europe/Vienna Australia/Lord_Howe'.split(
  ' ',
)

const facts = fc.array(
  fc.record({
    minutesAgo: fc.integer({ min: 0, max: 2_800 }),
    kind: fc.constantFrom(...KINDS),
    provider: fc.constantFrom('google', 'microsoft', 'unknown', null),
    domainId: fc.constantFrom(DOMAINS[0] ?? null, DOMAINS[1] ?? null, null),
    tag: fc.constantFrom('news', null),
    stream: fc.constantFrom('transactional' as const, 'broadcast' as const),
    sandbox: fc.boolean(),
  }),
  { maxLength: 60 },
)

const FILTERS = ['', 'tag=news', `domain_id=${DOMAINS[0]}`, 'stream=broadcast', `tag=news&domain_id=${DOMAINS[1]}`]

test('provider answers equal a recount of the log in every time zone, under every filter and after a replay', async () => {
  const { database, ground } = world.rooms
  const { ids, clock } = ground
  await ensureEventPartitions(database.system, new Date(clock.now().getTime() - 4 * DAY_MS))
  const shape = fc.tuple(facts, fc.constantFrom(...ZONES), fc.constantFrom(...FILTERS), fc.boolean())
  await fc.assert(
    fc.asyncProperty(shape, async ([log, timezone, filter, sandboxToo]) => {
      const account = await world.newAccount()
      const now = clock.now().getTime()
      const dated = log.map((fact) => ({ ...fact, at: new Date(now - fact.minutesAgo * 60_000) }))
      const events = dated.map(({ kind: [type, bounce], at, provider, domainId, tag, stream, sandbox }) => ({
        ...{ eventId: ids.next(), emailId: ids.next(), accountId: account.accountId, facts: null },
        ...{ at, type, provider, domainId, tag, stream, sandbox, data: { type: bounce } },
      }))
      await append(database.system, events.slice(0, events.length / 2))
      await settle()
      await append(database.system, events.slice(events.length / 2))
      await settle()

      const date = new Intl.DateTimeFormat('en-CA', { timeZone: timezone })
      const expected = new Map<string, number>()
      for (const { at, kind, provider, domainId, tag, stream, sandbox } of dated) {
        const [, , answer] = kind
        const isAsked =
          (sandboxToo || !sandbox) &&
          (!filter.includes('tag') || tag === 'news') &&
          (!filter.includes('stream') || stream === 'broadcast') &&
          (!filter.includes('domain') || filter.includes(domainId ?? 'none'))
        if (answer === null || provider === null || !isAsked) continue
        for (const name of [`${date.format(at)} ${provider} ${answer}`, `${provider} ${answer}`, answer])
          expected.set(name, (expected.get(name) ?? 0) + 1)
      }
      const query = `timezone=${encodeURIComponent(timezone)}&include_sandbox=${sandboxToo}&${filter}`
      const { status, body } = await account.api.get(`${REPORT}?${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(body.data.length, 30)
      const told = new Map<string, number>()
      const tell = (name: string, count: number): void => {
        if (count > 0) told.set(name, count)
      }
      for (const answer of ANSWERS) {
        tell(answer, body.totals[answer])
        for (const of of body.totals.providers) tell(`${of.provider} ${answer}`, of[answer])
        for (const day of body.data) {
          for (const of of day.providers) tell(`${day.date} ${of.provider} ${answer}`, of[answer])
        }
      }
      assert.deepEqual([...told].sort(), [...expected].sort())
      for (const of of [body.totals, ...body.data, ...body.totals.providers])
        assert.equal(of.attempts, of.accepted + of.deferred + of.bounced + of.blocked)
    }),
    { numRuns: 20 },
  )
  const before = await database.system.query(ALL)
  assert.ok(before.length > 50)
  await rebuildStatistics(database)
  await settle()
  assert.deepEqual(await database.system.query(ALL), before)
})

test('a rebuild keeps the answers of days that are no longer in the log', async () => {
  const account = await world.newAccount()
  const old = new Date(world.clock.now().getTime() - 20 * DAY_MS)
  await world.rooms.database.system.execute(
    statement(
      'test_old_answers',
      `insert into stat_provider (account_id, scope, span, domain_id, tag, bucket, stream, sandbox, provider, accepted)
       values ($1, 0, 1, '00000000-0000-0000-0000-000000000000', '', date_trunc('day', $2::timestamptz), 0, false, 'google', 7)`,
    ),
    [account.accountId, old],
  )
  await rebuildStatistics(world.rooms.database)
  const { totals } = (await account.api.get(REPORT)).body
  assert.deepEqual([totals.attempts, totals.providers[0].accepted_rate], [7, 1])
})

test('answers fall on the right day with days of 23 and 25 hours and in a zone half an hour off', async () => {
  const { database, ground } = world.rooms
  const moments: readonly (readonly [zone: string, at: string, day: string])[] = [
    ['Europe/Vienna', '2026-03-28T22:59:59Z', '2026-03-28'],
    ['Europe/Vienna', '2026-03-28T23:00:00Z', '2026-03-29'],
    ['Europe/Vienna', '2026-10-25T22:59:59Z', '2026-10-25'],
    ['Europe/Vienna', '2026-10-25T23:00:00Z', '2026-10-26'],
    ['America/Havana', '2026-11-01T04:00:00Z', '2026-11-01'],
    ['America/Havana', '2026-11-01T05:30:00Z', '2026-11-01'],
    ['America/Havana', '2026-11-02T05:00:00Z', '2026-11-02'],
    ['Australia/Lord_Howe', '2026-10-03T13:29:59Z', '2026-10-03'],
    ['Australia/Lord_Howe', '2026-10-03T13:30:00Z', '2026-10-04'],
    ['Australia/Lord_Howe', '2026-10-04T13:00:00Z', '2026-10-05'],
  ]
  for (const [zone, all] of Map.groupBy(moments, ([one]) => one)) {
    const account = await world.newAccount()
    for (const [, at] of all) {
      await ensureEventPartitions(database.system, new Date(at))
      await database.system.execute(statement('test_look_back', `update follower set at = '-infinity'`))
      const of = {
        accountId: account.accountId,
        domainId: null,
        tag: null,
        stream: 'transactional',
        sandbox: false,
      } as const
      const fact = { type: 'email.delivered', provider: 'google', data: null, facts: null } as const
      const [eventId, emailId] = [ground.ids.next(), ground.ids.next()]
      await append(database.system, [{ ...of, ...fact, eventId, emailId, at: new Date(at) }])
    }
    await settle()
    const { data } = (await account.api.get(`${REPORT}?timezone=${zone}&from_date=2026-03-01&to_date=2026-11-05`)).body
    for (const { date, attempts } of data)
      assert.equal(attempts, all.filter(([, , day]) => day === date).length, `${zone} ${date}`)
  }
})
