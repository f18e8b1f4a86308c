// Prepares a message from SMTP submission for signing and storing (RFC 6409 section 8, RFC 5322 section 3.6).
//
// The stored message is what is signed and what every receiver gets, so all changes happen here, once:
//
// - line ends become CRLF, and parts that are not 7-bit are encoded (`reencode`);
// - Date and Message-ID are added if missing or invalid (RFC 6409 sections 8.2 and 8.3), and a To without recipients if there is
//   neither To nor Cc;
// - Bcc, Return-Path, Authentication-Results, headers that would divert complaints and errors (`RESERVED_HEADERS`) and the
//   control headers are removed;
// - non-ASCII header text, also of parts, becomes encoded words, and file names take the form of RFC 2231;
// - of a field that may occur only once, the first is kept; several To or Cc fields become one list.
//
// Every other byte stays, as does the order of what remains.
//
// Messages that two readers could interpret differently are refused: no From or two, a From that is not exactly one mailbox, a
// header line that is not a field, a header line over 998 bytes without a blank to fold at. A message that has passed through
// more than 50 servers is in a loop. Nothing is looked up; the work is linear in the size of the message.

import { isAscii, isUtf8 } from 'node:buffer'
import { decodeWords } from 'postal-mime'
import { addressesIn, type DomainName, type Mailbox, parseMailbox, parseMailboxList } from '../address.ts'
import { listsPlaceholder } from '../html/links.ts'
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
import { reencode } from './reencode.ts'

/** Headers that are read, obeyed and removed (contract section 6), in lower case. */
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
  /** With CRLF line ends and a 7-bit body. */
  readonly message: Buffer
  readonly from: { readonly name: string; readonly address: string }
  readonly fromDomain: DomainName
  /**
   * Domains that mail programs may show beside From ("on behalf of", "resent by"), each once, with the name of its field:
   * Sender, Resent-From or Resent-Sender.
   */
  readonly beside: ReadonlyMap<DomainName, string>
  /** The readable addresses; malformed ones are left out. */
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly replyTo: readonly string[]
  /** Decoded, at most 998 characters, no control characters. */
  readonly subject: string
  /** Without angle brackets. */
  readonly messageId: string
  readonly hasListUnsubscribe: boolean
  /** A List-Unsubscribe with `{{unsubscribe}}` was removed: it requests ours. */
  readonly wantsListUnsubscribe: boolean
  /** Unfolded, with encoded words decoded; not validated. */
  readonly controls: ReadonlyMap<ControlHeader, string>
}

/** The reply for the client; `text` begins with the enhanced code (RFC 3463). */
export interface SubmissionRefusal {
  readonly code: number
  readonly text: string
}

export interface SubmittedOptions {
  /** For a missing Date. */
  readonly now: Date
  /** The left side of the Message-ID if one must be generated. */
  readonly id: string
  /** Our own trace field, with its line end (RFC 5321 section 4.4). */
  readonly trace: string
}

export const MAX_RECEIVED = 50
const MAX_HEADER_BYTES = 262_144
const SHOWN_NAME_CHARS = 60
const MAX_FIELDS = 2_000
const MAX_LINE_BYTES = 998
const MAX_SUBJECT_CHARS = 998

const REMOVED: ReadonlySet<string> = new Set(['bcc', 'resent-bcc', 'return-path', 'authentication-results'])
const CONTROL: ReadonlySet<string> = new Set(CONTROL_HEADERS)
/**
 * Fields that may occur only once (RFC 5322 section 3.6, RFC 2045 section 3). Duplicates are not worth a refusal: only the first
 * is kept, which all our code reads. Receivers differ in which one they read, so a mail could show them content that nobody
 * checked.
 */
const ONCE: ReadonlySet<string> = new Set([
  ...['date', 'message-id', 'subject', 'sender', 'reply-to', 'in-reply-to', 'references'],
  ...['mime-version', 'content-type', 'content-transfer-encoding', 'list-unsubscribe', 'list-unsubscribe-post'],
])
/**
 * Address lists that may be spread over several fields (RFC 5322 section 4.5) and are sent as one (section 3.6): Gmail refuses
 * mail with "duplicate headers" (550 5.7.1), and rspamd, at least up to 3.4, treats a signature over two as broken.
 */
const LISTS: ReadonlySet<string> = new Set(['to', 'cc'])
/** RFC 5322 sections 3.6.2 and 3.6.6. A message resent several times has several of the Resent fields. */
const BESIDE: ReadonlySet<string> = new Set(['sender', 'resent-from', 'resent-sender'])
export type Prepared =
  | { readonly ok: true; readonly submitted: SubmittedMessage }
  | { readonly ok: false; readonly refusal: SubmissionRefusal }

/** @param raw the bytes between DATA and the final dot, with dots unstuffed */
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
    if (list === null) return refuse(550, `5.6.0 ${shown(field.name)} has a line of more than ${MAX_LINE_BYTES} bytes`)
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
      subject: cleanText(decodeWords(values('subject')[0] ?? ''))
        .slice(0, MAX_SUBJECT_CHARS)
        .toWellFormed(),
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

/** A name for an answer of one line; a field may be all name. */
function shown(name: string): string {
  return name.length <= SHOWN_NAME_CHARS ? `the header ${name}` : `the header ${name.slice(0, SHOWN_NAME_CHARS)}...`
}

/** Removes the mailbox file line that some clients send before the header, but not a From with a blank before its colon. */
function withoutMboxLine(raw: Buffer): Buffer {
  if (!/^From (?![ \t]*:)/.test(raw.toString('latin1', 0, MAX_LINE_BYTES))) return raw
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
  /** The name followed the address, in brackets. */
  readonly trailing: boolean
}

/**
 * Requires exactly one field with exactly one mailbox, by the parser that policy uses (address.ts). Anything else names no sender
 * that could be checked, and is refused as one that is not allowed.
 */
function readFrom(fields: readonly RawField[], textOf: FieldText): From | SubmissionRefusal {
  const all = fields.filter(({ key }) => key === 'from')
  const [field] = all
  if (field === undefined) return { code: 550, text: '5.7.1 the message has no From' }
  if (all.length > 1) return { code: 550, text: '5.7.1 the message has more than one From' }
  const text = textOf(field)
  const read = parseMailbox(text)
  if (read.ok) return { field, mailbox: read.mailbox, trailing: false }
  const mailbox = withTrailingName(text)
  if (mailbox !== null) return { field, mailbox, trailing: true }
  return { code: 550, text: `5.7.1 From must hold exactly one address (${read.reason})` }
}

/**
 * Parses `a@b.test (Cron Daemon)`, the name as a comment, as cron and other old programs write it. Everyone reads it alike if a
 * blank precedes the comment and nothing inside looks like an address. It is sent with the name before the address.
 */
function withTrailingName(text: string): Mailbox | null {
  const [, address = '', name = ''] = /^([^\s()<>,"]+)[ \t]+\(([^()\\]{0,998})\)$/.exec(text) ?? []
  const read = parseMailbox(address)
  return read.ok && !/[@<>]/.test(decodeWords(name)) ? { name, address: read.mailbox.address } : null
}

function fromLine({ name, address }: Mailbox): Buffer {
  return Buffer.from(addressHeader('From', [{ name: decodeWords(name), address }]))
}

/** @returns null when a control header is given twice */
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
  // List-Unsubscribe-Post has no effect without List-Unsubscribe, and would duplicate the one we add (RFC 8058 section 3.1).
  const isOrphan = !fields.some((field) => field.key === 'list-unsubscribe' && !isWish(field, textOf))
  return fields.filter((field) => {
    const { key } = field
    if (REMOVED.has(key) || CONTROL.has(key) || isReservedHeader(key)) return false
    if ((isOrphan && key === 'list-unsubscribe-post') || isWish(field, textOf)) return false
    // Its domains cannot be determined, but mail programs may still show it.
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

/** The fields in order, with the fields of one list grouped at the position of the first. */
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

/** The domains in a list of mailboxes; empty when any part of it is malformed. */
function domainsIn(mailboxes: string): readonly DomainName[] {
  const read = parseMailboxList(mailboxes)
  return read.ok ? read.mailboxes.map(({ address }) => address.domain) : []
}

function messageIdOf(raw: Buffer, kept: readonly RawField[]): string | null {
  const field = kept.find(({ key }) => key === 'message-id')
  return field === undefined ? null : messageIdIn(raw, field)
}

/** RFC 5322 section 3.6.4, loosely: the text between the brackets is ASCII without blanks and has an @ inside. */
function messageIdIn(raw: Buffer, field: RawField): string | null {
  const id = /^<([\x21-\x3b\x3d\x3f-\x7e]{1,500})>$/.exec(fieldValue(raw, field))?.[1]
  return id !== undefined && /[^@]@[^@]/.test(id) ? id : null
}

/**
 * A field as it will be sent.
 *
 * @returns the original bytes if possible; null when a line is too long and cannot be folded
 */
function rewritten(raw: Buffer, field: RawField, textOf: FieldText): Buffer | null {
  const { name, start, valueStart, end } = field
  let bytes = raw.subarray(start, end)
  // Encoding lets servers without SMTPUTF8 accept the field.
  if (!isAscii(bytes)) bytes = encodedField(field, textOf(field)) ?? bytes
  // "From : a" is obsolete syntax: some read it as From, others do not take it for a field.
  else if (valueStart !== start + name.length + 1) {
    bytes = Buffer.concat([Buffer.from(`${name}:`), raw.subarray(valueStart, end)])
  }
  const ended = bytes.at(-1) === 0x0a ? bytes : Buffer.concat([bytes, Buffer.from('\r\n')])
  return hasLongLine(ended) ? folded(ended) : ended
}

/**
 * Joins several lists of addresses, without the empty elements of the obsolete syntax.
 *
 * @param lines the fields as they will be sent
 * @returns null when a line is too long and cannot be folded
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

/** Whether a quote, bracket or comment is still open at the end, so that it would swallow the text after it. */
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

/** Breaks lines before existing blanks, so that unfolding restores the original; null when a line cannot be folded. */
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
  /** Charset for text without a Content-Type if something was encoded; null when nothing was. */
  readonly charset: string | null
  readonly messageId: string
  readonly now: Date
}

function addedFields({ kept, charset, messageId, now }: Added): string {
  const has = (name: string): boolean => kept.some(({ key }) => key === name)
  let added = ''
  // As in mail that we compose: filters count a message without recipients as spam, though RFC 5322 section 3.6.3 allows it. A
  // signature of the sender's own may cover that there is none.
  if (!has('to') && !has('cc') && !has('dkim-signature')) added += 'To: undisclosed-recipients:;\r\n'
  if (!has('date')) added += `Date: ${formatDate(now)}\r\n`
  if (!has('message-id')) added += `Message-ID: <${messageId}>\r\n`
  // Without MIME-Version, receivers may ignore the encoding (RFC 2045 section 4).
  if (charset !== null && !has('mime-version')) added += 'MIME-Version: 1.0\r\n'
  if (charset !== null && !has('content-type')) added += `Content-Type: text/plain; charset=${charset}\r\n`
  return added
}

/** Judges only the body: a header in another charset proves nothing about it. */
function charsetOf(message: Buffer): string {
  return isUtf8(message.subarray(parseHeaderBlock(message, MAX_HEADER_BYTES).bodyStart)) ? 'utf-8' : 'iso-8859-1'
}

/** A decoded header for display: characters that no header may contain become spaces. */
function cleanText(text: string): string {
  if (checkHeaderText(text) === null) return text.trim()
  return Array.from(text, (char) => (checkHeaderText(char) === null ? char : ' '))
    .join('')
    .trim()
}
