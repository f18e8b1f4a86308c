// Re-encodes header fields with non-ASCII bytes, of a message and of its parts, in ASCII (RFC 2047, RFC 2231).
//
// Text and display names become encoded words. Parameters of Content-Type and Content-Disposition, nearly always file names,
// take the form of RFC 2231. Fields with any other grammar are left to the caller.

import { isAscii, isUtf8 } from 'node:buffer'
import { decodeWords } from 'postal-mime'
import { parseMailboxList } from '../address.ts'
import { addressHeader, fieldValue, parameter, parseHeaderBlock, textHeader, tokenHeader } from './headers.ts'

/** Fields whose value is free text: the only ones that encoded words may replace as a whole. */
const FREE_TEXT = /^(subject|comments|organization|thread-topic|content-description|x-.*)$/
const ADDRESS_FIELDS: ReadonlySet<string> = new Set(['from', 'sender', 'to', 'cc', 'reply-to'])
const PARAMETER_FIELDS: ReadonlySet<string> = new Set(['content-type', 'content-disposition'])
/** A semicolon, a name and a value; old programs leave out the quotes even around values with blanks. */
const PARAMETER = /\s*;\s*(?:([A-Za-z0-9!#$%&'*+.^_`{|}~-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;"]*))?/y

/**
 * @param value unfolded
 * @returns the whole field with its line end, in ASCII except for addresses that need SMTPUTF8; null when that is impossible
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
 * True when the header contains a non-ASCII address: only a server with SMTPUTF8 may receive it (RFC 6531 section 3.2).
 * Display names do not count, because they can be encoded.
 *
 * @param message the whole message
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
    // Boundaries are compared byte for byte, and one piece of a continued parameter cannot be decoded alone.
    else if (key.toLowerCase() === 'boundary' || key.includes('*')) return null
    // The extended form has the same value, and readers prefer it to the plain one.
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
