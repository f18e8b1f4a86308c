// A clock that jumps while the service runs: ahead by days, as after a machine slept, and back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statement } from '../src/platform/db.ts'
import { CONTACTS, startContacts } from './world/contacts-world.ts'
import { webhookReceiver } from './world/webhook-receiver.ts'
import { startWorld, type World } from './world/world.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MAIL = { from: 'a@shop.example', to: 'reader@sandbox.test', subject: 'Hi', text: 'Hi' }

interface Shown {
  readonly status: string
  readonly events: readonly { readonly event: string }[]
}

async function until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  for (const end = performance.now() + 30_000; performance.now() < end; ) {
    const found = await look()
    if (found !== null) return found
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`${what} did not come about`)
}

async function emailOf({ api }: World, id: string): Promise<Shown> {
  return (await api.get(`/api/v1/emails/${id}`)).body.data
}

/** The events of the email, once they include this one. */
function untilHas(world: World, id: string, event: string): Promise<readonly string[]> {
  return until(event, async () => {
    const told = (await emailOf(world, id)).events.map((one) => one.event)
    return told.includes(event) ? told : null
  })
}

test('a jump of twelve days loses no hit, unsubscribe or scheduled mail, and tells a webhook nothing twice', async () => {
  await using receiver = await webhookReceiver()
  await using world = await startWorld({ settings: { POSTHORN_PUBLIC_URL: 'http://posthorn.test' } })
  const { api, clock } = world
  await world.verifiedDomain('shop.example')
  const webhook = await api.post('/api/v1/customer/webhooks', { url: receiver.url, events: ['*'] })
  const later = new Date(clock.now().getTime() + 10 * DAY_MS).toISOString()
  const scheduled = await api.post('/api/v1/send', { ...MAIL, to: 'later@sandbox.test', scheduled_at: later })
  const html = '<p>Hi</p><a href="{{unsubscribe}}">out</a>'
  const sent = await api.post('/api/v1/send', { ...MAIL, html, tracking_enabled: true })
  assert.deepEqual([scheduled.status, sent.status], [202, 202])
  const { email_id: id } = sent.body.data
  await untilHas(world, id, 'email.delivered')
  const { html: arrived } = await until('the mail', async () => {
    const [mail] = (await api.get(`/api/v1/inbox?email_id=${id}`)).body.data
    return mail === undefined ? null : (await api.get(`/api/v1/inbox/${mail.id}`)).body.data
  })
  const pathOf = (pattern: RegExp): string => new URL(pattern.exec(arrived)?.[1] ?? '').pathname
  const toldOf = (count: number) =>
    until(`${count} in the log of what the webhook was told`, async () => {
      const { body } = await api.get(`/api/v1/customer/webhooks/${webhook.body.data.id}/deliveries`)
      const ended = body.data.filter(({ status }: { status: string }) => status === 'success')
      return ended.length === count ? ended : null
    })
  // A webhook delivery under way when the clock jumps is repeated, because its outcome is unknown. So wait for all three.
  await toldOf(3)

  clock.set(12 * DAY_MS)
  const [opened, out] = await Promise.all([
    fetch(world.url + pathOf(/<img[^>]+src="([^"]+)"/)),
    fetch(world.url + pathOf(/href="([^"]+)"/), { method: 'POST' }),
  ])
  assert.deepEqual([opened.status, out.status], [200, 200])

  await untilHas(world, id, 'email.opened')
  await untilHas(world, scheduled.body.data.email_id, 'email.delivered')
  await until('the unsubscribe', async () => {
    const { body } = await api.get('/api/v1/customer/unsubscribes?include_sandbox=true')
    return body.data.length === 1 ? true : null
  })
  await receiver.until((received) => received.length >= 7)
  const log = await toldOf(7)
  const told = receiver.received.map(({ body }) => body.event).sort()
  assert.deepEqual(told, [
    'email.delivered',
    'email.delivered',
    'email.opened',
    'email.scheduled',
    'email.sent',
    'email.sent',
    'email.unsubscribed',
  ])
  assert.deepEqual(
    log.map(({ attempt }: { attempt: number }) => attempt),
    Array(7).fill(1),
  )
})

for (const hours of [-1, 1]) {
  test(`mails from before and after a clock is set ${hours < 0 ? 'back' : 'ahead'} by an hour report their events`, async () => {
    await using receiver = await webhookReceiver()
    await using world = await startWorld()
    const { api, clock } = world
    await world.verifiedDomain('shop.example')
    await api.post('/api/v1/customer/webhooks', {
      url: receiver.url,
      events: ['email.delivered', 'email.bounced', 'email.canceled'],
    })
    const later = new Date(clock.now().getTime() + DAY_MS).toISOString()
    const before = await api.post('/api/v1/send', { ...MAIL, scheduled_at: later })
    const { email_id: earlier } = before.body.data

    clock.set(hours * HOUR_MS)
    assert.equal((await api.post(`/api/v1/emails/${earlier}/cancel`)).status, 200)
    const after = await api.post('/api/v1/send', MAIL)
    const bounce = await api.post('/api/v1/send', { ...MAIL, to: 'bounce@sandbox.test' })
    const ends: [id: string, first: string, last: string][] = [
      [earlier, 'email.scheduled', 'email.canceled'],
      [after.body.data.email_id, 'email.sent', 'email.delivered'],
      [bounce.body.data.email_id, 'email.sent', 'email.bounced'],
    ]
    for (const [id, first, last] of ends)
      assert.deepEqual((await untilHas(world, id, last)).toSorted(), [first, last].toSorted())

    const [bounced] = (await api.get('/api/v1/customer/bounces?include_sandbox=true')).body.data
    assert.deepEqual([bounced.from, bounced.subject], [MAIL.from, MAIL.subject])
    await receiver.until((received) => received.length === ends.length)
    for (const { body } of receiver.received) {
      assert.deepEqual([body.data.from, body.data.subject], [MAIL.from, MAIL.subject], body.event)
      assert.equal(typeof body.data.message_id, 'string')
    }
  })
}

// What waits for a time, as it stands while the clock is ahead ($1), and how many rows lie further ahead of $1 than each may.
const PUT_OFF = [
  `insert into validation_slot (host, slot, until) values ('mx.example', 1, $1::timestamptz + interval '15 seconds')`,
  `insert into validation_shunned (host, until) values ('mx.example', $1::timestamptz + interval '10 minutes')`,
  `insert into validation_result (account_id, address, result, expires_at)
   values (gen_random_uuid(), 'a@mx.example', 'rejected', $1::timestamptz + interval '1 day')`,
  `insert into validation_catch_all (domain, asked_at, expires_at)
   values ('mx.example', $1::timestamptz, $1::timestamptz + interval '1 day')`,
  `insert into own_certificate (name, due_at, failures, error)
   values ('mail.example', $1::timestamptz + interval '1 minute', 1, 'the CA cannot be reached'),
     ('asked.example', $1::timestamptz + interval '6 days', 1, 'The certificate authority asks to wait until Monday')`,
  `insert into transport_report_claim (day, domain, until) values ('2026-01-01', 'a.example', $1::timestamptz + interval '6 minutes')`,
  `insert into transport_policy (domain, id, mode, mx, max_age, fetched_at, expires_at)
   values ('a.example', '1', 'enforce', '{mx.a.example}', 86400, $1::timestamptz, $1::timestamptz + interval '1 day')`,
  `insert into inbound_report (id, hash, kind, local_part, received_at, free_at, raw)
   values (gen_random_uuid(), 'x', 'feedback', 'fbl', $1::timestamptz, $1::timestamptz + interval '1 second', 'Subject: none')`,
].map((text, n) => statement(`test_put_off_${n}`, text))
const STILL_PUT_OFF = statement(
  'test_still_put_off',
  `select 'slot' as what from validation_slot where until > $1::timestamptz + interval '16 seconds'
   union all select 'shunned' from validation_shunned where until > $1::timestamptz + interval '11 minutes'
   union all select address from validation_result where expires_at > $1::timestamptz + interval '25 hours'
   union all select domain from validation_catch_all where expires_at > $1::timestamptz + interval '25 hours'
   union all select name from own_certificate where due_at > $1::timestamptz + interval '1 hour'
   union all select 'claim' from transport_report_claim where until > $1::timestamptz + interval '1 hour'
   union all select 'policy' from transport_policy where fetched_at > $1::timestamptz + interval '1 minute'
   union all select 'report' from inbound_report where state = 0
   union all select name from sending_domain where next_check_at > $1::timestamptz + case status when 'pending'
     then interval '6 minutes' else interval '27 hours' end
   union all select name from tracking_domain where next_check_at > $1::timestamptz + interval '2 hours'`,
)

test('what a clock that is a day ahead puts off does not wait for a day once it is put back', async () => {
  await using world = await startWorld({ settings: { POSTHORN_PUBLIC_URL: 'http://posthorn.test' } })
  const { api, clock } = world
  const { system } = world.rooms.database
  clock.set(DAY_MS)
  await world.verifiedDomain('shop.example')
  assert.equal((await api.post('/api/v1/customer/domains', { domain: 'pending.example' })).status, 201)
  const named = await api.post('/api/v1/customer/tracking-domains', { domain: 'go.shop.example' })
  assert.equal((await api.post(`/api/v1/customer/tracking-domains/${named.body.data.id}/verify`)).status, 200)
  const sent = await api.post('/api/v1/send', { ...MAIL, html: '<p>Hi</p>', tracking_enabled: true })
  const { email_id: id } = sent.body.data
  await untilHas(world, id, 'email.delivered')
  const { html } = await until('the mail', async () => {
    const [mail] = (await api.get(`/api/v1/inbox?email_id=${id}`)).body.data
    return mail === undefined ? null : (await api.get(`/api/v1/inbox/${mail.id}`)).body.data
  })
  for (const put of PUT_OFF) await system.execute(put, [clock.now()])
  const pixel = new URL(/<img[^>]+src="([^"]+)"/.exec(html)?.[1] ?? '').pathname
  assert.equal((await fetch(world.url + pixel)).status, 200)

  clock.set(-DAY_MS)
  const waiting = await until('everything in its time', async () => {
    // The recall begins fifteen seconds after the clock was found to be put back.
    clock.advance(1_000)
    const left = await system.query<{ what: string }>(STILL_PUT_OFF, [clock.now()])
    return left.length <= 1 ? left : null
  })
  // A certificate authority may have asked for up to a week.
  assert.deepEqual(waiting, [{ what: 'asked.example' }])
  await untilHas(world, id, 'email.opened')
})

test('confirmations asked for under a clock that was a year ahead hold nobody up once it is put back', async () => {
  const { world, owner, added, later, fresh } = await startContacts()
  await using _ = world
  const year = 365 * DAY_MS
  await later(year)
  const email = fresh()
  const { id } = await added({ email })
  const again = async (): Promise<number> => (await owner.api.post(`${CONTACTS}/${id}/resend-confirmation`)).status
  assert.deepEqual([await again(), await again()], [200, 429])
  await later(HOUR_MS)
  // The third mail to the address in a week.
  assert.equal(await again(), 200)

  world.clock.set(-year)
  assert.deepEqual([await again(), await again()], [200, 429])
})
