// Reads a send request: every check that needs no database. All faults are reported at once.

import {
  type Address,
  type AddressFault,
  FAULT_WORDS,
  type Mailbox,
  parseAddress,
  parseMailbox,
  parseMailboxList,
  suppressionKey,
} from '../../mail/address.ts'
import { base64Bytes } from '../../mail/mime/encodings.ts'
import { checkHeaderText, isForbiddenHeader, isHeaderName, isReservedHeader } from '../../mail/mime/headers.ts'
import { mediaTypeOf, parseMediaType } from '../../mail/mime/media-types.ts'
import type { FieldFault } from '../../platform/errors.ts'
import type { Stream } from '../events/index.ts'
import { type Person, SANDBOX_RESULTS, type SandboxResult, type StoredAttachment } from '../outbox/index.ts'
import * as limits from './limits.ts'

/** One address that gets a copy of its own. */
export interface RecipientRequest {
  readonly address: string
  /** In the form that the lists compare. */
  readonly key: string
  readonly site: string
  readonly field: string
}

export interface TrackingOverrides {
  readonly tracking: boolean | null
  readonly opens: boolean | null
  readonly clicks: boolean | null
  readonly unsubscribeHeader: boolean | null
}

export interface SendRequest {
  readonly from: Person
  readonly fromDomain: string
  readonly to: readonly Person[]
  readonly cc: readonly Person[]
  readonly replyTo: readonly Person[]
  /** to, cc and bcc, each mailbox once, in the order given. */
  readonly recipients: readonly RecipientRequest[]
  readonly subject: string | null
  readonly html: string | null
  readonly text: string | null
  readonly headers: readonly (readonly [string, string])[]
  readonly attachments: readonly StoredAttachment[]
  readonly tag: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly overrides: TrackingOverrides
  readonly isBulk: boolean
  readonly stream: Stream
  readonly scheduledAt: Date | null
  readonly expiresAt: Date | null
  readonly templateId: string | null
  /** Null: the current one. */
  readonly templateVersion: number | null
  readonly variables: Readonly<Record<string, unknown>>
  readonly tlsRequired: boolean
  readonly sandbox: boolean
  readonly sandboxResult: SandboxResult | null
  readonly overrideSoftBlock: boolean
}

type Body = Readonly<Record<string, unknown>>

/** Of any list in a send. */
const MAX_ITEMS = Math.max(limits.MAX_RECIPIENTS, limits.MAX_ATTACHMENTS)

/**
 * Keeps of a list that is too long what shows that it is: 200,000 addresses took .8 s to read, and as many attachments .6 s
 * to validate (2026-11-26).
 */
export function shortened(body: Body): Body {
  const isTooLong = (value: unknown): boolean => Array.isArray(value) && value.length > MAX_ITEMS
  if (!Object.values(body).some(isTooLong)) return body
  const short = (value: unknown): unknown => (Array.isArray(value) ? value.slice(0, MAX_ITEMS + 1) : value)
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, short(value)]))
}

class Faults {
  readonly found: FieldFault[] = []
  add(field: string, rule: string, message: string): void {
    this.found.push({ field, rule, message })
  }
}

/**
 * Reads what the schema has accepted, and as much as possible of what it has not.
 *
 * @param decode for messages of one call: decodingOnce
 * @returns the request, or every fault; fields of a wrong type are skipped here, since the schema reports them
 */
export function readSendRequest(
  body: Body,
  now: Date,
  decode: DecodeBase64 = readBase64,
): { request: SendRequest | null; faults: readonly FieldFault[] } {
  const faults = new Faults()
  const from = readFrom(body, faults)
  const parties = readParties(body, faults)
  const content = readContent(body, faults)
  const times = readTimes(body, now, faults)
  const { headers, replyTo } = readHeaders(body['headers'], parties.replyTo.length > 0, faults)
  const attachments = readAttachments(body['attachments'], faults, decode)
  const request =
    from === null
      ? null
      : {
          ...from,
          ...parties,
          replyTo: parties.replyTo.length > 0 ? parties.replyTo : replyTo,
          ...content,
          ...times,
          headers,
          attachments,
          tag: readTag(body['tag'], faults),
          metadata: readMetadata(body['metadata'], faults),
          overrides: readOverrides(body),
          isBulk: body['is_bulk'] === true,
          stream: body['stream'] === 'broadcast' ? ('broadcast' as const) : ('transactional' as const),
          tlsRequired: body['tls_policy'] === 'required',
          sandbox: body['sandbox'] === true,
          sandboxResult: SANDBOX_RESULTS.find((result) => result === body['sandbox_result']) ?? null,
          overrideSoftBlock: body['override_soft_block'] === true,
        }
  return { request: faults.found.length === 0 ? request : null, faults: faults.found }
}

function readFrom(body: Body, faults: Faults): Pick<SendRequest, 'from' | 'fromDomain'> | null {
  const { from, from_name: name } = body as { from?: unknown; from_name?: unknown }
  if (typeof name === 'string') checkText('from_name', name, limits.MAX_HEADER_CHARS, faults)
  if (typeof from !== 'string') return null
  const read = parseMailbox(from)
  if (!read.ok) {
    faults.add('from', 'email', notAnAddress(read.reason, 'is not an address that can send'))
    return null
  }
  const { mailbox } = read
  const person = { name: typeof name === 'string' ? name : mailbox.name, address: mailbox.address.address }
  return { from: person, fromDomain: mailbox.address.domain }
}

function notAnAddress(reason: AddressFault, what = 'is not an address'): string {
  return reason === 'empty' ? 'is empty, and takes an address' : `${what}: ${FAULT_WORDS[reason]}`
}

interface Parties {
  readonly to: readonly Person[]
  readonly cc: readonly Person[]
  readonly replyTo: readonly Person[]
  readonly recipients: readonly RecipientRequest[]
}

function readParties(body: Body, faults: Faults): Parties {
  const to = readPartyField('to', body['to'], faults)
  const cc = readPartyField('cc', body['cc'], faults)
  const bcc = readPartyField('bcc', body['bcc'], faults)
  const replyTo = readPartyField('reply_to', body['reply_to'], faults)
  if (body['to'] !== undefined && Array.isArray(body['to']) && body['to'].length === 0) {
    faults.add('to', 'minItems', 'needs at least one address')
  }
  const all = [...to, ...cc, ...bcc]
  if (all.length > limits.MAX_RECIPIENTS) {
    faults.add('to', 'max_recipients', `takes at most ${limits.MAX_RECIPIENTS} addresses together with cc and bcc`)
  }
  const recipients = new Map<string, RecipientRequest>()
  for (const { mailbox, field } of all) {
    const key = suppressionKey(mailbox.address)
    if (recipients.has(key)) continue
    recipients.set(key, { address: mailbox.address.address, key, site: mailbox.address.domain, field })
  }
  return {
    to: to.map(personOf),
    cc: cc.map(personOf),
    replyTo: replyTo.map(personOf),
    recipients: [...recipients.values()],
  }
}

interface Party {
  readonly mailbox: Mailbox
  readonly field: string
}

function personOf({ mailbox }: Party): Person {
  return { name: mailbox.name, address: mailbox.address.address }
}

function readPartyField(field: string, value: unknown, faults: Faults): Party[] {
  if (value === undefined || value === null) return []
  const items = Array.isArray(value) ? value : [value]
  return items.flatMap((item: unknown, i) => readParty(Array.isArray(value) ? `${field}[${i}]` : field, item, faults))
}

function readParty(field: string, item: unknown, faults: Faults): Party[] {
  if (typeof item === 'string') {
    const read = parseMailbox(item)
    if (read.ok) return [{ mailbox: read.mailbox, field }]
    faults.add(field, 'email', notAnAddress(read.reason))
    return []
  }
  const { email, name } = (item ?? {}) as { email?: unknown; name?: unknown }
  if (typeof name === 'string') checkText(`${field}.name`, name, limits.MAX_HEADER_CHARS, faults)
  if (typeof email !== 'string') return []
  const read = parseAddress(email)
  if (!read.ok) {
    faults.add(`${field}.email`, 'email', notAnAddress(read.reason))
    return []
  }
  return [{ mailbox: { name: typeof name === 'string' ? name : '', address: read.address as Address }, field }]
}

type ContentFields = Pick<SendRequest, 'subject' | 'html' | 'text' | 'templateId' | 'templateVersion' | 'variables'>

function readContent(body: Body, faults: Faults): ContentFields {
  const text = (field: string): string | null => (typeof body[field] === 'string' ? (body[field] as string) : null)
  const content = {
    subject: text('subject'),
    html: text('html'),
    text: text('text'),
    templateId: text('template_id'),
    templateVersion: typeof body['template_version'] === 'number' ? body['template_version'] : null,
    variables: (body['variables'] ?? {}) as Readonly<Record<string, unknown>>,
  }
  if (content.templateVersion !== null && content.templateId === null) {
    faults.add('template_version', 'template_id', 'is the version of a template_id')
  }
  if (Object.keys(content.variables).length > 0 && content.templateId === null) {
    faults.add('variables', 'template_id', 'are those of a template_id: other text goes out as it is written')
  }
  if (content.subject !== null) checkText('subject', content.subject, limits.MAX_SUBJECT_CHARS, faults)
  if (body['subject'] == null && content.templateId === null) {
    faults.add('subject', 'required', 'is required')
  }
  const { html } = content
  const noHtml = body['html'] == null || (html !== null && unlessBlank(html) === null)
  if (noHtml && body['text'] == null && content.templateId === null) {
    faults.add('html', 'required', 'is required unless a text or a template is given')
  }
  for (const field of ['html', 'text'] as const) {
    const part = content[field]
    if (part !== null && Buffer.byteLength(part) > limits.MAX_PART_BYTES) {
      faults.add(field, 'max_bytes', `is larger than ${limits.MAX_PART_BYTES} bytes`)
    }
  }
  return content
}

/** A blank part counts as absent: otherwise readers would be shown it instead of the other part. */
export function unlessBlank(part: string | null): string | null {
  return part === null || part.trim() === '' ? null : part
}

function readTimes(body: Body, now: Date, faults: Faults): Pick<SendRequest, 'scheduledAt' | 'expiresAt'> {
  const read = (field: string): Date | null => {
    const value = body[field]
    if (typeof value !== 'string') return null
    const at = new Date(value)
    return Number.isNaN(at.getTime()) ? null : at
  }
  const scheduledAt = read('scheduled_at')
  const expiresAt = read('expires_at')
  const latest = now.getTime() + limits.MAX_SCHEDULE_AHEAD_MS
  if (scheduledAt !== null && scheduledAt.getTime() > latest) {
    faults.add('scheduled_at', 'max_ahead', 'lies more than 30 days ahead')
  }
  const start = scheduledAt !== null && scheduledAt > now ? scheduledAt : now
  if (expiresAt !== null && expiresAt <= start) faults.add('expires_at', 'future', 'lies before the mail is sent')
  return { scheduledAt: start === now ? null : scheduledAt, expiresAt }
}

interface Headers {
  readonly headers: readonly (readonly [string, string])[]
  /** The addresses of a Reply-To header, which is treated like `reply_to`. */
  readonly replyTo: readonly Person[]
}

/** @param hasReplyTo the request has the field `reply_to`, so the header would be a second one */
function readHeaders(value: unknown, hasReplyTo: boolean, faults: Faults): Headers {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return { headers: [], replyTo: [] }
  const entries = Object.entries(value)
  if (entries.length > limits.MAX_CUSTOM_HEADERS) {
    faults.add('headers', 'max_headers', `takes at most ${limits.MAX_CUSTOM_HEADERS} headers`)
    return { headers: [], replyTo: [] }
  }
  const seen = new Map<string, string>(hasReplyTo ? [['reply-to', 'reply_to']] : [])
  const all = entries.flatMap(([name, text]): [string, string][] => {
    const field = `headers.${name}`
    if (!isHeaderName(name)) faults.add(field, 'header_name', 'is not a header name')
    else if (isForbiddenHeader(name) || isReservedHeader(name))
      faults.add(field, 'forbidden_header', 'is set by the service')
    if (typeof text !== 'string') return []
    checkText(field, text, limits.MAX_HEADER_CHARS, faults)
    if (text.trim() === '' && isNoneWhenBlank(name)) return []
    // Header names are case-insensitive, and readers differ in which of two duplicates they use.
    const key = name.toLowerCase()
    const before = seen.get(key)
    if (before !== undefined) faults.add(field, 'once', `is there as ${before} already`)
    seen.set(key, name)
    return [[name, text]]
  })
  const isReplyTo = ([name]: readonly [string, string]): boolean => name.toLowerCase() === 'reply-to'
  return {
    headers: all.filter((entry) => !isReplyTo(entry)),
    replyTo: all.filter(isReplyTo).flatMap(([name, text]) => readAddressList(`headers.${name}`, text, faults)),
  }
}

/** Headers whose syntax does not allow a blank value (RFC 5322 section 3.6, RFC 2369). */
function isNoneWhenBlank(name: string): boolean {
  return /^(?:reply-to|in-reply-to|references|list-.+)$/i.test(name)
}

function readAddressList(field: string, text: string, faults: Faults): readonly Person[] {
  const read = parseMailboxList(text)
  if (!read.ok) faults.add(field, 'email', `is not a list of addresses: ${FAULT_WORDS[read.reason]}`)
  return read.ok ? read.mailboxes.map(({ name, address }) => ({ name, address: address.address })) : []
}

function readAttachments(value: unknown, faults: Faults, decode: DecodeBase64): readonly StoredAttachment[] {
  if (!Array.isArray(value)) return []
  let sizeBytes = 0
  const attachments = value.flatMap((item: unknown, i) => {
    const attachment = readAttachment(`attachments[${i}]`, item, faults, decode)
    sizeBytes += attachment?.content.length ?? 0
    return attachment === null ? [] : [attachment]
  })
  if (base64Bytes(sizeBytes) > limits.MAX_MESSAGE_BYTES) {
    faults.add('attachments', 'max_bytes', `make the encoded message larger than ${limits.MAX_MESSAGE_BYTES} bytes`)
  }
  return attachments
}

const [CR, LF] = [13, 10]

function readAttachment(field: string, item: unknown, faults: Faults, decode: DecodeBase64): StoredAttachment | null {
  const { filename, content, content_type: type, content_id: id, disposition } = (item ?? {}) as Record<string, unknown>
  if (typeof filename !== 'string' || typeof content !== 'string') return null
  checkText(`${field}.filename`, filename, limits.MAX_FILENAME_CHARS, faults)
  if (filename.trim() === '') faults.add(`${field}.filename`, 'required', 'is blank')
  const contentType = typeof type === 'string' ? type.trim() : null
  if (contentType !== null && !isAttachable(parseMediaType(contentType)?.type ?? '')) {
    faults.add(`${field}.content_type`, 'media_type', 'is not a media type of a single part')
  }
  const contentId = typeof id === 'string' ? id.replace(/^<(.*)>$/s, '$1') : null
  if (contentId !== null && !/^[\x21-\x3b\x3d\x3f-\x7e]+$/.test(contentId)) {
    faults.add(`${field}.content_id`, 'content_id', 'takes printable ASCII, without angle brackets inside')
  }
  const bytes = decode(content)
  if (bytes === null) {
    faults.add(`${field}.content`, 'base64', 'is not base64')
    return null
  }
  const inline = disposition === 'inline' || (disposition == null && contentId !== null)
  return {
    filename,
    contentType: contentType ?? mediaTypeOf(filename, bytes),
    contentId,
    disposition: inline ? 'inline' : 'attachment',
    content: bytes,
  }
}

/** A leaf part, or a whole message, whose encoding rules (RFC 2046 section 5.2.1) the composer follows. */
function isAttachable(type: string): boolean {
  return type === 'message/rfc822' || !/^(?:multipart|message)\/|^$/.test(type)
}

/** @returns null for what is not base64 */
type DecodeBase64 = (text: string) => Buffer | null

/** Decodes a content that several messages share only once: a call of 3 MB may name one attachment for each of 1,000 messages. */
export function decodingOnce(): DecodeBase64 {
  const decoded = new Map<string, Buffer | null>()
  return (text) => {
    const known = decoded.get(text)
    if (known !== undefined) return known
    const bytes = readBase64(text)
    decoded.set(text, bytes)
    return bytes
  }
}

/** RFC 4648 section 4, line ends allowed; Buffer alone would skip invalid characters. */
function readBase64(text: string): Buffer | null {
  if (/[^A-Za-z0-9+/=\r\n]/.test(text)) return null
  const compact = /[\r\n]/.test(text) ? withoutLineEnds(text) : text
  const bytes = Buffer.from(compact, 'base64')
  const unpadded = compact.endsWith('==')
    ? compact.length - 2
    : compact.endsWith('=')
      ? compact.length - 1
      : compact.length
  if (Math.floor((unpadded * 3) / 4) !== bytes.length || unpadded % 4 === 1) return null
  return compact.slice(0, unpadded).includes('=') ? null : bytes
}

/** @param text ASCII. Byte by byte: replacing millions of matches takes more than a second, mostly in garbage collection. */
function withoutLineEnds(text: string): string {
  const bytes = Buffer.from(text, 'latin1')
  let length = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    if (byte !== CR && byte !== LF) bytes[length++] = byte
  }
  return bytes.toString('latin1', 0, length)
}

/** An empty tag is what a form or a template leaves behind: none. No list could be asked for it (`?tag=` filters nothing). */
function readTag(value: unknown, faults: Faults): string | null {
  if (typeof value !== 'string' || value === '') return null
  checkText('tag', value, limits.MAX_TAG_CHARS, faults)
  return value
}

function readMetadata(value: unknown, faults: Faults): Readonly<Record<string, unknown>> | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null
  const keys = Object.keys(value)
  if (keys.length > limits.MAX_METADATA_KEYS) {
    faults.add('metadata', 'max_keys', `takes at most ${limits.MAX_METADATA_KEYS} names, and has ${keys.length}`)
  }
  for (const key of keys) {
    if (limits.isLongerThan(limits.MAX_METADATA_KEY_CHARS, key) || key === '') {
      faults.add('metadata', 'key_length', `keys have 1 to ${limits.MAX_METADATA_KEY_CHARS} characters`)
    }
  }
  if (Buffer.byteLength(JSON.stringify(value)) > limits.MAX_METADATA_BYTES) {
    faults.add('metadata', 'max_bytes', `takes at most ${limits.MAX_METADATA_BYTES} bytes of JSON`)
  }
  return value as Readonly<Record<string, unknown>>
}

function readOverrides(body: Body): TrackingOverrides {
  const read = (field: string): boolean | null => (typeof body[field] === 'boolean' ? (body[field] as boolean) : null)
  return {
    tracking: read('tracking_enabled'),
    opens: read('open_tracking_enabled'),
    clicks: read('click_tracking_enabled'),
    unsubscribeHeader: read('unsubscribe_header_enabled'),
  }
}

function checkText(field: string, text: string, maxChars: number, faults: Faults): void {
  if (limits.isLongerThan(maxChars, text)) faults.add(field, 'maxLength', `has more than ${maxChars} characters`)
  const forbidden = checkHeaderText(text)
  if (forbidden !== null) {
    faults.add(field, 'control_character', `contains the control character ${forbidden.character}`)
  }
}

const SANDBOX_ADDRESS =
  /^(delivered|deliver|bounced|bounce|deferred|defer|failed|fail|suppressed|suppress|complained|complain)(\+.*)?@sandbox\.test$/

/** The result that a recipient such as `bounce+x@sandbox.test` asks for; null for any other address. */
export function sandboxResultOf(key: string): SandboxResult | null {
  const word = SANDBOX_ADDRESS.exec(key)?.[1]
  if (word === undefined) return key.endsWith('@sandbox.test') ? 'deliver' : null
  return SANDBOX_RESULTS.find((result) => word.startsWith(result)) ?? 'deliver'
}
