// The events in the API document: one schema per type, so that a consumer of an event has the type of its `data`, and the
// webhook request. The fields are those of docs/guides/events.md. Nothing is validated against these: fields may be added.

import { type TSchema, Type } from 'typebox'
import { DKIM_REASONS, DKIM_RESULTS } from '../../mail/dkim-check.ts'
import { named } from '../../platform/http.ts'
import type { EventType } from './types.ts'

const text = Type.String()
const id = Type.String({ format: 'uuid' })
const time = Type.String({ format: 'date-time' })
const integer = Type.Integer()
const flag = Type.Boolean()
const orNull = (schema: TSchema): TSchema => Type.Union([schema, Type.Null()])
const oneOf = (...words: string[]): TSchema => Type.Enum(words)
const stream = named('Stream', oneOf('transactional', 'broadcast'))
const metadata = orNull(Type.Record(Type.String(), Type.Unknown()))
const remote_mta = orNull(named('RemoteMta', Type.Object({ host: orNull(text), ip: orNull(text) })))

type Fields = Readonly<Record<string, TSchema>>

/** Null when neither the log nor the stored email has the facts any longer. */
const ABOUT: Fields = {
  recipient: orNull(text),
  from: orNull(text),
  from_name: orNull(text),
  subject: orNull(text),
  message_id: orNull(text),
  domain_id: orNull(id),
  sandbox: flag,
}
const MAIL: Fields = { ...ABOUT, stream }
const OPENED: Fields = {
  opened_at: time,
  first_open: orNull(flag),
  open_count: orNull(integer),
  user_agent: orNull(text),
  ip: orNull(text),
  platform: named('Platform', oneOf('desktop', 'mobile', 'webmail', 'unknown')),
  client: orNull(text),
  is_machine: flag,
  machine_reason: orNull(text),
}
/** TLS of a session with a receiving server. */
export const TlsSession = named(
  'TlsSession',
  Type.Object({ version: text, cipher: text, verified: oneOf('none', 'pkix', 'mta_sts', 'dane') }),
)
const ANSWER: Fields = { enhanced_code: orNull(text), response: orNull(text) }
const CHECK = named(
  'EventDnsCheck',
  Type.Object({ status: text, expected: text, found: Type.Array(text), error: orNull(text) }),
)
const DOMAIN: Fields = {
  domain_id: id,
  domain: text,
  verification_status: named(
    'VerificationStatus',
    oneOf('pending', 'verified', 'temporary_failure', 'failed', 'suspended'),
  ),
  checks: named('EventDomainChecks', Type.Object({ ownership: CHECK, spf: CHECK, dkim: CHECK, dmarc: CHECK })),
}
const SUPPRESSION: Fields = {
  id,
  email: orNull(text),
  reason: named('SuppressionReason', oneOf('manual', 'repeated_soft_bounce', 'hard_bounce', 'complaint', 'spamtrap')),
  source: text,
  domain_id: orNull(id),
  email_id: orNull(id),
  bounce_id: orNull(id),
  details: orNull(text),
  sandbox: flag,
  expires_at: orNull(time),
  created_at: time,
}
/** Set for a complaint in the bounce list. Null in `email.bounced` events: complaints have their own events. */
export const ComplaintDkim = named(
  'ComplaintDkim',
  Type.Object(
    {
      result: named('DkimResult', Type.Enum([...DKIM_RESULTS])),
      domain: orNull(text),
      reason: orNull(named('DkimReason', Type.Enum([...DKIM_REASONS]))),
    },
    {
      description:
        'DKIM verification of a complaint received by email. `domain` is the verified signer. Null in all other cases.',
    },
  ),
)
const BOUNCE: Fields = {
  id,
  email_id: id,
  tag: orNull(text),
  metadata,
  type: named('BounceType', oneOf('hard', 'soft', 'block', 'complaint', 'unknown')),
  category: text,
  smtp_code: orNull(integer),
  enhanced_code: orNull(text),
  diagnostic_code: orNull(text),
  error_message: orNull(text),
  command: orNull(named('BounceCommand', oneOf('connect', 'mail', 'rcpt', 'data'))),
  remote_mta,
  source: named('BounceSource', oneOf('smtp', 'dsn', 'arf', 'api')),
  feedback_type: orNull(text),
  attempt: orNull(integer),
  suppressed: flag,
  suppression_id: orNull(id),
  report_dkim: orNull(ComplaintDkim),
  bounced_at: time,
  created_at: time,
}

/** The fields of `data` by event type. What names a person is null once the recipient was erased. */
export const EVENT_DATA: Readonly<Record<EventType, Fields>> = {
  'email.sent': { ...MAIL, queued_at: time },
  'email.delivered': {
    ...MAIL,
    ...ANSWER,
    delivered_at: time,
    smtp_code: integer,
    remote_mta,
    tls: orNull(TlsSession),
    attempts: integer,
    delivery_time_ms: integer,
  },
  'email.opened': { ...MAIL, ...OPENED },
  'email.clicked': {
    ...MAIL,
    ...OPENED,
    opened_at: orNull(time),
    clicked_at: time,
    url: orNull(text),
    link_index: integer,
    first_click: orNull(flag),
    click_count: orNull(integer),
  },
  'email.bounced': { ...MAIL, ...BOUNCE },
  'email.complained': {
    ...MAIL,
    feedback_type: text,
    reporting_mta: orNull(text),
    arrival_date: orNull(time),
    suppressed: flag,
  },
  'email.unsubscribed': {
    ...ABOUT,
    stream: orNull(stream),
    email: orNull(text),
    source: oneOf('one_click', 'link', 'mailto', 'api', 'manual', 'import'),
    reason: orNull(text),
    unsubscribed_at: time,
  },
  'email.failed': {
    ...MAIL,
    reason: text,
    last_smtp_code: orNull(integer),
    last_response: orNull(text),
    attempts: integer,
  },
  'email.scheduled': { ...MAIL, scheduled_at: time },
  'email.deferred': { ...MAIL, ...ANSWER, smtp_code: orNull(integer), attempt: integer, next_attempt_at: orNull(time) },
  'email.suppressed': { ...MAIL, reason: text },
  'email.canceled': { ...MAIL, canceled_at: time },
  'domain.verified': DOMAIN,
  'domain.verification_failed': DOMAIN,
  'suppression.created': SUPPRESSION,
  'suppression.deleted': SUPPRESSION,
  'contact.confirmed': {
    contact_id: id,
    email: orNull(text),
    previous_status: text,
    status: text,
    confirmed_at: time,
    source: orNull(text),
    consent: orNull(Type.Record(Type.String(), Type.Unknown())),
  },
  'health.grade_changed': { previous_grade: orNull(text), grade: orNull(text), score: orNull(integer) },
}

/** Events about the same kind of object share one `data` schema. */
function dataSchema(type: EventType): TSchema {
  const fields = EVENT_DATA[type]
  const data = Type.Object(fields)
  if (fields === DOMAIN) return named('DomainEventData', data)
  return named(fields === SUPPRESSION ? 'SuppressionEventData' : `${schemaName(type)}Data`, data)
}

function eventSchema(type: EventType): TSchema {
  const common = {
    event_id: id,
    event: Type.Literal(type),
    timestamp: time,
    ...(!['email.unsubscribed', 'contact.confirmed'].includes(type) && {
      email_id: type.startsWith('email.') ? id : orNull(id),
    }),
    ...(type !== 'contact.confirmed' && { tag: orNull(text), metadata }),
  }
  return named(schemaName(type), Type.Object({ ...common, data: dataSchema(type) }))
}

const TEST = named(
  'EventTest',
  Type.Object({ event_id: id, event: Type.Literal('test'), timestamp: time, customer_id: id, message: text }),
)

/** `email.sent` becomes `EventEmailSent`. */
function schemaName(type: string): string {
  return `Event${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}`
}

const TYPES = Object.keys(EVENT_DATA) as EventType[]

/** A union of the schemas, discriminated by `event`. */
function oneByType(name: string, schemas: Readonly<Record<string, TSchema>>): TSchema {
  const refs = Object.keys(schemas).map((type) => [type, `#/components/schemas/${schemaName(type)}`])
  const discriminator = { propertyName: 'event', mapping: Object.fromEntries(refs) }
  const description = 'One of the event types, told apart by `event`. The events guide shows each of them.'
  return named(name, { description, oneOf: Object.values(schemas), discriminator } as TSchema)
}

const EVENTS = Object.fromEntries(TYPES.map((type) => [type, eventSchema(type)]))

/** An event as the event list shows it. */
export const EventItem = oneByType('Event', EVENTS)
const WebhookEvent = oneByType('WebhookEvent', { ...EVENTS, test: TEST })

/** The webhook request, for the API document. */
export function describedEvents(): { readonly webhooks: object } {
  const body = { required: true, content: { 'application/json': { schema: WebhookEvent } } }
  const header = (name: string, description: string): object => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  })
  const post = {
    operationId: 'receiveWebhookEvent',
    summary: 'Receive a webhook event. Answer 2xx to accept it; after any other answer it is delivered again.',
    tags: ['Webhooks'],
    security: [],
    parameters: [
      header('webhook-id', 'ID of the event, the same for every delivery of it.'),
      header('webhook-timestamp', 'When this attempt was signed, in Unix seconds.'),
      header('webhook-signature', 'Signature according to Standard Webhooks.'),
      header(
        'X-Webhook-Signature',
        'HMAC-SHA256 of the body in lowercase hex, with the secret of the webhook as the key.',
      ),
    ],
    requestBody: body,
    responses: { '2XX': { description: 'Event accepted' } },
  }
  return { webhooks: { event: { post } } }
}
