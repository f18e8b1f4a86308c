// Finds the parts of a submitted message that readers see as the letter: html and plain text, anywhere in multiparts, but not
// in attachments, attached messages, reports, or signed or encrypted content (multipart/signed, multipart/encrypted, S/MIME,
// PGP in the text). They can be replaced one by one; every other byte of the message stays.
//
// Replacing works on the decoded bytes of a part; its charset and everything else stay the same. Parts whose charset may use
// ASCII bytes in other characters (UTF-16, UTF-7) are left alone (message-charset.ts). A replaced part keeps its transfer
// encoding unless that cannot carry the new content: lines over 998 bytes, a boundary, line ends other than CRLF. Parts
// beyond the reading budget (multipart.ts) cannot be replaced, nor those whose base64 readers decode to more than we would
// (padded pieces in a row, text in clear behind it).

import { isAscii } from 'node:buffer'
import { needsEncoding } from './compose.ts'
import { decodeQuotedPrintable, encodeBase64, encodeQuotedPrintable, withCrlf } from './encodings.ts'
import { fieldValue, type HeaderBlock, parseHeaderBlock, type RawField } from './headers.ts'
import { covered, type MessageCharset, messageCharset, uncovered } from './message-charset.ts'
import { boundaryOf, headerWithin, partsBetween, type ReadingBudget, readingBudget } from './multipart.ts'
import { relabel } from './reencode.ts'

type Encoding = '7bit' | 'quoted-printable' | 'base64'

export interface MessagePart {
  readonly kind: 'html' | 'plain'
  readonly charset: MessageCharset
  /** The part with its header, as offsets into the message. */
  readonly start: number
  readonly end: number
  readonly bodyStart: number
  readonly encoding: Encoding
  readonly encodingField: RawField | undefined
  /** Boundaries of the enclosing multiparts. */
  readonly boundaries: readonly string[]
}

const NESTING_MOST = 20
const PARTS_MOST = 100
/** The API limit for html and text, in base64. */
const PART_BYTES_MOST = 7_340_032
const SEALED = new Set(['multipart/signed', 'multipart/encrypted', 'multipart/report'])
const PGP = '-----BEGIN PGP '

/** @param message with CRLF line ends, 7-bit, as acceptance stores it */
export function messageParts(message: Buffer): readonly MessagePart[] {
  return partsUnder(message, parseHeaderBlock(message))
}

/** @param head of the message itself */
function partsUnder(message: Buffer, head: HeaderBlock): readonly MessagePart[] {
  const found: MessagePart[] = []
  collect(message, placeOf(message), head, found)
  return found
}

interface Place {
  readonly start: number
  readonly end: number
  readonly boundaries: readonly string[]
  readonly depth: number
  readonly budget: ReadingBudget
}

function placeOf(message: Buffer): Place {
  return { start: 0, end: message.length, boundaries: [], depth: 0, budget: readingBudget() }
}

function collect(
  message: Buffer,
  { start, end, boundaries, depth, budget }: Place,
  { fields, bodyStart }: HeaderBlock,
  found: MessagePart[],
): void {
  if (depth > NESTING_MOST) return
  const entity = message.subarray(start, end)
  const value = (key: string): string => {
    const field = fields.find((one) => one.key === key)
    return field === undefined ? '' : fieldValue(entity, field)
  }
  const typeText = value('content-type')
  const type = (typeText.split(';', 1)[0] ?? '').trim().toLowerCase()
  if (type.startsWith('multipart/')) {
    const boundary = SEALED.has(type) ? null : boundaryOf(typeText)
    if (boundary === null) return
    const around = [...boundaries, boundary]
    for (const part of partsBetween(entity.subarray(bodyStart), boundary, budget)) {
      if (found.length >= PARTS_MOST) return
      const at = start + bodyStart
      const place = { start: at + part.start, end: at + part.end, boundaries: around, depth: depth + 1, budget }
      const inner = headerWithin(message.subarray(place.start, place.end), budget)
      if (inner !== null) collect(message, place, inner, found)
    }
    return
  }
  const kind = type === 'text/html' ? 'html' : type === 'text/plain' || type === '' ? 'plain' : null
  if (kind === null || end - start > PART_BYTES_MOST) return
  if (/^\s*attachment\b|;\s*filename\*?/i.test(value('content-disposition'))) return
  const encoding = encodingOf(value('content-transfer-encoding').toLowerCase(), entity.subarray(bodyStart))
  const charset = charsetOf(typeText)
  if (charset === null || encoding === null || !hasEmptyLine(entity, bodyStart)) return
  const encodingField = fields.find(({ key }) => key === 'content-transfer-encoding')
  found.push({ kind, charset, start, end, bodyStart: start + bodyStart, encoding, encodingField, boundaries })
}

/** Programs label ASCII as 8bit or binary too. That content is the same as under 7bit, and acceptance leaves it as it is. */
function encodingOf(label: string, body: Buffer): Encoding | null {
  if (label === '' || label === '7bit') return '7bit'
  if (label === '8bit' || label === 'binary') return isAscii(body) ? '7bit' : null
  if (label === 'base64') return isWholeBase64(body) ? label : null
  return label === 'quoted-printable' ? label : null
}

/** False when padding or a foreign character is followed by more: some readers stop there, others go on. */
function isWholeBase64(body: Buffer): boolean {
  const text = body.toString('latin1')
  const end = text.search(/[^A-Za-z0-9+/\r\n\t ]/)
  return end < 0 || /^={1,2}[\r\n\t ]*$/.test(text.slice(end))
}

/** Whether an empty line ends the header. A part without content may lack it (RFC 2046 section 5.1.1). */
function hasEmptyLine(entity: Buffer, bodyStart: number): boolean {
  const before = entity.toString('latin1', Math.max(0, bodyStart - 4), bodyStart)
  return before === '\r\n' || before === '\r\n\r\n'
}

function charsetOf(contentType: string): MessageCharset | null {
  return messageCharset(/;\s*charset\s*=\s*["']?([^\s;"']{1,40})/i.exec(contentType)?.[1]?.toLowerCase() ?? 'us-ascii')
}

/** The content, one byte per character, ASCII only where it means ASCII; null when it is PGP or does not fit its charset. */
export function contentOf(message: Buffer, { bodyStart, end, encoding, charset }: MessagePart): string | null {
  const content = decoded(message.subarray(bodyStart, end), encoding)
  return content.includes(PGP) ? null : covered(content.toString('latin1'), charset)
}

const PLACEHOLDER_STARTS = { '7bit': ['{{', '%7'], 'quoted-printable': ['{', '=7', '%', '=25'] } as const

/** Whether the part may contain the placeholder in any spelling. Checks the encoded form. */
export function mayHavePlaceholder(message: Buffer, { bodyStart, end, encoding }: MessagePart): boolean {
  if (encoding === 'base64') return true
  const body = message.subarray(bodyStart, end)
  return PLACEHOLDER_STARTS[encoding].some((start) => body.includes(start, 0, 'latin1'))
}

const BULKY_BYTES = 65_536

/**
 * The message without the bodies of its bulky parts. Their headers, and so their names and types, stay. Html and text are
 * never bulky, but end after whole lines of at most `letterMostBytes`, encoded. Saves memory when only the letter and the names
 * of its attachments are needed.
 */
export function withoutBulk(message: Buffer, letterMostBytes: number): Buffer {
  const pieces: Buffer[] = []
  let kept = 0
  for (const { from, end } of bulkIn(message, { ...placeOf(message), letterMostBytes })) {
    pieces.push(message.subarray(kept, from))
    kept = end
  }
  return kept === 0 ? message : Buffer.concat([...pieces, message.subarray(kept)])
}

interface BulkPlace extends Place {
  readonly letterMostBytes: number
}

function bulkIn(message: Buffer, place: BulkPlace): readonly { from: number; end: number }[] {
  const { start, end, depth, budget, letterMostBytes } = place
  if (end - start <= BULKY_BYTES || depth > NESTING_MOST) return []
  const entity = message.subarray(start, end)
  const head = headerWithin(entity, budget)
  if (head === null) return []
  const { fields, bodyStart } = head
  const field = fields.find(({ key }) => key === 'content-type')
  const typeText = field === undefined ? '' : fieldValue(entity, field)
  const type = (typeText.split(';', 1)[0] ?? '').trim().toLowerCase()
  const at = start + bodyStart
  const boundary = type.startsWith('multipart/') ? boundaryOf(typeText) : null
  if (boundary !== null) {
    return partsBetween(entity.subarray(bodyStart), boundary, budget)
      .flatMap((part) => bulkIn(message, { ...place, start: at + part.start, end: at + part.end, depth: depth + 1 }))
      .toArray()
  }
  const disposition = fields.find(({ key }) => key === 'content-disposition')
  const isAttached = disposition !== undefined && /^\s*attachment\b/i.test(fieldValue(entity, disposition))
  const isLetter = (type === '' || type.startsWith('text/')) && !isAttached
  if (!isLetter) return end - at <= BULKY_BYTES ? [] : [{ from: at, end }]
  if (end - at <= letterMostBytes) return []
  return [{ from: Math.max(at, message.lastIndexOf('\n', at + letterMostBytes - 1) + 1), end }]
}

/**
 * The decoded html and text of a message that has nothing else: one text, or a multipart/alternative of at most two, in UTF-8
 * or ASCII, without attachments, each with one Content-Type. Most mail qualifies; the rest needs a full parser.
 *
 * @returns line ends as LF; null when the message is anything else
 */
export function plainMessage(message: Buffer): { readonly html: string | null; readonly text: string | null } | null {
  const head = parseHeaderBlock(message)
  const { fields, bodyStart } = head
  const [field, ...others] = fields.filter(({ key }) => key === 'content-type')
  const type = field === undefined ? '' : fieldValue(message, field)
  const boundary = /^\s*multipart\/alternative\s*;/i.test(type) ? boundaryOf(type) : null
  const depth = boundary === null ? 0 : 1
  if (others.length > 0 || (boundary === null && /^\s*multipart\//i.test(type))) return null
  const body = message.subarray(bodyStart)
  const count = boundary === null ? 1 : partsBetween(body, boundary, readingBudget()).take(3).toArray().length
  if (count > 2) return null
  const parts = partsUnder(message, head)
  if (parts.length !== count) return null
  if (!parts.every((part) => part.boundaries.length === depth && isReadable(message, part))) return null
  if (depth > 0 && !parts.every((part) => hasOneType(message, part))) return null
  const read = (kind: MessagePart['kind']): string | null => {
    const part = parts.find((one) => one.kind === kind)
    if (part === undefined) return null
    return decoded(message.subarray(part.bodyStart, part.end), part.encoding).toString('utf8').replaceAll('\r\n', '\n')
  }
  const [first, second] = parts
  return first?.kind === second?.kind ? null : { html: read('html'), text: read('plain') }
}

/** Whether the part decodes as UTF-8. All-ASCII bytes do in every supported charset without shifts. */
function isReadable(message: Buffer, { end, bodyStart, charset, encoding }: MessagePart): boolean {
  return (
    charset.bytes === 'utf-8' ||
    (charset.shifts === null && isAscii(decoded(message.subarray(bodyStart, end), encoding)))
  )
}

function hasOneType(message: Buffer, { start, bodyStart }: MessagePart): boolean {
  const { fields } = parseHeaderBlock(message.subarray(start, bodyStart))
  return fields.filter(({ key }) => key === 'content-type').length <= 1
}

function decoded(body: Buffer, encoding: Encoding): Buffer {
  switch (encoding) {
    case '7bit':
      return body
    case 'quoted-printable':
      return decodeQuotedPrintable(body)
    case 'base64':
      return Buffer.from(body.toString('latin1'), 'base64')
  }
}

/**
 * The message with the contents of some parts replaced.
 *
 * @param contents in the order of the message, in the form that `contentOf` returns
 */
export function withContents(
  message: Buffer,
  contents: readonly { readonly part: MessagePart; readonly content: string }[],
): Buffer {
  const out: Buffer[] = []
  let copied = 0
  for (const { part, content } of contents) {
    const bytes = uncovered(content, part.charset)
    const encoding = encodingFor(bytes, part)
    out.push(message.subarray(copied, part.start), headOf(message, part, encoding))
    if (encoding === 'base64') {
      out.push(encodeBase64(bytes))
      if (message[part.end - 1] === 0x0a) out.push(Buffer.from('\r\n'))
    } else out.push(encoding === '7bit' ? bytes : encodeQuotedPrintable(bytes))
    copied = part.end
  }
  out.push(message.subarray(copied))
  return Buffer.concat(out)
}

function encodingFor(bytes: Buffer, { encoding, boundaries }: MessagePart): Encoding {
  if (encoding === 'base64') return 'base64'
  if (withCrlf(bytes) !== bytes || boundaries.some((one) => bytes.includes(`--${one}`))) return 'base64'
  return encoding === '7bit' && needsEncoding(bytes) ? 'quoted-printable' : encoding
}

function headOf(
  message: Buffer,
  { start, end, bodyStart, encoding, encodingField }: MessagePart,
  now: Encoding,
): Buffer {
  if (now === encoding) return message.subarray(start, bodyStart)
  return relabel(message.subarray(start, end), bodyStart - start, encodingField, now)
}
