// A key that is bound to domains learns nothing about emails of the account's other domains, and changes none of them.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startReceiver } from './world/receiver.ts'
import { type Api, startWorld, type World } from './world/world.ts'

const LISTS = ['/api/v1/emails', '/api/v1/events?event=email.bounced', '/api/v1/customer/bounces']

const SPAM =
  '<h1>CLICK HERE NOW!!! FREE MONEY $$$ WINNER!!!</h1><p>Act now, 100% free, no risk, buy cheap viagra!!!</p>'

const stack = new AsyncDisposableStack()
let world: World
let ours: string
let theirs: string
let bound: Api
/** One bounced email for each domain. */
const bounced: Record<string, string> = {}

before(async () => {
  const mx = stack.use(await startReceiver({ rcpt: '550 5.7.1 blocked' }))
  world = stack.use(
    await startWorld({
      zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
      settings: { POSTHORN_SMTP_PORT: String(mx.port) },
    }),
  )
  ours = await world.verifiedDomain('ours.example')
  theirs = await world.verifiedDomain('theirs.example')
  bound = await keyOf({ domain_ids: [ours] })
  for (const name of ['ours', 'theirs']) bounced[name] = await send(`a@${name}.example`)
  for (const id of Object.values(bounced)) await until(async () => (await statusOf(id)) === 'bounced')
})
after(() => stack.disposeAsync())

async function keyOf(more: object): Promise<Api> {
  const made = await world.api.post('/api/v1/customer/api-keys', { name: 'k', ...more })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return world.apiWith(made.body.data.key)
}

async function send(from: string, more: object = {}, api = world.api): Promise<string> {
  const { status, body } = await api.post('/api/v1/send', {
    from,
    to: 'b@example.net',
    subject: 's',
    html: '<p>t</p>',
    ...more,
  })
  assert.equal(status, 202, JSON.stringify(body))
  return body.data.email_id
}

async function statusOf(id: string): Promise<string> {
  return (await world.api.get(`/api/v1/emails/${id}`)).body.data.status
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await holds()); waited += 50) {
    if (waited > 60_000) throw new Error('it did not come about')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

for (const path of LISTS) {
  test(`${path} tells a bound key about its own domains only`, async () => {
    const at = (query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`
    const idOf = (row: { email_id?: string; id: string }): string => row.email_id ?? row.id
    const mine = (await bound.get(path)).body
    assert.deepEqual([mine.data.map(idOf), mine.pagination.total], [[bounced['ours']], 1])
    assert.equal((await bound.get(at(`domain_id=${theirs}`))).body.pagination.total, 0)
    assert.equal((await bound.get(at(`domain_id=${ours.toUpperCase()}`))).body.pagination.total, 1)
    assert.equal((await world.api.get(path)).body.pagination.total, 2)
    const both = await keyOf({ domain_ids: [ours, theirs] })
    assert.equal((await both.get(path)).body.pagination.total, 2)
  })
}

test('a bound key sees the content verdicts of its own domains only', async () => {
  for (const name of ['ours', 'theirs']) {
    const message = { from: `a@${name}.example`, to: 'b@example.net', subject: 'FREE MONEY!!!', html: SPAM }
    await world.api.post('/api/v1/send', message)
  }
  const of = async (api: Api, query = ''): Promise<readonly number[]> => {
    const { data, pagination } = (await api.get(`/api/v1/content-events${query}`)).body
    return [data.length, pagination.total]
  }
  const all = (await of(world.api))[0] ?? 0
  assert.ok(all >= 2)
  assert.deepEqual(await of(bound), [all / 2, all / 2])
  assert.deepEqual(await of(bound, `?domain_id=${theirs}`), [0, 0])
})

test('to a bound key an email of another domain does not exist', async () => {
  const [own, other] = [`/api/v1/emails/${bounced['ours']}`, `/api/v1/emails/${bounced['theirs']}`]
  for (const part of ['', '/raw', '/preview']) {
    assert.equal((await bound.get(own + part)).status, 200)
    assert.deepEqual([(await bound.get(other + part)).status, (await world.api.get(other + part)).status], [404, 200])
  }
  const soon = new Date(world.clock.now().getTime() + 3_600_000).toISOString()
  const planned = await send('a@theirs.example', { scheduled_at: soon })
  const later = new Date(world.clock.now().getTime() + 7_200_000).toISOString()
  const answers = [
    await bound.post(`${other}/retry`),
    await bound.post(`/api/v1/emails/${planned}/cancel`),
    await bound.patch(`/api/v1/emails/${planned}`, { scheduled_at: later }),
  ]
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.code]),
    answers.map(() => [404, 'not_found']),
  )
  assert.deepEqual([await statusOf(bounced['theirs'] ?? ''), await statusOf(planned)], ['bounced', 'scheduled'])
  assert.equal((await bound.post(`${own}/retry`)).status, 200)
})

test('sandbox mail from a domain that nobody owns is visible to the key that sent it', async () => {
  const sandbox = await keyOf({ mode: 'sandbox', domain_ids: [ours] })
  const id = await send('a@elsewhere.example', {}, sandbox)
  assert.equal((await sandbox.get(`/api/v1/emails/${id}`)).status, 200)
})

test('a bound key cannot add a domain, because it would not see it', async () => {
  const { status, body } = await bound.post('/api/v1/customer/domains', { domain: 'new.example' })
  assert.deepEqual([status, body.code], [403, 'insufficient_scope'])
})

test('a bound key cannot take a tracking domain away from another domain, and is not told which domain uses it', async () => {
  const PATH = '/api/v1/customer/tracking-domains'
  const { id } = (await world.api.post(PATH, { domain: 'track.theirs.example' })).body
  const use = (domain: string): Promise<{ status: number }> =>
    world.api.patch(`/api/v1/customer/domains/${domain}`, { tracking_domain_id: id })
  assert.equal((await use(theirs)).status, 200)
  for (const names of [[], ['ours.example']]) {
    if (names.length > 0) assert.equal((await use(ours)).status, 200)
    for (const query of ['', '?force=true']) {
      const { status, body } = await bound.delete(`${PATH}/${id}${query}`)
      assert.deepEqual([status, body.code, body.details], [409, 'tracking_domain_in_use', { domains: names }])
    }
  }
  assert.equal((await world.api.get(`/api/v1/customer/domains/${theirs}`)).body.data.tracking_domain_id, id)
  const { id: own } = (await world.api.post(PATH, { domain: 'track.ours.example' })).body
  await world.api.patch(`/api/v1/customer/domains/${ours}`, { tracking_domain_id: own })
  assert.equal((await bound.delete(`${PATH}/${own}`)).status, 409)
  assert.equal((await bound.delete(`${PATH}/${own}?force=true`)).status, 200)
  assert.equal((await world.api.delete(`${PATH}/${id}?force=true`)).status, 200)
})

test('a report that a bound key hands in about an email of another domain matches nothing and can still be handed in later', async () => {
  const [own, other] = [bounced['ours'] ?? '', bounced['theirs'] ?? '']
  const { message_id: messageId } = (await world.api.get(`/api/v1/emails/${other}`)).body.data
  const mail = `Content-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\n\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: ${messageId}\r\n\r\n--b--\r\n`
  const post = (api: Api, what: string, body: object | string): ReturnType<Api['post']> =>
    typeof body === 'string'
      ? api.post(`/api/v1/inbound/${what}`, body, { 'content-type': 'message/rfc822' })
      : api.post(`/api/v1/inbound/${what}`, body)
  const nothing = { matched: false, email_id: null, type: null, suppressed: false }
  for (const [what, body] of [
    ['complaints', { email_id: other }],
    ['complaints', { message_id: messageId }],
    ['bounces', { email_id: other, type: 'hard' }],
    ['complaints', mail],
  ] as const) {
    const { status, body: answer } = await post(bound, what, body)
    const { id: _, ...data } = answer.data
    assert.deepEqual([status, data], [202, nothing], JSON.stringify(body))
  }
  assert.equal(await statusOf(other), 'bounced')
  assert.equal((await world.api.get('/api/v1/customer/suppressions/b@example.net')).status, 404)
  const known = await post(world.api, 'complaints', mail)
  assert.deepEqual([known.body.data.matched, known.body.data.type], [true, 'complaint'])
  assert.equal((await post(bound, 'complaints', { email_id: own })).body.data.matched, true)
  assert.equal(await statusOf(own), 'complained')
})

test('a bound key reads the account settings and cannot change them', async () => {
  const before = (await bound.get('/api/v1/customer/profile')).body.data
  const { status, body } = await bound.patch('/api/v1/customer/profile', { enforce_sender_verification: false })
  assert.deepEqual([status, body.code, body.details], [403, 'insufficient_scope', { required_scope: 'full' }])
  assert.deepEqual((await world.api.get('/api/v1/customer/profile')).body.data, before)
  assert.equal((await world.api.patch('/api/v1/customer/profile', { company: 'Shop' })).status, 200)
})
