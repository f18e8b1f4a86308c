// Converts a submitted message to 7-bit once, before it is signed (RFC 6152 section 3; RFC 2045 section 6).
//
// Only the parts that need it change. Their body becomes quoted-printable (text) or base64 (everything else), and their
// Content-Transfer-Encoding is set to match; a body that already claims such an encoding is repaired (rewrap.ts). An enclosing
// multipart or message is labelled 7bit, or 8bit if something inside stays 8-bit. UTF-8 in header fields of parts is encoded
// in ASCII (field-encoding.ts); bytes in an unnamed charset stay. Every other byte stays. Signed content (multipart/signed),
// nesting beyond the limit and parts in an unknown encoding stay unchanged. So does a whole message with more parts than the
// limit: only servers with 8BITMIME can receive it.

import { isAscii, isUtf8 } from 'node:buffer'
import { needsEncoding } from './compose.ts'
import { encodeBase64, encodeQuotedPrintable } from './encodings.ts'
import { encodedField } from './field-encoding.ts'
import { fieldValue, parseHeaderBlock, type RawField } from './headers.ts'
import { boundaryOf, headerWithin, partsBetween, type ReadingBudget, readingBudget } from './multipart.ts'
import { rewrapBase64, rewrapQuotedPrintable } from './rewrap.ts'

const NESTING_MOST = 20
/** For the whole message. Each part costs about 200 bytes while it is rewritten. */
const PARTS_MOST = 10_000

export interface Reencoded {
  /** The given buffer when nothing changed. */
  readonly message: Buffer
  readonly changed: boolean
}

/** @param raw with CRLF line ends */
export function reencode(raw: Buffer): Reencoded {
  if (!needsEncoding(raw)) return { message: raw, changed: false }
  const out: Buffer[] = []
  const seen = { parts: 0, budget: readingBudget() }
  const changed = rewrite(raw, { out, seen, boundaries: [], depth: 0, digest: false })
  // Once the budget has run out, what was read may not be the real structure.
  if (!changed || seen.parts > PARTS_MOST || seen.budget.delimiters === 0) return { message: raw, changed: false }
  return { message: Buffer.concat(out), changed }
}

interface Place {
  readonly out: Buffer[]
  /** Counts over all multiparts. Beyond the limit, writing stops and the output is discarded. */
  readonly seen: { parts: number; readonly budget: ReadingBudget }
  /** Boundaries of the enclosing multiparts. The lines of a body that contains one of them must not be rearranged. */
  readonly boundaries: readonly string[]
  readonly depth: number
  /** In multipart/digest, a part without a type is a message (RFC 2046 section 5.1.5). */
  readonly digest: boolean
}

const REWRAPS: ReadonlyMap<string, (body: Buffer) => Buffer> = new Map([
  ['quoted-printable', rewrapQuotedPrintable],
  ['base64', rewrapBase64],
])

const IDENTITY_ENCODINGS: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary'])
const MESSAGES: ReadonlySet<string> = new Set(['message/rfc822', 'message/global'])

/** One entity, and what its header says of it. */
interface Entity {
  readonly given: Buffer
  /** As it is written; the buffer of `given` when nothing changed. */
  readonly head: Buffer
  readonly body: Buffer
  readonly typeText: string
  readonly type: string
  readonly encodingField: RawField | undefined
  readonly encoding: string
}

/** Writes one entity to `out`. @returns whether it differs from the input */
function rewrite(entity: Buffer, place: Place): boolean {
  const read = place.depth > NESTING_MOST ? null : headerWithin(entity, place.seen.budget)
  if (read === null) {
    place.out.push(entity)
    return false
  }
  const one = entityOf(entity, read, place)
  if (needsEncoding(one.body) && rewriteBody(one, place)) return true
  place.out.push(one.head, one.body)
  return one.head !== one.given
}

function entityOf(
  entity: Buffer,
  read: { readonly fields: readonly RawField[]; readonly bodyStart: number },
  { depth, digest }: Place,
): Entity {
  const given = entity.subarray(0, read.bodyStart)
  // The caller writes the message's own header.
  const head = depth === 0 ? given : asciiHead(given, read.fields)
  const { fields } = head === given ? read : parseHeaderBlock(head)
  const typeField = fields.find((field) => field.key === 'content-type')
  const typeText = typeField === undefined ? '' : fieldValue(head, typeField)
  const named = (typeText.split(';', 1)[0] ?? '').trim().toLowerCase()
  const byDefault = digest ? 'message/rfc822' : 'text/plain'
  const encodingField = fields.find((field) => field.key === 'content-transfer-encoding')
  return {
    ...{ given, head, typeText, encodingField },
    body: entity.subarray(read.bodyStart),
    type: typeText === '' ? byDefault : named,
    encoding: encodingField === undefined ? '7bit' : fieldValue(head, encodingField).toLowerCase(),
  }
}

/** Writes the entity with a body for 7 bits. @returns false: nothing was written, because its body has to stay */
function rewriteBody(one: Entity, place: Place): boolean {
  const { type, encoding } = one
  const isComposite = type.startsWith('multipart/') || type.startsWith('message/')
  const rewrap = isComposite ? undefined : REWRAPS.get(encoding)
  if (rewrap !== undefined) {
    place.out.push(one.head, rewrap(one.body), ...lastLineEnd(encoding, place))
    return true
  }
  if (!IDENTITY_ENCODINGS.has(encoding)) return false
  // RFC 1847 section 2.1: relays must not alter the content, encodings included, because the signature covers these bytes.
  if (type === 'multipart/signed') return false
  const boundary = type.startsWith('multipart/') ? boundaryOf(one.typeText) : null
  if (boundary !== null || MESSAGES.has(type)) return rewriteWithin(one, boundary, place)
  // RFC 2046 section 5.2: no other composite may be encoded.
  if (isComposite) return false
  const isQuotable = type.startsWith('text/') && !place.boundaries.some((line) => one.body.includes(`--${line}`))
  const to = isQuotable ? 'quoted-printable' : 'base64'
  const body = isQuotable ? encodeQuotedPrintable(one.body) : encodeBase64(one.body)
  place.out.push(relabel(one.head, one.head.length, one.encodingField, to), body, ...lastLineEnd(to, place))
  return true
}

/** Writes a multipart (`boundary`) or an enclosed message. @returns false: nothing was written, because nothing inside changes */
function rewriteWithin(one: Entity, boundary: string | null, place: Place): boolean {
  const { seen, boundaries, depth } = place
  const inner: Buffer[] = []
  const below = { out: inner, seen, depth: depth + 1, digest: one.type === 'multipart/digest' }
  const changed =
    boundary === null
      ? rewrite(one.body, { ...below, boundaries })
      : rewriteParts(one.body, boundary, { ...below, boundaries: [...boundaries, boundary] })
  if (!changed) return false
  place.out.push(compositeHead(one.head, one.encodingField, one.encoding, inner))
  for (const piece of inner) place.out.push(piece)
  return true
}

/** Base64 is written without a last line end. Within a multipart the delimiter begins with it; elsewhere it is needed. */
function lastLineEnd(encoding: string, { boundaries }: Place): readonly Buffer[] {
  return encoding === 'base64' && boundaries.length === 0 ? [Buffer.from('\r\n')] : []
}

/**
 * The header of a composite part, labelled with an encoding that is true of everything inside (RFC 2045 section 6.4): 7bit if
 * nothing inside needs encoding; else 8bit instead of 7bit if content left unchanged has 8-bit bytes. Any other label stays,
 * because only its author knows what it stands for.
 */
function compositeHead(head: Buffer, field: RawField | undefined, given: string, inner: readonly Buffer[]): Buffer {
  if (!inner.some(needsEncoding)) return relabel(head, head.length, field, '7bit')
  return given !== '7bit' || inner.every(isAscii) ? head : relabel(head, head.length, field, '8bit')
}

/** A part's header with its fields in ASCII, as far as possible. @returns the given buffer when nothing changed */
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

/**
 * Rewrites the parts of one multipart. The delimiters stay. Non-ASCII bytes in the preamble and the epilogue, which nobody sees
 * (RFC 2046 section 5.1.1), become question marks.
 */
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

/** @returns the given buffer if it is ASCII; else a copy with a question mark for each non-ASCII byte */
function inAscii(given: Buffer): Buffer {
  return isAscii(given) ? given : Buffer.from(given.map((byte) => (byte < 0x80 ? byte : 0x3f)))
}

/** The header block, including the empty line, with another Content-Transfer-Encoding. */
export function relabel(entity: Buffer, bodyStart: number, field: RawField | undefined, encoding: string): Buffer {
  const line = Buffer.from(`Content-Transfer-Encoding: ${encoding}\r\n`)
  if (field !== undefined) {
    return Buffer.concat([entity.subarray(0, field.start), line, entity.subarray(field.end, bodyStart)])
  }
  // A part may begin with the empty line, that is, have no header.
  const emptyLine = bodyStart >= 2 && entity[bodyStart - 2] === 0x0d ? bodyStart - 2 : Math.max(bodyStart - 1, 0)
  const head = [entity.subarray(0, emptyLine), line, entity.subarray(emptyLine, bodyStart)]
  return Buffer.concat(head)
}
