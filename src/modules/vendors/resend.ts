// Resend: https://resend.com/docs/api-reference/emails/send-email, as the package `resend` speaks it.
//
// - tags are name and value: all become metadata; the value of the one named `category`, else of the first, is the tag.
// - an attachment by `path` is refused: nothing is fetched for a mail.
// - `scheduled_at` takes ISO 8601; words such as "in 1 hour" are refused.
// - `topic_id` has no meaning here and is ignored.

import type { ApiError } from '../../platform/errors.ts'
import { type Fields, faultsOf, fieldsOf, given, pairs, renamed, type Translated, wordsOf } from './translation.ts'

const nameOf = renamed({ template_id: 'template.id', variables: 'template.variables', metadata: 'tags', tag: 'tags' })

export function translateResend(body: unknown): Translated {
  const fields = fieldsOf(body)
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
    headers: fields['headers'],
    attachments: Array.isArray(fields['attachments']) ? fields['attachments'].map(attachment) : fields['attachments'],
    scheduled_at: fields['scheduled_at'],
    template_id: id,
    variables,
    metadata: tags ?? fields['tags'],
    tag: tags === null ? undefined : (tags['category'] ?? Object.values(tags)[0]),
  })
  return { send, nameOf }
}

function attachment(item: unknown): unknown {
  const { filename, content, content_type, content_id } = fieldsOf(item)
  return given({ filename: filename === false ? undefined : filename, content, content_type, content_id })
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
    return [400, isKey ? 'invalid_idempotency_key' : 'invalid_parameter']
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
