// Quotas and rates as a client of the API sees them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partitionsLoop } from '../src/composition/housekeeping.ts'
import { setLimits, setPlan } from '../src/modules/accounts/index.ts'
import { statement } from '../src/platform/db.ts'
import { type Api, startWorld, type World } from './world/world.ts'

const MAIL = { from: 'a@shop.example', to: 'b@example.net', subject: 'Hi', text: 'Hi' }

test('of 100 sends at once with one credit left one succeeds, and a refused call costs nothing', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'relay:127.0.0.1:9' } })
  await world.verifiedDomain('shop.example')
  const { api, operator, account } = world
  await setLimits(operator, account.accountId, { emails: 1 })
  const used = async () => (await api.get('/api/v1/customer/limits')).body.data.usage.emails.used
  const refused = await api.post('/api/v1/send', { ...MAIL, to: 'no address' })
  assert.equal(refused.status, 422)
  assert.equal(await used(), 0)
  const answers = await Promise.all(Array.from({ length: 100 }, () => api.post('/api/v1/send', MAIL)))
  assert.equal(answers.filter(({ status }) => status === 202).length, 1)
  assert.equal(answers.filter(({ body }) => body.code === 'quota_exceeded').length, 99)
  assert.equal(await used(), 1)
})

const ACCEPTED = statement('test_accepted', 'select sum(accepted)::int as accepted from sent_day where account_id = $1')

test('refused recipients use up no credit that accepted ones of the same call need', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'relay:127.0.0.1:9' } })
  await world.verifiedDomain('shop.example')
  const { api, operator, account } = world
  await setLimits(operator, account.accountId, { emails: 2 })
  const no = { ...MAIL, to: 'no@example.net' }
  await api.post('/api/v1/customer/suppressions', { email: no.to })
  const { body } = await api.post('/api/v1/send/batch', { messages: [no, no, no, MAIL] })
  assert.deepEqual(
    body.data.map(({ success, error }: { success: boolean; error?: { code: string } }) => error?.code ?? success),
    [...Array(3).fill('recipient_suppressed'), true],
  )
  const both = await api.post('/api/v1/send', { ...MAIL, to: [no.to, MAIL.to] })
  assert.equal(both.status, 202, JSON.stringify(both.body))
  assert.equal((await api.get('/api/v1/customer/limits')).body.data.usage.emails.used, 2)
  // Nor do they count in the volume that the next send is compared with.
  const counted = await world.rooms.database.system.one(ACCEPTED, [account.accountId])
  assert.deepEqual(counted, { accepted: 2 })
  const spent = await api.post('/api/v1/send', no)
  assert.equal(spent.body.code, 'quota_exceeded')
})

test('20 calls at once pass, and the 21st is told when to retry', async () => {
  await using world = await startWorld({ settings: { POSTHORN_RATE_LIMITS: 'on' } })
  const startedMs = performance.now()
  const calls = (): Promise<Awaited<ReturnType<Api['get']>>[]> =>
    Promise.all(Array.from({ length: 25 }, () => world.api.get('/api/v1/customer/domains')))
  const answers = await calls()
  const refilled = Math.ceil(((performance.now() - startedMs) / 1_000) * 10)
  const passed = answers.filter(({ status }) => status === 200).length
  assert.ok(passed >= 20 && passed <= 21 + refilled, `${passed} passed, ${refilled} came in meanwhile`)
  // A machine that is slower than the rate is never told to wait.
  for (let tries = 0; answers.every(({ status }) => status === 200) && tries < 20; tries++)
    answers.push(...(await calls()))
  const late = answers.find(({ status }) => status === 429)
  assert.deepEqual(late?.body.details, { limit: 20, window_seconds: 2, retry_after: 1 })
})

const LIVE = { settings: { POSTHORN_DELIVERY: 'relay:127.0.0.1:9' } }

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1_200; turn++) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`not within a minute: ${what}`)
}

/** Sets the limit and waits until all nodes see it: they hear of a change within 5 s. */
async function limitTo({ operator, account }: World, emails: number, ...apis: readonly Api[]): Promise<void> {
  await setLimits(operator, account.accountId, { emails })
  for (const api of apis) {
    await until(
      'the new limit',
      async () => (await api.get('/api/v1/customer/limits')).body.data.limits.emails === emails,
    )
  }
}

test('one credit is one credit on two machines: 100 calls at once on both get it once', async () => {
  await using world = await startWorld(LIVE)
  await world.verifiedDomain('shop.example')
  const second = (await world.secondNode())(world.account.apiKey)
  await limitTo(world, 1, world.api, second)
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? world.api : second).post('/api/v1/send', MAIL)),
  )
  assert.equal(answers.filter(({ status }) => status === 202).length, 1)
  assert.equal(answers.filter(({ body }) => body.code === 'quota_exceeded').length, 99)
})

test('two machines do not give twice the rate', async () => {
  await using world = await startWorld({ settings: { POSTHORN_RATE_LIMITS: 'on' } })
  const second = (await world.secondNode())(world.account.apiKey)
  const startedMs = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 80 }, (_, at) => (at % 2 === 0 ? world.api : second).get('/api/v1/customer/domains')),
  )
  const refilled = Math.ceil(((performance.now() - startedMs) / 1_000) * 10)
  const passed = answers.filter(({ status }) => status === 200).length
  assert.ok(passed >= 20 && passed <= 21 + refilled, `${passed} passed, ${refilled} came in meanwhile`)
})

test('a used-up month says when the next begins, in UTC, and then starts over', async () => {
  await using world = await startWorld(LIVE)
  await world.verifiedDomain('shop.example')
  const { api, clock } = world
  await limitTo(world, 2, api)
  const usage = async () => (await api.get('/api/v1/customer/limits')).body.data.usage.emails
  const strict = await api.post(
    '/api/v1/send/batch',
    { messages: [MAIL, MAIL, MAIL] },
    { 'x-batch-validation': 'strict' },
  )
  assert.deepEqual([strict.status, (await usage()).used], [422, 0], JSON.stringify(strict.body))
  const half = await api.post(
    '/api/v1/send/batch',
    { messages: [MAIL, { ...MAIL, to: 'nobody' }] },
    { 'x-batch-validation': 'strict' },
  )
  assert.deepEqual([half.status, (await usage()).used], [422, 0], 'a strict batch that is refused costs nothing')
  const batch = await api.post('/api/v1/send/batch', { messages: [MAIL, { ...MAIL, to: 'nobody' }, MAIL, MAIL] })
  assert.deepEqual(batch.body.summary, { total: 4, accepted: 2, rejected: 2 })
  const codes = batch.body.data.map(({ error }: { error?: { code: string } }) => error?.code ?? null)
  assert.deepEqual(codes, [null, 'validation_error', null, 'quota_exceeded'])
  const refused = await api.post('/api/v1/send', MAIL)
  const now = clock.now()
  const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1))
  assert.deepEqual([refused.status, refused.body.code], [429, 'quota_exceeded'])
  assert.deepEqual(refused.body.details, { resource: 'emails', used: 2, limit: 2, reset_at: next.toISOString() })
  const wait = Number(refused.headers.get('retry-after'))
  assert.ok(Math.abs(wait - (next.getTime() - now.getTime()) / 1_000) < 60, `Retry-After ${wait}`)
  clock.advance(next.getTime() - clock.now().getTime() - 60_000)
  const { rooms } = world
  const partitions = partitionsLoop(rooms.database, rooms.ground)
  await partitions.start()
  await partitions.stop(AbortSignal.timeout(1_000))
  assert.equal((await api.post('/api/v1/send', MAIL)).status, 429, 'a minute before the month ends')
  clock.advance(60_000)
  assert.equal((await api.post('/api/v1/send', MAIL)).status, 202, 'with the first moment of the next')
  assert.equal((await usage()).used, 1)
})

test('a feature outside the plan is refused with the plans that have it, and a plan change brings it', async () => {
  await using world = await startWorld()
  const { api, operator, account } = world
  const ask = { to: 'b@example.net', subject: 'Hi', text: 'Hi', from: 'a@shop.example' }
  const refused: [plan: 'starter' | 'professional', webhooks: number, preview: number][] = [
    ['starter', 1, 403],
    ['professional', 3, 200],
  ]
  for (const [plan, webhooks, preview] of refused) {
    await setPlan(operator, account.accountId, plan)
    await until(plan, async () => (await api.get('/api/v1/customer/limits')).body.data.plan === plan)
    for (const [method, path, body] of [
      ['post', '/api/v1/risk/preview', ask],
      ['get', '/api/v1/risk/stats', undefined],
    ] as const) {
      const answer = await (method === 'get' ? api.get(path) : api.post(path, body))
      if (preview === 403) {
        assert.deepEqual([answer.status, answer.body.code], [403, 'plan_required'], path)
        const { required_plans: plans, current_plan: current } = answer.body.details
        assert.deepEqual([plans, current], [['professional', 'business', 'enterprise', 'custom'], 'starter'])
      } else assert.notEqual(answer.body.code, 'plan_required', JSON.stringify(answer.body))
    }
    const hook = { url: 'http://127.0.0.1:9/', events: ['*'] }
    let made = 0
    for (let at = 0; at < 4; at++) {
      const answer = await api.post('/api/v1/customer/webhooks', hook)
      if (answer.status === 201) made++
      else
        assert.deepEqual(
          [answer.status, answer.body.code, answer.body.details],
          [403, 'webhook_limit_reached', { limit: webhooks, plan }],
        )
    }
    const { total } = (await api.get('/api/v1/customer/webhooks')).body.pagination
    assert.deepEqual([total, made > 0], [webhooks, true])
  }
})

test('a batch of validations is charged in full or not at all: two of 100 pass in a row, a third is told to wait', async () => {
  await using world = await startWorld({ settings: { POSTHORN_RATE_LIMITS: 'on' } })
  const { api, operator, account } = world
  await setLimits(operator, account.accountId, { validations: 201 })
  const emails = Array.from({ length: 100 }, (_, at) => `no address ${at}`)
  const batch = () => api.post('/api/v1/address/validate/batch', { emails })
  const [first, second, third] = [await batch(), await batch(), await batch()]
  assert.deepEqual([first.status, second.status], [200, 200])
  assert.deepEqual([third.status, third.body.code], [429, 'rate_limit_exceeded'])
  const quota = async () => (await api.get('/api/v1/address/validate/quota')).body.used
  assert.equal(await quota(), 200)
  world.clock.advance(60_000)
  const short = await batch()
  assert.deepEqual([short.status, short.body.code], [429, 'quota_exceeded'])
  assert.equal(await quota(), 200)
  assert.equal((await api.post('/api/v1/address/validate', { email: 'no address' })).status, 200)
  assert.equal(await quota(), 201)
})

test('domain verify, tracking verify and webhook test allow ten calls a minute each', async () => {
  await using world = await startWorld({
    settings: { POSTHORN_RATE_LIMITS: 'on', POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true' },
  })
  const { api } = world
  const domain = await api.post('/api/v1/customer/domains', { domain: 'shop.example' })
  const tracking = await api.post('/api/v1/customer/tracking-domains', { domain: 'go.shop.example' })
  const webhook = await api.post('/api/v1/customer/webhooks', { url: 'http://127.0.0.1:1/', events: ['*'] })
  for (const path of [
    `domains/${domain.body.data.id}/verify`,
    `tracking-domains/${tracking.body.data.id}/verify`,
    `webhooks/${webhook.body.data.id}/test`,
  ]) {
    const first = await api.post(`/api/v1/customer/${path}`)
    assert.deepEqual(
      [first.status, first.headers.get('ratelimit-limit'), first.headers.get('ratelimit-remaining')],
      [200, '10', '9'],
      path,
    )
  }
})

test('a SendGrid call with several personalizations counts against the rate of batches, one with a single one does not', async () => {
  await using world = await startWorld({ settings: { POSTHORN_RATE_LIMITS: 'on' } })
  const { operator, account } = world
  await setLimits(operator, account.accountId, { rates: { batch: { perSecond: 0.001, burst: 2 } } })
  const send = async (count: number): Promise<number> => {
    const answer = await fetch(`${world.url}/v3/mail/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.testApiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        from: { email: MAIL.from },
        personalizations: Array.from({ length: count }, () => ({ to: [{ email: MAIL.to }] })),
        subject: MAIL.subject,
        content: [{ type: 'text/plain', value: MAIL.text }],
      }),
    })
    return answer.status
  }
  assert.deepEqual([await send(2), await send(3), await send(2), await send(1)], [202, 202, 429, 202])
})
