// Mail that may not be sent ends at its time like any other.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCOUNT, type Fixture, fixture } from '../../../test/world/delivery-fixture.ts'
import { statement } from '../../platform/db.ts'
import { oldestUnended } from '../outbox/index.ts'

const HOUR = 3_600_000
const ZONE = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.2'] } }
const OTHER = '01980000-0000-7000-8000-00000000000b'
const PAUSE = statement('test_pause', 'update site set paused = $2 where name = $1')
const STATES = statement('test_states', 'select state, count(*)::int as count from queue group by state order by state')

async function unended({ database, clock }: Fixture): Promise<number> {
  return (await oldestUnended(database.system, clock.now())).size
}

test('mail of a suspended account expires at its time, with the usual event, and does not hold up retention', async () => {
  await using h = await fixture(ZONE, { suspendedAccounts: () => [ACCOUNT] })
  const mx = await h.receiver('127.0.0.2')
  const usual = await h.put('bob@example.net')
  const brief = await h.put('eve@example.net', { expiresAt: new Date(h.clock.now().getTime() + HOUR) })
  assert.equal(await h.delivery.turn(), 0)
  h.clock.advance(HOUR)
  assert.equal(await h.delivery.turn(), 1)
  assert.deepEqual([await h.status(brief), await h.status(usual)], ['failed', 'queued'])
  h.clock.advance(71 * HOUR)
  assert.equal(await h.delivery.turn(), 1)
  for (const id of [brief, usual]) {
    const { email, attempts, events } = await h.story(id)
    assert.equal(await h.status(id), 'failed')
    assert.ok(email.ended_at !== null && email.next_attempt_at === null)
    assert.deepEqual(attempts, [])
    assert.equal(events.length, 1)
    const { event, data } = await h.last(id)
    assert.deepEqual([event, data['reason'], data['attempts']], ['email.failed', 'expired', 0])
  }
  assert.equal(mx.messageCount, 0)
  assert.equal(await unended(h), 0)
  assert.deepEqual(h.logged, [])
})

const LIST = statement(
  'test_list',
  `insert into suppression (account_id, email, sandbox, id, reason, source, created_at)
   values ($1, $2, false, $3, 1, 'api', $4)`,
)

test('mail that ends unsent says so if its address was suppressed or its domain removed', async () => {
  await using h = await fixture(ZONE, { suspendedAccounts: () => [ACCOUNT] })
  const usual = await h.put('bob@example.net')
  const listed = await h.put('eve@example.net')
  const homeless = await h.put('joe@example.net', { domainId: '01980000-0000-7000-8000-0000000000d2' })
  const both = await h.put('Eve@example.net', { domainId: '01980000-0000-7000-8000-0000000000d2' })
  await h.database.system.execute(LIST, [ACCOUNT, 'eve@example.net', h.ids.next(), h.clock.now()])
  h.clock.advance(73 * HOUR)
  assert.equal(await h.delivery.turn(), 4)
  const told = await Promise.all([usual, listed, homeless, both].map((id) => h.last(id)))
  assert.deepEqual(
    told.map(({ event, data }) => [event, data['reason']]),
    [
      ['email.failed', 'expired'],
      ['email.suppressed', 'manual'],
      ['email.failed', 'domain_removed'],
      ['email.suppressed', 'manual'],
    ],
  )
  assert.equal(await h.status(listed), 'suppressed')
})

test('in a long queue, mail to a destination that is held back expires, but only if its time is over', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2')
  const over = await h.put('bob@example.net')
  // More than one batch, for another destination that is held back too.
  const others = Array.from({ length: 1_100 }, (_, number) => `u${number}@elsewhere.test`)
  for (const to of others) await h.put(to, { expiresAt: new Date(h.clock.now().getTime() + 80 * HOUR) })
  const last = await h.put('eve@example.net')
  for (const name of ['example.net', 'elsewhere.test']) await h.database.system.execute(PAUSE, [name, true])
  h.clock.advance(73 * HOUR)
  await h.delivery.start()
  for (let n = 0; n < 1_000 && (await h.queued()) > others.length; n++)
    await new Promise((done) => setTimeout(done, 20))
  assert.deepEqual([await h.status(over), await h.status(last)], ['failed', 'failed'])
  assert.deepEqual(await h.database.system.query(STATES), [{ state: 0, count: others.length }])
  assert.equal(mx.connectionCount, 0)
})

test('two nodes that walk at once end each email once; a row whose email is gone is also removed', async () => {
  await using h = await fixture(ZONE, { suspendedAccounts: () => [ACCOUNT, OTHER] })
  const ids: string[] = []
  for (let n = 0; n < 60; n++) ids.push(await h.put(`u${n}@example.net`))
  const gone = await h.put('gone@example.net', { accountId: OTHER })
  await h.database.system.execute(statement('test_forget_email', 'delete from email where id = $1'), [gone])
  h.clock.advance(73 * HOUR)
  const counts = await Promise.all([h.delivery.turn(), h.another().turn()])
  assert.equal(counts[0] + counts[1], 61)
  for (const id of ids) assert.equal((await h.events(id)).length, 1)
  assert.equal(await h.queued(), 0)
})

const BOUNCES = statement(
  'test_bounces_of',
  `select email_id, type, category, smtp_code, enhanced_code, diagnostic_code, command, remote_host, remote_ip, source, attempt from bounce
   where email_id = any($1::uuid[]) order by array_position($1::uuid[], email_id)`,
)

test('an email that its receiver kept deferring is the same soft bounce however it ends; a short time gives none', async () => {
  const suspended: string[] = []
  const zones = {
    ...ZONE,
    'dead.test': { MX: ['10 mx.dead.test'] },
    'mx.dead.test': { A: ['127.0.0.9'] },
    'slow.test': { MX: ['10 mx.slow.test'] },
    'mx.slow.test': { A: ['127.0.0.3'] },
  }
  await using h = await fixture(zones, { suspendedAccounts: () => suspended })
  await h.receiver('127.0.0.2', { rcpt: '452 4.2.2 mailbox full' })
  const within = (hours: number) => ({ expiresAt: new Date(h.clock.now().getTime() + hours * HOUR) })
  const tried = await h.put('bob@example.net')
  const claimed = await h.put('eve@example.net', within(3))
  const passedBy = await h.put('joe@example.net', within(4.5))
  const unreached = await h.put('ann@dead.test', within(4.5))
  const brief = await h.put('tim@slow.test', within(1))
  await h.receiver('127.0.0.3', { rcpt: '451 4.7.1 Greylisted, try again later' })
  const turnAfter = async (hours: number): Promise<void> => {
    h.clock.advance(hours * HOUR)
    await h.delivery.turn()
  }
  for (const hours of [0, 0.3, 0.25, 0.55, 1.1, 0.9]) await turnAfter(hours)
  assert.deepEqual([await h.status(brief), await h.status(claimed)], ['failed', 'failed'])
  suspended.push(ACCOUNT)
  await turnAfter(2)
  suspended.pop()
  for (let hours = 5; hours < 72; hours++) await turnAfter(1)
  const all = [tried, claimed, passedBy, unreached, brief]
  const reasons = await Promise.all(all.map(async (id) => (await h.last(id)).data['reason']))
  assert.deepEqual(reasons, ['retry_exhausted', 'expired', 'expired', 'expired', 'expired'])
  const bounces = await h.database.system.query<{ email_id: string; attempt: number }>(BOUNCES, [all])
  assert.deepEqual(
    bounces.map((bounce) => bounce.email_id),
    [tried, claimed, passedBy],
  )
  const [after, ...without] = bounces.map(({ email_id: _, attempt: __, ...bounce }) => bounce)
  for (const bounce of without) assert.deepEqual(bounce, after)
  const counts = await Promise.all(all.map(async (id) => (await h.story(id)).email.attempts_count))
  assert.deepEqual(
    bounces.map(({ attempt }) => attempt),
    counts.slice(0, 3),
  )
  assert.deepEqual([counts[1], counts[2], counts[4]], [5, 5, 3])
  const listed = statement(
    'test_listed',
    `select data ->> 'listed_as' as listed, provider from event
    where type = (select type from event where email_id = $1 order by seq desc limit 1) and email_id = any($2::uuid[])
    order by array_position($2::uuid[], email_id)`,
  )
  const events = await h.database.system.query<{ listed: string; provider: string }>(listed, [tried, all])
  assert.deepEqual(
    events.map((event) => event.listed),
    ['soft', 'soft', 'soft', null, null],
  )
  // Only the first was tried when it ended: the last try of the others was counted when it was deferred.
  assert.deepEqual(
    events.map((event) => event.provider !== null),
    [true, false, false, false, false],
  )
})
