// The events in the API document: one schema per type, so that a consumer of an event has the type of its `data`, and the
// webhook request. The fields are those of docs/guides/events.md. Nothing is validated against these: fields may be added.

import { type TSchema, Type } from 'typebox'
import { DKIM_REASONS, DKIM_RESULTS } from '../../mail/authentication/dkim-check.ts'
import { named, nullable } from '../../platform/http.ts'
import type { EventType } from './types.ts'

const text = Type.String()
const id = Type.String({ format: 'uuid' })
const time = Type.String({ format: 'date-time' })
const integer = Type.Integer()
const flag = Type.Boolean()
const oneOf = (...words: string[]): TSchema => Type.Enum(words)
const stream = named('Stream', oneOf('transactional', 'broadcast'))
const metadata = nullable(Type.Record(Type.String(), Type.Unknown()))
const remote_mta = nullable(named('RemoteMta', Type.Object({ host: nullable(text), ip: nullable(text) })))

type Fields = Readonly<Record<string, TSchema>>

/** Null when neither the log nor the stored email has the facts any longer. */
const ABOUT: Fields = {
  recipient: nullable(text),
  from: nullable(text),
  from_name: nullable(text),
  subject: nullable(text),
  message_id: nullable(text),
  domain_id: nullable(id),
  sandbox: flag,
}
const MAIL: Fields = { ...ABOUT, stream }
const OPENED: Fields = {
  opened_at: time,
  first_open: nullable(flag),
  open_count: nullable(integer),
  user_agent: nullable(text),
  ip: nullable(text),
  platform: named('Platform', oneOf('desktop', 'mobile', 'webmail', 'unknown')),
  client: nullable(text),
  is_machine: flag,
  machine_reason: nullable(text),
}
/** TLS of a session with a receiving server. */
export const TlsSession = named(
  'TlsSession',
  Type.Object({ version: text, cipher: text, verified: oneOf('none', 'pkix', 'mta_sts', 'dane') }),
)
const ANSWER: Fields = { enhanced_code: nullable(text), response: nullable(text) }
const CHECK = named(
  'EventDnsCheck',
  Type.Object({ status: text, expected: text, found: Type.Array(text), error: nullable(text) }),
)
const DOMAIN: Fields = {
  domain_id: id,
  domain: text,
  verification_status: named(
    'VerificationStatus',
    oneOf('pending', 'verified', 'temporary_failure', 'failed', 'suspended'),
  ),
  // Null when the operator sets the status of a domain whose records nobody has looked up.
  checks: nullable(
    named('EventDomainChecks', Type.Object({ ownership: CHECK, spf: CHECK, dkim: CHECK, dmarc: CHECK })),
  ),
}
const SUPPRESSION: Fields = {
  id,
  email: nullable(text),
  reason: named('SuppressionReason', oneOf('manual', 'repeated_soft_bounce', 'hard_bounce', 'complaint', 'spamtrap')),
  source: text,
  domain_id: nullable(id),
  email_id: nullable(id),
  bounce_id: nullable(id),
  details: nullable(text),
  sandbox: flag,
  expires_at: nullable(time),
  created_at: time,
}
/** Set for a complaint in the bounce list. Null in `email.bounced` events: complaints have their own events. */
export const ComplaintDkim = named(
  'ComplaintDkim',
  Type.Object(
    {
      result: named('DkimResult', Type.Enum([...DKIM_RESULTS])),
      domain: nullable(text),
      reason: nullable(named('DkimReason', Type.Enum([...DKIM_REASONS]))),
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
  tag: nullable(text),
  metadata,
  type: named('BounceType', oneOf('hard', 'soft', 'block', 'complaint', 'unknown')),
  category: text,
  smtp_code: nullable(integer),
  enhanced_code: nullable(text),
  diagnostic_code: nullable(text),
  error_message: nullable(text),
  command: nullable(named('BounceCommand', oneOf('connect', 'mail', 'rcpt', 'data'))),
  remote_mta,
  source: named('BounceSource', oneOf('smtp', 'dsn', 'arf', 'api')),
  feedback_type: nullable(text),
  attempt: nullable(integer),
  suppressed: flag,
  suppression_id: nullable(id),
  report_dkim: nullable(ComplaintDkim),
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
    tls: nullable(TlsSession),
    attempts: integer,
    delivery_time_ms: integer,
  },
  'email.opened': { ...MAIL, ...OPENED },
  'email.clicked': {
    ...MAIL,
    ...OPENED,
    opened_at: nullable(time),
    clicked_at: time,
    url: nullable(text),
    link_index: integer,
    first_click: nullable(flag),
    click_count: nullable(integer),
  },
  'email.bounced': { ...MAIL, ...BOUNCE },
  'email.complained': {
    ...MAIL,
    feedback_type: text,
    reporting_mta: nullable(text),
    arrival_date: nullable(time),
    suppressed: flag,
  },
  'email.unsubscribed': {
    ...ABOUT,
    stream: nullable(stream),
    email: nullable(text),
    source: oneOf('one_click', 'link', 'mailto', 'api', 'manual', 'import'),
    reason: nullable(text),
    unsubscribed_at: time,
  },
  'email.failed': {
    ...MAIL,
    reason: text,
    last_smtp_code: nullable(integer),
    last_response: nullable(text),
    attempts: integer,
  },
  'email.scheduled': { ...MAIL, scheduled_at: time },
  'email.deferred': {
    ...MAIL,
    ...ANSWER,
    smtp_code: nullable(integer),
    attempt: integer,
    next_attempt_at: nullable(time),
  },
  'email.suppressed': { ...MAIL, reason: text },
  'email.canceled': { ...MAIL, canceled_at: time },
  'domain.verified': DOMAIN,
  'domain.verification_failed': DOMAIN,
  'suppression.created': SUPPRESSION,
  'suppression.deleted': SUPPRESSION,
  'contact.confirmed': {
    contact_id: id,
    email: nullable(text),
    previous_status: text,
    status: text,
    confirmed_at: time,
    source: nullable(text),
    consent: nullable(Type.Record(Type.String(), Type.Unknown())),
  },
  'health.grade_changed': { previous_grade: nullable(text), grade: nullable(text), score: nullable(integer) },
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
      email_id: type.startsWith('email.') ? id : nullable(id),
    }),
    ...(type !== 'contact.confirmed' && { tag: nullable(text), metadata }),
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
