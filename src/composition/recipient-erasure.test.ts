import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../test/world/accounts-fixture.ts'
import { tablesNaming } from '../../test/world/person-rows.ts'
import { startReceiver } from '../../test/world/receiver.ts'
import { webhookReceiver } from '../../test/world/webhook-receiver.ts'
import { type Reply, startWorld, type World } from '../../test/world/world.ts'
import { readUpTo } from '../modules/events/index.ts'
import { rebuildStatistics } from '../modules/statistics/index.ts'
import { statement } from '../platform/db.ts'
import { eraseNextRecipient } from './recipient-erasure.ts'

const NEVER = new AbortController().signal
const ERASURES = '/api/v1/customer/erasures'
const ZONES = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } }
const BODIES = statement('test_person_bodies', 'select count(*)::int as n from email_body where account_id = $1')

const bodiesOf = async (world: World): Promise<number> =>
  (await world.rooms.database.system.one<{ n: number }>(BODIES, [world.account.accountId]))?.n ?? 0

/** @returns whether the request is completed */
async function erased(world: World, id: string): Promise<boolean> {
  const { database, ground } = world.rooms
  world.clock.advance(301_000)
  while (await eraseNextRecipient({ database, ground }, NEVER)) {}
  return (await world.api.get(`${ERASURES}/${id}`)).body.data.status === 'completed'
}

const mail = (to: string | string[], more: object = {}): object => ({
  ...{ from: 'Shop <a@shop.example>', to, subject: 'For Jo', tag: 'news', metadata: { name: 'Jo Smith' } },
  ...{
    html: '<p>Dear Jo Smith, <a href="https://shop.example/jo">look</a> {{unsubscribe}}</p>',
    tracking_enabled: true,
  },
  ...more,
})

async function accepted(world: World, body: object, api = world.api): Promise<string> {
  const { status, body: answer } = await api.post('/api/v1/send', body)
  assert.equal(status, 202, JSON.stringify(answer))
  return answer.data.email_id
}

const reaches = (world: World, id: string, status: string): Promise<unknown> =>
  until(async () => (await world.api.get(`/api/v1/emails/${id}`)).body.data.status === status)

test('an erased recipient is named nowhere, and figures and other recipients stay as they were', async () => {
  await using mx = await startReceiver({
    rcpt: (address: string) => (address.includes('gone') ? '550 5.1.1 no jo.gone@example.net here' : '250 ok'),
  })
  await using hook = await webhookReceiver()
  await using world = await startWorld({ zones: ZONES, settings: { POSTHORN_SMTP_PORT: String(mx.port) } })
  const { api, testApi } = world.account
  await world.verifiedDomain('shop.example')
  assert.equal((await api.post('/api/v1/customer/webhooks', { url: hook.url, events: ['*'] })).status, 201)
  await api.post('/api/v1/customer/contacts', { email: 'Jo.Smith@example.net', name: 'Jo Smith', double_opt_in: false })
  await api.post('/api/v1/address/validate', { email: 'jo.smith@example.net' })

  const id = await accepted(world, mail('Jo.Smith@example.net'))
  const shared = await accepted(world, mail(['jo.smith@example.net', 'ann@example.net'], { subject: 'For both' }))
  const test = await accepted(world, mail('jo.smith@example.net'), testApi)
  const later = new Date(world.clock.now().getTime() + 86_400_000).toISOString()
  const scheduled = await accepted(world, mail('jo.smith@example.net', { scheduled_at: later }))
  for (const one of [id, shared, test]) await reaches(world, one, 'delivered')
  const raw = mx.messages.map(({ data }) => data.toString('latin1').replace(/=\r\n/g, '').replace(/=3D/g, '='))
  const own = raw.find((text) => text.includes('Subject: For Jo')) ?? ''
  const linkOf = (kind: string): string =>
    new URL(new RegExp(`href="(https?:[^"]+/track/${kind}/[^"]+)"`).exec(own)?.[1] ?? '').pathname
  const person = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
  world.clock.advance(60_000)
  assert.equal((await fetch(world.url + linkOf('c'), { redirect: 'manual', headers: person })).status, 302)
  await until(async () => {
    world.clock.advance(5_000)
    return (await world.api.get(`/api/v1/events?event=email.opened&email_id=${id}`)).body.data.length === 1
  })
  const left = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: '' }
  assert.equal((await fetch(world.url + linkOf('u'), left)).status, 200)
  await until(async () => (await world.api.get('/api/v1/customer/unsubscribes')).body.pagination.total === 1)
  await api.delete('/api/v1/customer/unsubscribes/jo.smith@example.net')
  await api.post('/api/v1/customer/suppressions', { email: 'jo.smith@example.net', details: 'Jo Smith asked' })

  const figures = async (): Promise<Reply['body']> => {
    const { data } = (await api.get('/api/v1/stats/outbound?include_sandbox=true')).body
    return data
  }
  const { status, body } = await api.post(ERASURES, { email: ' JO.Smith@Example.NET ' })
  assert.equal(status, 201, JSON.stringify(body))
  const { id: erasure } = body.data
  assert.deepEqual(
    { ...body.data, id: null, created_at: null },
    {
      ...{ id: null, email: 'jo.smith@example.net', status: 'pending', emails_canceled: 1, emails_erased: 0 },
      ...{ created_at: null, completed_at: null },
    },
  )
  assert.equal((await api.post(ERASURES, { email: 'jo.smith@example.net' })).body.data.id, erasure)
  assert.equal((await api.post('/api/v1/send', mail('jo.smith@example.net'))).body.code, 'recipient_unsubscribed')
  await reaches(world, scheduled, 'canceled')
  await until(async () => {
    const { sent, clicks, unsubscribes } = await figures()
    return sent === 4 && clicks === 1 && unsubscribes === 1
  })
  const before = await figures()
  await until(() => erased(world, erasure))

  const done = (await api.get(`${ERASURES}/${erasure}`)).body.data
  assert.deepEqual([done.email, done.emails_canceled, done.emails_erased], [null, 1, 4])
  assert.deepEqual(await tablesNaming(world, 'jo.smith@example.net'), [])
  // The message to both carries the words for its other recipient.
  assert.deepEqual(await tablesNaming(world, 'Jo Smith'), ['email', 'event'])
  for (const one of [id, test, scheduled]) assert.equal((await api.get(`/api/v1/emails/${one}`)).status, 404)
  const others = (await api.get('/api/v1/emails')).body.data
  assert.deepEqual(
    others.map(({ to }: { to: string }) => to),
    ['ann@example.net'],
  )
  const ann = (await api.get(`/api/v1/emails/${others[0].id}`)).body.data
  assert.match(ann.html, /look/)
  assert.equal(await bodiesOf(world), 1)
  assert.equal((await api.get('/api/v1/inbox')).body.pagination.total, 0)

  // What happened stays in the log, without the person.
  const click = (await api.get('/api/v1/events?event=email.clicked')).body.data[0]
  assert.deepEqual([click.email_id, click.tag, click.metadata, click.data.is_machine], [id, 'news', null, false])
  for (const field of ['recipient', 'subject', 'url', 'ip', 'user_agent', 'client'])
    assert.equal(click.data[field], null, field)
  const unsubscribed = (await api.get('/api/v1/events?event=email.unsubscribed')).body.data[0]
  assert.deepEqual([unsubscribed.data.email, unsubscribed.data.source], [null, 'link'])
  assert.deepEqual(await figures(), before)
  await rebuildStatistics(world.rooms.database)
  assert.deepEqual(await figures(), before)

  // Old links go on, and write nobody down again.
  assert.equal((await fetch(world.url + linkOf('c'), { redirect: 'manual', headers: person })).status, 302)
  assert.equal((await fetch(world.url + linkOf('u'), left)).status, 200)
  await until(async () => {
    world.clock.advance(5_000)
    return (await world.api.get('/api/v1/events?event=email.clicked')).body.pagination.total === 2
  })
  assert.deepEqual(await tablesNaming(world, 'jo.smith@example.net'), [])
  assert.equal((await api.post('/api/v1/send', mail('jo.smith@example.net'))).body.code, 'recipient_unsubscribed')
})

test('what a webhook is still to be told waits, and a message loses its content with its last recipient', async () => {
  await using mx = await startReceiver()
  await using hook = await webhookReceiver()
  await using world = await startWorld({ zones: ZONES, settings: { POSTHORN_SMTP_PORT: String(mx.port) } })
  const { api } = world.account
  await world.verifiedDomain('shop.example')
  hook.answer = (_, reply) => void reply.writeHead(500).end()
  assert.equal(
    (await api.post('/api/v1/customer/webhooks', { url: hook.url, events: ['email.delivered'] })).status,
    201,
  )
  const id = await accepted(world, mail(['jo@example.net', 'ann@example.net']))
  await reaches(world, id, 'delivered')
  await until(() => Promise.resolve(hook.received.length >= 2))
  const ids: string[] = []
  for (const email of ['jo@example.net', 'ann@example.net'])
    ids.push((await api.post(ERASURES, { email })).body.data.id)
  for (const one of ids) assert.equal(await erased(world, one), false, 'its deliveries are pending')
  assert.equal((await api.get('/api/v1/emails')).body.pagination.total, 2)
  hook.answer = (_, reply) => void reply.end()
  await until(async () => (await erased(world, ids[0] ?? '')) && (await erased(world, ids[1] ?? '')))
  assert.ok(hook.received.every(({ body }) => body.data.recipient.endsWith('@example.net')))
  assert.equal((await api.get('/api/v1/emails')).body.pagination.total, 0)
  assert.equal(await bodiesOf(world), 0)
})

test('an erasure that was broken off is continued, counts each email once and spares what is sent later', async () => {
  await using world = await startWorld()
  const { database, ground } = world.rooms
  const { api, testApi } = world.account
  await world.verifiedDomain('shop.example')
  const messages = Array.from({ length: 130 }, () => mail('jo@example.net'))
  assert.equal((await testApi.post('/api/v1/send/batch', { messages })).body.summary.accepted, 130)
  await until(async () => (await api.get('/api/v1/emails?status=delivered')).body.pagination.total === 130)
  const now = world.clock.now()
  await until(async () => (await readUpTo(database.system, now)) >= now)
  const { id } = (await api.post(ERASURES, { email: 'jo@example.net' })).body.data
  assert.equal(await eraseNextRecipient({ database, ground }, NEVER), false, 'mail in acceptance is stored first')
  assert.equal((await api.delete('/api/v1/customer/unsubscribes/jo@example.net')).status, 200)
  world.clock.advance(31_000)
  await until(async () => {
    world.clock.advance(1_000)
    const ended = new AbortController()
    ended.abort(new Error('the process ends'))
    await eraseNextRecipient({ database, ground }, ended.signal).catch((error: Error) =>
      assert.match(error.message, /ends/),
    )
    return (await api.get(`${ERASURES}/${id}`)).body.data.emails_erased > 0
  })
  assert.equal((await api.get('/api/v1/emails')).body.pagination.total, 30)
  const anew = await accepted(world, mail('jo@example.net'), testApi)
  await reaches(world, anew, 'delivered')
  assert.equal(await erased(world, id), false, 'leased to the worker that ended')
  await until(() => erased(world, id))
  assert.equal((await api.get(`${ERASURES}/${id}`)).body.data.emails_erased, 130)
  assert.deepEqual(
    (await api.get('/api/v1/emails')).body.data.map((one: { id: string }) => one.id),
    [anew],
  )
  const again = await api.post(ERASURES, { email: 'jo@example.net' })
  assert.deepEqual([again.status, again.body.data.id === id], [201, false])
  const { data, pagination } = (await api.get(`${ERASURES}?limit=1`)).body
  assert.deepEqual([data[0].id, pagination.total], [again.body.data.id, 2])
})

test('mail that was in acceptance when the erasure was requested is canceled, and does not keep it open', async () => {
  await using world = await startWorld()
  const { api } = world.account
  await world.verifiedDomain('shop.example')
  const { id } = (await api.post(ERASURES, { email: 'jo@example.net' })).body.data
  // The lists did not stop this one yet: it is stored after the request has looked for what waits.
  assert.equal((await api.delete('/api/v1/customer/unsubscribes/jo@example.net')).status, 200)
  const later = new Date(world.clock.now().getTime() + 20 * 86_400_000).toISOString()
  await accepted(world, mail('jo@example.net', { scheduled_at: later }))
  const other = await accepted(world, mail('ann@example.net', { scheduled_at: later }))
  world.clock.advance(31_000)
  const anew = await accepted(world, mail('jo@example.net', { scheduled_at: later }))
  const request = async (): Promise<Reply['body']> => (await api.get(`${ERASURES}/${id}`)).body.data
  await erased(world, id)
  assert.equal((await request()).emails_canceled, 1)
  await until(() => erased(world, id))
  assert.equal((await request()).emails_erased, 1)
  const left = (await api.get('/api/v1/emails?status=scheduled')).body.data
  assert.deepEqual(left.map((one: { id: string }) => one.id).sort(), [other, anew].sort())
})

test('a key bound to a domain erases nobody, and a bad address is told', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const { api } = world.account
  const domain = await world.verifiedDomain('shop.example')
  const made = await api.post('/api/v1/customer/api-keys', { name: 'k', domain_ids: [domain] })
  const bound = world.apiWith(made.body.data.key)
  const contact = await api.post('/api/v1/customer/contacts', { email: 'jo@example.net', double_opt_in: false })
  const refused = [
    await bound.post(ERASURES, { email: 'jo@example.net' }),
    await bound.delete(`/api/v1/customer/contacts/${contact.body.data.id}?erase=true`),
  ]
  assert.deepEqual(
    refused.map(({ status, body }) => `${status} ${body.code}`),
    Array(2).fill('403 insufficient_scope'),
  )
  assert.equal((await api.get(`/api/v1/customer/contacts/${contact.body.data.id}`)).status, 200)
  for (const body of [{}, { email: 'jo@' }, { email: 7 }, { email: 'jo@example.net', reason: 'x' }]) {
    const { status, body: answer } = await api.post(ERASURES, body)
    assert.deepEqual([status, answer.code], [422, 'validation_error'])
  }
  assert.equal((await api.get(ERASURES)).body.pagination.total, 0)
})
