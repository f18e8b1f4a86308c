// The payload of each event type, produced by the product and sent to a webhook. Its fields are exactly those of section 12
// of the contract, each of the right type, and the same event stands in the list of events and in its email.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import PostalMime from 'postal-mime'
import { statement } from '../src/platform/db.ts'
import { documentOf } from './world/document.ts'
import { type Receiver, startReceiver } from './world/receiver.ts'
import { type WebhookReceiver, webhookReceiver } from './world/webhook-receiver.ts'
import { startWorld, type World } from './world/world.ts'

type Kind = (value: unknown) => boolean

const text: Kind = (value) => typeof value === 'string' && value !== ''
const yes: Kind = (value) => typeof value === 'boolean'
const integer: Kind = (value) => Number.isSafeInteger(value)
const uuid: Kind = (value) =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(String(value))
const time: Kind = (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value))
const url: Kind = (value) => typeof value === 'string' && URL.canParse(value)
const orNull =
  (kind: Kind): Kind =>
  (value) =>
    value === null || kind(value)
const oneOf =
  (...values: unknown[]): Kind =>
  (value) =>
    values.includes(value)
const having =
  (fields: Readonly<Record<string, Kind>>): Kind =>
  (value) =>
    faultsOf(value, fields).length === 0

function faultsOf(value: unknown, fields: Readonly<Record<string, Kind>>): readonly string[] {
  if (value === null || typeof value !== 'object') return ['no object']
  const given = value as Record<string, unknown>
  const missing = Object.keys(fields).filter((name) => !(name in given))
  const extra = Object.keys(given).filter((name) => !(name in fields))
  const wrong = Object.entries(fields).filter(([name, kind]) => name in given && !kind(given[name]))
  return [
    ...missing.map((name) => `${name} is missing`),
    ...extra.map((name) => `${name} is not documented`),
    ...wrong.map(([name]) => `${name} is ${JSON.stringify(given[name])}`),
  ]
}

const stream = oneOf('transactional', 'broadcast')
const MAIL = {
  recipient: text,
  from: text,
  from_name: orNull(text),
  subject: text,
  message_id: text,
  domain_id: orNull(uuid),
  stream,
  sandbox: yes,
}
const remoteMta = orNull(having({ host: orNull(text), ip: orNull(text) }))
const OPENED = {
  opened_at: time,
  first_open: yes,
  open_count: integer,
  user_agent: orNull(text),
  ip: orNull(text),
  platform: oneOf('desktop', 'mobile', 'webmail', 'unknown'),
  client: orNull(text),
  is_machine: yes,
  machine_reason: orNull(text),
}
const SUPPRESSION = {
  id: uuid,
  email: text,
  reason: oneOf('hard_bounce', 'repeated_soft_bounce', 'complaint', 'manual', 'spamtrap'),
  source: text,
  domain_id: orNull(uuid),
  email_id: orNull(uuid),
  bounce_id: orNull(uuid),
  details: orNull(text),
  sandbox: yes,
  expires_at: orNull(time),
  created_at: time,
}
const check = having({
  status: oneOf('pending', 'valid', 'missing', 'mismatch', 'multiple', 'error'),
  expected: text,
  found: Array.isArray,
  error: orNull(text),
})
const DOMAIN = {
  domain_id: uuid,
  domain: text,
  verification_status: oneOf('pending', 'verified', 'failed', 'temporary_failure', 'suspended'),
  checks: having({ ownership: check, spf: check, dkim: check, dmarc: check }),
}

/** The fields of `data`, by event type. */
const DATA: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  'email.sent': { ...MAIL, queued_at: time },
  'email.scheduled': { ...MAIL, scheduled_at: time },
  'email.delivered': {
    ...MAIL,
    delivered_at: time,
    smtp_code: integer,
    enhanced_code: orNull(text),
    response: text,
    remote_mta: remoteMta,
    tls: orNull(having({ version: text, cipher: text, verified: oneOf('none', 'pkix', 'mta_sts', 'dane') })),
    attempts: integer,
    delivery_time_ms: integer,
  },
  'email.deferred': {
    ...MAIL,
    smtp_code: orNull(integer),
    enhanced_code: orNull(text),
    response: text,
    attempt: integer,
    next_attempt_at: orNull(time),
  },
  'email.opened': { ...MAIL, ...OPENED },
  'email.clicked': {
    ...MAIL,
    ...OPENED,
    opened_at: orNull(time),
    clicked_at: time,
    url,
    link_index: integer,
    first_click: yes,
    click_count: integer,
  },
  'email.bounced': {
    ...MAIL,
    id: uuid,
    email_id: uuid,
    tag: orNull(text),
    metadata: orNull((value) => typeof value === 'object'),
    type: oneOf('hard', 'soft', 'block', 'complaint', 'unknown'),
    category: text,
    smtp_code: orNull(integer),
    enhanced_code: orNull(text),
    diagnostic_code: orNull(text),
    error_message: orNull(text),
    command: orNull(oneOf('connect', 'mail', 'rcpt', 'data')),
    remote_mta: remoteMta,
    source: oneOf('smtp', 'dsn', 'arf', 'api'),
    feedback_type: orNull(text),
    attempt: orNull(integer),
    suppressed: yes,
    suppression_id: orNull(uuid),
    report_dkim: (value) => value === null,
    bounced_at: time,
    created_at: time,
  },
  'email.complained': {
    ...MAIL,
    feedback_type: text,
    reporting_mta: orNull(text),
    arrival_date: orNull(time),
    suppressed: yes,
  },
  'email.unsubscribed': {
    ...MAIL,
    from: orNull(text),
    subject: orNull(text),
    message_id: orNull(text),
    stream: orNull(stream),
    email: text,
    source: oneOf('one_click', 'link', 'mailto', 'api', 'manual', 'import'),
    reason: orNull(text),
    unsubscribed_at: time,
  },
  'email.failed': {
    ...MAIL,
    reason: oneOf(
      'retry_exhausted',
      'expired',
      'dns_failure',
      'connection_failed',
      'tls_required',
      'domain_removed',
      'internal_error',
    ),
    last_smtp_code: orNull(integer),
    last_response: orNull(text),
    attempts: integer,
  },
  'email.suppressed': { ...MAIL, reason: text },
  'email.canceled': { ...MAIL, canceled_at: time },
  'suppression.created': SUPPRESSION,
  'suppression.deleted': SUPPRESSION,
  'domain.verified': DOMAIN,
  'domain.verification_failed': DOMAIN,
  'health.grade_changed': { previous_grade: text, grade: text, score: integer },
}

/** Check of the common field of an event about no mail: the email that caused a suppression, null otherwise. */
function emailBehind(data: object): (value: unknown) => boolean {
  const behind = 'email_id' in data ? data.email_id : null
  return (value) => value === behind
}

interface SentEvent {
  readonly event_id: string
  readonly event: string
  readonly email_id?: string | null
  readonly data: Readonly<Record<string, unknown>>
}

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'

describe('payloads', () => {
  let world: World
  let mx: Receiver
  let hooks: WebhookReceiver
  const told = (): SentEvent[] => hooks.received.map(({ body }) => body)

  before(async () => {
    mx = await startReceiver({
      tls: true,
      rcpt: {
        'nobody@example.net': '550 5.1.1 no such user',
        'later@example.net': '451 4.2.1 not now',
        '*': '250 2.1.5 ok',
      },
    })
    hooks = await webhookReceiver()
    world = await startWorld({
      zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
      settings: { POSTHORN_SMTP_PORT: String(mx.port), POSTHORN_PUBLIC_URL: 'https://posthorn.test' },
    })
    const made = await world.api.post('/api/v1/customer/webhooks', { url: hooks.url, events: ['*'] })
    assert.equal(made.status, 201)
    await happen()
  })
  after(async () => {
    await world[Symbol.asyncDispose]()
    await hooks[Symbol.asyncDispose]()
    await mx[Symbol.asyncDispose]()
  })

  const send = async (more: object): Promise<string> => {
    const message = { from: 'Shop <a@shop.example>', subject: 's', text: 't', tag: 'news', metadata: { n: 1 } }
    const { status, body } = await world.api.post('/api/v1/send', { ...message, ...more })
    assert.equal(status, 202, JSON.stringify(body))
    return body.data.email_id
  }
  const heard = (type: string, emailId?: string): Promise<void> =>
    hooks.until((all) =>
      all.some(({ body }) => body.event === type && (emailId === undefined || body.email_id === emailId)),
    )

  /** Causes every event that an account can receive. */
  async function happen(): Promise<void> {
    const domainId = await world.verifiedDomain('shop.example')
    await readersCome()
    await send({ to: 'later@example.net' })
    await send({ to: 'nobody@example.net' })
    await heard('suppression.created')
    await send({ to: ['nobody@example.net', 'b@example.net'] })
    await world.api.delete('/api/v1/customer/suppressions/nobody@example.net')
    await send({ to: 'fail@sandbox.test' })
    const soon = new Date(world.clock.now().getTime() + 60_000).toISOString()
    await heard('email.failed', await send({ to: 'later@example.net', expires_at: soon }))
    const later = new Date(world.clock.now().getTime() + 86_400_000).toISOString()
    const planned = await send({ to: 'c@example.net', scheduled_at: later })
    await world.api.post(`/api/v1/emails/${planned}/cancel`)
    const complained = await send({ to: 'd@example.net' })
    await heard('email.delivered', complained)
    const report = { email_id: complained, occurred_at: world.clock.now().toISOString() }
    assert.equal((await world.api.post('/api/v1/inbound/complaints', report)).status, 202)
    await world.api.post('/api/customer/unsubscribes', { email: 'e@example.net', reason: 'asked' })
    const records = (await world.api.get(`/api/v1/customer/domains/${domainId}/dns`)).body.dns_records
    for (const { name } of records as { name: string }[]) world.zones.declare({ [name]: {} })
    await world.api.post(`/api/v1/customer/domains/${domainId}/verify`)
    await gradesChange()
    for (const type of Object.keys(DATA)) await heard(type)
  }

  async function readersCome(): Promise<void> {
    const id = await send({
      to: 'reader@example.net',
      html: '<a href="https://target.test/a">a</a><a href="{{unsubscribe}}">out</a>',
      tracking_enabled: true,
    })
    await heard('email.delivered', id)
    const { html = '' } = await PostalMime.parse(mx.messages.at(-1)?.data ?? '')
    const path = (kind: string): string => new RegExp(`/track/${kind}/[\\w-]+`).exec(html)?.[0] ?? ''
    world.clock.advance(10_000)
    for (const kind of ['o', 'c']) {
      await fetch(world.url + path(kind), { redirect: 'manual', headers: { 'user-agent': CHROME } })
    }
    const out = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    assert.equal((await fetch(world.url + path('u'), { method: 'POST', body: out })).status, 200)
    world.clock.advance(5_000)
  }

  async function gradesChange(): Promise<void> {
    const fill = statement(
      'test_fill',
      `insert into stat_bucket (account_id, scope, span, domain_id, tag, bucket, stream, sandbox, sent, delivered, complained)
       values ($1, 0, 1, '00000000-0000-0000-0000-000000000000', '', date_trunc('day', now()) - interval '1 day', 0, false,
         1000000, 1000000, $2)
       on conflict (account_id, scope, span, domain_id, tag, bucket, stream, sandbox)
       do update set complained = excluded.complained`,
    )
    for (const complaints of [0, 5_000]) {
      await world.rooms.database.system.execute(fill, [world.account.accountId, complaints])
      await world.api.post('/api/v1/customer/health-score/refresh')
    }
  }

  for (const [type, fields] of Object.entries(DATA)) {
    test(`${type} has exactly the documented fields`, async () => {
      const payloads = told().filter(({ event }) => event === type)
      assert.ok(payloads.length > 0)
      for (const payload of payloads) {
        const common = {
          event_id: uuid,
          event: oneOf(type),
          timestamp: time,
          ...(type !== 'email.unsubscribed' && {
            email_id: type.startsWith('email.') ? uuid : emailBehind(payload.data),
          }),
          tag: orNull(text),
          metadata: orNull((value) => typeof value === 'object'),
          data: () => true,
        }
        assert.deepEqual(faultsOf(payload, common), [])
        assert.deepEqual(faultsOf(payload.data, fields), [])
        const listed = (await world.api.get(`/api/v1/events?event=${type}&limit=1000`)).body.data as SentEvent[]
        assert.deepEqual(
          listed.find(({ event_id: id }) => id === payload.event_id),
          payload,
        )
        if (!type.startsWith('email.') || payload.email_id === undefined) continue
        const { events } = (await world.api.get(`/api/v1/emails/${payload.email_id}`)).body.data as {
          events: SentEvent[]
        }
        assert.deepEqual(
          events.find(({ event_id: id }) => id === payload.event_id),
          payload,
        )
      }
    })
  }

  test('tag and metadata are reported as they were sent, and are null without', async () => {
    const sent = told().find(({ event }) => event === 'email.sent') as unknown as Record<string, unknown>
    assert.deepEqual([sent['tag'], sent['metadata']], ['news', { n: 1 }])
    const id = await send({ to: 'f@example.net', tag: undefined, metadata: undefined })
      .then(() => 'the domain lost its records, and mail still goes out')
      .catch((error: Error) => error.message)
    assert.match(id, /still goes out/)
    await hooks.until((all) => all.some(({ body }) => body.event === 'email.sent' && body.tag === null))
    const bare = told().findLast(({ event }) => event === 'email.sent') as unknown as Record<string, unknown>
    assert.deepEqual([bare['tag'], bare['metadata']], [null, null])
  })

  test('one event ends each email, and every event is sent once under its own id', () => {
    const ends = ['email.delivered', 'email.bounced', 'email.failed', 'email.suppressed', 'email.canceled']
    const ended = told().filter(({ event }) => ends.includes(event))
    assert.equal(new Set(ended.map(({ email_id: id }) => id)).size, ended.length)
    assert.equal(new Set(told().map(({ event_id: id }) => id)).size, told().length)
  })

  test('every event is as the API document describes it, of a domain that was never checked too', async () => {
    const added = await world.api.post('/api/v1/customer/domains', { domain: 'unseen.example' })
    await world.rooms.domains.setStatus(world.account.accountId, added.body.data.id, 'verified')
    const { paths } = await documentOf(world.api)
    const ajv = new Ajv2020({ strict: false })
    ;(formats as unknown as (target: unknown) => void)(ajv)
    const fits = ajv.compile(paths['/api/v1/events'].get.responses['200'].content['application/json'].schema)
    const { body } = await world.api.get('/api/v1/events?limit=1000')
    assert.deepEqual(
      (body.data as SentEvent[]).filter((event) => !fits({ ...body, data: [event] })),
      [],
    )
    assert.ok((body.data as SentEvent[]).some(({ data }) => data['checks'] === null))
  })
})
