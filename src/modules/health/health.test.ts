import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { type Api, startWorld } from '../../../test/world/world.ts'
import { statement } from '../../platform/db.ts'
import type { Loop } from '../../platform/lifecycle.ts'
import { createLogger, type Fields } from '../../platform/log.ts'
import { EVENT_TYPES, rewind } from '../events/index.ts'
import { COUNTERS } from '../statistics/counters.ts'
import { type Counts, followStatistics } from '../statistics/index.ts'
import { gradeOf, healthOf } from './formula.ts'
import { readinessOf } from './readiness.ts'

const READINESS = '/api/v1/customer/domains/test-readiness'
const PATH = '/api/v1/customer/health-score'
const counts = (over: Partial<Counts>): Counts => ({
  ...(Object.fromEntries(COUNTERS.map((name) => [name, 0])) as Counts),
  ...over,
})

// The counts in the window, whether mail is tracked, and the score with its grade.
const GOLDEN: [Partial<Counts>, boolean, number | null, string | null][] = [
  [{ sent: 99, delivered: 99, unique_opens: 99 }, true, null, null],
  [{ sent: 100, delivered: 100, unique_opens: 20 }, true, 100, 'A+'],
  [{ sent: 100, delivered: 98, hard: 2, unique_opens: 50 }, true, 100, 'A+'],
  [{ sent: 100, delivered: 100 }, true, 85, 'B+'],
  [{ sent: 100, delivered: 100 }, false, 100, 'A+'],
  [{ sent: 1000, delivered: 850, hard: 100, unique_opens: 500 }, true, 40, 'F'],
  [{ sent: 1000, delivered: 1000, complained: 5, unique_opens: 500 }, true, 75, 'C+'],
  [{ sent: 1000, delivered: 1000, complained: 3, unique_opens: 500 }, true, 88, 'B+'],
  [{ sent: 1000, delivered: 900, block: 100, unique_opens: 900 }, true, 78, 'C+'],
  [{ sent: 1000, delivered: 900, block: 100, complained: 2, unique_opens: 900 }, true, 71, 'C'],
  // Where pixels are not loaded, clicks show who reads.
  [{ sent: 1000, delivered: 1000, unique_opens: 50, unique_clicks: 200 }, true, 100, 'A+'],
  // Exactly 62.5, which binary fractions add up to 62.49999999999999.
  [{ sent: 170, delivered: 156, hard: 12, unique_opens: 21 }, true, 63, 'D'],
  // 85 and 15 * 19 / 30: exactly 94.5, which is rounded up.
  [{ sent: 152, delivered: 150, hard: 2, unique_opens: 19 }, true, 95, 'A+'],
]
for (const [over, tracked, score, grade] of GOLDEN) {
  test(`${JSON.stringify(over)}${tracked ? '' : ' untracked'} is ${score} ${grade}`, () => {
    const health = healthOf(counts(over), tracked)
    assert.deepEqual([health.score, health.grade], [score, grade])
  })
}

test('the grades begin where the table says', () => {
  assert.deepEqual([100, 95, 94, 90, 89, 85, 80, 75, 70, 60, 59, 0].map(gradeOf), [
    'A+',
    'A+',
    'A',
    'A',
    'B+',
    'B+',
    'B',
    'C+',
    'C',
    'D',
    'F',
    'F',
  ])
})

test('more complaints or bounces never raise the score, more deliveries or opens never lower it', () => {
  const some = fc.record({
    sent: fc.integer({ min: 100, max: 100_000 }),
    delivered: fc.nat({ max: 100_000 }),
    hard: fc.nat({ max: 20_000 }),
    soft: fc.nat({ max: 20_000 }),
    complained: fc.nat({ max: 1_000 }),
    unique_opens: fc.nat({ max: 50_000 }),
  })
  fc.assert(
    fc.property(some, fc.boolean(), fc.integer({ min: 1, max: 500 }), (base, tracked, more) => {
      const score = (over: Partial<Counts>): number => healthOf(counts({ ...base, ...over }), tracked).score ?? -1
      const before = score({})
      assert.ok(before >= 0 && before <= 100)
      assert.ok(score({ complained: base.complained + more }) <= before)
      assert.ok(score({ hard: base.hard + more }) <= before)
      assert.ok(score({ soft: base.soft + more }) <= before)
      assert.ok(score({ unique_opens: base.unique_opens + more }) >= before)
    }),
  )
})

interface Changed {
  readonly data: { readonly previous_grade: string | null; readonly grade: string; readonly score: number }
}

test('one record per day is stored, refreshed and listed, and a changed grade is reported once', async () => {
  await using world = await startWorld()
  const { accountId, api } = world.account
  const empty = (await api.get(PATH)).body.data
  assert.deepEqual([empty.score, empty.status, empty.trend], [null, 'insufficient_data', 'flat'])
  const fill = statement(
    'test_fill',
    `insert into stat_bucket (account_id, scope, span, domain_id, tag, bucket, stream, sandbox, sent, delivered, complained)
     values ($1, 0, 1, '00000000-0000-0000-0000-000000000000', '', date_trunc('day', now()), 0, false, 1000, 1000, $2)
     on conflict (account_id, scope, span, domain_id, tag, bucket, stream, sandbox)
     do update set complained = excluded.complained`,
  )
  await world.rooms.database.system.execute(fill, [accountId, 0])
  const good = (await api.post(`${PATH}/refresh`)).body.data
  assert.deepEqual([good.score, good.grade, good.components.length], [100, 'A+', 3])
  await world.rooms.database.system.execute(fill, [accountId, 5])
  const fallen = (await api.post(`${PATH}/refresh`)).body.data
  assert.deepEqual([fallen.score, fallen.trend, fallen.previous_score], [71, 'down', 100])
  const read = (await api.get(PATH)).body.data
  assert.deepEqual([read.score, read.trend, read.previous_score], [71, 'down', 100])
  const bad = (await api.post('/api/customer/health-score/refresh')).body.data
  assert.deepEqual([bad.score, bad.grade, bad.findings[0].code], [71, 'C', 'high_complaints'])
  assert.deepEqual([bad.trend, bad.previous_score], ['flat', 71])
  const told = (await api.get('/api/v1/events?event=health.grade_changed')).body.data
  assert.deepEqual(
    told.map(({ data: { previous_grade: previous, grade, score } }: Changed) => [previous, grade, score]),
    [['A+', 'C', 71]],
  )
  const history = (await api.get(`${PATH}/history?limit=365`)).body
  assert.deepEqual([history.data.length, history.data[0].score, history.pagination.total], [1, 71, 1])
  assert.equal((await api.get(`${PATH}/history?limit=366`)).body.code, 'invalid_parameter')
  const domainId = await world.verifiedDomain('ready.example')
  const other = await world.newAccount()
  assert.equal((await other.api.get(`/api/v1/customer/domains/test-readiness/${domainId}`)).status, 404)
})

const PAST = statement(
  'test_past_grades',
  `insert into health_record (account_id, day, calculated_at, score, grade, record)
   select $1, (now() at time zone 'UTC')::date - ago, now(), null, grade, '{"metrics":{}}'
   from unnest($2::int[], $3::text[]) as t(ago, grade)`,
)

test('a grade is compared with the last one before days without, and the first is reported when it is poor', async () => {
  await using world = await startWorld()
  const { system } = world.rooms.database
  const fill = statement(
    'test_fill_half',
    `insert into stat_bucket (account_id, scope, span, domain_id, tag, bucket, stream, sandbox, sent, delivered, hard)
     values ($1, 0, 1, '00000000-0000-0000-0000-000000000000', '', date_trunc('day', now()), 0, false, 100, 100 - $2::int, $2)`,
  )
  const rows: [past: readonly (string | null)[], hard: number, told: readonly unknown[]][] = [
    [['A+', null], 50, [['A+', 'F']]],
    [['F', null, null], 50, []],
    [[null], 50, [[null, 'F']]],
    [[], 50, [[null, 'F']]],
    [[], 0, []],
  ]
  for (const [past, hard, told] of rows) {
    const { accountId, api } = await world.newAccount()
    await system.execute(PAST, [accountId, past.map((_, i) => past.length - i), past])
    await system.execute(fill, [accountId, hard])
    assert.equal((await api.post(`${PATH}/refresh`)).body.data.grade, hard === 0 ? 'A+' : 'F')
    await api.post(`${PATH}/refresh`)
    const { body } = await api.get('/api/v1/events?event=health.grade_changed')
    const changes = body.data.map(({ data }: Changed) => [data.previous_grade, data.grade])
    assert.deepEqual(changes, told, JSON.stringify(past))
  }
})

const LOGGED = statement(
  'test_logged',
  `insert into event (at, event_id, account_id, email_id, type, data)
   select now() - (3 - $2::int) * interval '1 day', gen_random_uuid(), $1, email_id, type, data::jsonb
   from (select gen_random_uuid() as email_id from generate_series(1, $3::int)) e,
     (values (1, null), ($4::int, '{"type":"hard"}')) t(type, data)`,
)
const DAYS_OF_LOG = statement('test_days_of_log', `select ensure_partitions('event', false, current_date - 4, 6)`)
const ALL = 2 * (200 + 20_000)
const UNCOUNTED = statement('test_uncounted', 'delete from stat_bucket')

test('records of days to come, from before a clock was put back, stand for no day, and the change is reported once', async () => {
  await using world = await startWorld()
  const { accountId, api } = world.account
  const { system } = world.rooms.database
  const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const fill = statement(
    'test_fill_ahead',
    `insert into stat_bucket (account_id, scope, span, domain_id, tag, bucket, stream, sandbox, sent, delivered)
     values ($1, 0, 1, '00000000-0000-0000-0000-000000000000', '', $2::date::timestamptz, 0, false, 1000, $3)
     on conflict (account_id, scope, span, domain_id, tag, bucket, stream, sandbox) do update set delivered = excluded.delivered`,
  )
  const score = async (): Promise<number> => (await api.post(`${PATH}/refresh`)).body.data.score
  const told = async () => {
    const { data } = (await api.get('/api/v1/events?event=health.grade_changed')).body
    // By the time of day, which has been put back in between.
    return data.map((one: Changed) => `${one.data.previous_grade} to ${one.data.grade}`).toSorted()
  }
  await system.execute(fill, [accountId, day(0), 1_000])
  assert.equal(await score(), 100)
  await system.execute(fill, [accountId, day(3), 0])
  world.clock.set(3 * 86_400_000)
  assert.ok((await score()) < 60)

  world.clock.set(-3 * 86_400_000)
  for (let time = 0; time < 2; time++) {
    const { score: now, previous_score: before } = (await api.get(PATH)).body.data
    assert.deepEqual([now, before < 60], [100, true])
  }
  assert.deepEqual(await told(), ['A+ to F', 'F to A+'])
  const history = (await api.get(`${PATH}/history?from_date=${day(0)}&to_date=${day(9)}`)).body
  assert.deepEqual(
    history.data.map((one: { date: string; grade: string }) => [one.date, one.grade]),
    [[day(0), 'A+']],
  )
})

test('while the statistics are being rebuilt a score is neither stored nor reported', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const { database } = world.rooms
  const { accountId, api } = world.account
  await database.system.query(DAYS_OF_LOG)
  await database.system.execute(LOGGED, [accountId, 0, 200, EVENT_TYPES['email.bounced']])
  await database.system.execute(LOGGED, [accountId, 1, 20_000, EVENT_TYPES['email.delivered']])
  // Nothing is read above a transaction that is open anywhere on the server, so a turn may find nothing yet.
  const recount = async (events: number): Promise<void> => {
    for (let counted = 0; counted < events; ) counted += await followStatistics(database, 200)
  }
  await recount(ALL)
  const before = (await api.post(`${PATH}/refresh`)).body.data
  assert.deepEqual([before.grade, before.metrics.sent], ['A+', 20_200])
  await database.transaction(async (db) => {
    await rewind(db, 'statistics')
    await db.execute(UNCOUNTED)
  })
  await recount(400)
  assert.deepEqual((await api.post(`${PATH}/refresh`)).body.data, before)
  const other = await world.newAccount()
  assert.equal((await other.api.post(`${PATH}/refresh`)).body.data.status, 'insufficient_data')
  assert.deepEqual((await other.api.get(`${PATH}/history`)).body.data, [])
  await recount(ALL - 400)
  const after = (await api.post(`${PATH}/refresh`)).body.data
  assert.deepEqual([after.score, after.metrics], [before.score, before.metrics])
  assert.deepEqual((await api.get('/api/v1/events?event=health.grade_changed')).body.data, [])
})

test('an account whose health cannot be calculated holds up no other, and gets its record once it can', async () => {
  const told: unknown[] = []
  const log = { ...createLogger('silent'), error: (fields: Fields) => void told.push(fields['account_id']) }
  await using world = await startWorld({ log })
  await using stack = new AsyncDisposableStack()
  const admin = new pg.Client({ connectionString: world.rooms.store.adminUrl })
  await admin.connect()
  stack.defer(() => admin.end())
  const { accountId, api } = world.account
  const other = await world.newAccount()
  assert.ok(accountId < other.accountId, 'its turn comes first')
  // The loop may have made records since the start.
  await admin.query(
    `lock table posthorn.health_record;
     delete from posthorn.health_record;
     alter table posthorn.health_record add constraint not_that_one check (account_id <> '${accountId}')`,
  )
  for (const id of [accountId, other.accountId])
    await admin.query(
      `insert into posthorn.stat_bucket (account_id, scope, span, domain_id, tag, bucket, stream, sandbox, sent, delivered)
       values ($1, 0, 1, '00000000-0000-0000-0000-000000000000', '', date_trunc('day', now()), 0, false, 1000, 1000)`,
      [id],
    )
  const daily = (world.rooms.followers.workers as readonly Loop[]).find(({ name }) => name === 'health')
  const recorded = async (of: Api): Promise<void> => {
    for (let i = 0; (await of.get(`${PATH}/history`)).body.data.length === 0; i++) {
      if (i > 1_200) throw new Error('there is no record')
      daily?.wake()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  await recorded(other.api)
  assert.deepEqual([...new Set(told)], [accountId])
  await admin.query('alter table posthorn.health_record drop constraint not_that_one')
  await recorded(api)
})

test('the daily job makes the record of every account that sent, and reports a changed grade', async () => {
  await using world = await startWorld()
  const { accountId, api } = world.account
  const silent = await world.newAccount()
  const { system } = world.rooms.database
  const fill = statement(
    'test_fill_days',
    `insert into stat_bucket (account_id, scope, span, domain_id, tag, bucket, stream, sandbox, sent, delivered, hard)
     values ($1, 0, 1, '00000000-0000-0000-0000-000000000000', '', date_trunc('day', now()) + $2::int * interval '1 day', 0,
       false, 1000, 1000 - $3, $3)`,
  )
  const sandboxed = statement(
    'test_fill_sandbox',
    `insert into stat_bucket (account_id, scope, span, domain_id, tag, bucket, stream, sandbox, sent, hard)
     values ($1, 0, 1, '00000000-0000-0000-0000-000000000000', '', date_trunc('day', now()), 0, true, 1000, 1000)`,
  )
  const daily = (world.rooms.followers.workers as readonly Loop[]).find(({ name }) => name === 'health')
  const history = async (of = api) => (await of.get(`${PATH}/history`)).body.data as { date: string; grade: string }[]
  const records = async (many: number): Promise<void> => {
    for (let i = 0; (await history()).length < many; i++) {
      if (i > 1_200) throw new Error(`there are fewer than ${many} records`)
      daily?.wake()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  await system.execute(fill, [accountId, 0, 0])
  await system.execute(sandboxed, [accountId])
  // A bad day just before the window.
  await system.execute(fill, [accountId, -30, 1_000])
  await records(1)
  await system.execute(fill, [accountId, 1, 900])
  world.clock.advance(86_400_000)
  await records(2)
  const days = await history()
  assert.deepEqual(
    days.map(({ grade }) => grade),
    ['F', 'A+'],
  )
  assert.equal(Date.parse(days[0]?.date ?? '') - Date.parse(days[1]?.date ?? ''), 86_400_000)
  assert.deepEqual(await history(silent.api), [])
  const told = (await api.get('/api/v1/events?event=health.grade_changed')).body.data
  assert.deepEqual(
    told.map(({ data }: { data: object }) => data),
    [{ previous_grade: 'A+', grade: 'F', score: 29 }],
  )
  const now = (await api.get(PATH)).body.data
  assert.deepEqual([now.trend, now.previous_score, now.score], ['down', 100, 29])
  for (const { code, severity, message, evidence } of now.findings) {
    assert.ok(code !== '' && message !== '' && ['warning', 'critical'].includes(severity))
    assert.ok(evidence.sent === 2_000 && evidence.value !== undefined && evidence.warning !== undefined)
  }
})

test('a new domain gets the full readiness report, which recommends plain text', async () => {
  await using world = await startWorld()
  const { api } = world.account
  const domainId = await world.verifiedDomain('ready.example')
  const before = (await api.get(`${READINESS}/${domainId}`)).body.data
  assert.deepEqual(before.sending_stats, {
    total_sent: 0,
    sent_30d: 0,
    delivery_rate: null,
    bounce_rate: null,
    complaint_rate: null,
    first_sent_at: null,
    last_sent_at: null,
  })
  const sent = await api.post('/api/v1/send', { from: 'a@ready.example', to: 'b@x.test', subject: 's', text: 't' })
  assert.equal(sent.status, 202)
  const readiness = async () => (await api.get(`${READINESS}/${domainId}`)).body.data
  let data = await readiness()
  // Transactions that other tests have open on the same server hold the follower back.
  for (let tries = 0; data.sending_stats.total_sent === 0 && tries < 1_200; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    await followStatistics(world.rooms.database)
    data = await readiness()
  }
  const [event] = (await api.get('/api/v1/events?event=email.sent')).body.data
  assert.deepEqual(
    { ...data, warnings: null, recommendations: null, checklist: null },
    {
      domain_id: domainId,
      domain: 'ready.example',
      verification_status: 'verified',
      domain_age_days: 0,
      health_score: null,
      grade: null,
      sending_stats: {
        ...before.sending_stats,
        total_sent: 1,
        sent_30d: 1,
        delivery_rate: 0,
        bounce_rate: 0,
        first_sent_at: event.timestamp,
        last_sent_at: event.timestamp,
      },
      tracking_domain: { configured: false, domain: null, is_verified: false, ssl_enabled: false },
      recommended_test_mode: 'basic',
      ready: true,
      warnings: null,
      recommendations: null,
      checklist: null,
    },
  )
  for (const check of data.checklist) {
    assert.deepEqual(Object.keys(check), ['code', 'label', 'passed', 'required', 'message'])
  }
  const { passed, required, message } = data.checklist.find(({ code }: { code: string }) => code === 'health_score')
  assert.deepEqual(
    [passed, required],
    [false, false],
    'of too little nothing is proven, and nothing speaks against a test',
  )
  assert.match(message, /no health score yet/)
  const told = Object.fromEntries(
    data.checklist.map((check: { code: string; message: string }) => [check.code, check.message]),
  )
  assert.equal(told['domain_verified'], 'The domain is in use', 'what passed says what holds')
  assert.match(told['domain_age'], /^Wait until /, 'what failed says what to do')
  assert.ok(data.recommendations.includes(message) && !data.warnings.includes(message))
  const other = await world.newAccount()
  assert.equal((await other.api.get(`${READINESS}/${domainId}`)).status, 404)
})

const tracking = { name: 'go.x.test', isVerified: true, sslEnabled: true }
// The facts about a domain, and the kind of test that its report recommends.
const MODES: [
  over: { status?: string; days?: number; total?: number; tracking?: object | null; hard?: number },
  mode: string,
][] = [
  [{}, 'full'],
  [{ status: 'pending' }, 'basic'],
  [{ status: 'temporary_failure' }, 'full'],
  [{ days: 6 }, 'basic'],
  [{ days: 7 }, 'standard'],
  [{ days: 29 }, 'standard'],
  [{ total: 99 }, 'basic'],
  [{ total: 100 }, 'standard'],
  [{ total: 999 }, 'standard'],
  [{ tracking: null }, 'standard'],
  [{ tracking: { ...tracking, isVerified: false } }, 'standard'],
  [{ hard: 200 }, 'standard'],
]
for (const [over, mode] of MODES) {
  test(`a domain with ${JSON.stringify(over)} is for ${mode}`, () => {
    const { status = 'verified', days = 30, total = 1_000, hard = 0 } = over
    const now = new Date('2026-03-01T00:00:00Z')
    const createdAt = new Date(now.getTime() - days * 86_400_000)
    const report = readinessOf({
      domain: { id: '', name: 'x.test', status, createdAt, spfLost: false } as never,
      counts: counts({ sent: 1_000, delivered: 1_000, hard }),
      sent: { total, firstAt: createdAt, lastAt: now },
      trackingDomain: (over.tracking === undefined ? tracking : over.tracking) as never,
      tracked: false,
      now,
    })
    assert.equal((report as { recommended_test_mode: string }).recommended_test_mode, mode)
  })
}
