// Files as lists of numbers, which some clients send instead of base64: `"content":[37,80,68]`, and as Node writes a Buffer,
// `"content":{"type":"Buffer","data":[37,80,68]}`. Each list becomes a string of base64 in the text of the body: parsed as it
// stands, a file of 10 MB would be ten million values, and a body may have only 200,000.

import { endOfString, MAX_JSON_DEPTH } from '../../platform/json.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const OPENING_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d
/** The list of an attachment. A template's variables may have one of this name too, and one named as that of a Buffer. */
const CONTENT = Buffer.from('"content"')
const ATTACHMENTS = Buffer.from('"attachments"')
/** The list of a Buffer, which names its type first. */
const DATA = Buffer.from('"data"')
const TYPE = Buffer.from('"Buffer"')
/** Twenty files in each of 500 messages. What follows is left as it is. */
const MOST_LISTS = 10_000

interface ByteList {
  /** The index of the opening bracket. */
  readonly from: number
  /** The index of the closing one. */
  readonly end: number
  readonly bytes: Buffer
}

/** @param text of a JSON body; other bytes are returned as they are */
export function withBytesInBase64(text: Buffer): Buffer {
  const files = inAttachments(text, listsNamed(text, CONTENT))
  const lists = [...files, ...listsNamed(text, DATA)].sort((one, other) => one.from - other.from)
  if (lists.length === 0) return text
  let done = 0
  const parts = lists.flatMap(({ from, end, bytes }) => {
    const before = text.subarray(done, from)
    done = end + 1
    return [before, Buffer.from(`"${bytes.toString('base64')}"`)]
  })
  return Buffer.concat([...parts, text.subarray(done)])
}

/** Those of the lists that stand in an element of a list called attachments. @param lists in their order */
function inAttachments(text: Buffer, lists: readonly ByteList[]): ByteList[] {
  const found: ByteList[] = []
  /** Of each open container: whether it is such a list. */
  const open: boolean[] = []
  let isNamed = false
  let next = 0
  for (let at = 0; next < lists.length && at < text.length && open.length <= MAX_JSON_DEPTH; at++) {
    const list = lists[next]
    const byte = text[at]
    if (list !== undefined && at === list.from) {
      if (open.at(-2) === true) found.push(list)
      next++
      at = list.end
      isNamed = false
    } else if (byte === QUOTE) {
      const end = endOfString(text, at + 1)
      isNamed = ATTACHMENTS.equals(text.subarray(at, end + 1))
      at = end
    } else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      open.push(isNamed && byte === OPENING_BRACKET)
      isNamed = false
    } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) open.pop()
    else if (byte === COMMA) isNamed = false
  }
  return found
}

// Within a string each quotation mark has a backslash before it. So a name in quotation marks without one is a whole string.
function listsNamed(text: Buffer, name: Buffer): ByteList[] {
  const lists: ByteList[] = []
  for (let at = text.indexOf(name); at >= 0 && lists.length < MOST_LISTS; at = text.indexOf(name, at + name.length)) {
    const colon = pastBlanks(text, at + name.length)
    if (text[at - 1] === BACKSLASH || text[colon] !== COLON || (name === DATA && !followsType(text, at))) continue
    const from = pastBlanks(text, colon + 1)
    const list = text[from] === OPENING_BRACKET ? listOfBytes(text, from) : null
    if (list !== null) lists.push(list)
  }
  return lists
}

/** What stands at `at` comes after a comma and the type of a Buffer. */
function followsType(text: Buffer, at: number): boolean {
  const comma = beforeBlanks(text, at - 1)
  const end = text[comma] === COMMA ? beforeBlanks(text, comma - 1) + 1 : 0
  return end >= TYPE.length && TYPE.equals(text.subarray(end - TYPE.length, end))
}

/** The list that begins at a bracket; null when it holds anything but bytes. */
function listOfBytes(text: Buffer, from: number): ByteList | null {
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
  return { from, end, bytes: bytes.subarray(0, count) }
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

function beforeBlanks(text: Buffer, from: number): number {
  let at = from
  while (isBlank(text[at])) at--
  return at
}
