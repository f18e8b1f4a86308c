import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { startWorld } from '../../../test/world.ts'
import { statement } from '../../platform/db.ts'
import { COUNTERS } from '../statistics/counters.ts'
import type { Counts } from '../statistics/index.ts'
import { gradeOf, healthOf } from './formula.ts'

const PATH = '/api/v1/customer/health-score'
const counts = (over: Partial<Counts>): Counts => ({
  ...(Object.fromEntries(COUNTERS.map((name) => [name, 0])) as Counts),
  ...over,
})

// What was counted in the window, whether mail is tracked, and the score with its grade.
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

test('a record is kept by the day, refreshed, listed, and a grade that changed is told once', async () => {
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
  await api.post(`${PATH}/refresh`)
  const bad = (await api.post('/api/customer/health-score/refresh')).body.data
  assert.deepEqual([bad.score, bad.grade, bad.findings[0].code], [71, 'C', 'high_complaints'])
  const told = (await api.get('/api/v1/events?event=health.grade_changed')).body.data
  assert.equal(told.length, 1)
  const { previous_grade: previous, grade, score } = told[0].data
  assert.deepEqual([previous, grade, score], ['A+', 'C', 71])
  const history = (await api.get(`${PATH}/history?limit=365`)).body
  assert.deepEqual([history.data.length, history.data[0].score, history.pagination.total], [1, 71, 1])
  assert.equal((await api.get(`${PATH}/history?limit=366`)).body.code, 'invalid_parameter')
  const domainId = await world.verifiedDomain('ready.example')
  const { status, body } = await api.get(`/api/v1/customer/domains/test-readiness/${domainId}`)
  assert.deepEqual(
    [status, body.data.recommended_test_mode, body.data.tracking_domain.configured],
    [200, 'basic', false],
  )
  const other = await world.newAccount()
  assert.equal((await other.api.get(`/api/v1/customer/domains/test-readiness/${domainId}`)).status, 404)
})
