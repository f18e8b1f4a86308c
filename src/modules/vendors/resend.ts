// Resend: https://resend.com/docs/api-reference/emails/send-email, as the package `resend` speaks it.
//
// - tags are name-value pairs: all become metadata, and the value of the one named `category`, or else of the first, is the tag.
// - an attachment by `path` is refused: nothing is fetched for a mail. Content may be a list of bytes or a Buffer of Node as JSON
//   (byte-lists.ts): the clients for Python, Go and Ruby and older ones for Node send it so. Older clients say
//   `inline_content_id` for `content_id`.
// - `scheduled_at` takes ISO 8601 or a delay in words: "in 1 min", "in 2 hours", "in 3 days".
// - Resend fills in `{{{RESEND_UNSUBSCRIBE_URL}}}` only in broadcasts, which have paths of their own; here it stays text.
// - `topic_id` has no meaning here and is ignored.

import type { ApiError, FieldFault } from '../../platform/errors.ts'
import type { VendorApi } from '../../platform/http.ts'
import { isDateTime } from '../../platform/validation.ts'
import type { ForeignMessage } from '../sending/index.ts'
import {
  type Fields,
  faultsOf,
  fieldsOf,
  given,
  isObject,
  listOf,
  NOT_TRANSLATED,
  objectOrNone,
  pairs,
  pairsFaults,
  renamed,
  type Translated,
  withoutReplaced,
  wordsOf,
} from './translation.ts'

export const RESEND: VendorApi = {
  folder: '/emails',
  others: ['domains', 'api-keys', 'audiences', 'contacts', 'segments', 'topics', 'broadcasts', 'templates', 'webhooks'],
  missing: NOT_TRANSLATED,
  errorAnswer: resendError,
}

const nameOf = renamed({ template_id: 'template.id', variables: 'template.variables', metadata: 'tags', tag: 'tags' })

export function translateResend(body: unknown, now: Date): Translated {
  return { send: () => (isObject(body) ? messageOf(body, now) : { body, faults: [] }), nameOf }
}

function messageOf(fields: Fields, now: Date): ForeignMessage {
  const scheduledAt = moment(fields['scheduled_at'], now)
  const { id, variables } = fieldsOf(fields['template'])
  const tags = fields['tags'] == null ? null : pairs(fields['tags'], 'name', 'value')
  const send = given({
    from: fields['from'],
    to: fields['to'],
    cc: fields['cc'],
    bcc: fields['bcc'],
    reply_to: fields['reply_to'],
    subject: fields['subject'],
    html: fields['html'],
    text: fields['text'],
    headers: objectOrNone(withoutReplaced(fields['headers'])),
    attachments: Array.isArray(fields['attachments']) ? fields['attachments'].map(attachment) : fields['attachments'],
    scheduled_at: scheduledAt,
    template_id: id,
    variables: objectOrNone(variables),
    metadata: tags ?? fields['tags'],
    tag: tags === null ? undefined : (tags['category'] ?? tags[firstName(fields['tags'])]),
  })
  const isUnread = typeof scheduledAt === 'string' && !isDateTime(scheduledAt)
  return {
    body: send,
    faults: [
      ...(isUnread ? [NO_MOMENT] : []),
      ...pairsFaults(fields['tags'], 'metadata', 'name', 'value'),
      ...pathFaults(fields['attachments']),
    ],
  }
}

/** Not the first of the object's names: those that are numbers come before the others there. */
function firstName(tags: unknown): string {
  const [first] = listOf(tags)
  return String(fieldsOf(first)['name'])
}

export const NO_MOMENT: FieldFault = {
  field: 'scheduled_at',
  rule: 'date-time',
  message: 'takes a moment of ISO 8601 with its offset, or a while such as "in 1 hour", and no other words',
}

/** For attachments without content; reported instead of the fault that the content is missing. */
function pathFaults(attachments: unknown): readonly FieldFault[] {
  return listOf(attachments).flatMap((item, i) => {
    const { path, content } = fieldsOf(item)
    if (path == null || content != null) return []
    const message = 'is required, as base64: what `path` names is not fetched'
    return [{ field: `attachments[${i}].content`, rule: 'required', message }]
  })
}

const WHILE = /^\s*in\s+(\d{1,5}|an?)\s+(second|sec|minute|min|hour|hr|day|week)s?\s*$/i
const UNIT_MS: Readonly<Record<string, number>> = {
  second: 1_000,
  sec: 1_000,
  minute: 60_000,
  min: 60_000,
  hour: 3_600_000,
  hr: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
}

/** `scheduled_at` of a send or of a change. A value that is not a delay is passed on unchanged. */
export function moment(value: unknown, now: Date): unknown {
  const [, count = '', unit = ''] = typeof value === 'string' ? (WHILE.exec(value) ?? []) : []
  const unitMs = UNIT_MS[unit.toLowerCase()]
  if (unitMs === undefined) return value
  return new Date(now.getTime() + (/^a/i.test(count) ? 1 : Number(count)) * unitMs).toISOString()
}

function attachment(item: unknown): unknown {
  const { filename, content, content_type, content_id, inline_content_id } = fieldsOf(item)
  return given({
    filename: filename === false ? undefined : filename,
    content: ofBuffer(content),
    content_type,
    content_id: content_id ?? inline_content_id,
  })
}

/** A Buffer of Node as JSON is an object; withBytesInBase64 has made its list a string. */
function ofBuffer(content: unknown): unknown {
  const { type, data } = fieldsOf(content)
  return type === 'Buffer' && typeof data === 'string' ? data : content
}

export function resendError(error: ApiError): { readonly status: number; readonly body: Fields } {
  const [status, name] = nameOfError(error)
  return { status, body: { statusCode: status, name, message: wordsOf(error, nameOf) } }
}

function nameOfError(error: ApiError): readonly [status: number, name: string] {
  const known = NAMES[error.code]
  if (known !== undefined) return known
  if (error.code === 'validation_error') return [422, nameOfFault(error)]
  if (error.code === 'invalid_parameter') {
    const isKey = error.details['parameter'] === 'Idempotency-Key'
    return isKey ? [400, 'invalid_idempotency_key'] : [422, 'invalid_parameter']
  }
  return [error.status, error.status >= 500 ? 'application_error' : 'validation_error']
}

function nameOfFault(error: ApiError): string {
  const [first] = faultsOf(error)
  if (first?.rule === 'required') return 'missing_required_field'
  if (first?.field === 'from') return 'invalid_from_address'
  return first?.field.startsWith('attachments') === true ? 'invalid_attachment' : 'validation_error'
}

const NAMES: Readonly<Record<string, readonly [number, string]>> = {
  missing_api_key: [401, 'missing_api_key'],
  invalid_api_key: [403, 'invalid_api_key'],
  api_key_expired: [403, 'invalid_api_key'],
  api_key_revoked: [403, 'invalid_api_key'],
  insufficient_scope: [401, 'restricted_api_key'],
  ip_not_allowed: [401, 'restricted_api_key'],
  sender_domain_not_allowed: [403, 'validation_error'],
  sender_not_verified: [403, 'validation_error'],
  idempotency_key_reused: [409, 'invalid_idempotent_request'],
  idempotency_in_progress: [409, 'concurrent_idempotent_requests'],
  rate_limit_exceeded: [429, 'rate_limit_exceeded'],
  quota_exceeded: [429, 'monthly_quota_exceeded'],
  not_found: [404, 'not_found'],
  method_not_allowed: [405, 'method_not_allowed'],
  internal_error: [500, 'internal_server_error'],
}
