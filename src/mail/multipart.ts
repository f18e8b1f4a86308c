// Where the parts of a multipart stand (RFC 2046 section 5.1). Delimiters are looked for as receivers do: at the start of a
// line, with nothing but blanks behind them. Linear in the length of the body.

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
 * The parts of a multipart in order; in one that never ends the last part runs to the end. One by one: 25 MB may have five
 * million, which as a list were more than the message many times over.
 */
export function* partsBetween(body: Buffer, boundary: string): Generator<Extent, void, undefined> {
  const delimiter = Buffer.from(`--${boundary}`, 'latin1')
  /** Where the part under way begins; -1 in the preamble and the epilogue. */
  let part = -1
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + 1)) {
    if (at > 0 && body[at - 1] !== 0x0a) continue
    const feed = body.indexOf(0x0a, at)
    const lineEnd = feed < 0 ? body.length : feed + 1
    const rest = body.toString('latin1', at + delimiter.length, Math.min(lineEnd, at + delimiter.length + 80)).trim()
    if (rest !== '' && rest !== '--') continue
    // The line end before a delimiter belongs to it (RFC 2046 section 5.1.1).
    const partEnd = Math.max(part, at >= 2 && body[at - 2] === 0x0d ? at - 2 : Math.max(at - 1, 0))
    if (part >= 0) yield { start: part, end: partEnd }
    part = rest === '--' ? -1 : lineEnd
    if (part < 0) break
  }
  if (part >= 0) yield { start: part, end: body.length }
}
