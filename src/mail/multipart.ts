// Where the parts of a multipart stand (RFC 2046 section 5.1). Delimiters are looked for as receivers do: at the start of a
// line, with nothing but blanks behind them. Linear in the length of the body, and bounded over all the bodies of one message.

import { type HeaderBlock, parseHeaderBlock } from './headers.ts'

export interface Extent {
  readonly start: number
  readonly end: number
}

/** The boundary of a multipart's Content-Type; null: it names none. */
export function boundaryOf(contentType: string): string | null {
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"((?:[^"\\]|\\.){1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? []
  return quoted?.replace(/\\(.)/g, '$1').trimEnd() ?? plain ?? null
}

/**
 * What reading one message may cost, over all its parts: a mail of 25 MB has room for five million of them, and for as many
 * header fields, at a second for each million. What lies beyond is opaque: nobody looks into it.
 */
export interface ReadingBudget {
  /** Lines that hold what a delimiter begins with. */
  delimiters: number
  headerBytes: number
}

const DELIMITERS_MOST = 20_000
const HEADER_BYTES_MOST = 262_144
const HEADERS_BYTES_MOST = 1_048_576

export function readingBudget(): ReadingBudget {
  return { delimiters: DELIMITERS_MOST, headerBytes: HEADERS_BYTES_MOST }
}

/** @returns null: the header has no end within what may be read */
export function headerWithin(entity: Buffer, budget: ReadingBudget): HeaderBlock | null {
  const head = parseHeaderBlock(entity, Math.min(HEADER_BYTES_MOST, budget.headerBytes))
  budget.headerBytes -= Math.min(head.bodyStart, budget.headerBytes)
  return head.truncated ? null : head
}

/**
 * The parts of a multipart in order, one by one; in one that never ends the last part runs to the end. Where the budget ends,
 * the parts do: the one under way is not told.
 */
export function* partsBetween(
  body: Buffer,
  boundary: string,
  budget: ReadingBudget,
): Generator<Extent, void, undefined> {
  const delimiter = Buffer.from(`--${boundary}`, 'latin1')
  /** Where the part under way begins; -1 in the preamble and the epilogue. */
  let part = -1
  let lineEnd = 0
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, lineEnd)) {
    if (budget.delimiters <= 0) return
    budget.delimiters--
    const feed = body.indexOf(0x0a, at)
    lineEnd = feed < 0 ? body.length : feed + 1
    if (at > 0 && body[at - 1] !== 0x0a) continue
    const after = at + delimiter.length
    const rest = body.toString('latin1', after, Math.min(lineEnd, after + 80)).trim()
    if (rest !== '' && rest !== '--') continue
    // The line end before a delimiter belongs to it (RFC 2046 section 5.1.1).
    const partEnd = Math.max(part, at >= 2 && body[at - 2] === 0x0d ? at - 2 : Math.max(at - 1, 0))
    if (part >= 0) yield { start: part, end: partEnd }
    part = rest === '--' ? -1 : lineEnd
    if (part < 0) break
  }
  if (part >= 0) yield { start: part, end: body.length }
}
