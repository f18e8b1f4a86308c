// A message that came by SMTP submission, made fit to be signed and stored (RFC 6409 section 8, RFC 5322 section 3.6).
//
// What is stored is what is signed and what every receiver gets, so all that will ever change changes here, once: line ends
// become CRLF; parts that are not 7-bit are encoded (`reencode`); Date and Message-ID are added when they are missing or are
// none (RFC 6409 sections 8.2 and 8.3); Bcc, Return-Path, Authentication-Results, what would lead complaints and errors away
// (`RESERVED_HEADERS`) and the control headers are taken out; header text outside ASCII, of parts too, becomes encoded words and
// names of files the form of RFC 2231; of fields that may stand once the first stays, and several To or Cc become one list. Every
// other byte stays, and so does the order of what stays.
//
// Refused is what two readers could read differently: no From or two, a From that is not exactly one mailbox, a header line
// that is no field, a header line beyond 998 bytes that has no blank to fold at. A message that has been through 50
// servers is in a loop. Nothing is looked up; the work is linear in the size of the message.

import { isAscii, isUtf8 } from 'node:buffer'
import { decodeWords } from 'postal-mime'
import { addressesIn, type DomainName, type Mailbox, parseMailbox, parseMailboxList } from './address.ts'
import { withCrlf } from './encodings.ts'
import { encodedField } from './field-encoding.ts'
import { type FieldText, fieldTexts } from './header-charset.ts'
import {
  addressHeader,
  checkHeaderText,
  fieldValue,
  formatDate,
  isDate,
  isReservedHeader,
  parseHeaderBlock,
  type RawField,
} from './headers.ts'
import { listsPlaceholder } from './html-links.ts'
import { reencode } from './reencode.ts'

/** Read, obeyed and removed (contract section 6). In lower case. */
export const CONTROL_HEADERS = [
  'x-tag',
  'x-metadata',
  'x-track-opens',
  'x-track-clicks',
  'x-sandbox',
  'x-stream',
  'x-idempotency-key',
  'x-scheduled-at',
] as const
export type ControlHeader = (typeof CONTROL_HEADERS)[number]

export interface SubmittedMessage {
  /** CRLF line ends, 7-bit body. */
  readonly message: Buffer
  readonly from: { readonly name: string; readonly address: string }
  readonly fromDomain: DomainName
  /**
   * Each domain once, with its field, of those that readers may show beside From ("on behalf of", "resent by"): Sender,
   * Resent-From, Resent-Sender.
   */
  readonly beside: ReadonlyMap<DomainName, string>
  /** Addresses, as far as they can be read; what is broken is left out. */
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly replyTo: readonly string[]
  /** Decoded, at most 998 characters, no control characters. */
  readonly subject: string
  /** Without angle brackets. */
  readonly messageId: string
  readonly hasListUnsubscribe: boolean
  /** It had one that names `{{unsubscribe}}`, which is taken out: it is a wish for ours. */
  readonly wantsListUnsubscribe: boolean
  /** Unfolded, encoded words decoded; not checked. */
  readonly controls: ReadonlyMap<ControlHeader, string>
}

/** What the client is told; `text` begins with the enhanced code (RFC 3463). */
export interface SubmissionRefusal {
  readonly code: number
  readonly text: string
}

export interface SubmittedOptions {
  /** For a missing Date. */
  readonly now: Date
  /** The left side of a Message-ID, should one be needed. */
  readonly id: string
  /** Our own trace field, with its line end (RFC 5321 section 4.4). */
  readonly trace: string
}

export const MAX_RECEIVED = 50
const MAX_HEADER_BYTES = 262_144
const MAX_FIELDS = 2_000
const MAX_LINE_BYTES = 998
const MAX_SUBJECT_CHARS = 998

const REMOVED: ReadonlySet<string> = new Set(['bcc', 'resent-bcc', 'return-path', 'authentication-results'])
const CONTROL: ReadonlySet<string> = new Set(CONTROL_HEADERS)
/**
 * At most one of each (RFC 5322 section 3.6, RFC 2045 section 3). It is not worth a refusal: the first is kept, which all here
 * read. Receivers differ in which of two they read, so that a mail could show them what nobody judged.
 */
const ONCE: ReadonlySet<string> = new Set([
  ...['date', 'message-id', 'subject', 'sender', 'reply-to', 'in-reply-to', 'references'],
  ...['mime-version', 'content-type', 'content-transfer-encoding', 'list-unsubscribe', 'list-unsubscribe-post'],
])
/**
 * One list to all, however many fields it stands in (RFC 5322 section 4.5), and one field goes out (section 3.6): Gmail refuses
 * mail with "duplicate headers" (550 5.7.1), and rspamd, to 3.4 at least, takes the signature over two for broken.
 */
const LISTS: ReadonlySet<string> = new Set(['to', 'cc'])
/** RFC 5322 sections 3.6.2 and 3.6.6. A message that was resent several times has several of the latter. */
const BESIDE: ReadonlySet<string> = new Set(['sender', 'resent-from', 'resent-sender'])
type Prepared =
  | { readonly ok: true; readonly submitted: SubmittedMessage }
  | { readonly ok: false; readonly refusal: SubmissionRefusal }

/** @param raw what came between DATA and the final dot, dots unstuffed */
export function prepareSubmitted(raw: Buffer, options: SubmittedOptions): Prepared {
  const lines = withoutMboxLine(withCrlf(raw))
  const { message: whole, changed } = reencode(lines)
  const { fields, bodyStart, truncated } = parseHeaderBlock(whole, MAX_HEADER_BYTES)
  if (truncated || fields.length > MAX_FIELDS) return refuse(552, '5.3.4 the header is too large')
  const fault = headerFault(whole, fields)
  if (fault !== null) return { ok: false, refusal: fault }
  const textOf = fieldTexts(whole)
  const from = readFrom(fields, textOf)
  if (!('mailbox' in from)) return { ok: false, refusal: from }
  const controls = readControls(fields, textOf)
  if (controls === null) return refuse(550, '5.6.0 a control header is given twice')

  const { address } = from.mailbox
  const kept = keptFields(fields, whole, textOf)
  const messageId = messageIdOf(whole, kept) ?? `${options.id}@${address.domain}`
  const body = whole.subarray(bodyStart)
  const out: Buffer[] = [Buffer.from(options.trace)]
  for (const [field, ...more] of gathered(kept)) {
    const line = from.trailing && field === from.field ? fromLine(from.mailbox) : rewritten(whole, field, textOf)
    const list = more.length === 0 ? line : joined([line, ...more.map((one) => rewritten(whole, one, textOf))])
    if (list === null)
      return refuse(550, `5.6.0 the header ${field.name} has a line of more than ${MAX_LINE_BYTES} bytes`)
    out.push(list)
  }
  const charset = changed ? charsetOf(lines) : null
  out.push(Buffer.from(addedFields({ kept, charset, messageId, now: options.now })), Buffer.from('\r\n'), body)
  const hasListUnsubscribe = kept.some(({ key }) => key === 'list-unsubscribe')
  const values = (key: string): string[] => kept.filter((one) => one.key === key).map(textOf)
  return {
    ok: true,
    submitted: {
      message: Buffer.concat(out),
      from: { name: cleanText(decodeWords(from.mailbox.name)), address: address.address },
      fromDomain: address.domain,
      beside: besideFrom(kept, textOf),
      to: values('to').flatMap(addressesIn),
      cc: values('cc').flatMap(addressesIn),
      replyTo: values('reply-to').flatMap(addressesIn),
      subject: cleanText(decodeWords(values('subject')[0] ?? '')).slice(0, MAX_SUBJECT_CHARS),
      messageId,
      hasListUnsubscribe,
      wantsListUnsubscribe: fields.some((field) => isWish(field, textOf)),
      controls,
    },
  }
}

function refuse(code: number, text: string): { ok: false; refusal: SubmissionRefusal } {
  return { ok: false, refusal: { code, text } }
}

/** Some clients hand over a line of a mailbox file before the header. */
function withoutMboxLine(raw: Buffer): Buffer {
  if (raw.toString('latin1', 0, 5) !== 'From ') return raw
  const feed = raw.indexOf(0x0a)
  return feed < 0 ? raw : raw.subarray(feed + 1)
}

function headerFault(raw: Buffer, fields: readonly RawField[]): SubmissionRefusal | null {
  if (fields.filter(({ key }) => key === 'received').length > MAX_RECEIVED) {
    return { code: 554, text: '5.4.6 too many hops: the message is in a loop' }
  }
  if (fields.some(({ name }) => name === '')) return { code: 550, text: '5.6.0 a header line has no name' }
  const last = fields.at(-1)?.end ?? 0
  return raw.subarray(0, last).includes(0) ? { code: 550, text: '5.6.0 the header holds a NUL' } : null
}

interface From {
  readonly field: RawField
  readonly mailbox: Mailbox
  /** The name stood behind the address, in brackets. */
  readonly trailing: boolean
}

/** Exactly one field with exactly one mailbox; by the parser that policy uses (address.ts). */
function readFrom(fields: readonly RawField[], textOf: FieldText): From | SubmissionRefusal {
  const all = fields.filter(({ key }) => key === 'from')
  const [field] = all
  if (field === undefined) return { code: 550, text: '5.6.0 the message has no From' }
  if (all.length > 1) return { code: 550, text: '5.6.0 the message has more than one From' }
  const text = textOf(field)
  const read = parseMailbox(text)
  if (read.ok) return { field, mailbox: read.mailbox, trailing: false }
  const mailbox = withTrailingName(text)
  if (mailbox !== null) return { field, mailbox, trailing: true }
  return { code: 550, text: `5.6.0 From must hold exactly one address (${read.reason})` }
}

/**
 * `a@b.test (Cron Daemon)`: the name as a comment, as cron and other old programs write it. All read it alike, as long as a
 * blank stands before and nothing inside looks like an address; it goes out with the name before the address.
 */
function withTrailingName(text: string): Mailbox | null {
  const [, address = '', name = ''] = /^([^\s()<>,"]+)[ \t]+\(([^()\\]{0,998})\)$/.exec(text) ?? []
  const read = parseMailbox(address)
  return read.ok && !/[@<>]/.test(decodeWords(name)) ? { name, address: read.mailbox.address } : null
}

function fromLine({ name, address }: Mailbox): Buffer {
  return Buffer.from(addressHeader('From', [{ name: decodeWords(name), address }]))
}

/** @returns null when one is given twice */
function readControls(fields: readonly RawField[], textOf: FieldText): ReadonlyMap<ControlHeader, string> | null {
  const controls = new Map<ControlHeader, string>()
  for (const field of fields) {
    if (!CONTROL.has(field.key)) continue
    const key = field.key as ControlHeader
    if (controls.has(key)) return null
    controls.set(key, decodeWords(textOf(field)))
  }
  return controls
}

function keptFields(fields: readonly RawField[], raw: Buffer, textOf: FieldText): readonly RawField[] {
  const seen = new Set<string>()
  const open = new Set<string>()
  // Without the other it asks for nothing, and would stand beside the one that goes with ours (RFC 8058 section 3.1).
  const isOrphan = !fields.some((field) => field.key === 'list-unsubscribe' && !isWish(field, textOf))
  return fields.filter((field) => {
    const { key } = field
    if (REMOVED.has(key) || CONTROL.has(key) || isReservedHeader(key)) return false
    if ((isOrphan && key === 'list-unsubscribe-post') || isWish(field, textOf)) return false
    // Whose it is cannot be told, and readers may yet show somebody.
    if (BESIDE.has(key) && domainsIn(textOf(field)).length === 0) return false
    if (LISTS.has(key)) {
      if (open.has(key)) return false
      if (endsOpen(textOf(field))) open.add(key)
      return true
    }
    if (!ONCE.has(key)) return true
    if (seen.has(key) || (key === 'message-id' && messageIdIn(raw, field) === null)) return false
    if (key === 'date' && !isDate(textOf(field))) return false
    seen.add(key)
    return true
  })
}

/** In order; those that are one list stand together, where the first of them stood. */
function gathered(kept: readonly RawField[]): readonly (readonly [RawField, ...RawField[]])[] {
  const lists = new Map<string, RawField[]>()
  const all: [RawField, ...RawField[]][] = []
  for (const field of kept) {
    const list = lists.get(field.key)
    if (list !== undefined) list.push(field)
    else {
      const alone: [RawField] = [field]
      all.push(alone)
      if (LISTS.has(field.key)) lists.set(field.key, alone)
    }
  }
  return all
}

function besideFrom(kept: readonly RawField[], textOf: FieldText): ReadonlyMap<DomainName, string> {
  const beside = new Map<DomainName, string>()
  for (const field of kept.filter(({ key }) => BESIDE.has(key))) {
    for (const domain of domainsIn(textOf(field))) if (!beside.has(domain)) beside.set(domain, field.name)
  }
  return beside
}

function isWish(field: RawField, textOf: FieldText): boolean {
  return field.key === 'list-unsubscribe' && listsPlaceholder(textOf(field))
}

/** Of a list of mailboxes; none where it cannot be read whole. */
function domainsIn(mailboxes: string): readonly DomainName[] {
  const read = parseMailboxList(mailboxes)
  return read.ok ? read.mailboxes.map(({ address }) => address.domain) : []
}

function messageIdOf(raw: Buffer, kept: readonly RawField[]): string | null {
  const field = kept.find(({ key }) => key === 'message-id')
  return field === undefined ? null : messageIdIn(raw, field)
}

/** RFC 5322 section 3.6.4, loosely: what stands between the brackets is ASCII without blanks, with an @ inside. */
function messageIdIn(raw: Buffer, field: RawField): string | null {
  const id = /^<([\x21-\x3b\x3d\x3f-\x7e]{1,500})>$/.exec(fieldValue(raw, field))?.[1]
  return id !== undefined && /[^@]@[^@]/.test(id) ? id : null
}

/**
 * A field as it goes out.
 *
 * @returns the bytes as they came wherever that is possible; null when a line is too long and cannot be folded
 */
function rewritten(raw: Buffer, field: RawField, textOf: FieldText): Buffer | null {
  const { name, start, valueStart, end } = field
  let bytes = raw.subarray(start, end)
  // Servers without SMTPUTF8 can take it then.
  if (!isAscii(bytes)) bytes = encodedField(field, textOf(field)) ?? bytes
  // "From : a" is the obsolete syntax: some read it as From, others as no field at all.
  else if (valueStart !== start + name.length + 1) {
    bytes = Buffer.concat([Buffer.from(`${name}:`), raw.subarray(valueStart, end)])
  }
  const ended = bytes.at(-1) === 0x0a ? bytes : Buffer.concat([bytes, Buffer.from('\r\n')])
  return hasLongLine(ended) ? folded(ended) : ended
}

/**
 * Several lists of addresses as one, without the empty elements of the obsolete syntax.
 *
 * @param lines fields as they go out
 */
function joined(lines: readonly (Buffer | null)[]): Buffer | null {
  const [first] = lines
  if (!first || lines.includes(null)) return null
  const values = lines.map((line) => listIn(line as Buffer)).filter((value) => value !== '')
  const head = first.toString('latin1', 0, first.indexOf(':') + 1)
  const list = values.length === 0 ? '' : ` ${values.join(',\r\n ')}`
  const field = Buffer.from(`${head}${list}\r\n`, 'latin1')
  return hasLongLine(field) ? folded(field) : field
}

function listIn(line: Buffer): string {
  const text = line.toString('latin1', line.indexOf(':') + 1).trimStart()
  let end = text.length
  while (end > 0 && ' \t\r\n,'.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** Something is open at the end of a list, so that what follows would be part of it. */
function endsOpen(text: string): boolean {
  let quoted = false
  let angle = false
  let comments = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '\\') at++
    else if (quoted || (char === '"' && comments === 0)) quoted = quoted !== (char === '"')
    else if (char === '(') comments++
    else if (char === ')') comments = Math.max(0, comments - 1)
    else if (comments === 0 && (char === '<' || char === '>')) angle = char === '<'
  }
  return quoted || angle || comments > 0
}

function hasLongLine(bytes: Buffer): boolean {
  if (bytes.length <= MAX_LINE_BYTES + 2) return false
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at) + 1
    if (end - at > MAX_LINE_BYTES + 2) return true
    at = end
  }
  return false
}

/** Line breaks before blanks that are there already: unfolding gives back what was sent. */
function folded(bytes: Buffer): Buffer | null {
  const lines = bytes
    .toString('latin1')
    .split('\r\n')
    .flatMap((line) => {
      const pieces: string[] = []
      let rest = line
      while (rest.length > MAX_LINE_BYTES) {
        const at = rest.lastIndexOf(' ', MAX_LINE_BYTES)
        if (at < 0 || rest.slice(0, at).trim() === '') break
        pieces.push(rest.slice(0, at))
        rest = rest.slice(at)
      }
      return [...pieces, rest]
    })
  return lines.some((line) => line.length > MAX_LINE_BYTES) ? null : Buffer.from(lines.join('\r\n'), 'latin1')
}

interface Added {
  readonly kept: readonly RawField[]
  /** Of text that came without a type, where parts were encoded; null: none was. */
  readonly charset: string | null
  readonly messageId: string
  readonly now: Date
}

function addedFields({ kept, charset, messageId, now }: Added): string {
  const has = (name: string): boolean => kept.some(({ key }) => key === name)
  let added = ''
  if (!has('date')) added += `Date: ${formatDate(now)}\r\n`
  if (!has('message-id')) added += `Message-ID: <${messageId}>\r\n`
  // Without a version receivers may ignore the encoding (RFC 2045 section 4).
  if (charset !== null && !has('mime-version')) added += 'MIME-Version: 1.0\r\n'
  if (charset !== null && !has('content-type')) added += `Content-Type: text/plain; charset=${charset}\r\n`
  return added
}

/** Of the body alone: a header in another charset says nothing of it. */
function charsetOf(message: Buffer): string {
  return isUtf8(message.subarray(parseHeaderBlock(message, MAX_HEADER_BYTES).bodyStart)) ? 'utf-8' : 'iso-8859-1'
}

/** The text of a decoded header for people: what no header may carry becomes a blank. */
function cleanText(text: string): string {
  if (checkHeaderText(text) === null) return text.trim()
  return Array.from(text, (char) => (checkHeaderText(char) === null ? char : ' '))
    .join('')
    .trim()
}
