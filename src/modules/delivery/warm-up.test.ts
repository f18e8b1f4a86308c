import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, statement } from '../../platform/db.ts'
import {
  DOUBLED_EVERY_DAYS,
  dailyAllowance,
  FIRST_DAY_MAILS,
  WARM_UP_DAYS,
  warmUpFindings,
  warmUpOf,
} from './warm-up.ts'

const NEW = '192.0.2.8'
const OLD = '192.0.2.1'
const BOTH = [OLD, NEW]
const GOOGLE = 'gmail-smtp-in.l.google.com'
const DAYS = statement('test_warm_up_days', 'select distinct day::text from warm_up')
const RECEIVERS = statement('test_warm_up_receivers', 'select count(*)::int as receivers from warm_up')
const onError = (error: unknown): void => assert.fail(String(error))

test('a new address carries 200 mails to a receiver on its first day and twice as many every three days', () => {
  const on = (day: number): number => dailyAllowance('2026-12-01', new Date(Date.UTC(2026, 11, 1 + day, 5)))
  assert.deepEqual([-3, 0, 1, DOUBLED_EVERY_DAYS, 6, WARM_UP_DAYS - 1, WARM_UP_DAYS].map(on), [
    FIRST_DAY_MAILS,
    FIRST_DAY_MAILS,
    251,
    FIRST_DAY_MAILS * 2,
    FIRST_DAY_MAILS * 4,
    162_549,
    Number.POSITIVE_INFINITY,
  ])
})

test('what a new address may carry today is told, and when its warm-up is over', () => {
  const said = warmUpFindings(
    new Map([
      [NEW, '2026-12-01'],
      [OLD, '2026-10-01'],
    ]),
    new Date('2026-12-04T12:00:00Z'),
  )
  assert.match(said[0] ?? '', /192\.0\.2\.8 is new since 2026-12-01 and carries 400 mails to each receiver today/)
  assert.match(said[1] ?? '', /warm-up of 192\.0\.2\.1 is over: take it out/)
})

test('what a new address may carry grows by the hour, for each receiver; a restart and another process go on counting', async () => {
  await using fresh = await freshDb()
  const database = connect({ url: fresh.url, onError })
  await using _ = { [Symbol.asyncDispose]: () => database.close() }
  let now = new Date('2026-12-01T00:10:00Z')
  const clock = { ...systemClock(), now: () => now }
  const start = () => warmUpOf({ db: database.system, clock, since: new Map([[NEW, '2026-12-01']]), onError })
  const one = start()
  await one.start()
  const carry = (by: ReturnType<typeof start>, host: string): number => {
    let mails = 0
    for (; by.mayCarry(NEW, host) && mails < 1_000; mails++) by.note(NEW, host)
    return mails
  }
  assert.deepEqual(one.able(BOTH, GOOGLE), BOTH)
  // 200 / 24, rounded up.
  assert.equal(carry(one, GOOGLE), 9)
  assert.deepEqual([one.able(BOTH, GOOGLE), one.able([NEW], GOOGLE)], [[OLD], [NEW]])
  // Another host of the same receiver shares the count, another receiver does not.
  assert.deepEqual(
    [carry(one, 'aspmx.l.google.com'), carry(one, 'mx1.example.net'), carry(one, 'mx2.example.net')],
    [0, 9, 0],
  )
  assert.ok(one.mayCarry(OLD, GOOGLE) && one.mayCarry(null, GOOGLE))
  await one.stop(AbortSignal.abort())

  now = new Date('2026-12-01T01:00:00Z')
  const two = start()
  await two.start()
  const three = start()
  await three.start()
  assert.equal(carry(two, GOOGLE), 8)
  await two.flush()
  three.note(NEW, GOOGLE)
  await three.flush()
  assert.equal(three.mayCarry(NEW, GOOGLE), false)
  now = new Date('2026-12-01T23:59:00Z')
  assert.equal(carry(three, GOOGLE), FIRST_DAY_MAILS - 18)

  now = new Date('2026-12-02T00:00:00Z')
  assert.equal(carry(three, GOOGLE), 11)
  await three.flush()
  await three.flush()
  const days = () => database.system.query<{ day: string }>(DAYS)
  assert.deepEqual(await days(), [{ day: '2026-12-02' }])
  now = new Date('2026-12-31T00:00:00Z')
  assert.equal(carry(three, GOOGLE), 1_000)
  // An address that is not new any more is not counted.
  await three.flush()
  assert.deepEqual(await days(), [])
  for (const by of [two, three]) await by.stop(AbortSignal.abort())
})

test('two processes that write the same receivers in another order do not stop each other', async () => {
  await using fresh = await freshDb()
  const database = connect({ url: fresh.url, onError })
  await using _ = { [Symbol.asyncDispose]: () => database.close() }
  const clock = { ...systemClock(), now: () => new Date('2026-12-01T12:00:00Z') }
  const warmUp = () => warmUpOf({ db: database.system, clock, since: new Map([[NEW, '2026-12-01']]), onError })
  const [one, two] = [warmUp(), warmUp()]
  const hosts = Array.from({ length: 3_000 }, (_, n) => `mx.domain${n}.com`)
  for (let round = 0; round < 5; round++) {
    for (const host of hosts) one.note(NEW, host)
    for (const host of hosts.toReversed()) two.note(NEW, host)
    await Promise.all([one.flush(), two.flush()])
  }
})

test('receivers beyond twenty thousand a day are not counted', async () => {
  await using fresh = await freshDb()
  const database = connect({ url: fresh.url, onError })
  await using _ = { [Symbol.asyncDispose]: () => database.close() }
  const clock = { ...systemClock(), now: () => new Date('2026-12-01T12:00:00Z') }
  const warmUp = warmUpOf({ db: database.system, clock, since: new Map([[NEW, '2026-12-01']]), onError })
  for (let n = 0; n < 20_100; n++) warmUp.note(NEW, `mx.domain${n}.com`)
  await warmUp.flush()
  const [row] = await database.system.query<{ receivers: number }>(RECEIVERS)
  assert.equal(row?.receivers, 20_000)
  assert.deepEqual([warmUp.mayCarry(NEW, 'mx.domain7.com'), warmUp.mayCarry(NEW, 'mx.domain20050.com')], [true, false])
})
