// Files as lists of numbers, which some clients send instead of base64: `"content":[37,80,68]`, and as Node writes a Buffer,
// `"content":{"type":"Buffer","data":[37,80,68]}`. Each list becomes a string of base64 in the text of the body: parsed as it
// stands, a file of 10 MB would be ten million values, and a body may have only 200,000.

import { endOfString } from '../../platform/json.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const OPENING_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
/** The names under which such a list stands. */
const CONTENT = 'content'
const DATA = 'data'

/** @param text of a JSON body; other bytes are returned as they are */
export function withBytesInBase64(text: Buffer): Buffer {
  const parts: Buffer[] = []
  let done = 0
  /** Whether nothing but a colon has followed one of the names. */
  let named = false
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]
    if (byte === QUOTE) {
      const end = endOfString(text, at + 1)
      named = isNamed(text, at + 1, end)
      at = end
      continue
    }
    const list = named && byte === OPENING_BRACKET ? listOfBytes(text, at) : null
    if (list !== null) {
      parts.push(text.subarray(done, at), Buffer.from(`"${list.bytes.toString('base64')}"`))
      at = list.end
      done = at + 1
    }
    named &&= byte === COLON || isBlank(byte)
  }
  return parts.length === 0 ? text : Buffer.concat([...parts, text.subarray(done)])
}

function isNamed(text: Buffer, from: number, end: number): boolean {
  const name = end - from === CONTENT.length ? CONTENT : DATA
  return end - from === name.length && text.toString('latin1', from, end) === name
}

/** The list that begins at a bracket, with the index of its closing one; null when it holds anything but bytes. */
function listOfBytes(text: Buffer, from: number): { readonly bytes: Buffer; readonly end: number } | null {
  const end = endOfNumbers(text, from + 1)
  if (text[end] !== CLOSING_BRACKET) return null
  // Each number but the last one takes two characters, with its comma.
  const bytes = Buffer.allocUnsafe((end - from) >> 1)
  let count = 0
  for (let at = pastBlanks(text, from + 1); at < end; at = pastBlanks(text, at + 1)) {
    let byte = 0
    const first = at
    for (let digit = text[at]; isDigit(digit); digit = text[++at]) {
      byte = byte * 10 + digit - ZERO
      if (byte > 255) return null
    }
    const isNumber = at > first && (text[first] !== ZERO || at === first + 1)
    at = pastBlanks(text, at)
    const isLast = at === end
    if (!isNumber || !(isLast || text[at] === COMMA)) return null
    bytes[count++] = byte
    if (!isLast && pastBlanks(text, at + 1) === end) return null
  }
  return { bytes: bytes.subarray(0, count), end }
}

/** Not simply the next closing bracket: it may be far, and is looked for once for each list of the text. */
function endOfNumbers(text: Buffer, from: number): number {
  let at = from
  for (let byte = text[at]; isDigit(byte) || byte === COMMA || isBlank(byte); byte = text[at]) at++
  return at
}

function isDigit(byte: number | undefined): byte is number {
  return byte !== undefined && byte >= ZERO && byte <= NINE
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function pastBlanks(text: Buffer, from: number): number {
  let at = from
  while (isBlank(text[at])) at++
  return at
}
