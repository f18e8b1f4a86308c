// A submitted message made 7-bit once, before it is signed (RFC 6152 section 3; RFC 2045 section 6).
//
// Only the parts that need it change: their body becomes quoted-printable (text) or base64 (all else) and their
// Content-Transfer-Encoding says so, or is made what it says already (rewrap.ts); a multipart or message above them is labelled
// 7bit, or 8bit where something below it stays so. Header fields of parts that hold UTF-8 are said in ASCII
// (field-encoding.ts); bytes of a charset that nobody names stay. Every other byte stays. What is signed (multipart/signed),
// nesting deeper than the limit and parts in an encoding we do not know stay as they are, and so does a whole message of more
// parts than the limit: it goes to servers with 8BITMIME alone.

import { isAscii, isUtf8 } from 'node:buffer'
import { encodeBase64, encodeQuotedPrintable } from './encodings.ts'
import { encodedField } from './field-encoding.ts'
import { fieldValue, parseHeaderBlock, type RawField } from './headers.ts'
import { needsEncoding } from './mime.ts'
import { boundaryOf, headerWithin, partsBetween, type ReadingBudget, readingBudget } from './multipart.ts'
import { rewrapBase64, rewrapQuotedPrintable } from './rewrap.ts'

const NESTING_MOST = 20
/** Of the whole message. Each costs some 200 bytes while it is rewritten. */
const PARTS_MOST = 10_000

export interface Reencoded {
  /** The buffer that was given when nothing had to change. */
  readonly message: Buffer
  readonly changed: boolean
}

/** @param raw CRLF line ends */
export function reencode(raw: Buffer): Reencoded {
  if (!needsEncoding(raw)) return { message: raw, changed: false }
  const out: Buffer[] = []
  const seen = { parts: 0, budget: readingBudget() }
  const changed = rewrite(raw, { out, seen, boundaries: [], depth: 0, digest: false })
  // Where the budget ran out, what was read may not be what is there.
  if (!changed || seen.parts > PARTS_MOST || seen.budget.delimiters === 0) return { message: raw, changed: false }
  return { message: Buffer.concat(out), changed }
}

interface Place {
  readonly out: Buffer[]
  /** Counted over all multiparts; beyond the limit nothing more is written, and what was is dropped. */
  readonly seen: { parts: number; readonly budget: ReadingBudget }
  /** Of the multiparts around: a body that holds one of them must not be cut into other lines. */
  readonly boundaries: readonly string[]
  readonly depth: number
  /** In multipart/digest a part without a type is a message (RFC 2046 section 5.1.5). */
  readonly digest: boolean
}

const REWRAPS: ReadonlyMap<string, (body: Buffer) => Buffer> = new Map([
  ['quoted-printable', rewrapQuotedPrintable],
  ['base64', rewrapBase64],
])

/** Writes one entity to `out`. @returns whether it differs from what was read */
function rewrite(entity: Buffer, place: Place): boolean {
  const { out, seen, boundaries, depth } = place
  const read = depth > NESTING_MOST ? null : headerWithin(entity, seen.budget)
  if (read === null) {
    out.push(entity)
    return false
  }
  const body = entity.subarray(read.bodyStart)
  const given = entity.subarray(0, read.bodyStart)
  // That of the message itself is written by who asks.
  const head = depth === 0 ? given : asciiHead(given, read.fields)
  const { fields } = head === given ? read : parseHeaderBlock(head)
  const keep = (): boolean => {
    out.push(head, body)
    return head !== given
  }
  if (!needsEncoding(body)) return keep()
  const typeField = fields.find((field) => field.key === 'content-type')
  const typeText = typeField === undefined ? '' : fieldValue(head, typeField)
  const type =
    typeText === ''
      ? place.digest
        ? 'message/rfc822'
        : 'text/plain'
      : (typeText.split(';', 1)[0] ?? '').trim().toLowerCase()
  const encodingField = fields.find((field) => field.key === 'content-transfer-encoding')
  const encoding = encodingField === undefined ? '7bit' : fieldValue(head, encodingField).toLowerCase()
  const rewrap = REWRAPS.get(encoding)
  if (rewrap !== undefined && !/^(?:multipart|message)\//.test(type)) {
    out.push(head, rewrap(body))
    if (boundaries.length === 0 && encoding === 'base64') out.push(Buffer.from('\r\n'))
    return true
  }
  if (encoding !== '7bit' && encoding !== '8bit' && encoding !== 'binary') return keep()

  // RFC 1847 section 2.1: who carries it alters nothing within, encodings included, since the signature is of these bytes.
  if (type === 'multipart/signed') return keep()

  const boundary = type.startsWith('multipart/') ? boundaryOf(typeText) : null
  if (boundary !== null || type === 'message/rfc822' || type === 'message/global') {
    const inner: Buffer[] = []
    const below = { out: inner, seen, depth: depth + 1, digest: type === 'multipart/digest' }
    const changed =
      boundary === null
        ? rewrite(body, { ...below, boundaries })
        : rewriteParts(body, boundary, { ...below, boundaries: [...boundaries, boundary] })
    if (!changed) return keep()
    out.push(compositeHead(head, encodingField, encoding, inner))
    for (const piece of inner) out.push(piece)
    return true
  }
  // RFC 2046 section 5.2: no other composite may be encoded.
  if (type.startsWith('multipart/') || type.startsWith('message/')) return keep()
  const quotable = type.startsWith('text/') && !boundaries.some((one) => body.includes(`--${one}`))
  const to = quotable ? 'quoted-printable' : 'base64'
  out.push(relabel(head, head.length, encodingField, to), quotable ? encodeQuotedPrintable(body) : encodeBase64(body))
  if (boundaries.length === 0 && !quotable) out.push(Buffer.from('\r\n'))
  return true
}

/**
 * The header of what holds parts, with the encoding that is true of all below it (RFC 2045 section 6.4): of what is left as it
 * came, something may be 8-bit yet. Where that is in ASCII and no 7bit, only who wrote it can tell what it is.
 */
function compositeHead(head: Buffer, field: RawField | undefined, given: string, inner: readonly Buffer[]): Buffer {
  if (!inner.some(needsEncoding)) return relabel(head, head.length, field, '7bit')
  return given !== '7bit' || inner.every(isAscii) ? head : relabel(head, head.length, field, '8bit')
}

/** The header of a part with its fields in ASCII, as far as they can be. @returns the given one when nothing had to change */
function asciiHead(head: Buffer, fields: readonly RawField[]): Buffer {
  if (isAscii(head)) return head
  const out: Buffer[] = []
  let copied = 0
  for (const field of fields) {
    const { start, end } = field
    const bytes = head.subarray(start, end)
    if (isAscii(bytes) || !isUtf8(bytes)) continue
    const encoded = encodedField(field, fieldValue(head, field))
    if (encoded === null || !isAscii(encoded)) continue
    out.push(head.subarray(copied, start), encoded)
    copied = end
  }
  return copied === 0 ? head : Buffer.concat([...out, head.subarray(copied)])
}

/** The parts of one multipart. The delimiters stay; preamble and epilogue, which nobody is shown (RFC 2046 section 5.1.1), lose what is not ASCII. */
function rewriteParts(body: Buffer, boundary: string, place: Place): boolean {
  let changed = false
  let copied = 0
  const between = (end: number): void => {
    const given = body.subarray(copied, end)
    const ascii = isAscii(Buffer.from(boundary, 'latin1')) ? inAscii(given) : given
    if (ascii !== given) changed = true
    place.out.push(ascii)
  }
  for (const { start, end } of partsBetween(body, boundary, place.seen.budget)) {
    if (++place.seen.parts > PARTS_MOST) return false
    between(start)
    if (rewrite(body.subarray(start, end), place)) changed = true
    copied = end
  }
  between(body.length)
  return changed
}

/** @returns the given bytes when they are in ASCII; else with a question mark for each that is not */
function inAscii(given: Buffer): Buffer {
  return isAscii(given) ? given : Buffer.from(given.map((byte) => (byte < 0x80 ? byte : 0x3f)))
}

/** The header block, empty line included, with another Content-Transfer-Encoding. */
export function relabel(entity: Buffer, bodyStart: number, field: RawField | undefined, encoding: string): Buffer {
  const line = Buffer.from(`Content-Transfer-Encoding: ${encoding}\r\n`)
  if (field !== undefined) {
    return Buffer.concat([entity.subarray(0, field.start), line, entity.subarray(field.end, bodyStart)])
  }
  // A part may begin with the empty line: it has no header at all.
  const emptyLine = bodyStart >= 2 && entity[bodyStart - 2] === 0x0d ? bodyStart - 2 : Math.max(bodyStart - 1, 0)
  const head = [entity.subarray(0, emptyLine), line, entity.subarray(emptyLine, bodyStart)]
  return Buffer.concat(head)
}
