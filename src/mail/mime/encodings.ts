// Quoted-printable and base64 for bodies (RFC 2045 sections 6.7 and 6.8), table-driven over bytes.
//
// Text is sent as quoted-printable unless base64 is smaller. Line ends of text (CRLF, LF, CR) all become CRLF. Output lines
// have at most 76 characters and never end in a blank, begin with a dot, or begin with "From ", so that no relay has a
// reason to change them and break a signature. Neither output can contain "=_" (in quoted-printable, "=" is followed by two
// hex digits or by a line end), which keeps our boundaries unique.

const CR = 0x0d
const LF = 0x0a
const DOT = 0x2e
const EQUALS = 0x3d
const LINE = 76
const HEX = Buffer.from('0123456789ABCDEF')

// Kinds up to BLANK are copied as they are.
const PLAIN = 0
const BLANK = 1
const ESCAPE = 2
const RETURN = 3
const FEED = 4
/** The kind of each byte. */
const KIND = new Uint8Array(256).fill(ESCAPE)
for (let byte = 0x21; byte < 0x7f; byte++) KIND[byte] = PLAIN
KIND[EQUALS] = ESCAPE
KIND[0x20] = BLANK
KIND[0x09] = BLANK
KIND[CR] = RETURN
KIND[LF] = FEED

export interface EncodedBody {
  readonly encoding: 'quoted-printable' | 'base64'
  readonly bytes: Buffer
}

/** Encodes text as 7-bit lines in the smaller of the two encodings (quoted-printable if equal, because people can read it). */
export function encodeText(text: Buffer): EncodedBody {
  const { escapes, ends } = count(text)
  if (isBase64Smaller(text.length, escapes)) return { encoding: 'base64', bytes: encodeBase64(withCrlf(text)) }
  return { encoding: 'quoted-printable', bytes: quotedPrintable(text, escapes, ends) }
}

/** Base64 turns 57 bytes into 78; quoted-printable adds two for each escape and three for each soft break. */
function isBase64Smaller(bytes: number, escapes: number): boolean {
  return (bytes + 2 * escapes) * (1 + 3 / LINE) > (bytes * 78) / 57 + 4
}

/** Size in bytes of base64 with line ends. */
export function base64Bytes(bytes: number): number {
  return Math.ceil(bytes / 57) * 78
}

/** Size of the output of `encodeText`, ignoring lines that begin with "From ". Takes 4 ns per character and no copy. */
export function encodedTextBytes(text: string): number {
  const bytes = Buffer.byteLength(text)
  let escapes = 0
  /** Number of one-byte line ends. */
  let bare = 0
  /** Bytes added by soft breaks, and by escapes at the start and the end of lines. */
  let extra = 0
  let column = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = code < 0x80 ? (KIND[code] as number) : ESCAPE
    if (kind <= BLANK) {
      if (++column < LINE) continue
      extra += 3
      column = 1
    } else if (kind === ESCAPE) {
      // Each surrogate counts as two of the four bytes of its pair.
      const size = code < 0x80 ? 1 : code < 0x800 || (code & 0xf800) === 0xd800 ? 2 : 3
      escapes += size
      for (let left = size; left > 0; left--) {
        column += 3
        if (column < LINE) continue
        extra += 3
        column = 3
      }
    } else {
      if (column > 0 && KIND[text.charCodeAt(at - 1)] === BLANK) extra += 2
      if (kind === RETURN && text.charCodeAt(at + 1) === LF) at++
      else bare++
      if (text.charCodeAt(at + 1) === DOT) extra += 2
      column = 0
    }
  }
  if (isBase64Smaller(bytes, escapes)) return base64Bytes(bytes + bare)
  return bytes + 2 * escapes + bare + extra
}

/** Encodes bytes as base64 in lines of 76, without a line end after the last one. */
export function encodeBase64(content: Buffer): Buffer {
  const text = content.toString('base64')
  const lines = Math.ceil(text.length / LINE)
  if (lines <= 1) return Buffer.from(text, 'latin1')
  const out = Buffer.allocUnsafe(text.length + (lines - 1) * 2)
  // Writes everything at once, then moves the lines into place from the last to the first.
  out.write(text, 'latin1')
  for (let line = lines - 1; line >= 0; line--) {
    const from = line * LINE
    const end = Math.min(from + LINE, text.length)
    const to = from + line * 2
    out.copyWithin(to, from, end)
    if (line === lines - 1) continue
    out[to + end - from] = CR
    out[to + end - from + 1] = LF
  }
  return out
}

/** Decodes quoted-printable. An invalid escape is kept literally, as mail readers do (RFC 2045 section 6.7). */
export function decodeQuotedPrintable(encoded: Buffer): Buffer {
  // Without blanks before line ends, only escapes and soft breaks need work: everything between them is copied.
  const padded = [' \r', ' \n', '\t\r', '\t\n'].some((blank) => encoded.includes(blank, 0, 'latin1'))
  return padded ? decodePadded(encoded) : decodeRuns(encoded)
}

function decodeRuns(encoded: Buffer): Buffer {
  const out = Buffer.allocUnsafe(encoded.length)
  let to = 0
  let done = 0
  for (let at = encoded.indexOf(EQUALS); at >= 0; at = encoded.indexOf(EQUALS, at + 1)) {
    const value = hexValue(encoded[at + 1]) * 16 + hexValue(encoded[at + 2])
    const next = value >= 0 ? at + 3 : softBreak(encoded, at + 1)
    if (next < 0) continue
    to += encoded.copy(out, to, done, at)
    if (value >= 0) out[to++] = value
    done = next
    at = next - 1
  }
  to += encoded.copy(out, to, done)
  return out.subarray(0, to)
}

function decodePadded(encoded: Buffer): Buffer {
  const out = Buffer.allocUnsafe(encoded.length)
  let to = 0
  /** Length of `out` to keep at a line end: blanks before it are padding. */
  let keep = 0
  for (let at = 0; at < encoded.length; at++) {
    const byte = encoded[at] as number
    if (byte === EQUALS) {
      const value = hexValue(encoded[at + 1]) * 16 + hexValue(encoded[at + 2])
      if (value >= 0) {
        out[to++] = value
        keep = to
        at += 2
        continue
      }
      const end = softBreak(encoded, at + 1)
      if (end > 0) {
        keep = to
        at = end - 1
        continue
      }
    }
    if (byte === LF || (byte === CR && encoded[at + 1] === LF)) to = keep
    out[to++] = byte
    if (byte !== 0x20 && byte !== 0x09) keep = to
  }
  return out.subarray(0, to)
}

/** The value of a hex digit; else so negative that no sum with it is a byte. */
function hexValue(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte & 0xdf
  return letter >= 0x41 && letter <= 0x46 ? letter - 0x37 : -1_000
}

/** Index after the line end at `from`, which blanks may precede; -1 if there is none. */
function softBreak(encoded: Buffer, from: number): number {
  let at = from
  while (encoded[at] === 0x20 || encoded[at] === 0x09) at++
  if (encoded[at] === LF) return at + 1
  if (encoded[at] === CR && encoded[at + 1] === LF) return at + 2
  return at === encoded.length ? at : -1
}

/** Converts all line ends to CRLF. Returns the same buffer when nothing changes. */
export function withCrlf(text: Buffer): Buffer {
  let extra = 0
  let same = true
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]
    if (byte === CR && text[at + 1] === LF) at++
    else if (byte === CR || byte === LF) {
      extra++
      same = false
    }
  }
  if (same) return text
  const out = Buffer.allocUnsafe(text.length + extra)
  let to = 0
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] as number
    if (byte !== CR && byte !== LF) out[to++] = byte
    else {
      if (byte === CR && text[at + 1] === LF) at++
      out[to++] = CR
      out[to++] = LF
    }
  }
  return out
}

export function encodeQuotedPrintable(text: Buffer): Buffer {
  const { escapes, ends } = count(text)
  return quotedPrintable(text, escapes, ends)
}

/** How many bytes need an escape, and how many are CR or LF. */
function count(text: Buffer): { readonly escapes: number; readonly ends: number } {
  let escapes = 0
  let ends = 0
  for (let at = 0; at < text.length; at++) {
    const kind = KIND[text[at] as number] as number
    if (kind === PLAIN) continue
    if (kind === ESCAPE) escapes++
    else if (kind !== BLANK) ends++
  }
  return { escapes, ends }
}

/**
 * Copies runs of plain bytes up to the line width and handles the other bytes one by one.
 *
 * @param escapes,ends from `count`; used only to size the buffer
 */
function quotedPrintable(text: Buffer, escapes: number, ends: number): Buffer {
  const { length } = text
  // Each line may grow by five bytes: an escaped dot or F in front, an escaped blank at its end, and the byte missing from a
  // bare line end. A soft break adds three and starts a new line, which may again begin with an escape.
  const widest = length + 2 * escapes
  const out = Buffer.allocUnsafe(widest + 5 * (ends + 2) + 5 * Math.ceil((widest + 5 * (ends + 2)) / (LINE - 6)))
  let to = 0
  let column = 0
  const softBreak = (): void => {
    out[to++] = EQUALS
    out[to++] = CR
    out[to++] = LF
    column = 0
  }
  const escape = (byte: number): void => {
    if (column + 3 > LINE - 1) softBreak()
    out[to++] = EQUALS
    out[to++] = HEX[byte >> 4] as number
    out[to++] = HEX[byte & 15] as number
    column += 3
  }
  /** Escapes a trailing blank, because a blank may not end a line. */
  const endOfLine = (): void => {
    const last = out[to - 1] as number
    if (column === 0 || KIND[last] !== BLANK) return
    to--
    column--
    escape(last)
  }
  for (let at = 0; at < length; ) {
    const first = text[at] as number
    if (column === 0 && (first === DOT || (first === 0x46 && startsWithFrom(text, at)))) {
      escape(first)
      at++
      continue
    }
    const start = at
    const limit = Math.min(length, at + LINE - 1 - column)
    for (; at < limit; at++) {
      const byte = text[at] as number
      if ((KIND[byte] as number) > BLANK) break
      out[to++] = byte
    }
    column += at - start
    if (at === length) break
    const byte = text[at] as number
    const kind = KIND[byte] as number
    if (kind <= BLANK) softBreak()
    else if (kind === ESCAPE) {
      escape(byte)
      at++
    } else {
      endOfLine()
      out[to++] = CR
      out[to++] = LF
      column = 0
      at += kind === RETURN && text[at + 1] === LF ? 2 : 1
    }
  }
  endOfLine()
  return out.subarray(0, to)
}

function startsWithFrom(text: Buffer, at: number): boolean {
  return text[at + 1] === 0x72 && text[at + 2] === 0x6f && text[at + 3] === 0x6d && text[at + 4] === 0x20
}
