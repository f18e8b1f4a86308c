// Charsets of letters as far as bytes can be replaced in them without decoding: those in which an ASCII byte is that character,
// and two of seven bits that shift between ASCII and others.
//
// Of the second kind what is shifted is covered: each byte of it gets the eighth bit, which nothing else there has, so that
// it is read as no ASCII, and loses it again when it is written. UTF-16, UTF-7 and what nobody knows are not read.

import type { ByteCharset } from './html-links.ts'

export interface LetterCharset {
  readonly bytes: ByteCharset
  readonly shifts: Shifts | null
}

interface Shifts {
  /** A stretch that is not ASCII, with what shifts to it and back; or what only looks like the begin of one. */
  readonly stretch: RegExp
  readonly begins: string
  readonly ends: RegExp
}

/** Names that the Encoding standard has not: numbers of IBM's and Microsoft's, and what old programs write. */
const OTHER_NAMES =
  /^(?:latin-?\d{1,2}|iso-8859-12|(?:cp|ibm|ms|windows-?)?(?:437|737|775|85[0-8]|86\d|874|932|936|949|950|125\d)|uhc|euc-(?:tw|cn)|tis-?620|iso_?8859[-_]\d{1,2})$/
/** ASCII, or what differs from it in two characters that no link has (RFC 1468). */
// oxlint-disable-next-line no-control-regex -- escape sequences are what it looks for
const ISO_2022: Shifts = { stretch: /\x1b(?!\([BJ])[^]*?(?:\x1b\([BJ]|$)/g, begins: '\x1b', ends: /\x1b\([BJ]$/ }
/** RFC 1843: `~~` is a tilde. */
const HZ: Shifts = { stretch: /~~|~\{[^\n]*?(?:~\}|\n|$)/g, begins: '~{', ends: /~\}$/ }

/** @param name in lower case. @returns null: ASCII bytes may be a piece of something else */
export function letterCharset(name: string): LetterCharset | null {
  if (name === 'hz-gb-2312') return { bytes: 'other', shifts: HZ }
  const encoding = encodingNamed(name)
  if (encoding === null) return OTHER_NAMES.test(name) ? { bytes: 'other', shifts: null } : null
  if (encoding === 'utf-8') return { bytes: 'utf-8', shifts: null }
  if (encoding === 'iso-2022-jp') return { bytes: 'other', shifts: ISO_2022 }
  return encoding.startsWith('utf-16') ? null : { bytes: 'other', shifts: null }
}

/** By the labels of the Encoding standard. */
function encodingNamed(name: string): string | null {
  try {
    return new TextDecoder(name).encoding
  } catch {
    return null
  }
}

/**
 * @param content one byte in each character
 * @returns null: it has bytes that the charset has not, or does not end as ASCII
 */
export function covered(content: string, { shifts }: LetterCharset): string | null {
  if (shifts === null) return content
  if (/[\x80-\xff]/.test(content)) return null
  let whole = true
  const out = content.replaceAll(shifts.stretch, (stretch) => {
    if (!stretch.startsWith(shifts.begins)) return stretch
    whole &&= shifts.ends.test(stretch)
    return Buffer.from(Buffer.from(stretch, 'latin1').map((byte) => byte | 0x80)).toString('latin1')
  })
  return whole ? out : null
}

/** The bytes of what `covered` told. */
export function uncovered(content: string, { shifts }: LetterCharset): Buffer {
  const bytes = Buffer.from(content, 'latin1')
  return shifts === null ? bytes : Buffer.from(bytes.map((byte) => byte & 0x7f))
}
