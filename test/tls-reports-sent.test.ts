// TLS reports that we send: each reaches its recipients once, by mail and by HTTPS.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { ReportMail } from '../src/modules/transport/index.ts'
import { statement } from '../src/platform/db.ts'
import type { Connector } from '../src/platform/network/connect.ts'
import { type Fixture, fixture } from './world/delivery-fixture.ts'
import { lookForReports, web } from './world/tls-web.ts'

const DAY_MS = 86_400_000

const SESSION = statement(
  'test_session',
  `insert into transport_session (day, domain, policy, result, host, ip, source_ip, sessions)
   select $1::date, d, '{"type":"no-policy-found","strings":[],"mx":[]}', '', '', '', '', 1 from unnest($2::text[]) d`,
)
const LEFT = statement('test_sessions_left', 'select domain from transport_session order by domain')
const OPEN = statement(
  'test_open_transactions',
  `select count(*)::int as count from pg_locks l join pg_database d on d.oid = l.database
   where d.datname = current_database() and l.relation = 'transport_session'::regclass and l.pid <> pg_backend_pid()`,
)

/**
 * Records sessions of today with these domains, then advances the clock by `days` and a bit. @returns a query for the
 * unreported domains
 */
async function sessionsWith(h: Fixture, domains: readonly string[], days: number): Promise<() => Promise<string[]>> {
  const { system } = h.database
  await system.execute(SESSION, [h.clock.now().toISOString().slice(0, 10), domains])
  // Some time past the hour at which days are reported, whatever the time of day of the test.
  if (days > 0) h.clock.advance(days * DAY_MS + 1_200_000)
  return async () => (await system.query<{ domain: string }>(LEFT, [])).map(({ domain }) => domain)
}

test('a report receiver that hangs holds no transaction open, and a mail recipient beside it gets the report once', async () => {
  const rua = 'rua=https://hangs.test/tls,mailto:tls@sts.test'
  await using h = await fixture({ '_smtp._tls.sts.test': { TXT: [`v=TLSRPTv1; ${rua}`] } })
  const left = await sessionsWith(h, ['sts.test'], 1)
  const site = web('')
  const open: unknown[] = []
  const hangs: Connector = {
    ...site,
    request: async (asked) => {
      open.push(await h.database.system.one(OPEN, []))
      await site.request(asked)
      return { kind: 'failed', failure: 'timeout', detail: 'no answer' }
    },
  }
  const mails: ReportMail[] = []
  const look = (): Promise<void> => lookForReports(h, hangs, async (mail) => mails.push(mail) > 0)
  await look()
  await look()
  assert.deepEqual(open, [{ count: 0 }])
  assert.equal(site.asked[0]?.url, 'https://hangs.test/tls')
  assert.equal(mails.length, 1)
  assert.deepEqual(site.asked[0]?.body, mails[0]?.report, 'both are told the same')
  assert.deepEqual(await left(), [])
  assert.deepEqual(h.logged, [])
})

test('a report accepted by HTTPS is done, and one that nobody accepts in three days is dropped', async () => {
  const rua = (name: string) => ({ TXT: [`v=TLSRPTv1; rua=https://${name}/tls`] })
  await using h = await fixture({ '_smtp._tls.sts.test': rua('sts.test') })
  const left = await sessionsWith(h, ['sts.test'], 1)
  const site = web('')
  const look = (): Promise<void> => lookForReports(h, site, async () => assert.fail('nobody wants a mail'))
  for (const broken of ['servfail', 'timeout'] as const) {
    h.zones.declare({ '_smtp._tls.sts.test': broken })
    await look()
    assert.deepEqual([await left(), site.asked], [['sts.test'], []], 'whether it wants reports is not known')
  }
  h.zones.declare({ '_smtp._tls.sts.test': rua('sts.test') })
  site.answer = 'down'
  await look()
  assert.deepEqual(await left(), ['sts.test'])
  site.answer = { status: 202 }
  await look()
  assert.deepEqual([await left(), site.asked.length], [[], 2])
  await sessionsWith(h, ['sts.test'], 5)
  await look()
  assert.deepEqual([await left(), site.asked.length], [[], 2], 'late: not even asked')
  assert.deepEqual(h.logged, [])
})

const CLAIM = statement(
  'test_report_claim',
  `insert into transport_report_claim (day, domain, until) select distinct day, domain, $1::timestamptz from transport_session`,
)

test('of two machines one reports by HTTPS; when it dies its claim expires and the other reports', async () => {
  await using h = await fixture({ '_smtp._tls.sts.test': { TXT: ['v=TLSRPTv1; rua=https://sts.test/tls'] } })
  const left = await sessionsWith(h, ['sts.test'], 1)
  const site = web('')
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  const slow: Connector = {
    ...site,
    request: async (request) => {
      asked.resolve()
      await answer.promise
      return site.request(request)
    },
  }
  const look = (connector: Connector): Promise<void> => lookForReports(h, connector, async () => assert.fail('no mail'))
  site.answer = { status: 202 }
  const first = look(slow)
  await asked.promise
  await look(site)
  assert.equal(site.asked.length, 0, 'another machine is at it')
  answer.resolve()
  await first
  assert.deepEqual([await left(), site.asked.length], [[], 1])
  await sessionsWith(h, ['sts.test'], 1)
  await h.database.system.execute(CLAIM, [new Date(h.clock.now().getTime() + 60_000)])
  await look(site)
  assert.equal(site.asked.length, 1)
  h.clock.advance(60_000)
  await look(site)
  assert.deepEqual([await left(), site.asked.length], [[], 2])
  assert.deepEqual(h.logged, [])
})

test("a machine that dies after the receiver's answer leaves a report that is sent again byte for byte", async () => {
  await using h = await fixture({ '_smtp._tls.sts.test': { TXT: ['v=TLSRPTv1; rua=https://sts.test/tls'] } })
  const left = await sessionsWith(h, ['sts.test'], 1)
  const site = web('')
  site.answer = { status: 202 }
  const dies: Fixture = {
    ...h,
    database: { ...h.database, transaction: () => Promise.reject(new Error('the machine is gone')) },
  }
  const mail = async (): Promise<boolean> => assert.fail('no mail')
  await lookForReports(dies, site, mail)
  assert.deepEqual(await left(), ['sts.test'])
  h.clock.wait(3_600_000)
  await lookForReports(h, site, mail)
  assert.deepEqual(await left(), [])
  const [first, second, ...more] = site.asked
  assert.deepEqual(more, [])
  assert.ok(first?.body)
  assert.deepEqual(second, first)
  const { 'report-id': id } = JSON.parse(gunzipSync(first.body).toString()) as Record<string, unknown>
  assert.match(String(id), /^\d{4}-\d\d-\d\d\.sts\.test@[\w.-]+$/)
})

test('a day is reported once every machine has had time to write its counts', async () => {
  await using h = await fixture({ '_smtp._tls.sts.test': { TXT: ['v=TLSRPTv1; rua=https://sts.test/tls'] } })
  const left = await sessionsWith(h, ['sts.test'], 0)
  const site = web('')
  site.answer = { status: 202 }
  const look = (): Promise<void> => lookForReports(h, site, async () => assert.fail('no mail'))
  h.clock.wait(DAY_MS - (h.clock.now().getTime() % DAY_MS) + 60_000)
  await look()
  assert.deepEqual(await left(), ['sts.test'], 'a minute past midnight')
  h.clock.wait(900_000)
  await look()
  assert.deepEqual([await left(), site.asked.length], [[], 1])
})

test('any number of unreachable domains do not keep others from being reported to', async () => {
  const deaf = Array.from({ length: 401 }, (_, n) => `d${n}.test`)
  const zones = deaf.map((name) => [`_smtp._tls.${name}`, { TXT: [`v=TLSRPTv1; rua=https://${name}/`] }] as const)
  await using h = await fixture({
    ...Object.fromEntries(zones),
    '_smtp._tls.sts.test': { TXT: ['v=TLSRPTv1; rua=mailto:tls@sts.test'] },
  })
  const left = await sessionsWith(h, [...deaf, 'sts.test'], 1)
  const site = web('')
  site.answer = 'down'
  const told: string[] = []
  await lookForReports(h, site, async ({ domain }) => told.push(domain) > 0)
  assert.deepEqual(told, ['sts.test'])
  assert.deepEqual([site.asked.length, await left()], [401, deaf.toSorted()])
})
