// Header fields in which somebody wrote bytes beyond ASCII, said in ASCII (RFC 2047, RFC 2231): of a message and of its parts.
//
// Text becomes encoded words, and so do the names beside addresses; a parameter of Content-Type or Content-Disposition, which
// is a file's name nearly always, takes the form of RFC 2231. What has another grammar is left to whoever calls.

import { isAscii, isUtf8 } from 'node:buffer'
import { decodeWords } from 'postal-mime'
import { parseMailboxList } from './address.ts'
import { addressHeader, fieldValue, parameter, parseHeaderBlock, textHeader, tokenHeader } from './headers.ts'

/** Fields whose value is text and nothing else: the only ones that encoded words may replace as a whole. */
const FREE_TEXT = /^(subject|comments|organization|thread-topic|content-description|x-.*)$/
const ADDRESS_FIELDS: ReadonlySet<string> = new Set(['from', 'sender', 'to', 'cc', 'reply-to'])
const PARAMETER_FIELDS: ReadonlySet<string> = new Set(['content-type', 'content-disposition'])
/** A semicolon, a name and what it is set to; old programs leave the quotes out also where blanks stand within. */
const PARAMETER = /\s*;\s*(?:([A-Za-z0-9!#$%&'*+.^_`{|}~-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;"]*))?/y

/**
 * @param value unfolded
 * @returns the whole field with its line end, in ASCII but for addresses that need SMTPUTF8; null when that cannot be done
 */
export function encodedField(
  { name, key }: { readonly name: string; readonly key: string },
  value: string,
): Buffer | null {
  if (FREE_TEXT.test(key)) return Buffer.from(textHeader(name, decodeWords(value)))
  if (PARAMETER_FIELDS.has(key)) return encodedParameters(name, value)
  if (!ADDRESS_FIELDS.has(key)) return null
  const list = parseMailboxList(value)
  if (!list.ok) return null
  const mailboxes = list.mailboxes.map((one) => ({ name: decodeWords(one.name), address: one.address }))
  return Buffer.from(addressHeader(name, mailboxes))
}

/**
 * True when a header names an address beyond ASCII: only a server with SMTPUTF8 may get it (RFC 6531 section 3.2). Names beside
 * addresses are no reason, they could be encoded.
 *
 * @param message whole
 */
export function headerNeedsSmtpUtf8(message: Buffer): boolean {
  const end = message.indexOf('\r\n\r\n')
  const head = end < 0 ? message : message.subarray(0, end + 2)
  if (isAscii(head) || !isUtf8(head)) return false
  return parseHeaderBlock(head).fields.some((field) => {
    if (!ADDRESS_FIELDS.has(field.key) || isAscii(head.subarray(field.start, field.end))) return false
    const encoded = encodedField(field, fieldValue(head, field))
    return encoded !== null && !isAscii(encoded)
  })
}

function encodedParameters(name: string, value: string): Buffer | null {
  const semicolon = value.indexOf(';')
  const first = value.slice(0, semicolon).trim()
  if (semicolon < 0 || !isAscii(Buffer.from(first))) return null
  const found: { readonly key: string; readonly text: string }[] = []
  PARAMETER.lastIndex = semicolon
  for (let at = semicolon; at < value.length; at = PARAMETER.lastIndex) {
    const [all = '', key, text = ''] = PARAMETER.exec(value) ?? []
    if (all === '') return value.slice(at).trim() === '' ? written(name, first, found) : null
    if (key !== undefined) found.push({ key, text: text.trim() })
  }
  return written(name, first, found)
}

function written(name: string, first: string, found: readonly { key: string; text: string }[]): Buffer | null {
  const extended = new Set(found.flatMap(({ key }) => /^([^*]+)\*/.exec(key)?.[1]?.toLowerCase() ?? []))
  const tokens = [first]
  for (const { key, text } of found) {
    if (isAscii(Buffer.from(text))) tokens.push(`${key}=${text}`)
    // Delimiters are compared byte for byte, and a piece of a name that goes on elsewhere cannot be read alone.
    else if (key.toLowerCase() === 'boundary' || key.includes('*')) return null
    // The extended form says it already, and who reads it takes it before the plain one.
    else if (!extended.has(key.toLowerCase())) tokens.push(...parameter(key, decodeWords(unquoted(text))))
  }
  return Buffer.from(
    tokenHeader(
      name,
      tokens.map((token, at) => (at < tokens.length - 1 ? `${token};` : token)),
    ),
  )
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text
}
