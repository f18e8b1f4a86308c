// SendGrid: https://www.twilio.com/docs/sendgrid/api-reference/mail-send, as the package `@sendgrid/mail` speaks it.
//
// - Each personalization is a message of its own, on top of the fields of the call; all are accepted or none.
// - The first category is the tag; with several, all are also in the metadata as `categories`, beside the custom arguments.
// - Substitutions are inserted unescaped, at most 10,000 bytes of them per personalization, as at SendGrid. `{{unsubscribe}}`
//   in their values is plain text, as it is in the values of template variables.
// - For a template the dynamic data are its variables. The client sends them only with ids that begin with `d-`, so
//   `template_id` is `d-` and the id of one of our templates, or the bare id.
// - Sandbox mode does not let the mail leave the server. A group (`asm`) requests the unsubscribe header, and its tags
//   (`<%asm_group_unsubscribe_url%>`) are the unsubscribe link; there are no groups here.
// - Subscription tracking requests the header too. Its tag is the link; without a tag, its text and html are appended with the
//   link.
// - Ignored: batch_id, ip_pool_name, sections, bypass and footer settings, Google Analytics.

import { withoutPlaceholders } from '../../mail/html/links.ts'
import { type ApiError, type FieldFault, NO_OBJECT, validationError } from '../../platform/errors.ts'
import { type ForeignMessage, sendingErrors, sendingLimits } from '../sending/index.ts'
import {
  type Fields,
  faultsOf,
  fieldsOf,
  given,
  isObject,
  listOf,
  type Translated,
  tracking,
  UNSUBSCRIBE,
  wordsOf,
  wordsOfFault,
} from './translation.ts'

/** One message per personalization. @throws ApiError validation_error when the body is not an object */
export function translateSendGrid(body: unknown): readonly Translated[] {
  if (!isObject(body)) throw validationError([NO_OBJECT])
  const call = withinReason(body)
  const costs = costsOfCall()
  const leave = waysToLeave(call)
  return listOf(call['personalizations']).map((personalization, index) => {
    // Kept, because those that remain after a refusal are sent again.
    let made: ForeignMessage | null = null
    return {
      send: () => {
        made ??= messageOf(call, fieldsOf(personalization), leave, costs)
        return made
      },
      nameOf: (field) => nameOf(field, index, fieldsOf(personalization)),
    }
  })
}

/** Each message gets the lists of the call, so of a list that is too long only as much is kept as shows that it is. */
function withinReason(call: Fields): Fields {
  const items = (value: unknown, max: number): unknown => (Array.isArray(value) ? value.slice(0, max + 1) : value)
  const fields = (value: unknown, max: number): unknown =>
    isObject(value) ? Object.fromEntries(Object.entries(value).slice(0, max + 1)) : value
  return {
    ...call,
    attachments: items(call['attachments'], MAX_ATTACHMENTS),
    categories: items(call['categories'], MAX_METADATA_BYTES),
    reply_to_list: items(call['reply_to_list'], MAX_RECIPIENTS),
    headers: fields(call['headers'], MAX_CUSTOM_HEADERS),
    custom_args: fields(call['custom_args'], MAX_METADATA_BYTES),
  }
}

function messageOf(call: Fields, own: Fields, leave: WaysToLeave, costs: Costs): ForeignMessage {
  costs.begin()
  const from = fieldsOf(own['from'] ?? call['from'])
  const substitute = substitutions(own['substitutions'], costs)
  const settings = fieldsOf(call['tracking_settings'])
  const enabled = (name: string): unknown => fieldsOf(settings[name])['enable']
  const categories = typeof call['categories'] === 'string' ? [call['categories']] : listOf(call['categories'])
  const args = { ...fieldsOf(call['custom_args']), ...fieldsOf(own['custom_args']) }
  const metadata = categories.length > 1 ? { ...args, categories } : args
  const variables = fieldsOf(own['dynamic_template_data'])
  const attachments = call['attachments']
  const sendAt = own['send_at'] ?? call['send_at']
  // A value of another type is passed on, to be refused: taken as off, it would send real mail.
  const { enable: sandbox } = fieldsOf(fieldsOf(call['mail_settings'])['sandbox_mode'])
  const send = given({
    from: from['email'],
    from_name: from['name'],
    to: own['to'],
    cc: own['cc'],
    bcc: own['bcc'],
    reply_to: call['reply_to_list'] ?? call['reply_to'],
    subject: substitute(own['subject'] ?? call['subject']),
    ...contentOf(call['content'], (text, form) => linked(substitute(text), form, leave, costs)),
    headers: headersOf(call, own),
    attachments: Array.isArray(attachments) ? attachments.map(attachment) : attachments,
    tag: categories[0],
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    scheduled_at: moment(sendAt),
    template_id: templateId(call['template_id']),
    variables: Object.keys(variables).length === 0 ? undefined : variables,
    sandbox: sandbox === false ? undefined : sandbox,
    unsubscribe_header_enabled: leave.asked ? true : undefined,
    ...tracking(enabled('open_tracking'), enabled('click_tracking')),
  })
  return {
    body: send,
    faults: [...contentFaults(call['content']), ...templateFaults(call['template_id']), ...momentFaults(sendAt)],
  }
}

/**
 * The package nodemailer-sendgrid gives every mail a `message-id` that its user has not written. Ours takes its place. One
 * that a person wrote has capitals and is refused, as in a send.
 */
function headersOf(call: Fields, own: Fields): Fields {
  const { 'message-id': _, ...headers } = { ...fieldsOf(call['headers']), ...fieldsOf(own['headers']) }
  return headers
}

type Substitute = (text: unknown) => unknown

/** Limits on the cost of the substitutions of one call; the methods throw payload_too_large beyond them. */
interface Costs {
  /** A personalization begins. */
  begin(): void
  /** Characters searched, for one personalization and for all of them. */
  search(count: number): void
  /** Characters of the resulting texts. */
  keep(count: number): void
}

const MAX_SUBSTITUTION_BYTES = 10_000
const MAX_SEARCHED_CHARS = 5e8
const MAX_SEARCHED_CHARS_EACH = 1e8
const { MAX_ATTACHMENTS, MAX_CALL_BYTES, MAX_CUSTOM_HEADERS, MAX_METADATA_BYTES, MAX_PART_BYTES, MAX_RECIPIENTS } =
  sendingLimits

function costsOfCall(): Costs {
  const left = { searched: MAX_SEARCHED_CHARS, searchedEach: 0, kept: MAX_CALL_BYTES }
  return {
    begin: () => {
      left.searchedEach = MAX_SEARCHED_CHARS_EACH
    },
    search: (count) => {
      left.searched -= count
      left.searchedEach -= count
      if (left.searched < 0 || left.searchedEach < 0) throw tooLarge(MAX_CALL_BYTES)
    },
    keep: (count) => {
      left.kept -= count
      if (left.kept < 0) throw tooLarge(MAX_CALL_BYTES)
    },
  }
}

function tooLarge(limitBytes: number, of = 'substitutions'): ApiError {
  return sendingErrors.payload_too_large({ limit_bytes: limitBytes, of })
}

/** Fills the substitutions of a personalization into a text. */
function substitutions(own: unknown, costs: Costs): Substitute {
  const entries = Object.entries(fieldsOf(own))
    .filter(([name]) => name !== '')
    .map(([name, value]) => [name, withoutPlaceholders(wordOf(value))] as const)
  const bytes = entries.reduce((sum, [name, word]) => sum + Buffer.byteLength(name) + Buffer.byteLength(word), 0)
  if (bytes > MAX_SUBSTITUTION_BYTES) throw tooLarge(MAX_SUBSTITUTION_BYTES)
  return (text) => {
    if (typeof text !== 'string') return text
    const filled = entries.reduce((before, [name, word]) => substituted(before, name, word, costs), text)
    if (filled !== text) costs.keep(filled.length)
    return filled
  }
}

/** An object may have a `toString` that is not a function. */
function wordOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? Object.prototype.toString.call(value) : String(value)
}

/** Computes the length before making the text. */
function substituted(text: string, name: string, word: string, { search }: Costs): string {
  search(text.length)
  let times = 0
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + name.length)) times++
  if (times === 0) return text
  if (text.length + times * (word.length - name.length) > MAX_PART_BYTES) throw tooLarge(MAX_PART_BYTES)
  return text.replaceAll(name, () => word)
}

type Form = 'text' | 'html'

/** How readers can unsubscribe from the mails of a call. */
interface WaysToLeave {
  readonly asked: boolean
  /** There is a group, whose tags are the link. */
  readonly group: boolean
  /** Another tag for the link; null when there is none. */
  readonly tag: string | null
  /** Texts to append, with the link in them. */
  readonly text: string
  readonly html: string
}

const GROUP_TAG = /<%\s{0,9}asm_(?:group_unsubscribe|global_unsubscribe|preferences)_(?:raw_)?url\s{0,9}%>/g
/** In an appended text: the place of the link, with its label. */
const PLACE = /<%([^%]{0,500})%>/g
const BODY_END = /<\/body\s{0,9}>/i
const MAX_APPENDED_CHARS = 10_000

function waysToLeave(call: Fields): WaysToLeave {
  const group = call['asm'] != null
  const { enable, substitution_tag, text, html } = fieldsOf(
    fieldsOf(call['tracking_settings'])['subscription_tracking'],
  )
  if (enable !== true) return { asked: group, group, tag: null, text: '', html: '' }
  const tag = typeof substitution_tag === 'string' && substitution_tag !== '' ? substitution_tag : null
  // The tag takes precedence over both texts, as at SendGrid.
  const appended = (value: unknown, fill: (words: string) => string): string => {
    if (tag !== null || typeof value !== 'string') return ''
    if (value.length > MAX_APPENDED_CHARS) throw tooLarge(MAX_APPENDED_CHARS, 'subscription_tracking')
    return value.replaceAll(PLACE, (_, words: string) => fill(words.trim()))
  }
  return {
    asked: true,
    group,
    tag,
    text: appended(text, () => UNSUBSCRIBE),
    html: appended(html, (words) => (words === '' ? UNSUBSCRIBE : `<a href="${UNSUBSCRIBE}">${words}</a>`)),
  }
}

function linked(text: unknown, form: Form, leave: WaysToLeave, costs: Costs): unknown {
  if (typeof text !== 'string' || !leave.asked) return text
  costs.search(text.length)
  const grouped = leave.group ? text.replaceAll(GROUP_TAG, UNSUBSCRIBE) : text
  const tagged = leave.tag === null ? grouped : substituted(grouped, leave.tag, UNSUBSCRIBE, costs)
  const whole = form === 'text' ? withText(tagged, leave.text) : withHtml(tagged, leave.html)
  if (whole !== text) costs.keep(whole.length)
  return whole
}

function withText(text: string, appended: string): string {
  return appended === '' ? text : `${text}\n\n${appended}`
}

function withHtml(html: string, appended: string): string {
  const at = appended === '' ? -1 : html.search(BODY_END)
  return at === -1 ? html + appended : html.slice(0, at) + appended + html.slice(at)
}

function contentOf(content: unknown, fill: (text: unknown, form: Form) => unknown): Fields {
  const parts = listOf(content).map(fieldsOf)
  const valueOf = (type: string): unknown => parts.find((part) => part['type'] === type)?.['value']
  return {
    text: fill(valueOf('text/plain'), 'text'),
    html: fill(valueOf('text/html'), 'html'),
  }
}

function contentFaults(content: unknown): readonly FieldFault[] {
  const isOther = listOf(content).some((part) => !PARTS.includes(fieldsOf(part)['type']))
  return isOther ? [{ field: 'content', rule: 'enum', message: `must be one of ${PARTS.join(', ')}` }] : []
}

const PARTS: readonly unknown[] = ['text/plain', 'text/html']

function templateId(id: unknown): unknown {
  return typeof id === 'string' ? id.replace(/^d-/, '') : id
}

const TEMPLATE_ID = /^(?:d-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** SendGrid's own ids have 32 digits without hyphens. */
function templateFaults(id: unknown): readonly FieldFault[] {
  if (typeof id !== 'string' || TEMPLATE_ID.test(id)) return []
  const message =
    'takes `d-` and the id of a template that was made here (/api/v1/templates); those of SendGrid are not here'
  return [{ field: 'template_id', rule: 'format', message }]
}

/** Beyond this the number is milliseconds. */
const MAX_SECONDS = 1e11

/** Seconds since 1970. Any other value is passed on, to be refused. */
function moment(seconds: unknown): unknown {
  return isMoment(seconds) ? new Date(seconds * 1_000).toISOString() : seconds
}

function isMoment(seconds: unknown): seconds is number {
  return typeof seconds === 'number' && Number.isFinite(seconds) && Math.abs(seconds) <= MAX_SECONDS
}

function momentFaults(sendAt: unknown): readonly FieldFault[] {
  if (sendAt === undefined || sendAt === null || isMoment(sendAt)) return []
  return [{ field: 'scheduled_at', rule: 'integer', message: 'takes a moment as seconds since 1970, in a number' }]
}

/** The types of the client know `contentId` alone, and it sends the name as it is written. */
function attachment(item: unknown): unknown {
  const { content, filename, type: content_type, disposition, content_id, contentId } = fieldsOf(item)
  return given({ content, filename, content_type, disposition, content_id: content_id ?? contentId })
}

const IN_CALL: Readonly<Record<string, string>> = {
  from: 'from.email',
  from_name: 'from.name',
  reply_to: 'reply_to',
  html: 'content',
  text: 'content',
  content: 'content.type',
  headers: 'headers',
  tag: 'categories',
  metadata: 'custom_args',
  template_id: 'template_id',
  attachments: 'attachments',
  sandbox: 'mail_settings.sandbox_mode.enable',
}
const IN_PERSONALIZATION: Readonly<Record<string, string>> = {
  scheduled_at: 'send_at',
  variables: 'dynamic_template_data',
}

/** The fields that stand in the call unless a personalization brings its own. */
const IN_EITHER: Readonly<Record<string, string>> = { subject: 'subject', scheduled_at: 'send_at' }

/** SendGrid writes paths with dots only: `personalizations.0.to.1.email`. */
function nameOf(field: string, index: number, own: Fields): string {
  const [, first = field, rest = ''] = /^([a-z_]+)(.*)$/.exec(field) ?? []
  const dotted = rest.replaceAll(/\[(\d+)\]/g, '.$1')
  const inCall = IN_CALL[first]
  if (inCall !== undefined) return `${inCall}${dotted}`
  const either = IN_EITHER[first]
  if (either !== undefined && own[either] == null) return `${either}${dotted}`
  return `personalizations.${index}.${IN_PERSONALIZATION[first] ?? first}${dotted}`
}

export function sendGridError(
  error: ApiError,
  shown: (field: string) => string = (field) => field,
): { readonly status: number; readonly body: Fields } {
  const faults = faultsOf(error)
  const errors =
    faults.length === 0
      ? [{ message: wordsOf(error, shown), field: null, help: null }]
      : faults.map((fault) => ({
          message: wordsOfFault(fault, shown),
          field: shown(fault.field),
          help: null,
        }))
  const isFault = error.code === 'validation_error'
  return { status: isFault ? 400 : error.code === 'sender_not_verified' ? 403 : error.status, body: { errors } }
}
