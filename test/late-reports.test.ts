// What happened more than a week ago and is learned of now: followers of the log look no further back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensurePartitions } from '../src/composition/housekeeping.ts'
import { statement } from '../src/platform/db.ts'
import { until } from './world/accounts-fixture.ts'
import { startReceiver } from './world/receiver.ts'
import { type Received, webhookReceiver } from './world/webhook-receiver.ts'
import { startWorld } from './world/world.ts'

const DAY_MS = 86_400_000
const ZONES = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } }

/** Each event once: what is under way when the clock jumps over the end of its lease is pushed again. */
function eventsOf(received: readonly Received[], event: string): readonly Received[] {
  const ofType = received.filter(({ body }) => body.event === event)
  return [...new Map(ofType.map((one) => [one.body.event_id, one])).values()]
}

test('a bounce and a complaint of ten days ago reach webhooks and statistics', async () => {
  await using mx = await startReceiver()
  await using hook = await webhookReceiver()
  await using world = await startWorld({
    zones: ZONES,
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  const { api, clock } = world
  const today = clock.now()
  clock.set(-11 * DAY_MS)
  await ensurePartitions(world.rooms.database.system, clock.now())
  await world.verifiedDomain('shop.example')
  const events = ['email.delivered', 'email.bounced', 'email.complained']
  assert.equal((await api.post('/api/v1/customer/webhooks', { url: hook.url, events })).status, 201)
  const told = (event: string) => eventsOf(hook.received, event)
  const send = async (to: string): Promise<string> => {
    const { body } = await api.post('/api/v1/send', { from: 'a@shop.example', to, subject: 's', text: 't' })
    return body.data.email_id
  }
  const [bounced, complained] = [await send('ann@example.net'), await send('bob@example.net')]
  await hook.until(() => told('email.delivered').length === 2)
  clock.set(11 * DAY_MS)
  await send('now@example.net')
  await hook.until(() => told('email.delivered').length === 3)
  const at = new Date(today.getTime() - 10 * DAY_MS).toISOString()
  const bounce = { email_id: bounced, recipient: 'ann@example.net', type: 'hard', occurred_at: at }
  assert.equal((await api.post('/api/v1/inbound/bounces', bounce)).status, 202)
  const complaint = { email_id: complained, recipient: 'bob@example.net', occurred_at: at }
  assert.equal((await api.post('/api/v1/inbound/complaints', complaint)).status, 202)
  await hook.until(() => told('email.bounced').length === 1 && told('email.complained').length === 1)
  assert.equal(told('email.bounced')[0]?.body.data.bounced_at, at)
  assert.equal(told('email.complained')[0]?.body.data.arrival_date, at)
  await until(async () => {
    const { hard, spam_complaints: complaints } = (await api.get('/api/v1/stats/outbound')).body.data
    return hard === 1 && complaints === 1
  })
})

const HITS = statement('test_late_click', 'select id from hit where email_id = $1')
const READER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

test('a click of ten days ago, which a machine kept on disk until now, reaches webhooks and statistics', async () => {
  await using mx = await startReceiver()
  await using hook = await webhookReceiver()
  await using world = await startWorld({ zones: ZONES, settings: { POSTHORN_SMTP_PORT: String(mx.port) } })
  const { api, clock } = world
  clock.set(-11 * DAY_MS)
  await ensurePartitions(world.rooms.database.system, clock.now())
  await world.verifiedDomain('shop.example')
  const events = ['email.delivered', 'email.clicked']
  assert.equal((await api.post('/api/v1/customer/webhooks', { url: hook.url, events })).status, 201)
  const told = (event: string) => eventsOf(hook.received, event)
  const send = async (to: string): Promise<string> => {
    const html = '<p><a href="https://shop.example/">look</a></p>'
    const mail = { from: 'a@shop.example', to, subject: 's', html, tracking_enabled: true }
    return (await api.post('/api/v1/send', mail)).body.data.email_id
  }
  const id = await send('ann@example.net')
  await hook.until(() => told('email.delivered').length === 1)
  const raw = mx.messages[0]?.data.toString('latin1').replace(/=\r\n/g, '') ?? ''
  const [link] = /\/track\/c\/[\w-]+/.exec(raw) ?? []
  clock.set(11 * DAY_MS)
  await send('now@example.net')
  await hook.until(() => told('email.delivered').length === 2)
  // The click is stored with the time of ten days ago, and judged today.
  clock.set(-10 * DAY_MS)
  const clicked = await fetch(`${world.url}${link}`, { redirect: 'manual', headers: { 'user-agent': READER } })
  assert.equal(clicked.status, 302)
  await until(async () => (await world.rooms.database.system.query(HITS, [id])).length === 1)
  clock.set(10 * DAY_MS)
  await hook.until(() => told('email.clicked').length === 1)
  const { timestamp, data } = told('email.clicked')[0]?.body ?? {}
  const daysAgo = (at: string): number => Math.round((clock.now().getTime() - Date.parse(at)) / DAY_MS)
  assert.deepEqual([daysAgo(timestamp), daysAgo(data.clicked_at)], [6, 10])
  await until(async () => (await api.get('/api/v1/stats/outbound')).body.data.clicks === 1)
})
