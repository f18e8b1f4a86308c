// Reads the parts of a report (RFC 6522), or of anything that looks like one, for dsn.ts, arf.ts and bounce-text.ts.
//
// Anyone who knows a return path can send anything to it, so reading is linear and bounded: the first 4 MB of a message, 64 K
// characters of a field and of a line, 256 K characters and 2,000 fields of a header, 1,000 parts, 10 levels, 256 K characters
// of text per part. Content beyond a limit is not read; nothing throws. Lines may end in CRLF, LF or a lone CR (mails from a
// mailbox file); the parts are the same.

import { decodeHTML } from 'entities'
import { decodeWords } from 'postal-mime'

const READ_BYTES = 4 * 1_048_576
const HEADER_CHARS = 65_536
const FIELDS_MOST = 2_000
const PARTS_MOST = 1_000
const LEVELS_MOST = 10
const TEXT_CHARS = 262_144
const BOUNDARY_MOST_CHARS = 200
/** Most blanks after a delimiter on its line. */
const BLANKS_MOST = 100
const WORDS_MOST_CHARS = 2_000

/** Fields in order: names in lower case, values unfolded. A list, so that no name can be a property of an object. */
export type Fields = readonly (readonly [name: string, value: string])[]

export interface ReportPart {
  /** In lower case, for example `text/plain`. */
  readonly type: string
  /** Decoded, HTML converted to text. At most 256 K characters. */
  readonly text: string
}

export interface ReportParts {
  readonly headers: Fields
  /** Type of the whole message. */
  readonly type: string
  readonly reportType: string | null
  readonly parts: readonly ReportPart[]
}

export function readParts(raw: Buffer): ReportParts {
  const text = raw.toString('latin1', 0, READ_BYTES).replaceAll('\r\r\n', '\n').replace(/\r\n?/g, '\n')
  const message = text.startsWith('From ') ? text.slice(text.indexOf('\n') + 1) : text
  const { fields, body } = splitHeader(message)
  const content = contentType(fieldOf(fields, 'content-type'))
  const parts: ReportPart[] = []
  collect(parts, fields, body, 0)
  return { headers: fields, type: content.type, reportType: content.reportType, parts }
}

/** The first field of that name; null when there is none. */
export function fieldOf(fields: Fields, name: string): string | null {
  return fields.find(([key]) => key === name)?.[1] ?? null
}

/** A header value with its encoded words (RFC 2047) decoded. */
export function wordsOf(value: string | null): string {
  if (value === null) return ''
  const bytes = value.slice(0, WORDS_MOST_CHARS)
  return bytes.includes('=?') ? decodeWords(bytes) : decode(Buffer.from(bytes, 'latin1'), 'utf-8')
}

/** Reads a block of fields up to its first empty line. */
export function splitHeader(text: string): { readonly fields: Fields; readonly body: string } {
  const fields: [string, string][] = []
  let at = 0
  while (at < text.length) {
    const feed = text.indexOf('\n', at)
    const end = feed < 0 ? text.length : feed
    const line = text.slice(at, Math.min(end, at + HEADER_CHARS))
    at = end + 1
    if (line.trim() === '') {
      if (fields.length > 0 || line === '') break
      continue
    }
    if (at > HEADER_CHARS * 4 || fields.length >= FIELDS_MOST) continue
    addLine(fields, line)
  }
  return { fields, body: text.slice(at) }
}

function addLine(fields: [string, string][], line: string): void {
  const last = fields.at(-1)
  if (line.startsWith(' ') || line.startsWith('\t')) {
    if (last !== undefined && last[1].length < HEADER_CHARS) last[1] += ` ${storable(line)}`
    return
  }
  const field = /^([\x21-\x39\x3b-\x7e]{1,200})[ \t]{0,20}:/.exec(line)
  if (field?.[1] !== undefined) fields.push([field[1].toLowerCase(), storable(line.slice(field[0].length))])
}

/** Text that PostgreSQL can store: no NUL, and no half of a surrogate pair cut at a limit. */
function storable(text: string): string {
  return text.replaceAll('\0', ' ').toWellFormed().trim()
}

function collect(parts: ReportPart[], fields: Fields, body: string, level: number): void {
  if (parts.length >= PARTS_MOST) return
  const content = contentType(fieldOf(fields, 'content-type'))
  const { boundary } = content
  const isMultipart = content.type.startsWith('multipart/')
  if (isMultipart && level >= LEVELS_MOST) {
    // Drops the content: its boundaries and headers are not prose.
    parts.push({ type: content.type, text: '' })
    return
  }
  const inner = isMultipart && boundary !== null
  const sections = inner ? split(body, boundary) : []
  if (sections.length === 0) {
    const encoding = (fieldOf(fields, 'content-transfer-encoding') ?? '').toLowerCase()
    parts.push({ type: content.type, text: textOf(content.type, content.charset, encoding, body) })
    return
  }
  for (const section of sections) {
    if (parts.length >= PARTS_MOST) return
    const entity = splitHeader(section)
    collect(parts, entity.fields, entity.body, level + 1)
  }
}

/** The sections between delimiters (RFC 2046 section 5.1.1). Each begins with its header or the empty line. */
function split(body: string, boundary: string): string[] {
  const sections: string[] = []
  let from = -1
  for (let at = delimiterFrom(body, boundary, 0); sections.length < PARTS_MOST; ) {
    if (at < 0) {
      if (from >= 0) sections.push(body.slice(from))
      break
    }
    if (from >= 0) sections.push(body.slice(from, Math.max(from, at - 1)))
    if (body.startsWith('--', at + 2 + boundary.length)) break
    const lineEnd = body.indexOf('\n', at)
    if (lineEnd < 0) break
    from = lineEnd + 1
    at = delimiterFrom(body, boundary, from)
  }
  return sections
}

/**
 * Finds the next delimiter line. Only `--` or blanks may follow the boundary: otherwise the line belongs to another boundary
 * that starts with this one.
 *
 * @param from start of a line
 * @returns start of the delimiter's line, at or after `from`; -1 when there is none
 */
function delimiterFrom(body: string, boundary: string, from: number): number {
  const delimiter = `--${boundary}`
  let at = body.startsWith(delimiter, from) ? from : nextLine(body, delimiter, from)
  while (at >= 0) {
    const behind = at + delimiter.length
    if (/^(?:--|[\t ]*(?:\n|$))/.test(body.slice(behind, behind + BLANKS_MOST))) return at
    at = nextLine(body, delimiter, at)
  }
  return -1
}

function nextLine(body: string, beginning: string, from: number): number {
  const end = body.indexOf(`\n${beginning}`, from)
  return end < 0 ? -1 : end + 1
}

interface ContentType {
  readonly type: string
  readonly boundary: string | null
  readonly charset: string
  readonly reportType: string | null
}

function contentType(value: string | null): ContentType {
  const text = (value ?? 'text/plain').slice(0, WORDS_MOST_CHARS)
  const type = /^\s{0,20}([\w.+-]{1,100}\/[\w.+-]{1,100})/.exec(text)?.[1]?.toLowerCase() ?? 'text/plain'
  const boundary = parameterOf(text, 'boundary')
  return {
    type,
    boundary: boundary !== null && boundary.length <= BOUNDARY_MOST_CHARS && boundary !== '' ? boundary : null,
    charset: parameterOf(text, 'charset')?.toLowerCase() ?? 'utf-8',
    reportType: parameterOf(text, 'report-type')?.toLowerCase() ?? null,
  }
}

const PARAMETERS: Readonly<Record<'boundary' | 'charset' | 'report-type', RegExp>> = {
  boundary: /[;\s]boundary\s{0,9}=\s{0,9}(?:"([^"]{0,250})"?|([^\s;"]{1,250}))/i,
  charset: /[;\s]charset\s{0,9}=\s{0,9}(?:"([^"]{0,99})"?|([^\s;"]{1,99}))/i,
  'report-type': /[;\s]report-type\s{0,9}=\s{0,9}(?:"([^"]{0,99})"?|([^\s;"]{1,99}))/i,
}

function parameterOf(text: string, name: 'boundary' | 'charset' | 'report-type'): string | null {
  const found = PARAMETERS[name].exec(text)
  return found === null ? null : (found[1] ?? found[2] ?? '').trimEnd()
}

function textOf(type: string, charset: string, encoding: string, body: string): string {
  // Base64 needs four characters for three bytes, quoted-printable up to three for one.
  const kept = body.slice(0, TEXT_CHARS * 3)
  const text = decode(bytesOf(kept, encoding), charset).slice(0, TEXT_CHARS)
  return type === 'text/html' ? htmlText(text) : text
}

function bytesOf(body: string, encoding: string): Buffer {
  if (encoding === 'base64') return normalLines(Buffer.from(body, 'base64'))
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1')
  const text = body
    .replace(/=[ \t]{0,20}\n/g, '')
    .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return normalLines(Buffer.from(text, 'latin1'))
}

function normalLines(bytes: Buffer): Buffer {
  return bytes.includes(0x0d) ? Buffer.from(bytes.toString('latin1').replace(/\r\n?/g, '\n'), 'latin1') : bytes
}

function decode(bytes: Buffer, charset: string): string {
  // A part without a charset is often ISO-2022-JP, which is 7-bit and starts its runs with ESC $.
  if (bytes.includes('\x1b$') && !charset.startsWith('iso-2022')) return decode(bytes, 'iso-2022-jp')
  for (const name of [charset, 'utf-8']) {
    try {
      return new TextDecoder(name, { fatal: name === 'utf-8' || name === 'utf8' }).decode(bytes)
    } catch {
      // An unknown charset, or bytes that are not UTF-8: try the next one.
    }
  }
  return bytes.toString('latin1')
}

/** Converts HTML to lines of text, good enough for matching phrases but not for display. */
function htmlText(html: string): string {
  const words = withoutElement(withoutElement(withoutElement(html, 'style'), 'script'), 'title')
    // The lookbehind tries a run only from its first blank; trying each blank would take quadratic time.
    .replace(/(?<!\s)\s*\n\s*/g, ' ')
    .replace(/<(?:br|\/p|\/tr|\/div|\/h\d|\/li|\/td|hr)\b[^<>]{0,200}>/gi, '\n')
    .replace(/<[a-zA-Z/!][^<>]{0,2000}>/g, ' ')
  return decodeHTML(words)
    .replace(/[ \t\u00a0]{2,}/g, ' ')
    .replace(/\n /g, '\n')
}

function withoutElement(html: string, name: string): string {
  const lower = html.toLowerCase()
  let kept = ''
  let at = 0
  for (let open = lower.indexOf(`<${name}`); open >= 0; open = lower.indexOf(`<${name}`, at)) {
    const close = lower.indexOf(`</${name}`, open)
    if (close < 0) break
    kept += html.slice(at, open)
    const end = html.indexOf('>', close)
    at = end < 0 ? html.length : end + 1
  }
  return kept + html.slice(at)
}
