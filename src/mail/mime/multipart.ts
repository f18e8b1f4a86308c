// Finds the parts of a multipart (RFC 2046 section 5.1). Like receivers, it accepts a delimiter only at the start of a line with
// nothing but blanks after it. Takes time linear in the length of the body, and bounded over all the bodies of one message.

import { type HeaderBlock, parseHeaderBlock } from './headers.ts'

export interface Extent {
  readonly start: number
  readonly end: number
}

/** The boundary in a multipart's Content-Type; null when there is none. */
export function boundaryOf(contentType: string): string | null {
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"((?:[^"\\]|\\.){1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? []
  return quoted?.replace(/\\(.)/g, '$1').trimEnd() ?? plain ?? null
}

/**
 * The work left for reading one message, over all its parts. A mail of 25 MB has room for five million parts and as many
 * header fields, which take a second per million. Content beyond the budget is opaque and is not examined.
 */
export interface ReadingBudget {
  /** Remaining lines that contain `--boundary`. */
  delimiters: number
  headerBytes: number
}

const DELIMITERS_MOST = 20_000
const HEADER_BYTES_MOST = 262_144
const HEADERS_BYTES_MOST = 1_048_576

export function readingBudget(): ReadingBudget {
  return { delimiters: DELIMITERS_MOST, headerBytes: HEADERS_BYTES_MOST }
}

/** @returns null when the header does not end within the budget */
export function headerWithin(entity: Buffer, budget: ReadingBudget): HeaderBlock | null {
  const head = parseHeaderBlock(entity, Math.min(HEADER_BYTES_MOST, budget.headerBytes))
  budget.headerBytes -= Math.min(head.bodyStart, budget.headerBytes)
  return head.truncated ? null : head
}

/**
 * Yields the parts of a multipart in order. Without a closing delimiter, the last part runs to the end of the body. When the
 * budget runs out, iteration stops and the part under way is not yielded.
 */
export function* partsBetween(
  body: Buffer,
  boundary: string,
  budget: ReadingBudget,
): Generator<Extent, void, undefined> {
  const delimiter = Buffer.from(`--${boundary}`, 'latin1')
  /** Start of the part under way; -1 in the preamble and the epilogue. */
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
