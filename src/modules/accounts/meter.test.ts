import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Fixture, fixture, type Node, newKey } from '../../../test/world/accounts-fixture.ts'
import { statement } from '../../platform/db.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http.ts'
import { resume, setLimits, suspend } from './accounts.ts'
import { monthOf } from './quota.ts'

let home: Fixture
let one: Node
let two: Node

before(async () => {
  home = await fixture()
  one = await home.node({ rateLimits: true })
  two = await home.node({ rateLimits: true })
})
after(() => home[Symbol.asyncDispose]())

const statuses = async (nodes: readonly Node[], count: number, method: string, path: string, key: string) => {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, i) => (nodes[i % nodes.length] as Node).call(method, path, { key })),
  )
  return { answers, passed: answers.filter(({ status }) => status === 200).length }
}

test('every authenticated answer has the rate headers, refusals too', async () => {
  const { apiKey } = await home.account()
  const first = await one.call('POST', '/probe/verify', { key: apiKey })
  for (const prefix of ['RateLimit', 'X-RateLimit']) {
    assert.equal(first.headers.get(`${prefix}-Limit`), '10')
    assert.equal(first.headers.get(`${prefix}-Remaining`), '9')
    assert.equal(first.headers.get(`${prefix}-Reset`), '6')
  }
  const health = await one.call('POST', '/probe/health', { key: apiKey })
  assert.equal(health.headers.get('RateLimit-Remaining'), '0')
  const refused = await one.call('POST', '/probe/health', { key: apiKey })
  assert.equal(refused.status, 429)
  assert.equal(refused.body.code, 'rate_limit_exceeded')
  assert.deepEqual({ ...refused.body.details, retry_after: null }, { limit: 1, window_seconds: 60, retry_after: null })
  assert.equal(refused.headers.get('retry-after'), String(refused.body.details.retry_after))
  assert.ok(refused.body.details.retry_after >= 58 && refused.body.details.retry_after <= 60)
  assert.equal(refused.headers.get('RateLimit-Remaining'), '0')
})

test('a suspended account spends nothing by calls that are refused for it', async () => {
  const { apiKey: key, accountId } = await home.account()
  await suspend(home.operator, accountId)
  one.room.forget(accountId)
  for (let i = 0; i < 12; i++) {
    const refused = await one.call('POST', '/probe/verify', { key })
    assert.deepEqual([refused.status, refused.headers.get('RateLimit-Remaining')], [403, '10'])
  }
  await resume(home.operator, accountId)
  one.room.forget(accountId)
  const passed = await one.call('POST', '/probe/verify', { key })
  assert.deepEqual([passed.status, passed.headers.get('RateLimit-Remaining')], [200, '9'])
})

test('a call that the scope refuses has spent a token: the rate is checked before the scope', async () => {
  const owner = await home.account()
  const { key } = await newKey(home, owner.accountId)
  const first = await one.call('POST', '/probe/health', { key })
  assert.deepEqual([first.body.code, first.headers.get('RateLimit-Remaining')], ['insufficient_scope', '0'])
  assert.equal((await one.call('POST', '/probe/health', { key })).body.code, 'rate_limit_exceeded')
})

test('exactly one burst passes, on one machine and on two together', async () => {
  for (const nodes of [[one], [one, two]]) {
    const { apiKey, testApiKey } = await home.account()
    const { passed } = await statuses(nodes, 30, 'POST', '/probe/verify', apiKey)
    assert.ok(passed >= 10 && passed <= 15, `${passed} of 10`)
    assert.equal((await one.call('POST', '/probe/verify', { key: testApiKey })).status, 200, 'a bucket of its own')
  }
})

test('two machines do not give twice the limit', async () => {
  const { apiKey } = await home.account()
  const sinceMs = home.operator.clock.monotonicMs()
  const seconds = (): number => (home.operator.clock.monotonicMs() - sinceMs) / 1_000
  let passed = 0
  let asked = 0
  // Tokens a full bucket would gain while nobody asks are lost.
  let lost = 0
  while (seconds() < 2) {
    const began = seconds()
    passed += (await statuses([one, two], 20, 'GET', '/probe/read', apiKey)).passed
    asked += 20
    lost += Math.max(0, 10 * (seconds() - began) - 10)
  }
  const allowed = 20 + 10 * seconds()
  assert.ok(passed <= allowed + 1, `${passed} passed, ${allowed} allowed`)
  assert.ok(passed >= Math.min(asked, allowed) - 8 - lost, `${passed} passed, ${allowed} allowed, ${lost} lost`)
})

test('two batches of 100 addresses pass in a row, a third does not', async () => {
  const { accountId } = await home.account()
  const principal: Principal = { accountId, keyId: accountId, mode: 'live', scopes: ['full'], domainIds: null }
  const left: number[] = []
  for (const { room } of [one, two]) {
    const headers = await room.gate.takeMore(principal, 'validation', 100)
    assert.equal(headers['RateLimit-Limit'], '200')
    left.push(Number(headers['X-RateLimit-Remaining']))
  }
  assert.ok(left[0] !== undefined && left[0] < 200 && left[1] !== undefined && left[1] < 100, left.join())
  await assert.rejects(one.room.gate.takeMore(principal, 'validation', 100), (error) => {
    assert.ok(error instanceof ApiError && error.status === 429)
    assert.ok(Number(error.details['retry_after']) >= 8 && Number(error.details['retry_after']) <= 10)
    return true
  })
  await one.room.gate.takeMore(principal, 'validation', 1).catch(() => undefined)
})

test('a batch that is refused takes nothing, not even what it was admitted with', async () => {
  const { accountId } = await home.account()
  const principal: Principal = { accountId, keyId: accountId, mode: 'live', scopes: ['full'], domainIds: null }
  const { gate } = one.room
  // The account gains ten addresses a second, less than what ten refusals would take.
  await gate.takeMore(principal, 'validation', 150)
  const left: number[] = []
  for (let i = 0; i < 30; i++) {
    await gate.takeMore(principal, 'validation', 1)
    await assert.rejects(gate.takeMore(principal, 'validation', 199, 1), (error) => {
      assert.ok(error instanceof ApiError && error.status === 429)
      left.push(Number(error.headers['RateLimit-Remaining']))
      return true
    })
  }
  assert.ok((left.at(-1) ?? 0) >= (left[0] ?? 0), left.join())
})

test('of three batches of 100 addresses that come together, two pass', async () => {
  const { accountId } = await home.account()
  const principal: Principal = { accountId, keyId: accountId, mode: 'live', scopes: ['full'], domainIds: null }
  const { gate } = one.room
  // Each was admitted with one token, before it was known how many addresses it has.
  for (let i = 0; i < 3; i++) await gate.takeMore(principal, 'validation', 1)
  const batches = await Promise.allSettled([1, 2, 3].map(() => gate.takeMore(principal, 'validation', 99, 1)))
  assert.deepEqual(batches.map(({ status }) => status).sort(), ['fulfilled', 'fulfilled', 'rejected'])
})

test('the operator sets a rate for one account', async () => {
  const { apiKey, accountId } = await home.account()
  await setLimits(home.operator, accountId, { rates: { send: { perSecond: 0.01, burst: 3 } } })
  one.room.forget(accountId)
  const { passed, answers } = await statuses([one], 10, 'POST', '/probe/send', apiKey)
  assert.equal(passed, 3)
  assert.equal(answers[0]?.headers.get('RateLimit-Limit'), '3')
})

test('with limits off nobody is held back, and the headers stay', async () => {
  const off = await home.node()
  const { apiKey } = await home.account()
  const { passed, answers } = await statuses([off], 40, 'POST', '/probe/health', apiKey)
  assert.equal(passed, 40)
  assert.equal(answers[0]?.headers.get('RateLimit-Remaining'), '1')
})

test('of 100 calls at once with one credit left, one succeeds', async () => {
  const { accountId } = await home.account('starter')
  await home.database.transaction((db) => one.room.quotas.consume(db, accountId, 'validations', 99))
  const calls = await Promise.allSettled(
    Array.from({ length: 100 }, (_, i) => {
      const node = i % 2 === 0 ? one : two
      return node.database.tenant(accountId, (db) => node.room.quotas.consume(db, accountId, 'validations', 1))
    }),
  )
  assert.equal(calls.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const call of calls) {
    if (call.status !== 'rejected') continue
    assert.ok(call.reason instanceof ApiError)
    assert.equal(call.reason.code, 'quota_exceeded')
    const { reset_at, ...rest } = call.reason.details
    assert.deepEqual(rest, { resource: 'validations', used: 100, limit: 100 })
    assert.match(String(reset_at), /-01T00:00:00\.000Z$/)
    assert.ok((call.reason.retryAfter ?? 0) > 0)
  }
  assert.equal((await one.room.quotas.read(home.database.system, accountId)).validations.used, 100)
})

test('a batch is charged in full or not at all, a failed call costs nothing, a refund gives back', async () => {
  const { accountId } = await home.account('starter')
  const { quotas } = one.room
  const consume = (amount: number) =>
    home.database.transaction((db) => quotas.consume(db, accountId, 'validations', amount))
  const used = async () => (await quotas.read(home.database.system, accountId)).validations.used
  await assert.rejects(consume(101))
  assert.equal(await used(), 0)
  await consume(50)
  await assert.rejects(consume(51))
  await assert.rejects(
    home.database.transaction(async (db) => {
      await quotas.consume(db, accountId, 'validations', 50)
      throw new Error('the call failed')
    }),
  )
  assert.equal(await used(), 50)
  const receipt = await consume(50)
  assert.equal(receipt.remaining, 0)
  await home.database.transaction((db) => quotas.refund(db, receipt))
  assert.equal(await used(), 50)
  await assert.rejects(
    home.database.transaction((db) => quotas.consume(db, accountId, 'risk_previews', 1)),
    /quota/,
  )
})

test('sends of many accounts are charged together, each account to its own limit', async () => {
  const { emails, read } = one.room.quotas
  const small = await home.account('starter')
  const large = await home.account()
  await setLimits(home.operator, small.accountId, { emails: 5 })
  one.room.forget(small.accountId)
  const asks = [
    { accountId: small.accountId, count: 2 },
    { accountId: large.accountId, count: 500 },
    { accountId: small.accountId, count: 4 },
    { accountId: small.accountId, count: 0 },
    { accountId: small.accountId, count: 3 },
    { accountId: large.accountId, count: 1 },
  ]
  const now = home.operator.clock.now()
  const granted = await home.database.transaction((db) => emails.consume(db, asks, now))
  assert.deepEqual(granted, [true, true, false, true, true, true])
  const used = async (accountId: string) => (await read(home.database.system, accountId)).emails.used
  assert.deepEqual([await used(small.accountId), await used(large.accountId)], [5, 501])
  const error = await emails.exceeded(home.database.system, { accountId: small.accountId, count: 4 }, now)
  assert.deepEqual({ ...error.details, reset_at: '' }, { resource: 'emails', used: 5, limit: 5, reset_at: '' })
  assert.match(error.message, /used up/)
  await emails.refund(home.database.system, { accountId: small.accountId, count: 3 }, now)
  const { message } = await emails.exceeded(home.database.system, { accountId: small.accountId, count: 4 }, now)
  assert.equal(message, "3 of the month's quota of 5 emails are left, and 4 were asked for")
  assert.equal(await used(small.accountId), 2)
})

const USED = statement('test_used_by_month', 'select month::text as month, used from usage where account_id = $1')

test('a batch of sends that crosses the end of the month is charged and refunded to the month it began in', async () => {
  const { emails } = one.room.quotas
  const { accountId } = await home.account()
  const last = new Date('2026-01-31T23:59:59.999Z')
  await home.database.transaction(async (db) => {
    await emails.consume(db, [{ accountId, count: 5 }], last)
    await emails.refund(db, { accountId, count: 2 }, last)
  })
  assert.deepEqual(await home.database.system.query(USED, [accountId]), [{ month: '2026-01-01', used: 3 }])
  const { details, retryAfter } = await emails.exceeded(home.database.system, { accountId, count: 1 }, last)
  assert.deepEqual([details['used'], details['reset_at'], retryAfter], [3, '2026-02-01T00:00:00.000Z', 1])
})

test('batches of sends over the same accounts in any order do not deadlock', async () => {
  const accounts = await Promise.all(Array.from({ length: 6 }, () => home.account()))
  await Promise.all(
    Array.from({ length: 40 }, (_, i) => {
      const node = i % 2 === 0 ? one : two
      const asks = accounts.map(({ accountId }) => ({ accountId, count: 1 }))
      const ordered = i % 3 === 0 ? asks.reverse() : asks
      return node.database.transaction((db) => node.room.quotas.emails.consume(db, ordered, home.operator.clock.now()))
    }),
  )
  for (const { accountId } of accounts) {
    assert.equal((await one.room.quotas.read(home.database.system, accountId)).emails.used, 40)
  }
})

test('a month is in UTC and ends with the first moment of the next', () => {
  for (const [now, month, end] of [
    ['2026-11-21T04:00:00.000Z', '2026-11-01', '2026-12-01T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12-01', '2027-01-01T00:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', '2028-02-01', '2028-03-01T00:00:00.000Z'],
  ] as const) {
    const { month: found, resetAt } = monthOf(new Date(now))
    assert.deepEqual([found, resetAt.toISOString()], [month, end])
  }
})
