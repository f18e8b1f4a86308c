// Decodes unencoded non-ASCII bytes in header fields. RFC 5322 allows only ASCII and RFC 6532 UTF-8, but old programs write
// the charset of their text.
//
// Valid UTF-8 is read as UTF-8. Anything else is read in the first charset that the message names for its text, other than
// ASCII and the UTF encodings. If none is named, or the bytes are invalid in it, windows-1252 is used, as the Encoding
// standard does for Latin-1. It maps all bytes; five of them are controls, which no header of ours can contain.
//
// Bytes inside an encoded word that should have been encoded there are in the charset of that word.

import { isAscii, isUtf8 } from 'node:buffer'
import { fieldValue, parseHeaderBlock, type RawField } from './headers.ts'
import { boundaryOf, headerWithin, partsBetween, type ReadingBudget, readingBudget } from './multipart.ts'

/** A field's value on one line, without line ends and surrounding blanks. */
export type FieldText = (field: RawField) => string

type Decoder = InstanceType<typeof TextDecoder>

const NESTING_MOST = 20
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]{1,40})/i
const WESTERN = new TextDecoder('windows-1252')
/** An encoded word with the Q encoding (RFC 2047), one character per byte. */
const Q_WORD = /=\?([^?\s]{1,60})\?q\?([^? \t\r\n]*)\?=/gi

/** @param message the whole message: the first field that is not UTF-8 causes one search of its parts for a charset */
export function fieldTexts(message: Buffer): FieldText {
  let named: Decoder | null | undefined
  return (field) => {
    const given = message.subarray(field.valueStart, field.end)
    const bytes = isAscii(given) ? given : withEncodedWords(given)
    if (isUtf8(bytes)) return oneLine(bytes.toString())
    if (named === undefined) named = decoderNamed(message, readingBudget(), 0)
    return oneLine(decoded(bytes, named ?? WESTERN))
  }
}

function oneLine(value: string): string {
  return value.replace(/\r?\n/g, '').trim()
}

/** Encodes the bytes that stand unencoded in encoded words, unless their charset has no such bytes. */
function withEncodedWords(value: Buffer): Buffer {
  const words = value.toString('latin1').replace(Q_WORD, (word: string, charset: string, text: string) => {
    const escaped = text.replace(/[\x80-\xff]/g, (byte) => `=${byte.charCodeAt(0).toString(16).toUpperCase()}`)
    return escaped !== text && isIn(charset, escaped) ? `=?${charset}?Q?${escaped}?=` : word
  })
  return Buffer.from(words, 'latin1')
}

/** @param text in the Q encoding */
function isIn(charset: string, text: string): boolean {
  const bytes = text.replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  try {
    // RFC 2231 section 5: a language may follow.
    new TextDecoder(charset.split('*', 1)[0], { fatal: true }).decode(Buffer.from(bytes, 'latin1'))
    return true
  } catch (error) {
    // An unknown charset, which readers take for a Western one.
    return error instanceof RangeError
  }
}

function decoded(bytes: Buffer, decoder: Decoder): string {
  try {
    return decoder.decode(bytes)
  } catch {
    return WESTERN.decode(bytes)
  }
}

/** The decoder for the charset that an entity, or else the first text below it, names; null when none does. */
function decoderNamed(entity: Buffer, budget: ReadingBudget, depth: number): Decoder | null {
  const head = depth === 0 ? parseHeaderBlock(entity) : headerWithin(entity, budget)
  const field = head?.fields.find(({ key }) => key === 'content-type')
  if (head === null || field === undefined) return null
  const type = fieldValue(entity, field)
  if (!/^(?:text|multipart)\//i.test(type)) return null
  const decoder = decoderOf(CHARSET.exec(type)?.[1] ?? 'us-ascii')
  const boundary = /^multipart/i.test(type) ? boundaryOf(type) : null
  if (decoder !== null || boundary === null || depth === NESTING_MOST) return decoder
  const body = entity.subarray(head.bodyStart)
  for (const { start, end } of partsBetween(body, boundary, budget)) {
    const below = decoderNamed(body.subarray(start, end), budget, depth + 1)
    if (below !== null) return below
  }
  return null
}

/** @returns null when the charset is unknown, or explains no bytes that are not UTF-8 (ASCII, UTF-8, UTF-16) */
function decoderOf(name: string): Decoder | null {
  if (/^(?:us-)?ascii$/i.test(name)) return null
  try {
    const decoder = new TextDecoder(name, { fatal: true })
    return decoder.encoding.startsWith('utf-') ? null : decoder
  } catch {
    return null
  }
}
