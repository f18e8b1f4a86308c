// Opens, clicks and unsubscribes long after a mail was sent, when retention has removed first its events and then the mail.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import { statement } from '../src/platform/db.ts'
import { type Receiver, startReceiver } from './world/receiver.ts'
import { smtpSession } from './world/submission.ts'
import { startWorld, type World } from './world/world.ts'

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'
const HTML = '<html><body><a href="https://target.test/1">one</a><a href="{{unsubscribe}}">out</a></body></html>'
const FORGET_EVENTS = statement('test_late_forget_events', 'delete from event where email_id = $1')
const FORGET_EMAIL = statement('test_late_forget_email', 'delete from email where id = $1')
const HITS = statement('test_late_hits', 'select id from hit where email_id = $1')

interface Mail {
  readonly id: string
  readonly to: string
  readonly pixel: string
  readonly link: string
  readonly out: string
  readonly address: string
  readonly subject: string
}

describe('late events', () => {
  let world: World
  let mx: Receiver
  let domainId = ''
  let webhookId = ''
  let count = 0
  before(async () => {
    mx = await startReceiver({})
    world = await startWorld({
      zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
      settings: { POSTHORN_SMTP_PORT: String(mx.port), POSTHORN_PUBLIC_URL: 'https://posthorn.test' },
    })
    domainId = await world.verifiedDomain('shop.example')
    const made = await world.api.post('/api/v1/customer/webhooks', {
      url: 'http://127.0.0.1:1/',
      events: ['email.opened', 'email.clicked', 'email.unsubscribed'],
      domain_ids: [domainId],
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    webhookId = made.body.data.id
  })
  after(async () => {
    await world[Symbol.asyncDispose]()
    await mx[Symbol.asyncDispose]()
  })

  const until = async <T>(what: string, look: () => Promise<T | null>): Promise<T> => {
    for (let i = 0; i < 2_400; i++) {
      const found = await look()
      if (found !== null) return found
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    throw new Error(`${what} did not come within a minute`)
  }
  const mail = async (): Promise<Mail> => {
    const to = `reader${++count}@example.net`
    const sent = await world.api.post('/api/v1/send', {
      from: 'a@shop.example',
      to,
      subject: 'autumn',
      html: HTML,
      text: 'x',
      stream: 'broadcast',
      tag: 'news',
      metadata: { order: 7 },
      tracking_enabled: true,
    })
    assert.equal(sent.status, 202, JSON.stringify(sent.body))
    const id = sent.body.data.email_id
    await until('the delivery', async () =>
      (await world.api.get(`/api/v1/emails/${id}`)).body.data.status === 'delivered' ? true : null,
    )
    const raw = mx.messages.findLast(({ data }) => data.includes(to))
    const { html = '', headers } = await PostalMime.parse(raw?.data ?? '')
    const unsubscribe = headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? ''
    const mailto = new URL(/<(mailto:[^>]+)>/.exec(unsubscribe)?.[1] ?? '')
    const path = (kind: string): string => new RegExp(`/track/${kind}/[\\w-]+`).exec(html)?.[0] ?? ''
    world.clock.advance(10_000)
    return {
      id,
      to,
      pixel: path('o'),
      link: path('c'),
      out: path('u'),
      address: mailto.pathname,
      subject: mailto.searchParams.get('subject') ?? '',
    }
  }
  const forget = async ({ id }: Mail): Promise<void> => {
    await world.rooms.database.system.execute(FORGET_EVENTS, [id])
    await world.rooms.database.system.execute(FORGET_EMAIL, [id])
  }
  const get = (path: string): Promise<Response> =>
    fetch(world.url + path, { redirect: 'manual', headers: { 'user-agent': CHROME } })
  /** The events of this mail, once there are at least this many. */
  const events = async (id: string, many: number): Promise<any[]> => {
    const found = await until(`${many} events`, async () => {
      const { body } = await world.api.get(`/api/v1/events?email_id=${id}`)
      return body.data.length >= many ? body.data : null
    })
    return found.toReversed()
  }
  const told = async (id: string): Promise<string[]> =>
    until('the webhook', async () => {
      const { body } = await world.api.get(`/api/v1/customer/webhooks/${webhookId}/deliveries?email_id=${id}`)
      return body.data.length > 0 ? body.data.map(({ event }: { event: string }) => event) : null
    })

  test('an open and a click on a removed mail are reported with what is known, and counted', async () => {
    const one = await mail()
    const clicks = async (): Promise<any> => {
      const query = `domain_id=${domainId}&stream=broadcast`
      return (await world.api.get(`/api/v1/stats/outbound?${query}`)).body.data
    }
    const sent = (await events(one.id, 2)).length
    assert.equal(sent, 2)
    await until('the figures', async () => ((await clicks()).delivered > 0 ? true : null))
    const before = await clicks()
    await forget(one)
    for (const path of [one.pixel, one.link, one.link]) assert.ok((await get(path)).ok || path === one.link)
    await until('the hits', async () =>
      (await world.rooms.database.system.query(HITS, [one.id])).length === 3 ? true : null,
    )
    world.clock.advance(5_000)
    const late = await events(one.id, 3)
    assert.deepEqual(late.map(({ event }) => event).sort(), ['email.clicked', 'email.clicked', 'email.opened'])
    for (const { email_id, tag, metadata, data } of late) {
      assert.deepEqual([email_id, tag, metadata], [one.id, null, null])
      const { domain_id, stream, sandbox, recipient, first_open, open_count, is_machine, url = null } = data
      assert.deepEqual(
        { domain_id, stream, sandbox, recipient, first_open, open_count, is_machine },
        {
          domain_id: domainId,
          stream: 'broadcast',
          sandbox: false,
          recipient: null,
          first_open: null,
          open_count: null,
          is_machine: false,
        },
      )
      assert.ok(url === null || url === 'https://target.test/1')
    }
    assert.ok((await told(one.id)).includes('email.clicked'))
    const after = await until('the figures', async () => {
      const now = await clicks()
      return now.clicks === before.clicks + 2 ? now : null
    })
    assert.deepEqual(
      [after.opens, after.unique_opens, after.unique_clicks],
      [before.opens + 1, before.unique_opens, before.unique_clicks],
    )
  })

  test("an event of a mail whose first events are gone is reported with everything in the mail's row", async () => {
    const one = await mail()
    await world.rooms.database.system.execute(FORGET_EVENTS, [one.id])
    await get(one.pixel)
    await until('the hit', async () =>
      (await world.rooms.database.system.query(HITS, [one.id])).length === 1 ? true : null,
    )
    world.clock.advance(5_000)
    const [opened] = await events(one.id, 1)
    const reported = await world.api.post('/api/v1/inbound/bounces', { email_id: one.id, type: 'hard' })
    assert.equal(reported.status, 202)
    const bounced = (await events(one.id, 2)).find(({ event }) => event === 'email.bounced')
    const { events: shown } = (await world.api.get(`/api/v1/emails/${one.id}`)).body.data
    for (const { tag, metadata, data } of [opened, bounced, ...shown]) {
      assert.deepEqual(
        [tag, metadata, data.recipient, data.from, data.subject],
        ['news', { order: 7 }, one.to, 'a@shop.example', 'autumn'],
      )
    }
    assert.equal(opened.data.first_open, true)
    const [bounce] = (await world.api.get(`/api/v1/customer/bounces?email_id=${one.id}`)).body.data
    assert.deepEqual([bounce.subject, bounce.from, bounce.metadata], ['autumn', 'a@shop.example', { order: 7 }])
  })

  test('an unsubscribe from a removed mail takes effect, and endpoints of its domain are told', async () => {
    const one = await mail()
    await forget(one)
    const reply = await fetch(world.url + one.out, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    })
    assert.equal(reply.status, 200)
    const { body } = await world.api.get(`/api/v1/events?recipient=${one.to}`)
    const [event] = body.data
    assert.equal(event?.event, 'email.unsubscribed')
    const { recipient, email, domain_id, stream } = event.data
    assert.deepEqual(
      { recipient, email, domain_id, stream },
      { recipient: one.to, email: one.to, domain_id: domainId, stream: 'broadcast' },
    )
    assert.deepEqual(await told(one.id), ['email.unsubscribed'])
  })

  test('an unsubscribe by mail from a removed mail takes effect too; the subject of another mail does not', async () => {
    const [one, other] = [await mail(), await mail()]
    for (const each of [one, other]) await forget(each)
    const write = async (subject: string): Promise<void> => {
      const session = await smtpSession(world.mxPort)
      await session.ask('EHLO mx.example.net')
      await session.ask(`MAIL FROM:<${one.to}>`)
      assert.match(await session.ask(`RCPT TO:<${one.address}>`), /^250 /)
      await session.ask('DATA')
      assert.match(await session.ask(`From: ${one.to}\r\nSubject: ${subject}\r\n\r\nx\r\n.`), /^250 /)
      session.close()
    }
    const unsubscribed = async (to: string): Promise<boolean> =>
      (await world.api.get(`/api/v1/customer/unsubscribes?search=${to}`)).body.data.length === 1
    await write('unsubscribe')
    await write(other.subject)
    assert.deepEqual([await unsubscribed(one.to), await unsubscribed(other.to)], [false, false])
    await write(`Unsubscribe\r\n ${one.subject.slice(12, 60)}\r\n ${one.subject.slice(60)}`)
    assert.deepEqual([await unsubscribed(one.to), await unsubscribed(other.to)], [true, false])
    assert.deepEqual(await told(one.id), ['email.unsubscribed'])
  })
})
