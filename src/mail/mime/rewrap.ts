// Repairs bodies labelled quoted-printable or base64 that contain bytes which are not 7-bit, or lines over the 998 characters of
// RFC 5322 section 2.1.1. The result matches the label and decodes to the same content as before.
//
//   quoted-printable   raw bytes become escapes, soft breaks limit lines to 76; valid lines stay as they are
//   base64             bytes outside the alphabet, which readers ignore (RFC 2045 section 6.8), are removed; lines of 76

const CR = 0x0d
const LF = 0x0a
const EQUALS = 0x3d
const LINE = 76
const LINE_MOST = 998
const HEX = Buffer.from('0123456789ABCDEF')
/** Bytes that may not begin a line after a soft break of ours: a dot, the start of a multipart delimiter, or of "From ". */
const NO_BEGINNING: readonly number[] = [0x2e, 0x2d, 0x46]

export function rewrapBase64(body: Buffer): Buffer {
  const text = body.toString('latin1').replace(/[^A-Za-z0-9+/=]+/g, '')
  return Buffer.from(text.replace(/.{76}(?=.)/g, '$&\r\n'), 'latin1')
}

export function rewrapQuotedPrintable(body: Buffer): Buffer {
  const out: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const feed = body.indexOf(LF, at)
    const next = feed < 0 ? body.length : feed + 1
    const end = feed < 0 ? next : body[feed - 1] === CR && feed > at ? feed - 1 : feed
    const line = body.subarray(at, end)
    out.push(isInOrder(line) ? line : rewrapLine(line), body.subarray(end, next))
    at = next
  }
  return Buffer.concat(out)
}

function isInOrder(line: Buffer): boolean {
  return line.length <= LINE_MOST && line.every((byte) => byte > 0 && byte < 0x80)
}

function rewrapLine(line: Buffer): Buffer {
  // The line may already end in a soft break, possibly followed by blanks.
  let length = line.length
  while (length > 0 && isBlank(line[length - 1])) length--
  const isSoft = line[length - 1] === EQUALS
  if (isSoft) length--
  else length = line.length
  const out = Buffer.allocUnsafe(length * 3 + Math.ceil((length * 3) / (LINE - 4)) * 5 + 5)
  let to = 0
  let column = 0
  for (let at = 0; at < length; at++) {
    const byte = line[at] as number
    const isEscape = byte === EQUALS && isHex(line[at + 1]) && isHex(line[at + 2]) && at + 2 < length
    const plain = !isEscape && byte !== EQUALS && byte > 0 && byte < 0x80
    if (column + (plain ? 1 : 3) > LINE - 1) {
      to += out.write('=\r\n', to, 'latin1')
      column = 0
    }
    if (isEscape) {
      to += line.copy(out, to, at, at + 3)
      at += 2
      column += 3
    } else if (plain && (column > 0 || to === 0 || !NO_BEGINNING.includes(byte))) {
      out[to++] = byte
      column++
    } else {
      // An equals sign that does not begin an escape is literal, so it is escaped too.
      out[to++] = EQUALS
      out[to++] = HEX[byte >> 4] as number
      out[to++] = HEX[byte & 15] as number
      column += 3
    }
  }
  if (isSoft) out[to++] = EQUALS
  return out.subarray(0, to)
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09
}

function isHex(byte = 0): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte & 0xdf) >= 0x41 && (byte & 0xdf) <= 0x46)
}
