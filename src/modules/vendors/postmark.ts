// Postmark: https://postmarkapp.com/developer/api/email-api, as the package `postmark` speaks it.
//
// - To, Cc, Bcc and ReplyTo are comma-separated lists in one string. The client for Java quotes the addresses of a list.
// - The clients for Java and .NET say ContentId for ContentID.
// - Metadata is kept. A MessageStream whose name contains "broadcast" is the stream `broadcast`; all others are transactional.
// - `{{{ pm:unsubscribe }}}` is the unsubscribe link on every stream; a `label` in it is dropped, because our link has none.
// - The template calls take the id of a template here, as TemplateAlias or TemplateId; Postmark's own ids are numbers.

import { parseMailboxList, piecesOfList } from '../../mail/address.ts'
import type { ApiError, FieldFault } from '../../platform/errors.ts'
import type { Accepted, ForeignMessage } from '../sending/index.ts'
import {
  ABOUT_RECIPIENTS,
  type Fields,
  fieldsOf,
  given,
  isObject,
  listOf,
  objectOrNone,
  pairs,
  pairsFaults,
  renamed,
  type Translated,
  tracking,
  UNSUBSCRIBE,
  withoutReplaced,
  wordsOf,
} from './translation.ts'

const nameOf = renamed({
  from: 'From',
  to: 'To',
  cc: 'Cc',
  bcc: 'Bcc',
  reply_to: 'ReplyTo',
  subject: 'Subject',
  html: 'HtmlBody',
  text: 'TextBody',
  tag: 'Tag',
  metadata: 'Metadata',
  headers: 'Headers',
  attachments: 'Attachments',
  stream: 'MessageStream',
  template_id: 'TemplateAlias',
  variables: 'TemplateModel',
})

/** A message of /email. */
export function translatePostmark(body: unknown): Translated {
  return { send: () => (isObject(body) ? messageOf(body, contentOf(body)) : { body, faults: [] }), nameOf }
}

/** A message of /email/withTemplate. */
export function translatePostmarkTemplate(body: unknown): Translated {
  return { send: () => (isObject(body) ? messageOf(body, templateOf(body)) : { body, faults: [] }), nameOf }
}

function contentOf(fields: Fields): ForeignMessage {
  const body = {
    subject: fields['Subject'] ?? '',
    html: linked(fields['HtmlBody']),
    text: linked(fields['TextBody']),
  }
  return { body, faults: [] }
}

/** Without an id, and with a number, the fault of the send is that this is no id. */
function templateOf({ TemplateAlias: alias, TemplateId, TemplateModel: model }: Fields): ForeignMessage {
  const id = alias ?? TemplateId
  return { body: { template_id: typeof id === 'string' ? id : '', variables: objectOrNone(model) }, faults: [] }
}

function messageOf(fields: Fields, content: ForeignMessage): ForeignMessage {
  const { TrackOpens: opens, TrackLinks: links, MessageStream: stream } = fields
  const attachments = fields['Attachments']
  const send = given({
    ...fieldsOf(content.body),
    from: fields['From'],
    to: mailboxes(fields['To']),
    cc: mailboxes(fields['Cc']),
    bcc: mailboxes(fields['Bcc']),
    reply_to: mailboxes(fields['ReplyTo']),
    tag: fields['Tag'] === '' ? undefined : fields['Tag'],
    metadata: objectOrNone(fields['Metadata']),
    headers: ownHeaders(fields['Headers']),
    attachments: Array.isArray(attachments) ? attachments.map(attachment) : attachments,
    stream: typeof stream === 'string' && /broadcast/i.test(stream) ? 'broadcast' : undefined,
    ...tracking(opens, typeof links === 'string' ? !NO_LINKS_OF_HTML.has(links) : undefined),
  })
  const headers = fields['Headers']
  const faults = [...content.faults, ...pairsFaults(headers, 'headers', 'Name', 'Value'), ...headerFaults(headers)]
  return { body: send, faults }
}

/** Links in text are never tracked, so that TextOnly leaves nothing to track. */
const NO_LINKS_OF_HTML: ReadonlySet<string> = new Set(['None', 'TextOnly'])

const LINK = /\{\{\{\s{0,9}pm:unsubscribe(?:_url)?(?:\s[^{}]{0,200})?\}\}\}/g

function linked(text: unknown): unknown {
  return typeof text === 'string' ? text.replaceAll(LINK, UNSUBSCRIBE) : text
}

/** Asks Postmark to keep the Message-ID of the call. It cannot be kept here, and so is refused instead of replaced. */
const KEEPS_ID = 'x-pm-keepid'

function ownHeaders(list: unknown): unknown {
  const headers = pairs(list, 'Name', 'Value')
  if (headers === null) return list
  const keepsId = Object.entries(headers).some(
    ([name, value]) => name.toLowerCase() === KEEPS_ID && `${value}` === 'true',
  )
  return withoutReplaced(headers, keepsId ? 'message-id' : undefined)
}

/** Limits how much of a hostile name the answer repeats. */
const MAX_NAME_SHOWN = 100

/** A send has each header once: of two with the same name, one would be lost. */
function headerFaults(value: unknown): readonly FieldFault[] {
  const names = listOf(value).flatMap((item) => {
    const { Name: name } = fieldsOf(item)
    return typeof name === 'string' ? [name] : []
  })
  const seen = new Set<string>()
  const twice = names.find((name) => seen.size === seen.add(name.toLowerCase()).size)
  if (twice === undefined) return []
  const name = twice.slice(0, MAX_NAME_SHOWN)
  return [{ field: 'headers', rule: 'unique', message: `has ${name} more than once, and takes each name once` }]
}

/** In quotes: `"a@shop.example","b@shop.example"`. Not a name, which an address in angle brackets follows. */
const QUOTED_ADDRESS = /"([^"\s<>@]+@[^"\s<>@]+)"(?=\s{0,9}(?:,|$))/g

function mailboxes(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.trim() === '') return undefined
  const list = value.replaceAll(QUOTED_ADDRESS, '$1')
  const read = parseMailboxList(list)
  if (read.ok) return read.mailboxes.map(({ name, address }) => ({ email: address.address, name }))
  // In pieces, so that the answer says which one is wrong and why.
  const pieces = piecesOfList(list)
  return pieces.length === 1 ? value : pieces
}

function attachment(item: unknown): unknown {
  const { Name: filename, Content: content, ContentType: type, ContentID, ContentId } = fieldsOf(item)
  const id = ContentID ?? ContentId
  const inline = typeof id === 'string' && id !== ''
  return given({
    filename,
    content,
    content_type: type === '' ? undefined : type,
    content_id: inline ? id.replace(/^cid:/i, '') : undefined,
    disposition: inline ? 'inline' : undefined,
  })
}

/** Clients find the addresses by what stands before and after them, also in the answer for a message that was accepted. */
const INACTIVE = 'Inactive recipients stand on a list of the account or were refused'

/** The answer for one accepted message. */
export function postmarkAnswer(accepted: Accepted, message: unknown): Fields {
  const { To, Cc, Bcc } = fieldsOf(message)
  const refused = accepted.recipients.filter(({ status }) => status !== 'queued').map(({ email }) => email)
  return {
    ...given({ To, Cc, Bcc }),
    SubmittedAt: accepted.acceptedAt.toISOString(),
    MessageID: accepted.emailId,
    ErrorCode: 0,
    Message:
      refused.length === 0
        ? 'OK'
        : `Message OK, but will not deliver to these inactive addresses: ${refused.join(', ')}. ${INACTIVE}.`,
  }
}

export function postmarkError(error: ApiError): { readonly status: number; readonly body: Fields } {
  const [status, code] = CODES[error.code] ?? fallback(error)
  return { status, body: { ErrorCode: code, Message: messageOfError(error) } }
}

function messageOfError(error: ApiError): string {
  if (error.code === 'missing_api_key') return 'An API key is required: X-Postmark-Server-Token (missing_api_key)'
  return ABOUT_RECIPIENTS.has(error.code) ? inactive(error) : wordsOf(error, nameOf)
}

function inactive({ code, details }: ApiError): string {
  const { recipients } = details as { recipients?: readonly { readonly email: string }[] }
  const found = (recipients ?? []).map(({ email }) => email).join(', ')
  return `No recipient can be mailed. Found inactive addresses: ${found}. ${INACTIVE} (${code}).`
}

function fallback({ code, status }: ApiError): readonly [status: number, code: number] {
  if (ABOUT_RECIPIENTS.has(code)) return [422, 406]
  if (status >= 500) return [status, status === 503 ? 100 : 500]
  return [status === 404 || status === 405 || status === 413 ? status : 422, 300]
}

const CODES: Readonly<Record<string, readonly [status: number, code: number]>> = {
  missing_api_key: [401, 10],
  invalid_api_key: [401, 10],
  api_key_expired: [401, 10],
  api_key_revoked: [401, 10],
  insufficient_scope: [401, 10],
  ip_not_allowed: [401, 10],
  account_suspended: [422, 405],
  quota_exceeded: [422, 405],
  rate_limit_exceeded: [429, 429],
  sender_domain_not_allowed: [422, 400],
  sender_not_verified: [422, 401],
  invalid_json: [422, 402],
  unsupported_media_type: [422, 409],
  validation_error: [422, 300],
}
