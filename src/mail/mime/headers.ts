// Writes and reads header fields (RFC 5322 section 2.2, RFC 2047, RFC 2231, RFC 6532).
//
// Writing: lines have at most 78 characters where the words allow it, 76 with encoded words (RFC 2047 section 2), and never
// more than 998. Output is ASCII except for addresses that need SMTPUTF8. Text is a list of words, and a fold replaces
// exactly one space between two words, so that unfolding restores the text. Non-ASCII text, and text that merely looks like
// an encoded word, becomes UTF-8 encoded words of at most 75 characters that never split a character. Callers refuse line
// breaks and controls beforehand (`checkHeaderText`); any that still get here are written as spaces. Headers become bytes as
// UTF-8 or ASCII, never as latin1, which would turn U+010D U+010A into CR LF.
//
// Reading: returns offsets into the raw bytes, one step per line, so that signed and forwarded headers stay unchanged byte
// for byte. Names are kept in lists, never as keys of objects.

import type { Address } from '../address.ts'

const LINE = 78
const ENCODED_LINE = 76
const LINE_MOST = 998
const ENCODED_WORD = 75
const HEADER_NAME_MOST = 76
/** Longest word that fits on a line of its own; a longer one is encoded and split. */
const WORD_MOST = LINE_MOST - 2

// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches controls
const FORBIDDEN = /[\0-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]|\p{Cs}/u
const FORBIDDEN_ALL = new RegExp(FORBIDDEN.source, 'gu')

/**
 * Finds the first character that no header may contain: C0 controls except the tab, DEL, C1, line and paragraph separators,
 * lone surrogates.
 *
 * @returns null when there is none; else its index and its name, such as `U+000A`
 */
export function checkHeaderText(value: string): { readonly index: number; readonly character: string } | null {
  const found = FORBIDDEN.exec(value)
  if (found === null) return null
  const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
  return { index: found.index, character: `U+${code}` }
}

/** Whether a name is safe in a message, in DKIM's `h=` and in our own lists: a token (RFC 9110) of at most 76 characters. */
export function isHeaderName(name: string): boolean {
  return name.length <= HEADER_NAME_MOST && /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)
}

const FORBIDDEN_NAMES: ReadonlySet<string> = new Set([
  'from',
  'sender',
  'to',
  'cc',
  'bcc',
  'subject',
  'date',
  'message-id',
  'return-path',
  'received',
  'mime-version',
  'authentication-results',
  'delivered-to',
])
const FORBIDDEN_FAMILIES = ['content-', 'dkim-', 'arc-', 'resent-']

/** Whether a sender may not set this header, because the composer, the transport or a verifier writes it. */
export function isForbiddenHeader(name: string): boolean {
  const key = name.toLowerCase()
  return FORBIDDEN_NAMES.has(key) || FORBIDDEN_FAMILIES.some((family) => key.startsWith(family))
}

/**
 * Headers that direct complaints and errors to the operator, who is responsible for the machine: a sender's own would divert
 * them or duplicate ours (RFC 9477). The last two belong to obsolete transport and signature schemes.
 */
export const RESERVED_HEADERS: readonly string[] = [
  'Feedback-ID',
  'CFBL-Address',
  'CFBL-Feedback-ID',
  'Errors-To',
  'Apparently-To',
  'DomainKey-Signature',
]
const RESERVED_NAMES: ReadonlySet<string> = new Set(RESERVED_HEADERS.map((name) => name.toLowerCase()))

/**
 * Whether new requests may not set this header and submitted messages lose it. Stored emails may have it: the composer
 * accepts everything that `isForbiddenHeader` allows.
 */
export function isReservedHeader(name: string): boolean {
  return RESERVED_NAMES.has(name.toLowerCase())
}

/** A free-text field: `Subject`, custom headers. Ends in CRLF. */
export function textHeader(name: string, value: string): string {
  return fold(name, textTokens(value, name.length + 2))
}

/** A field whose tokens are written unchanged and folded only between tokens. The caller guarantees ASCII. */
export function tokenHeader(name: string, tokens: readonly string[]): string {
  return fold(name, tokens)
}

/** A field of mailboxes. An address that needs SMTPUTF8 is written in UTF-8 (RFC 6532); non-ASCII names are always encoded. */
export function addressHeader(
  name: string,
  mailboxes: readonly { readonly name: string; readonly address: Pick<Address, 'address'> }[],
): string {
  const tokens: string[] = []
  for (const [index, mailbox] of mailboxes.entries()) {
    const comma = index < mailboxes.length - 1 ? ',' : ''
    const phrase = nameTokens(mailbox.name, index === 0 ? name.length + 2 : 1)
    const { address } = mailbox.address
    if (phrase.length === 0) tokens.push(address + comma)
    else tokens.push(...phrase, `<${address}>${comma}`)
  }
  return fold(name, tokens)
}

/** @returns for example `Sat, 21 Nov 2026 03:46:21 +0000` (RFC 5322 section 3.3) */
export function formatDate(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000')
}

/**
 * Matches a day, month and time within their ranges and a zone: RFC 5322 section 3.3, with the years and zones of its
 * obsolete syntax (section 4.3). `isDate` removes comments first.
 */
const DATE =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun)\s*,\s*)?(?:0?[1-9]|[12]\d|3[01])\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\s+(?:\d{2,3}|[12]\d{3})\s+(?:[01]?\d|2[0-3])\s*:\s*[0-5]\d(?:\s*:\s*(?:[0-5]\d|60))?\s+(?:[+-]\d{4}|[a-z]{1,5})$/i
const DATE_TEXT = 200

/** @param value of a Date field, unfolded */
export function isDate(value: string): boolean {
  return value.length <= DATE_TEXT && DATE.test(value.replaceAll(/\([^()]*\)/g, ' ').trim())
}

/**
 * A parameter of Content-Type or Content-Disposition as tokens for `tokenHeader`, without semicolons. Short ASCII is plain or
 * quoted; anything else takes the form of RFC 2231, with continuations that never split a character.
 */
export function parameter(name: string, value: string): string[] {
  const clean = cleanText(value)
  if (clean.length <= 60 && /^[A-Za-z0-9!#$&+.^_`{}|~-]+$/.test(clean)) return [`${name}=${clean}`]
  if (clean.length <= 60 && /^[\x20-\x7e]*$/.test(clean) && !clean.includes('=?')) return [`${name}=${quote(clean)}`]
  const pieces: string[] = []
  let piece = "utf-8''"
  for (const char of clean) {
    const unit = /^[A-Za-z0-9!#$&+.^_`{}|~-]$/.test(char) ? char : encodeURIComponent(char).replace(/['()*!]/g, percent)
    // Room for the name, `*NNN*=`, a leading space and a semicolon.
    if (piece.length + unit.length > LINE - name.length - 8) {
      pieces.push(piece)
      piece = ''
    }
    piece += unit
  }
  pieces.push(piece)
  if (pieces.length === 1) return [`${name}*=${piece}`]
  return pieces.map((one, index) => `${name}*${index}*=${one}`)
}

function percent(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Replaces forbidden characters and tabs with spaces, and trims. */
function cleanText(value: string): string {
  const text = FORBIDDEN.test(value) ? value.replace(FORBIDDEN_ALL, ' ') : value
  return text.replaceAll('\t', ' ').trim()
}

function fold(name: string, tokens: readonly string[]): string {
  let out = `${name}:`
  let column = out.length
  let first = true
  let encoded = false
  for (const token of tokens) {
    const isEncoded = token.startsWith('=?')
    const most = encoded || isEncoded ? ENCODED_LINE : first ? LINE_MOST : LINE
    if (column + 1 + token.length > most) {
      out += '\r\n'
      column = 0
      encoded = false
    }
    out += ` ${token}`
    column += 1 + token.length
    encoded ||= isEncoded
    first = false
  }
  return `${out}\r\n`
}

/** Splits at single spaces; runs of several spaces stay inside a word and are never folded. */
function wordsOf(text: string): string[] {
  return text.length === 0 ? [] : text.split(/(?<! ) (?! )/)
}

function mustEncode(word: string): boolean {
  return word.length > WORD_MOST || word.includes('=?') || /[^\x20-\x7e]/.test(word)
}

function textTokens(value: string, column: number): string[] {
  const words = wordsOf(cleanText(value))
  const first = words.findIndex(mustEncode)
  if (first < 0) return words
  const last = words.findLastIndex(mustEncode)
  const head = words.slice(0, first)
  const before = first === 0 ? column : ENCODED_LINE
  return [...head, ...encodedWords(words.slice(first, last + 1).join(' '), before, TEXT_SAFE), ...words.slice(last + 1)]
}

function nameTokens(value: string, column: number): string[] {
  const name = cleanText(value)
  if (name === '') return []
  const words = wordsOf(name)
  if (words.some(mustEncode)) return encodedWords(name, column, PHRASE_SAFE)
  return words.every((word) => /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/.test(word)) ? words : wordsOf(quote(name))
}

/** Characters that need no encoding in a phrase (RFC 2047 section 5 (3)). */
const PHRASE_SAFE = /^[A-Za-z0-9!*+/-]$/
/** The same for free text, without characters that some readers treat as the start of a construct. */
const TEXT_SAFE = /^[A-Za-z0-9!*+/.,:;'()@#$%&-]$/

/**
 * Encodes text as UTF-8 encoded words, in Q or B, whichever is shorter over the whole text. Readers drop the spaces between
 * encoded words.
 *
 * @param column at which the first word would begin on its line
 */
function encodedWords(text: string, column: number, safe: RegExp): string[] {
  const bytes = Buffer.byteLength(text)
  let plain = 0
  for (let at = 0; at < text.length; at++) if (text[at] === ' ' || safe.test(text.charAt(at))) plain++
  const useQ = plain + (bytes - plain) * 3 <= Math.ceil(bytes / 3) * 4
  const open = useQ ? '=?utf-8?q?' : '=?utf-8?b?'
  const most = ENCODED_WORD - open.length - 2
  // The first word needs room for one character of four bytes; with less, it starts on a new line.
  let room = Math.min(most, Math.max(ENCODED_LINE - column - open.length - 2, 0))
  if (room < 12) room = most
  const out: string[] = []
  let word = ''
  let size = 0
  const close = (): void => {
    out.push(`${open}${useQ ? word : Buffer.from(word).toString('base64')}?=`)
    word = ''
    size = 0
    room = most
  }
  for (const char of text) {
    const unit = useQ ? qUnit(char, safe) : char
    const grown = useQ ? size + unit.length : size + Buffer.byteLength(char)
    if (word !== '' && (useQ ? grown : Math.ceil(grown / 3) * 4) > room) {
      close()
      size = useQ ? unit.length : Buffer.byteLength(char)
    } else size = grown
    word += unit
  }
  if (word !== '') close()
  return out
}

function qUnit(char: string, safe: RegExp): string {
  if (char === ' ') return '_'
  if (safe.test(char)) return char
  let out = ''
  for (const byte of Buffer.from(char)) out += `=${byte < 16 ? '0' : ''}${byte.toString(16).toUpperCase()}`
  return out
}

/** One field of a raw header block, as offsets into it. */
export interface RawField {
  /** As written, without blanks before the colon; empty for a line that is not a field. */
  readonly name: string
  /** The name in lower case. */
  readonly key: string
  /** Offset of the first byte of the name. */
  readonly start: number
  /** Offset of the first byte after the colon. */
  readonly valueStart: number
  /** Offset after the line end of the last line. */
  readonly end: number
}

export interface HeaderBlock {
  readonly fields: readonly RawField[]
  /** Offset of the first byte after the empty line; the length of the message when there is none. */
  readonly bodyStart: number
  /** True when `maxBytes` stopped reading; `fields` then holds the fields before that. */
  readonly truncated: boolean
}

/**
 * Lists the fields of a message in order. Accepts CRLF and LF; a bare CR is an ordinary byte. Never throws.
 *
 * @param maxBytes reading stops at the first field that ends after this offset; `bodyStart` is still correct
 */
export function parseHeaderBlock(raw: Buffer, maxBytes: number = Number.POSITIVE_INFINITY): HeaderBlock {
  const fields: RawField[] = []
  let truncated = false
  let at = 0
  while (at < raw.length) {
    const line = lineEnd(raw, at)
    if (isEmptyLine(raw, at)) return { fields, bodyStart: line, truncated }
    let end = line
    while (end < raw.length && isBlank(raw[end])) end = lineEnd(raw, end)
    if (end > maxBytes) {
      truncated = true
      return { fields, bodyStart: findBody(raw, end), truncated }
    }
    fields.push(fieldAt(raw, at, line, end))
    at = end
  }
  return { fields, bodyStart: raw.length, truncated }
}

function fieldAt(raw: Buffer, start: number, line: number, end: number): RawField {
  const colon = raw.subarray(start, line).indexOf(0x3a)
  const name = colon <= 0 ? '' : raw.toString('latin1', start, start + colon).trimEnd()
  if (!/^[\x21-\x7e]+$/.test(name)) return { name: '', key: '', start, valueStart: start, end }
  return { name, key: name.toLowerCase(), start, valueStart: start + colon + 1, end }
}

/** @param from the start of a line */
function findBody(raw: Buffer, from: number): number {
  const ends = [raw.indexOf('\n\n', from - 1), raw.indexOf('\n\r\n', from - 1)].filter((at) => at >= 0)
  return ends.length === 0 ? raw.length : lineEnd(raw, Math.min(...ends) + 1)
}

/** Whether there are more line ends (LF) than `most`. */
export function hasMoreLines(raw: Buffer, most: number): boolean {
  if (raw.length <= most) return false
  let lines = 0
  for (let at = raw.indexOf(0x0a); at >= 0; at = raw.indexOf(0x0a, at + 1)) if (++lines > most) return true
  return false
}

function lineEnd(raw: Buffer, from: number): number {
  const feed = raw.indexOf(0x0a, from)
  return feed < 0 ? raw.length : feed + 1
}

function isEmptyLine(raw: Buffer, at: number): boolean {
  return raw[at] === 0x0a || (raw[at] === 0x0d && raw[at + 1] === 0x0a)
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09
}

/** A field's value on one line, without line ends and surrounding blanks; bytes that are not UTF-8 become U+FFFD. */
export function fieldValue(raw: Buffer, field: RawField): string {
  return raw.toString('utf8', field.valueStart, field.end).replace(/\r?\n/g, '').trim()
}
