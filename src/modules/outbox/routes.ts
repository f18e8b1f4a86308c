import { type Static, Type } from 'typebox'
import { parseAddress, suppressionKey } from '../../mail/address.ts'
import { fullCounts } from '../../platform/db/full-counts.ts'
import { PARAMETER_WORDS, parameterError } from '../../platform/errors.ts'
import {
  type AnyEndpoint,
  CursorPagination,
  DateTime,
  dataOf,
  domainsSeen,
  endpoint,
  exampleBody,
  FromTime,
  IdParams,
  ListCursor,
  ListLimit,
  ListOffset,
  list,
  listOf,
  named,
  nullable,
  type Principal,
  raw,
  single,
  ToTime,
  typed,
} from '../../platform/http.ts'
import { timeOfId } from '../../platform/ids.ts'
import { EventItem, TlsSession } from '../events/index.ts'
import { type CancelOptions, statusName } from './control.ts'
import type { EmailAsRead, EmailCalls } from './email-calls.ts'
import { COUNT_LIMIT, type EmailRow, type Lists, listEmails, type StoredAttempt } from './emails.ts'
import { emailErrors as errors } from './errors.ts'
import { AttachmentFields, framed, wireAttachment } from './readable-content.ts'
import { cancelManyRoute } from './routes-cancel.ts'
import { ATTEMPT_OUTCOMES, ATTEMPT_OUTCOMES_ARE, type EmailStatus, STATUS } from './types.ts'

export interface EmailRoutesOptions extends CancelOptions {
  readonly calls: EmailCalls
}

const Text = nullable(Type.String())
const When = nullable(DateTime)

const EmailFields = {
  id: Type.String(),
  message_id: Type.String(),
  from: Type.String(),
  from_name: Text,
  to: Type.String(),
  cc: Type.Array(Type.String()),
  reply_to: Type.Array(Type.String()),
  subject: Type.String(),
  status: named('EmailStatus', Type.Enum(Object.keys(STATUS))),
  stream: named('Stream', Type.Enum(['transactional', 'broadcast'])),
  tag: Text,
  metadata: nullable(Type.Record(Type.String(), Type.Unknown())),
  domain_id: Text,
  sandbox: Type.Boolean(),
  size: Type.Integer({ description: 'Size of the message as sent, in bytes. An estimate until the first attempt.' }),
  attempts_count: Type.Integer(),
  last_smtp_code: nullable(Type.Integer()),
  last_response: Text,
  next_attempt_at: When,
  open_count: Type.Integer(),
  click_count: Type.Integer(),
  risk: nullable(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'The verdict when the email was accepted: the fields of `POST /api/v1/risk/preview` except `quota`, and those of the content and of an override.',
    }),
  ),
  created_at: DateTime,
  scheduled_at: When,
  expires_at: DateTime,
  delivered_at: When,
  ended_at: When,
}
const Email = named('Email', Type.Object(EmailFields))
const DialogueLine = named(
  'DialogueLine',
  Type.Object({ at: DateTime, from: Type.Enum(['client', 'server']), line: Type.String() }),
)
const Attempt = named(
  'DeliveryAttempt',
  Type.Object({
    attempt: Type.Integer({ description: 'Number of the attempt, starting at 1.' }),
    started_at: DateTime,
    duration_ms: Type.Integer(),
    outcome: named('AttemptOutcome', Type.Enum([...ATTEMPT_OUTCOMES], { description: ATTEMPT_OUTCOMES_ARE })),
    mx: Text,
    ip: Text,
    port: nullable(Type.Integer()),
    source_ip: Text,
    tls: nullable(TlsSession),
    smtp_code: nullable(Type.Integer()),
    enhanced_code: Text,
    response: Type.String(),
    dialogue: Type.Array(DialogueLine),
    next_attempt_at: When,
    throttled_by: nullable(
      Type.String({ description: 'What delayed or prevented the attempt. Null when nothing did.' }),
    ),
  }),
)
const SingleEmail = named(
  'EmailDetail',
  Type.Object({
    ...EmailFields,
    headers: Type.Record(Type.String(), Type.String()),
    html: Text,
    text: Text,
    attachments: Type.Array(named('EmailAttachment', Type.Object(AttachmentFields))),
    attempts: Type.Array(Attempt),
    events: Type.Array(EventItem),
  }),
)

const ListQuery = Type.Object({
  from: FromTime,
  to: ToTime,
  status: Type.Optional(Type.String({ description: 'One or more statuses, separated by commas.' })),
  recipient: Type.Optional(Type.String()),
  tag: Type.Optional(Type.String()),
  domain_id: Type.Optional(Type.String({ format: 'uuid' })),
  message_id: Type.Optional(Type.String()),
  search: Type.Optional(
    Type.String({
      maxLength: 998,
      description:
        'Part of the recipient, subject or message ID. It reads every email of the period: among hundreds of thousands, add `from` and `to`, or filter by `recipient`, which is found at once.',
    }),
  ),
  response: Type.Optional(
    Type.String({
      maxLength: 998,
      description:
        'Part of the last response, in any case, such as `rate limited` or `4.7.28`. With `status=deferred`, the waiting emails that one cause holds up.',
    }),
  ),
  include_sandbox: Type.Boolean({ default: true, description: 'Whether sandbox emails are included.' }),
  limit: ListLimit,
  offset: ListOffset,
  cursor: ListCursor,
})

export function emailRoutes(options: EmailRoutesOptions): readonly AnyEndpoint[] {
  const { calls, clock, database } = options
  const lists: Lists = { database, counts: fullCounts(clock, COUNT_LIMIT) }
  const read = { scope: 'emails:read' }
  const steer = { scope: 'send' }
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/emails',
      access: read,
      operationId: 'listEmails',
      summary: 'List emails',
      tag: 'Emails',
      query: ListQuery,
      answers: { 200: listOf(Email, CursorPagination) },
      handle: ({ principal, query, signal }) => answerList(lists, principal, query, signal),
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/emails/{id}',
      access: read,
      operationId: 'getEmail',
      summary: 'Get an email with its delivery attempts and events',
      tag: 'Emails',
      params: IdParams,
      answers: { 200: dataOf(SingleEmail) },
      errors: [errors.not_found],
      handle: async ({ principal, params, signal }) =>
        single(wireStory(await calls.read(principal, params.id, signal))),
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/emails/{id}/preview',
      access: read,
      operationId: 'getEmailHtml',
      summary:
        'Get the HTML of an email with its inline images for display in a frame. It cannot run scripts or load anything.',
      tag: 'Emails',
      params: IdParams,
      answers: { 200: typed('text/html') },
      errors: [errors.not_found],
      handle: async ({ principal, params, signal }) => framed(await calls.content(principal, params.id, signal)),
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/emails/{id}/raw',
      access: read,
      operationId: 'getRawEmail',
      summary: 'Get the raw message as the receiving server gets it',
      tag: 'Emails',
      params: IdParams,
      answers: { 200: typed('message/rfc822') },
      errors: [errors.not_found],
      handle: async ({ principal, params, signal }) =>
        raw('message/rfc822', await calls.raw(principal, params.id, signal)),
    }),
    endpoint({
      method: 'POST',
      path: '/api/v1/emails/{id}/cancel',
      access: steer,
      operationId: 'cancelEmail',
      summary: 'Cancel an email that has not been sent. One that is being attempted cannot be canceled.',
      tag: 'Emails',
      params: IdParams,
      answers: { 200: dataOf(SingleEmail) },
      errors: [errors.not_found, errors.not_cancelable],
      handle: async ({ principal, params }) => single(wireStory(await calls.cancel(principal, params.id))),
    }),
    cancelManyRoute(options),
    endpoint({
      method: 'POST',
      path: '/api/v1/emails/{id}/retry',
      access: steer,
      operationId: 'retryEmail',
      summary:
        'Retry an email. A deferred one is attempted now; a failed or bounced one starts anew, and its `expires_at` becomes 72 hours from now. A live email is refused while its recipient is suppressed or unsubscribed; one that has ended also when its recipient complained or is a spam trap, or its sending domain was removed.',
      tag: 'Emails',
      params: IdParams,
      answers: { 200: dataOf(SingleEmail) },
      errors: [errors.not_found, errors.invalid_state],
      handle: async ({ principal, params }) => single(wireStory(await calls.retry(principal, params.id))),
    }),
    endpoint({
      method: 'PATCH',
      path: '/api/v1/emails/{id}',
      access: steer,
      operationId: 'rescheduleEmail',
      summary: 'Reschedule a scheduled email. A time that has passed counts as now. The default expiry moves with it.',
      tag: 'Emails',
      params: IdParams,
      examples: exampleBody({ scheduled_at: '2099-01-31T08:00:00Z' }),
      body: named('RescheduleEmailRequest', Type.Object({ scheduled_at: DateTime }, { additionalProperties: false })),
      answers: { 200: dataOf(SingleEmail) },
      errors: [errors.not_found, errors.invalid_state],
      handle: async ({ principal, params, body }) =>
        single(wireStory(await calls.reschedule(principal, params.id, new Date(body.scheduled_at)))),
    }),
  ]
}

async function answerList(
  lists: Lists,
  { accountId, domainIds }: Principal,
  query: Static<typeof ListQuery>,
  gone: AbortSignal,
): Promise<ReturnType<typeof list>> {
  const { limit, offset, cursor = null } = query
  const filter = {
    from: query.from === undefined ? null : new Date(query.from),
    to: query.to === undefined ? null : new Date(query.to),
    statuses: readStatuses(query.status),
    recipientKey: query.recipient === undefined ? null : recipientKey(query.recipient),
    tag: query.tag ?? null,
    domainIds: domainsSeen(query.domain_id, domainIds),
    messageId: query.message_id?.replaceAll(/^<|>$/g, '') ?? null,
    search: query.search ?? null,
    response: query.response ?? null,
    includeSandbox: query.include_sandbox,
  }
  const { emails, total, nextCursor } = await listEmails(lists, accountId, filter, { limit, offset, cursor }, gone)
  return list(emails.map(wireEmail), { total, limit, offset, next_cursor: nextCursor })
}

function readStatuses(text: string | undefined): readonly EmailStatus[] | null {
  if (text === undefined) return null
  return text.split(',').map((item) => {
    const name = item.trim()
    if (!Object.hasOwn(STATUS, name))
      throw parameterError('status', 'enum', `must be one of ${Object.keys(STATUS).join(', ')}, or several with commas`)
    return name as EmailStatus
  })
}

function recipientKey(text: string): string {
  const read = parseAddress(text.trim())
  if (!read.ok) throw parameterError('recipient', 'email', PARAMETER_WORDS.email)
  return suppressionKey(read.address)
}

function wireEmail(row: EmailRow): object {
  return {
    id: row.id,
    message_id: row.message_id,
    from: row.sender,
    from_name: row.sender_name,
    to: row.recipient,
    cc: row.cc ?? [],
    reply_to: row.reply_to ?? [],
    subject: row.subject,
    status: statusName(row.status),
    stream: row.stream === 1 ? 'broadcast' : 'transactional',
    tag: row.tag,
    metadata: row.metadata,
    domain_id: row.domain_id,
    sandbox: row.sandbox,
    size: row.size_bytes,
    attempts_count: row.attempts_count,
    last_smtp_code: row.last_smtp_code,
    last_response: row.last_response,
    next_attempt_at: row.next_attempt_at,
    open_count: row.open_count,
    click_count: row.click_count,
    risk: row.risk,
    // The filters and the order of lists go by the id's time.
    created_at: timeOfId(row.id),
    scheduled_at: row.scheduled_at,
    expires_at: row.expires_at,
    delivered_at: row.delivered_at,
    ended_at: row.ended_at,
  }
}

function wireStory({ email, readable: { headers, html, text, attachments }, attempts, events }: EmailAsRead): object {
  return {
    ...wireEmail(email),
    headers,
    html,
    text,
    attachments: attachments.map(wireAttachment),
    attempts: attempts.map(wireAttempt),
    events,
  }
}

function wireAttempt({ number, startedAt, durationMs, outcome, detail }: StoredAttempt): object {
  const lines = (detail['dialogue'] ?? []) as readonly { readonly at: number }[]
  const dialogue = lines.map(({ at, ...line }) => ({ at: new Date(startedAt.getTime() + at), ...line }))
  return { attempt: number, started_at: startedAt, duration_ms: durationMs, outcome, ...detail, dialogue }
}
