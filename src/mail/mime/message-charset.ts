// Charsets in which bytes of a mail can be replaced without decoding: those in which every ASCII byte is that ASCII
// character, and two 7-bit charsets that shift between ASCII and other characters.
//
// In the second kind, the shifted stretches are covered: each of their bytes gets the eighth bit, which no other byte there
// has, so that they do not read as ASCII. Writing removes the bit again. UTF-16, UTF-7 and unknown charsets are not supported.

import type { ByteCharset } from '../html/links.ts'

export interface MessageCharset {
  readonly bytes: ByteCharset
  readonly shifts: Shifts | null
}

interface Shifts {
  /** A stretch that is not ASCII, with the sequences that shift to it and back; or an escape that only looks like its start. */
  readonly stretch: RegExp
  readonly begins: string
  readonly ends: RegExp
}

/** Names missing from the Encoding standard: IBM and Microsoft code pages, and names that programs write. */
const OTHER_NAMES =
  /^(?:latin-?\d{1,2}|iso-8859-12|(?:cp|ibm|ms|windows-?)?(?:437|737|775|85[0-8]|86\d|874|932|936|949|950|125\d)|uhc|euc-(?:tw|cn)|tis-?620|iso_?8859[-_]\d{1,2}|unknown-8bit)$/
/** Unshifted text is ASCII, or a set that differs from it in two characters that no link contains (RFC 1468). */
// oxlint-disable-next-line no-control-regex -- it matches escape sequences
const ISO_2022: Shifts = { stretch: /\x1b(?!\([BJ])[^]*?(?:\x1b\([BJ]|$)/g, begins: '\x1b', ends: /\x1b\([BJ]$/ }
/** RFC 1843: `~~` is a tilde. */
const HZ: Shifts = { stretch: /~~|~\{[^\n]*?(?:~\}|\n|$)/g, begins: '~{', ends: /~\}$/ }

/** @param name in lower case. @returns null when ASCII bytes may be part of other characters, or the charset is unknown */
export function messageCharset(name: string): MessageCharset | null {
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
 * @returns null when the content has bytes outside the charset, or a stretch that does not shift back to ASCII
 */
export function covered(content: string, { shifts }: MessageCharset): string | null {
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

/** Converts the result of `covered` back to bytes. */
export function uncovered(content: string, { shifts }: MessageCharset): Buffer {
  const bytes = Buffer.from(content, 'latin1')
  return shifts === null ? bytes : Buffer.from(bytes.map((byte) => byte & 0x7f))
}
