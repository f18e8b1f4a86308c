// Stories through the public interfaces that need no network: what the contract promises every account on every route.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import { documentOf } from './world/document.ts'
import { startWorld } from './world/world.ts'

const MAIL = { from: 'you@example.com', to: 'someone@example.net', subject: 'First mail', html: '<h1>It works</h1>' }

test('a test key sends from any domain, and the mail is sandboxed', async () => {
  await using world = await startWorld()
  const { status, body } = await world.account.testApi.post('/api/v1/send', MAIL)
  assert.equal(status, 202, JSON.stringify(body))
  assert.equal(body.success, true)
  assert.equal(body.data.status, 'sandboxed')
  const one = await world.api.get(`/api/v1/emails/${body.data.email_id}`)
  assert.equal(one.body.data.html, MAIL.html)
  assert.equal(one.body.data.events[0].event, 'email.sent')
})

test('a live key sends only from a verified domain of the account', async () => {
  await using world = await startWorld()
  const foreign = await world.api.post('/api/v1/send', MAIL)
  assert.deepEqual([foreign.status, foreign.body.code], [403, 'sender_domain_not_allowed'])
  assert.deepEqual(foreign.body.details, { domain: 'example.com' })
  await world.api.post('/api/v1/customer/domains', { domain: 'pending.example' })
  const pending = await world.api.post('/api/v1/send', { ...MAIL, from: 'a@pending.example' })
  assert.deepEqual([pending.status, pending.body.code], [422, 'sender_not_verified'])
  await world.verifiedDomain('shop.example')
  const sent = await world.api.post('/api/v1/send', { ...MAIL, from: 'Shop <a@shop.example>' })
  assert.deepEqual([sent.status, sent.body.data?.status], [202, 'queued'])
  const sub = await world.api.post('/api/v1/send', { ...MAIL, from: 'a@mail.shop.example' })
  assert.equal(sub.body.code, 'sender_domain_not_allowed')
})

test('200 parallel sends under one idempotency key make one email', async () => {
  await using world = await startWorld()
  const replies = await Promise.all(
    Array.from({ length: 200 }, () =>
      world.account.testApi.post('/api/v1/send', MAIL, { 'idempotency-key': 'order-1' }),
    ),
  )
  const accepted = replies.filter(({ status }) => status === 202)
  assert.ok(accepted.length >= 1)
  assert.ok(replies.every(({ status, body }) => status === 202 || body.code === 'idempotency_in_progress'))
  assert.equal(new Set(accepted.map(({ body }) => body.data.email_id)).size, 1)
  const again = await world.account.testApi.post('/api/v1/send', MAIL, { 'idempotency-key': 'order-1' })
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [202, 'true'])
  const other = await world.account.testApi.post(
    '/api/v1/send',
    { ...MAIL, subject: 'x' },
    { 'idempotency-key': 'order-1' },
  )
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
  assert.equal((await world.api.get('/api/v1/emails')).body.pagination.total, 1)
})

test('a body is the same in whatever order its fields come, under an idempotency key', async () => {
  await using world = await startWorld()
  const headers = { 'idempotency-key': 'order-2' }
  const asked = async (path: string, body: object) => {
    const { status, headers: answered, body: answer } = await world.account.testApi.post(path, body, headers)
    return { status, replayed: answered.get('idempotent-replayed'), answer }
  }
  const to = { email: 'b@example.net', name: 'Bo' }
  const mail = { ...MAIL, to: [to, 'c@example.net'], metadata: { order: 7, lines: [{ sku: 'x', count: 2 }] } }
  const turned = turnedRound(mail) as object
  assert.notEqual(JSON.stringify(turned), JSON.stringify(mail))
  const calls = [
    ['/api/v1/send', mail, turned],
    ['/api/v1/send/batch', { messages: [mail] }, { messages: [turned] }],
  ] as const
  for (const [path, body, again] of calls) {
    const first = await asked(path, body)
    assert.ok(first.status < 300, JSON.stringify(first.answer))
    assert.deepEqual(await asked(path, again), { ...first, replayed: 'true' }, path)
  }
  const other = await asked('/api/v1/send', { ...mail, to: ['c@example.net', to] })
  assert.deepEqual([other.status, other.answer.code], [422, 'idempotency_key_reused'], 'lists have an order')
})

/** The same value with the fields of each object in the other order. */
function turnedRound(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnedRound)
  if (value === null || typeof value !== 'object') return value
  const fields = Object.entries(value).map(([name, inner]) => [name, turnedRound(inner)])
  return Object.fromEntries(fields.reverse())
}

test('a refused request frees its idempotency key', async () => {
  await using world = await startWorld()
  const headers = { 'idempotency-key': 'k' }
  const refused = await world.api.post('/api/v1/send', { ...MAIL, from: 'a@later.example' }, headers)
  assert.equal(refused.status, 403)
  await world.verifiedDomain('later.example')
  assert.equal((await world.api.post('/api/v1/send', { ...MAIL, from: 'a@later.example' }, headers)).status, 202)
})

test('unsubscribed and suppressed recipients are refused, the other recipients of the mail get it', async () => {
  await using world = await startWorld()
  await world.verifiedDomain('shop.example')
  await world.api.post('/api/v1/customer/unsubscribes', { email: 'Gone@Example.net' })
  await world.api.post('/api/v1/customer/suppressions', { email: 'dead@example.net' })
  const mail = { ...MAIL, from: 'a@shop.example' }
  const all = await world.api.post('/api/v1/send', { ...mail, to: 'gone@example.net' })
  assert.deepEqual([all.status, all.body.code], [422, 'recipient_unsubscribed'])
  assert.equal(all.body.details.overridable, false)
  const some = await world.api.post('/api/v1/send', {
    ...mail,
    to: ['a@example.net', 'gone@example.net', 'dead@example.net'],
  })
  assert.equal(some.status, 202)
  assert.deepEqual(
    some.body.data.recipients.map(({ status, reason }: { status: string; reason: string | null }) => [status, reason]),
    [
      ['queued', null],
      ['unsubscribed', 'recipient_unsubscribed'],
      ['suppressed', 'recipient_suppressed'],
    ],
  )
})

test('a batch answers for each message, a strict batch sends all or none', async () => {
  await using world = await startWorld()
  const messages = [MAIL, { ...MAIL, to: 'not an address' }, { ...MAIL, subject: 'third' }]
  const loose = await world.account.testApi.post('/api/v1/send/batch', { messages })
  assert.deepEqual([loose.status, loose.body.summary], [200, { total: 3, accepted: 2, rejected: 1 }])
  assert.equal(loose.body.data[1].error.code, 'validation_error')
  const strict = await world.account.testApi.post(
    '/api/v1/send/batch',
    { messages },
    { 'x-batch-validation': 'strict' },
  )
  assert.deepEqual([strict.status, strict.body.code], [422, 'validation_error'])
  assert.deepEqual(strict.body.details.messages, [{ index: 1, code: 'validation_error' }])
  assert.equal((await world.api.get('/api/v1/emails')).body.pagination.total, 2)
  for (const bad of [[], Array.from({ length: 501 }, () => MAIL)]) {
    assert.equal((await world.account.testApi.post('/api/v1/send/batch', { messages: bad })).status, 422)
  }
})

test('a scheduled email can be rescheduled and canceled, and another account cannot find it', async () => {
  await using world = await startWorld()
  const at = new Date(world.clock.now().getTime() + 3_600_000).toISOString()
  const { body } = await world.account.testApi.post('/api/v1/send', { ...MAIL, scheduled_at: at })
  assert.equal(body.data.status, 'scheduled')
  assert.equal(body.data.scheduled_at, at)
  const id = body.data.email_id
  const later = new Date(world.clock.now().getTime() + 7_200_000).toISOString()
  const moved = await world.api.patch(`/api/v1/emails/${id}`, { scheduled_at: later })
  assert.deepEqual([moved.status, moved.body.data.scheduled_at], [200, later])
  const stranger = await world.newAccount()
  for (const reply of [
    await stranger.api.get(`/api/v1/emails/${id}`),
    await stranger.api.post(`/api/v1/emails/${id}/cancel`),
    await stranger.api.patch(`/api/v1/emails/${id}`, { scheduled_at: later }),
  ]) {
    assert.deepEqual([reply.status, reply.body.code], [404, 'not_found'])
  }
  const canceled = await world.api.post(`/api/v1/emails/${id}/cancel`)
  assert.deepEqual([canceled.status, canceled.body.data.status], [200, 'canceled'])
  assert.deepEqual((await world.api.post(`/api/v1/emails/${id}/cancel`)).body.code, 'not_cancelable')
})

test('a rescheduled email keeps its delivery deadline', async () => {
  await using world = await startWorld()
  const inHours = (hours: number): string => new Date(world.clock.now().getTime() + hours * 3_600_000).toISOString()
  const times = { scheduled_at: inHours(1), expires_at: inHours(3) }
  const made = await world.account.testApi.post('/api/v1/send', { ...MAIL, ...times })
  const place = `/api/v1/emails/${made.body.data.email_id}`
  for (const scheduled_at of [inHours(2), inHours(0.5)]) {
    const { status, body } = await world.api.patch(place, { scheduled_at })
    assert.deepEqual([status, body.data.scheduled_at, body.data.expires_at], [200, scheduled_at, times.expires_at])
  }
  const late = await world.api.patch(place, { scheduled_at: times.expires_at })
  assert.deepEqual(
    [late.status, late.body.code, late.body.details.fields[0].field],
    [422, 'validation_error', 'scheduled_at'],
  )
  const usual = await world.account.testApi.post('/api/v1/send', { ...MAIL, scheduled_at: inHours(1) })
  const later = inHours(10)
  const moved = await world.api.patch(`/api/v1/emails/${usual.body.data.email_id}`, { scheduled_at: later })
  assert.equal(Date.parse(moved.body.data.expires_at) - Date.parse(later), 72 * 3_600_000)
})

test('metadata and tag are returned as they were sent', async () => {
  await using world = await startWorld()
  const metadata = { order: 7, nested: { list: [1, 'zwei', null] }, ключ: 'значение' }
  const { body } = await world.account.testApi.post('/api/v1/send', { ...MAIL, tag: 'welcome', metadata })
  const one = await world.api.get(`/api/v1/emails/${body.data.email_id}`)
  assert.deepEqual([one.body.data.tag, one.body.data.metadata], ['welcome', metadata])
  assert.equal(JSON.stringify(one.body.data.events[0].metadata), JSON.stringify(metadata))
  assert.equal((await world.api.get('/api/v1/emails?tag=welcome')).body.pagination.total, 1)
  assert.equal((await world.api.get('/api/v1/emails?tag=other')).body.pagination.total, 0)
  assert.equal((await world.api.get('/api/v1/emails?search=FIRST')).body.pagination.total, 1)
  assert.equal((await world.api.get('/api/v1/emails?search=%25')).body.pagination.total, 0)
})

test('the document names the request headers of a call and the answer to a body that the call does not take', async () => {
  await using world = await startWorld()
  const { paths } = await documentOf(world.api)
  const headersOf = (path: string, method: string): string[] =>
    paths[path][method].parameters.flatMap((one: { in: string; name: string }) =>
      one.in === 'header' ? [one.name] : [],
    )
  assert.deepEqual(headersOf('/api/v1/send', 'post'), ['Idempotency-Key'])
  assert.deepEqual(headersOf('/api/v1/send/batch', 'post'), ['Idempotency-Key', 'X-Batch-Validation'])
  assert.deepEqual(headersOf('/api/v1/events/stream', 'get'), ['Last-Event-ID'])
  const id = '01890000-0000-7000-8000-000000000000'
  const bodies: [body: string, type: string][] = [
    ['{', 'application/json'],
    ['<a/>', 'text/xml'],
    ['{"unknown":1}', 'application/json'],
    [' '.repeat(1_048_577), 'application/json'],
  ]
  for (const path of ['/api/v1/emails/{id}/cancel', '/api/customer/domains/{id}/verify']) {
    const { responses } = paths[path].post
    for (const [body, type] of bodies) {
      const reply = await world.api.post(path.replace('{id}', id), body, { 'content-type': type })
      assert.ok(responses[reply.status].description.split(', ').includes(reply.body.code), `${path} ${reply.body.code}`)
    }
  }
  const refused = await world.api.get('/api/v1/events/stream', { 'last-event-id': 'x' })
  assert.deepEqual([refused.status, refused.body.details.parameter], [400, 'Last-Event-ID'])
  const listed = 'left@example.net'
  await world.verifiedDomain('shop.example')
  await world.api.post('/api/v1/customer/unsubscribes', { email: listed })
  const contact = await world.api.post('/api/v1/customer/contacts', { email: listed })
  const { description } = paths['/api/v1/customer/contacts'].post.responses[contact.status]
  assert.deepEqual([contact.status, description.includes(contact.body.code)], [422, true], contact.body.code)
})

test('the limits that the document states for a body are enforced', async () => {
  await using world = await startWorld()
  const { testApi } = world.account
  const { paths } = await documentOf(testApi)
  const bodyOf = (path: string) => paths[path].post.requestBody.content['application/json'].schema
  const send = bodyOf('/api/v1/send').properties
  const mail = { from: 'a@shop.example', to: 'b@example.net', subject: 's', text: 't' }
  const rules = async (change: object): Promise<string[]> => {
    const { body } = await testApi.post('/api/v1/send', { ...mail, ...change })
    return (body.details?.fields ?? []).map(({ field, rule }: { field: string; rule: string }) => `${field} ${rule}`)
  }
  assert.match(JSON.stringify(send.to), /"minItems":1/)
  assert.deepEqual(await rules({ to: [] }), ['to minItems'])
  assert.match(JSON.stringify(send.from_name), /"maxLength":998/)
  assert.deepEqual(await rules({ from_name: 'n'.repeat(999) }), ['from_name maxLength'])
  assert.deepEqual(await rules({ from_name: 'n'.repeat(998) }), [])
  assert.equal(bodyOf('/api/v1/send/batch').additionalProperties, false)
  assert.equal((await testApi.post('/api/v1/send/batch', { messages: [mail], more: 1 })).status, 422)
  const { body: made } = await world.api.post('/api/v1/templates', { name: 'n', subject: 's', text: 't' })
  const preview = `/api/v1/templates/${made.data.id}/preview`
  assert.equal((await world.api.post(preview, { version: null, variables: null })).status, 200)
  const draft = await world.api.post('/api/v1/templates/preview', {
    ...{ subject: '{{x}}', html: null, text: 't' },
    variables: null,
  })
  assert.deepEqual(draft.body.data, { subject: '', html: null, text: 't', missing: ['x'] })
  const broken = await world.api.post('/api/v1/templates/preview', { subject: 's', html: '{{#x}}' })
  assert.deepEqual(
    broken.body.details.fields.map(({ field, rule }: { field: string; rule: string }) => [field, rule]),
    [['html', 'template']],
  )
})

test('null is the same as an absent field in a send and a preview', async () => {
  await using world = await startWorld()
  const { testApi } = world.account
  const mail = { from: 'a@shop.example', to: 'b@example.net', subject: 's', text: 't' }
  const { paths } = await documentOf(testApi)
  const emptyOf = (path: string): Record<string, null> => {
    const { properties } = paths[path].post.requestBody.content['application/json'].schema
    return Object.fromEntries(Object.keys(properties).map((name) => [name, null]))
  }
  const empty = emptyOf('/api/v1/send')
  const attachment = { filename: 'a.txt', content: '', content_type: null, content_id: null, disposition: null }
  const sent = await testApi.post('/api/v1/send', {
    ...empty,
    ...mail,
    to: { email: 'b@example.net', name: null },
    attachments: [attachment],
  })
  assert.equal(sent.status, 202, JSON.stringify(sent.body))
  assert.equal((await testApi.post('/api/v1/send', { ...empty, ...mail })).status, 202)
  const previewed = await testApi.post('/api/v1/risk/preview', {
    ...emptyOf('/api/v1/risk/preview'),
    to: 'b@example.net',
    subject: 's',
    text: 't',
  })
  assert.equal(previewed.status, 200, JSON.stringify(previewed.body))
  const faults = (await testApi.post('/api/v1/send', empty)).body.details.fields
  const named = new Set(faults.map(({ field }: { field: string }) => field))
  assert.deepEqual([...named].sort(), ['from', 'html', 'subject', 'to'])
})

test('a stop answers the requests under way and does not wait for connections that have sent none', async () => {
  const world = await startWorld()
  const port = Number(new URL(world.url).port)
  const connected = async (): Promise<net.Socket> => {
    const socket = net.connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }
  // The first connection has sent nothing, the second was answered and is kept alive, the third is in the middle of its body.
  const [unused, idle, busy] = [await connected(), await connected(), await connected()]
  idle.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(idle, 'data')
  const closed = Promise.all([unused, idle].map((socket) => once(socket, 'close')))
  busy.write(
    `POST /api/v1/send HTTP/1.1\r\nHost: x\r\nX-API-Key: ${world.account.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`,
  )
  assert.match(String((await once(busy, 'data'))[0]), /^HTTP\/1\.1 100 /)
  busy.write('{')
  const stopped = world[Symbol.asyncDispose]()
  await closed
  const answered = once(busy, 'data')
  busy.write('       }')
  assert.match(String(await answered), /^HTTP\/1\.1 422 /)
  await stopped
})

test('a domain with a tracking domain shows its CNAME among the optional records', async () => {
  await using world = await startWorld()
  const { api, zones } = world
  const domain = await api.post('/api/v1/customer/domains', { domain: 'shop.example' })
  const tracking = await api.post('/api/v1/customer/tracking-domains', { domain: 'link.shop.example' })
  const place = `/api/v1/customer/domains/${domain.body.data.id}`
  const record = async () =>
    (await api.get(`${place}/dns`)).body.optional_records.find(
      ({ purpose }: { purpose: string }) => purpose === 'tracking',
    )
  assert.equal(await record(), undefined)
  await api.patch(place, { tracking_domain_id: tracking.body.data.id })
  const { name, host, type, value, required, status } = await record()
  assert.deepEqual(
    [name, host, type, value, required, status],
    ['link.shop.example', 'link', 'CNAME', tracking.body.data.cname_target, false, 'pending'],
  )
  zones.declare({ 'link.shop.example': { CNAME: [value] } })
  await api.post(`/api/v1/customer/tracking-domains/${tracking.body.data.id}/verify`)
  const verified = await record()
  assert.deepEqual([verified.status, verified.found, verified.error], ['valid', [value], null])
})

test('two headers with different API keys are refused in either order; the same key twice is one key', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const { apiKey, testApiKey } = world.account
  const answerTo = async (...fields: readonly string[]): Promise<string> => {
    const socket = net.connect(Number(new URL(world.url).port), '127.0.0.1')
    socket.write(`GET /api/v1/templates HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fields.join('\r\n')}\r\n\r\n`)
    const text = (await socket.setEncoding('utf8').toArray()).join('')
    return `${text.slice(9, 12)} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`
  }
  const [live, test] = [`Authorization: Bearer ${apiKey}`, `authorization: Bearer ${testApiKey}`]
  for (const fields of [
    [live, test],
    [test, live],
    [live, test, `X-API-Key: ${apiKey}`],
    [live, `X-API-Key: ${testApiKey}`],
    [`X-API-Key: ${apiKey}`, `X-API-Key: ${testApiKey}`],
  ]) {
    assert.equal(await answerTo(...fields), '401 invalid_api_key', fields.join(' '))
  }
  assert.equal(await answerTo(live, live), '200 ')
  assert.equal(await answerTo(live, `X-API-Key: ${apiKey}`), '200 ')
})
