import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { webhookReceiver } from '../../../test/world/webhook-receiver.ts'
import { startWorld, type TestAccount, type World } from '../../../test/world/world.ts'
import { statement } from '../../platform/db.ts'
import { append, type EventType, type NewEvent } from '../events/index.ts'

const PATH = '/api/v1/customer/webhooks'

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world[Symbol.asyncDispose]())

function event(account: TestAccount, over: Partial<NewEvent> = {}): NewEvent {
  const { clock, ids } = world.rooms.ground
  return {
    eventId: ids.next(),
    at: clock.now(),
    accountId: account.accountId,
    domainId: null,
    emailId: ids.next(),
    type: 'email.sent' as EventType,
    stream: 'transactional',
    sandbox: false,
    tag: 'a tag',
    data: { queued_at: clock.now().toISOString() },
    facts: {
      recipient: 'ann@x.test',
      from: 'shop@y.test',
      from_name: null,
      subject: 'Grüße',
      message_id: 'm@y.test',
      metadata: { order: 1 },
    },
    ...over,
  }
}

const tell = (events: readonly NewEvent[]): Promise<void> => append(world.rooms.database.system, events)

async function endpoint(account: TestAccount, body: object): Promise<{ id: string; secret: string }> {
  const made = await account.api.post(PATH, { events: ['*'], ...body })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data
}

// biome-ignore lint/suspicious/noExplicitAny: deliveries are looked into
async function deliveries(account: TestAccount, id: string, query = ''): Promise<any[]> {
  return (await account.api.get(`${PATH}/${id}/deliveries${query}`)).body.data
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await holds()); waited += 50) {
    if (waited > 60_000) throw new Error('it did not come about')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('an event arrives in the one shape, and both signatures hold for the bytes that were sent', async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  const { id, secret } = await endpoint(account, { url: `${receiver.url}/hook?a=b` })
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const sent = event(account)
  await tell([sent])
  await receiver.until(({ length }) => length === 1)
  const [one] = receiver.received
  assert.ok(one)
  assert.equal(one.path, '/hook?a=b')
  assert.deepEqual(one.body, {
    event_id: sent.eventId,
    event: 'email.sent',
    timestamp: sent.at.toISOString(),
    email_id: sent.emailId,
    tag: 'a tag',
    metadata: { order: 1 },
    data: {
      recipient: 'ann@x.test',
      from: 'shop@y.test',
      from_name: null,
      subject: 'Grüße',
      message_id: 'm@y.test',
      stream: 'transactional',
      domain_id: null,
      sandbox: false,
      ...sent.data,
    },
  })
  assert.equal(one.headers['x-webhook-signature'], createHmac('sha256', secret).update(one.bytes).digest('hex'))
  assert.equal(one.headers['webhook-id'], sent.eventId)
  new Webhook(secret).verify(one.bytes.toString(), one.headers as Record<string, string>)
  new SvixWebhook(secret).verify(one.bytes.toString(), one.headers as Record<string, string>)
  assert.throws(() => new SvixWebhook(secret).verify(`${one.bytes.toString()} `, one.headers as never))
  assert.throws(() => new Webhook(secret).verify(`${one.bytes.toString()} `, one.headers as Record<string, string>))
  await until(async () => (await deliveries(account, id))[0]?.status === 'success')
  const [delivery] = await deliveries(account, id)
  assert.deepEqual(
    [delivery.attempt, delivery.http_status, delivery.response_body, delivery.error, delivery.next_attempt_at],
    [1, 200, 'ok', null, null],
  )
  const shown = (await account.api.get(`${PATH}/${id}`)).body.webhook
  assert.deepEqual(
    [shown.last_delivery_status, shown.secret, shown.secret_last4],
    ['success', undefined, secret.slice(-4)],
  )
})

test('the deliveries of one email can be listed, pending ones too', async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  const { id } = await endpoint(account, { url: `${receiver.url}/in` })
  const waiting = await endpoint(account, { url: 'http://127.0.0.1:9/nobody-listens' })
  const [mine, other] = [event(account), event(account)]
  const later = event(account, { type: 'email.delivered', emailId: mine.emailId, facts: null })
  await tell([mine, other, later])
  const of = `?email_id=${mine.emailId}`
  await until(async () => (await deliveries(account, id, '?status=success')).length === 3)
  const told = await deliveries(account, id, of)
  assert.deepEqual(told.map(({ event: name }) => name).sort(), ['email.delivered', 'email.sent'])
  assert.ok(told.every(({ email_id: emailId }) => emailId === mine.emailId))
  const { pagination } = (await account.api.get(`${PATH}/${id}/deliveries${of}&limit=1`)).body
  assert.equal(pagination.total, 2)
  const next = await deliveries(account, id, `${of}&limit=1&cursor=${pagination.next_cursor}`)
  assert.deepEqual(next, told.slice(1))
  await until(async () => (await deliveries(account, waiting.id, `${of}&status=pending`)).length === 2)
  assert.deepEqual(await deliveries(account, id, `${of}&event=email.bounced`), [])
  assert.equal((await account.api.get(`${PATH}/${id}/deliveries?email_id=x`)).status, 400)
})

test('an endpoint gets only its events and domains, and nothing while it is disabled', async () => {
  const account = await world.newAccount()
  const domainId = await world.verifiedDomain('scoped.example', account)
  await using receiver = await webhookReceiver()
  const url = (name: string): string => `${receiver.url}/${name}`
  await endpoint(account, { url: url('all') })
  await endpoint(account, { url: url('domain'), domain_ids: [domainId] })
  await endpoint(account, { url: url('bounces'), events: ['email.bounced'], domain_ids: [] })
  const off = await endpoint(account, { url: url('off'), is_active: false })
  await tell([event(account), event(account, { domainId }), event(account, { type: 'email.bounced' })])
  await account.api.put(`${PATH}/${off.id}`, { is_active: true })
  await tell([event(account, { type: 'email.failed' })])
  await receiver.until(({ length }) => length >= 7)
  await new Promise((resolve) => setTimeout(resolve, 500))
  const heard = (name: string): string[] =>
    receiver.received.filter((one) => one.path === `/${name}`).map(({ body }) => body.event)
  assert.deepEqual(heard('all').sort(), ['email.bounced', 'email.failed', 'email.sent', 'email.sent'])
  assert.deepEqual(heard('domain'), ['email.sent'])
  assert.deepEqual(heard('bounces'), ['email.bounced'])
  assert.deepEqual(heard('off'), ['email.failed'])
})

test('domain and group endpoints get an event first, and nobody waits for one that fails', async () => {
  const account = await world.newAccount()
  const domainId = await world.verifiedDomain('ordered.example', account)
  await using receiver = await webhookReceiver()
  await endpoint(account, { url: `${receiver.url}/all` })
  const narrow = await endpoint(account, { url: `${receiver.url}/narrow`, domain_ids: [domainId] })
  receiver.answer = ({ path }, reply) => void setTimeout(() => reply.end(), path === '/narrow' ? 600 : 0)
  await tell([event(account, { domainId })])
  await receiver.until(({ length }) => length === 2)
  const [first, second] = receiver.received
  assert.deepEqual([first?.path, second?.path], ['/narrow', '/all'])
  const gap = (second?.atMs ?? 0) - (first?.atMs ?? 0)
  assert.ok(gap >= 590, `${gap}`)

  receiver.received.length = 0
  const held: { end(): void }[] = []
  receiver.answer = ({ path }, reply) => void (path === '/narrow' ? held.push(reply) : reply.end())
  await tell([event(account, { domainId })])
  await receiver.until(({ length }) => length === 2)
  const late = (receiver.received[1]?.atMs ?? 0) - (receiver.received[0]?.atMs ?? 0)
  assert.ok(late > 1_400, `held for ${late} ms`)
  for (const reply of held) reply.end()

  receiver.answer = ({ path }, reply) => void reply.writeHead(path === '/narrow' ? 500 : 200).end()
  await until(async () => (await deliveries(account, narrow.id, '?status=pending')).length === 0)
  receiver.received.length = 0
  await tell([event(account, { domainId })])
  await until(async () => (await account.api.get(`${PATH}/${narrow.id}`)).body.data.consecutive_failures === 1)
  receiver.received.length = 0
  receiver.answer = ({ path }, reply) => void (path === '/narrow' ? held.push(reply) : reply.end())
  // A slow machine may take as long as the hold once or twice.
  let waited = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 5 && waited >= 1_500; tries++) {
    receiver.received.length = 0
    const before = performance.now()
    await tell([event(account, { domainId })])
    await receiver.until((all) => all.some(({ path }) => path === '/all'))
    waited = (receiver.received.find(({ path }) => path === '/all')?.atMs ?? 0) - before
  }
  assert.ok(waited < 1_500, `${waited}`)
  for (const reply of held) reply.end()
})

test('an answer longer than the limit is not cut within a character', async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  const { id } = await endpoint(account, { url: receiver.url, events: ['test'] })
  for (const [said, kept] of [
    [`${'a'.repeat(4_095)}é`, 'a'.repeat(4_095)],
    ['€'.repeat(2_000), '€'.repeat(1_365)],
    // The replacement for NUL is longer than NUL.
    [Buffer.alloc(4_096), '\ufffd'.repeat(1_365)],
  ] as const) {
    receiver.answer = (_, reply) => void reply.end(said)
    assert.equal((await account.api.post(`${PATH}/${id}/test`)).body.data.response_body, kept)
  }
})

test('the test operation sends a signed test event and returns the answer, also when it failed', async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  const { id, secret } = await endpoint(account, { url: receiver.url, events: ['test'] })
  const good = await account.api.post(`${PATH}/${id}/test`)
  assert.deepEqual([good.status, good.body.success, good.body.data.http_status], [200, true, 200])
  const [one] = receiver.received
  assert.deepEqual(Object.keys(one?.body).sort(), ['customer_id', 'event', 'event_id', 'message', 'timestamp'])
  assert.deepEqual(
    [one?.body.event, one?.body.customer_id, one?.body.event_id],
    ['test', account.accountId, good.body.data.event_id],
  )
  new Webhook(secret).verify(one?.bytes.toString() ?? '', one?.headers as Record<string, string>)
  receiver.answer = (_, reply) => void reply.writeHead(500).end('broken')
  const bad = await account.api.post(`${PATH}/${id}/test`)
  assert.deepEqual([bad.status, bad.body.success, bad.body.data.response_body], [200, false, 'broken'])
  const log = await deliveries(account, id, '?event=test')
  assert.deepEqual(
    log.map((row) => [row.event, row.event_id, row.status, row.http_status, row.attempt, row.next_attempt_at]),
    [
      ['test', bad.body.data.event_id, 'failed', 500, 1, null],
      ['test', good.body.data.event_id, 'success', 200, 1, null],
    ],
  )
  const shown = (await account.api.get(`${PATH}/${id}`)).body.data
  assert.deepEqual([shown.last_delivery_status, shown.consecutive_failures], ['failed', 0])
  assert.equal((await account.api.post(`${PATH}/deliveries/${log[0].id}/replay`)).status, 409)
})

test('a receiver that answers 410 to the test operation is disabled too, once', async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  receiver.answer = (_, reply) => void reply.writeHead(410).end()
  const { id } = await endpoint(account, { url: receiver.url })
  const { body } = await account.api.post(`${PATH}/${id}/test`)
  assert.deepEqual([body.success, body.data.http_status], [false, 410])
  const shown = (await account.api.get(`${PATH}/${id}`)).body.data
  assert.deepEqual([shown.is_active, shown.disabled_reason], [false, 'gone'])
  assert.deepEqual(
    (await deliveries(account, id)).map((row) => [row.event, row.status, row.http_status]),
    [['test', 'failed', 410]],
  )
})

test('failures are retried on schedule with the same event_id, and then stay in the log as failed', async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  receiver.answer = (_, reply) => void reply.writeHead(503).end('down')
  const { id } = await endpoint(account, { url: receiver.url })
  await tell([event(account)])
  const waits = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]
  for (const [i, seconds] of waits.entries()) {
    await until(async () => (await deliveries(account, id))[0]?.attempt === i + 1)
    const [pending] = await deliveries(account, id)
    assert.equal(pending.status, 'pending')
    assert.equal(pending.http_status, 503)
    const leftMs = Date.parse(pending.next_attempt_at) - world.clock.now().getTime()
    assert.ok(leftMs <= seconds * 1_000 && leftMs > seconds * 1_000 - 60_000, `${leftMs} for ${seconds}`)
    world.clock.advance(leftMs)
  }
  await until(async () => (await deliveries(account, id))[0]?.status === 'failed')
  assert.equal(receiver.received.length, 8)
  assert.equal(new Set(receiver.received.map(({ body }) => body.event_id)).size, 1)
  const [failed] = await deliveries(account, id)
  receiver.answer = (_, reply) => void reply.end()
  assert.deepEqual((await account.api.post(`${PATH}/deliveries/${failed.id}/replay`)).body, {
    success: true,
    data: { queued: 1 },
  })
  await until(async () => (await deliveries(account, id, '?status=success')).length === 1)
  assert.equal(receiver.received.at(-1)?.body.event_id, failed.event_id)
})

test('a receiver may ask for a later retry, a single 410 disables it, and a redirect is not a success', async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  receiver.answer = ({ path }, reply) => {
    if (path === '/later') reply.writeHead(429, { 'retry-after': '3600' }).end()
    if (path === '/gone') reply.writeHead(410).end()
    if (path === '/moved') reply.writeHead(302, { location: `${receiver.url}/elsewhere` }).end()
  }
  const later = await endpoint(account, { url: `${receiver.url}/later` })
  const gone = await endpoint(account, { url: `${receiver.url}/gone` })
  const moved = await endpoint(account, { url: `${receiver.url}/moved` })
  await tell([event(account)])
  await until(async () => (await deliveries(account, later.id))[0]?.attempt === 1)
  const [pending] = await deliveries(account, later.id)
  assert.ok(Date.parse(pending.next_attempt_at) - world.clock.now().getTime() > 3_500_000)
  await until(async () => (await account.api.get(`${PATH}/${gone.id}`)).body.data.is_active === false)
  assert.equal((await account.api.get(`${PATH}/${gone.id}`)).body.data.disabled_reason, 'gone')
  await until(async () => (await deliveries(account, moved.id))[0]?.attempt === 1)
  assert.equal((await deliveries(account, moved.id))[0].http_status, 302)
  assert.ok(!receiver.received.some(({ path }) => path === '/elsewhere'))
  assert.equal(
    (await account.api.post(`${PATH}/${gone.id}/replay`, { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' }))
      .status,
    409,
  )
})

test('an endpoint that only fails for five days is disabled', async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  receiver.answer = (_, reply) => void reply.writeHead(500).end()
  const { id } = await endpoint(account, { url: receiver.url })
  await tell([event(account)])
  await until(async () => (await account.api.get(`${PATH}/${id}`)).body.data.consecutive_failures === 1)
  await world.rooms.database.system.execute(
    statement('test_failing', `update webhook set failing_since = failing_since - interval '5 days' where id = $1`),
    [id],
  )
  await tell([event(account)])
  await until(async () => (await account.api.get(`${PATH}/${id}`)).body.data.is_active === false)
  const { data } = (await account.api.get(`${PATH}/${id}`)).body
  assert.equal(data.disabled_reason, 'failing')
  const log = await deliveries(account, id)
  assert.deepEqual(
    log.map(({ status, http_status: http, attempt, next_attempt_at: next }) => [status, http, attempt > 0, next]),
    [
      ['failed', 500, true, null],
      ['failed', 500, true, null],
    ],
  )
  const on = (await account.api.put(`${PATH}/${id}`, { is_active: true })).body.data
  assert.deepEqual([on.disabled_at, on.disabled_reason, on.consecutive_failures], [null, null, 0])
})

test('attempts of a disabled endpoint stay in the log as failed, and can be replayed', async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  receiver.answer = (_, reply) => void reply.writeHead(503, { 'retry-after': '3600' }).end('busy')
  const { id } = await endpoint(account, { url: receiver.url })
  await tell([event(account)])
  await until(async () => (await deliveries(account, id))[0]?.attempt === 1)
  await account.api.put(`${PATH}/${id}`, { is_active: false })
  const [ended, ...more] = await deliveries(account, id)
  assert.deepEqual(more, [])
  assert.deepEqual(
    [ended.status, ended.attempt, ended.http_status, ended.response_body, ended.next_attempt_at],
    ['failed', 1, 503, 'busy', null],
  )
  await account.api.put(`${PATH}/${id}`, { is_active: true })
  receiver.answer = (_, reply) => void reply.end()
  assert.equal((await account.api.post(`${PATH}/deliveries/${ended.id}/replay`)).body.data.queued, 1)
  await until(async () => (await deliveries(account, id, '?status=success')).length === 1)
  assert.deepEqual(
    receiver.received.map(({ body }) => body.event_id),
    [ended.event_id, ended.event_id],
  )
})

test('20 endpoints created at once on a plan for one leave one', async () => {
  const account = await world.newAccount()
  await world.rooms.database.system.execute(
    statement('test_plan', `update account set plan = 'starter' where account_id = $1`),
    [account.accountId],
  )
  world.rooms.accounts.forget(account.accountId)
  const made = await Promise.all(
    Array.from({ length: 20 }, () => account.api.post(PATH, { url: 'http://x.test/hook', events: ['*'] })),
  )
  assert.deepEqual(
    [made.filter(({ status }) => status === 201).length, made.filter(({ status }) => status === 403).length],
    [1, 19],
  )
  const refused = made.find(({ status }) => status === 403)?.body
  assert.deepEqual([refused.code, refused.details], ['webhook_limit_reached', { limit: 1, plan: 'starter' }])
})

test('endpoints are listed, changed, given a new secret and removed only by their account', async () => {
  const account = await world.newAccount()
  const other = await world.newAccount()
  const domainId = await world.verifiedDomain('mine.example', account)
  const made = await endpoint(account, { url: 'http://x.test/hook' })
  const changed = await account.api.put(`${PATH}/${made.id}`, {
    domain_ids: [domainId],
    name: 'Shop',
    events: ['email.sent'],
  })
  assert.deepEqual(
    [changed.body.webhook.scope, changed.body.data.name, changed.body.data.events],
    ['domain', 'Shop', ['email.sent']],
  )
  assert.equal((await account.api.put(`${PATH}/${made.id}`, { domain_ids: null })).body.data.scope, 'all')
  const { body } = await account.api.get(PATH)
  assert.deepEqual([body.data.length, body.webhooks.length, body.pagination.total], [1, 1, 1])
  const again = await account.api.post(`${PATH}/${made.id}/regenerate-secret`)
  assert.deepEqual([again.body.success, again.body.secret === again.body.data.secret], [true, true])
  assert.notEqual(again.body.secret, made.secret)
  for (const [method, path] of [
    ['get', `${PATH}/${made.id}`],
    ['delete', `${PATH}/${made.id}`],
    ['get', `${PATH}/${made.id}/deliveries`],
  ] as const) {
    assert.equal((await other.api[method](path)).status, 404, path)
  }
  for (const path of ['test', 'regenerate-secret']) {
    assert.equal((await other.api.post(`${PATH}/${made.id}/${path}`)).status, 404, path)
  }
  const faults: [object, string][] = [
    [{ url: 'ftp://x.test' }, 'url'],
    [{ url: 'http://a:b@x.test' }, 'url'],
    [{ events: ['email.read'] }, 'events[0]'],
    [{ events: [] }, 'events'],
    [{ domain_ids: [made.id] }, 'domain_ids[0]'],
    [{ colour: 'red' }, 'colour'],
  ]
  for (const [change, field] of faults) {
    const refused = await account.api.put(`${PATH}/${made.id}`, change)
    assert.deepEqual([refused.status, refused.body.details.fields?.[0]?.field], [422, field], JSON.stringify(change))
  }
  const removed = await account.api.delete(`${PATH}/${made.id}`)
  assert.deepEqual(removed.body, {
    success: true,
    message: 'The webhook endpoint was removed',
    data: { id: made.id, deleted: true },
  })
  assert.equal((await account.api.get(`${PATH}/${made.id}`)).status, 404)
})

test('a period is replayed, limited to what the endpoint subscribes to', async () => {
  const account = await world.newAccount()
  const from = world.clock.now()
  const events = Array.from({ length: 5 }, () => event(account))
  await tell([...events, event(account, { type: 'email.failed' })])
  const to = new Date(world.clock.now().getTime() + 1_000)
  await using receiver = await webhookReceiver()
  const { id } = await endpoint(account, { url: receiver.url, events: ['email.sent'] })
  const replayed = await account.api.post(`${PATH}/${id}/replay`, { from: from.toISOString(), to: to.toISOString() })
  assert.deepEqual(replayed.body, { success: true, data: { queued: 5 } })
  await receiver.until(({ length }) => length >= 5)
  assert.deepEqual(
    new Set(receiver.received.map(({ body }) => body.event_id)),
    new Set(events.map(({ eventId }) => eventId)),
  )
  await until(async () => (await deliveries(account, id, '?status=success')).length === 5)
  assert.equal((await deliveries(account, id, '?limit=2&offset=3')).length, 2)
})

test('a receiver that never answers delays no other, and has few requests in progress', async () => {
  const account = await world.newAccount()
  await using slow = await webhookReceiver()
  await using quick = await webhookReceiver()
  slow.answer = () => undefined
  await endpoint(account, { url: slow.url })
  await endpoint(account, { url: quick.url })
  const before = performance.now()
  for (let i = 0; i < 5; i++) await tell(Array.from({ length: 100 }, () => event(account)))
  await quick.until(({ length }) => length === 500)
  assert.ok(performance.now() - before < 30_000)
  assert.ok(slow.mostAtOnce() <= 16)
})

const PYTHON = `
import base64, hashlib, hmac, json, sys
given = json.load(sys.stdin)
body = base64.b64decode(given['body'])
headers = given['headers']
hexadecimal = hmac.new(given['secret'].encode(), body, hashlib.sha256).hexdigest()
key = base64.b64decode(given['secret'].split('_', 1)[1])
signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
standard = 'v1,' + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
assert hmac.compare_digest(hexadecimal, headers['x-webhook-signature'])
assert hmac.compare_digest(standard, headers['webhook-signature'])
print(json.loads(body)['event'])
`
const hasPython = spawnSync('python3', ['--version']).status === 0

test("Python's hmac verifies both signatures", { skip: hasPython ? false : 'there is no python3' }, async () => {
  const account = await world.newAccount()
  await using receiver = await webhookReceiver()
  const { secret } = await endpoint(account, { url: receiver.url })
  await tell([event(account)])
  await receiver.until(({ length }) => length === 1)
  const [one] = receiver.received
  const input = JSON.stringify({ secret, body: one?.bytes.toString('base64'), headers: one?.headers })
  const { stdout, stderr, status } = spawnSync('python3', ['-c', PYTHON], { input, encoding: 'utf8' })
  assert.deepEqual([status, stdout.trim(), stderr], [0, 'email.sent', ''])
})
