// Header fields, written and read (RFC 5322 section 2.2, RFC 2047, RFC 2231, RFC 6532).
//
// Written: lines of 78 characters where the words allow it, of 76 with encoded words (RFC 2047 section 2), and never over
// 998; ASCII alone, but for addresses that need SMTPUTF8. Text is a list of words; a fold stands for exactly one space between two words, so that unfolding gives back
// what was folded. Text outside ASCII, and text that merely looks like an encoded word, becomes UTF-8 encoded words of at
// most 75 characters that never split a character. What a line break or a control could be made of is refused before
// (`checkHeaderText`) and, should it come here nevertheless, written as a space.
// Headers become bytes as UTF-8 or ASCII, never as latin1, which would turn U+010D U+010A into CR LF.
//
// Read: offsets into the raw bytes, one step per line, so that what is signed or passed on stays byte for byte. Names are
// kept in lists, never as keys of objects.

import type { Address } from './address.ts'

const LINE = 78
const ENCODED_LINE = 76
const LINE_MOST = 998
const ENCODED_WORD = 75
const HEADER_NAME_MOST = 76
/** A word that is longer could not stand on a line of its own, so it is encoded and split. */
const WORD_MOST = LINE_MOST - 2

// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for
const FORBIDDEN = /[\0-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]|\p{Cs}/u
const FORBIDDEN_ALL = new RegExp(FORBIDDEN.source, 'gu')

/**
 * The first character of a text that no header may carry: C0 controls but the tab, DEL, C1, line and paragraph
 * separators, lone surrogates.
 *
 * @returns null when there is none; else where it stands and its name, such as `U+000A`
 */
export function checkHeaderText(value: string): { readonly index: number; readonly character: string } | null {
  const found = FORBIDDEN.exec(value)
  if (found === null) return null
  const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
  return { index: found.index, character: `U+${code}` }
}

/** A name that may stand in a message, in DKIM's `h=` and in our own lists: RFC 9110's token, at most 76 characters. */
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

/** Header names that a sender may not set: those which the composer, the transport or a verifier writes. */
export function isForbiddenHeader(name: string): boolean {
  const key = name.toLowerCase()
  return FORBIDDEN_NAMES.has(key) || FORBIDDEN_FAMILIES.some((family) => key.startsWith(family))
}

/**
 * Names with which complaints and errors are led to the operator, who answers for the machine: a sender's own would lead
 * them away, or stand beside ours (RFC 9477). The last two are of signatures and transport of times gone by.
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
 * A new request may not set it, and from what is submitted it is taken out. Stored mails may have it: the composer takes what
 * `isForbiddenHeader` allows.
 */
export function isReservedHeader(name: string): boolean {
  return RESERVED_NAMES.has(name.toLowerCase())
}

/** A field of free text: `Subject`, custom headers. Ends in CRLF. */
export function textHeader(name: string, value: string): string {
  return fold(name, textTokens(value, name.length + 2))
}

/** A field whose tokens are written as they are, a fold only between two of them. The caller vouches for ASCII. */
export function tokenHeader(name: string, tokens: readonly string[]): string {
  return fold(name, tokens)
}

/** A field of mailboxes. An address that needs SMTPUTF8 stands in UTF-8 (RFC 6532); names are always encoded. */
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

/** @returns such as `Sat, 21 Nov 2026 03:46:21 +0000` (RFC 5322 section 3.3) */
export function formatDate(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000')
}

/**
 * A day of the month, a month, hours and minutes within their bounds, and a zone: RFC 5322 section 3.3, with the years, zones and
 * comments of its obsolete syntax (section 4.3).
 */
const DATE =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun)\s*,\s*)?(?:0?[1-9]|[12]\d|3[01])\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\s+(?:\d{2,3}|[12]\d{3})\s+(?:[01]?\d|2[0-3])\s*:\s*[0-5]\d(?:\s*:\s*(?:[0-5]\d|60))?\s+(?:[+-]\d{4}|[a-z]{1,5})$/i
const DATE_TEXT = 200

/** @param value of a Date field, on one line */
export function isDate(value: string): boolean {
  return value.length <= DATE_TEXT && DATE.test(value.replaceAll(/\([^()]*\)/g, ' ').trim())
}

/**
 * A parameter of Content-Type or Content-Disposition as tokens for `tokenHeader`, without the semicolons: plain or quoted
 * when it is short ASCII, else RFC 2231 with continuations that never split a character.
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

/** Nothing that ends a line, nothing that is no character; blanks around are dropped. */
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

/** Words with one space between each two; runs of several spaces stay inside a word and are never folded. */
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

/** RFC 2047 section 5 (3): what may stand for itself in a phrase. */
const PHRASE_SAFE = /^[A-Za-z0-9!*+/-]$/
/** The same for free text, without what some readers treat as the start of something. */
const TEXT_SAFE = /^[A-Za-z0-9!*+/.,:;'()@#$%&-]$/

/**
 * UTF-8 encoded words, Q or B, whichever is shorter over the whole text. The spaces between them mean nothing to a reader.
 *
 * @param column where the first one would begin on its line
 */
function encodedWords(text: string, column: number, safe: RegExp): string[] {
  const bytes = Buffer.byteLength(text)
  let plain = 0
  for (let at = 0; at < text.length; at++) if (text[at] === ' ' || safe.test(text.charAt(at))) plain++
  const useQ = plain + (bytes - plain) * 3 <= Math.ceil(bytes / 3) * 4
  const open = useQ ? '=?utf-8?q?' : '=?utf-8?b?'
  const most = ENCODED_WORD - open.length - 2
  // At least one character of four bytes fits; a name that leaves less room is followed by a fold.
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
  /** As written, blanks before the colon dropped; empty for a line that is no field. */
  readonly name: string
  /** The name in lower case. */
  readonly key: string
  /** The first byte of the name. */
  readonly start: number
  /** The first byte after the colon. */
  readonly valueStart: number
  /** After the line end of the last line. */
  readonly end: number
}

export interface HeaderBlock {
  readonly fields: readonly RawField[]
  /** The first byte after the empty line; the length of the message when there is none. */
  readonly bodyStart: number
  /** True when `maxBytes` cut the reading short: `fields` is what stands before. */
  readonly truncated: boolean
}

/**
 * The fields of a message in order. Takes CRLF and LF; a bare CR is an ordinary byte. Never throws.
 *
 * @param maxBytes fields that end later than this are not listed; `bodyStart` is right nevertheless
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

/** A field's value on one line: line ends removed, blanks around dropped; bytes that are not UTF-8 become U+FFFD. */
export function fieldValue(raw: Buffer, field: RawField): string {
  return raw.toString('utf8', field.valueStart, field.end).replace(/\r?\n/g, '').trim()
}
