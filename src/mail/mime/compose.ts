// Composes a message (RFC 5322, RFC 2045 to 2047, RFC 2183, RFC 2231, RFC 8058).
//
// The same input gives the same bytes on every call: the caller supplies Message-ID, Date and the id from which the
// boundaries derive, so a retry sends exactly what was signed before. The output is 7-bit clean with CRLF line ends, except
// for addresses that need SMTPUTF8 (the result says so). The MIME tree, each level only where needed:
//
//   multipart/mixed( multipart/alternative( text/plain, multipart/related( text/html, inline images )), attachments )
//
// Boundaries contain "=_", which neither body encoding can produce, and an id that is generated after the content exists, so
// a message attached unencoded cannot contain it. Composing has two steps, because one content often goes to many
// recipients: `prepare` encodes the bodies, `compose` adds what differs.

import { isAscii } from 'node:buffer'

import type { Address } from '../address.ts'
import { type EncodedBody, encodeBase64, encodeText, withCrlf } from './encodings.ts'
import {
  addressHeader,
  formatDate,
  isForbiddenHeader,
  isHeaderName,
  parameter,
  textHeader,
  tokenHeader,
} from './headers.ts'
import { OCTETS, parseMediaType } from './media-types.ts'

export interface MailboxInput {
  readonly name: string
  readonly address: Pick<Address, 'address' | 'smtpUtf8'>
}

export interface AttachmentInput {
  readonly filename: string
  readonly content: Buffer
  /** For example `text/csv; charset=utf-8`. An invalid type, or one that may not be encoded, is sent as octets. */
  readonly contentType: string
  /** Without angle brackets. An `inline` attachment with a content id is placed beside the html part, if there is one. */
  readonly contentId: string | null
  readonly disposition: 'attachment' | 'inline'
}

export interface Content {
  readonly html: string | null
  readonly text: string | null
  readonly attachments: readonly (AttachmentInput | PreparedAttachment)[]
}

export interface ListUnsubscribe {
  /** ASCII. If set, List-Unsubscribe-Post is added (RFC 8058). */
  readonly https: string | null
  /** A mailto: URI. ASCII. */
  readonly mailto: string | null
}

export interface Envelope {
  /** Seed of the boundaries: letters, digits and hyphens, for example the email's id. */
  readonly id: string
  /** Without angle brackets. */
  readonly messageId: string
  readonly date: Date
  readonly from: MailboxInput
  readonly to: readonly MailboxInput[]
  readonly cc: readonly MailboxInput[]
  readonly replyTo: readonly MailboxInput[]
  readonly subject: string
  /** Further fields in order. Callers must refuse forbidden or malformed names beforehand: they throw here. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Ignored when `headers` contains a List-Unsubscribe. */
  readonly listUnsubscribe?: ListUnsubscribe | null
}

export interface Composed {
  readonly message: Buffer
  /** True when an address is written in UTF-8: only a server that offers SMTPUTF8 can accept the message. */
  readonly smtpUtf8: boolean
}

/** An attachment encoded once, for many messages. */
export interface PreparedAttachment {
  readonly prepared: true
  readonly inline: boolean
  readonly contentId: string | null
  readonly part: Part
}

interface Part {
  /** Content-Type and the like, each ended by CRLF. */
  readonly head: string
  readonly body: Buffer
}

type Node = Part | { readonly subtype: string; readonly parts: readonly Node[] }

export interface Prepared {
  readonly root: Node
}

export function composeMessage(input: Envelope & Content): Composed {
  return compose(prepare(input), input)
}

/** Encodes the bodies. With neither html nor text, the message has one empty text part. */
export function prepare({ html, text, attachments }: Content): Prepared {
  const encoded = attachments.map((one) => ('prepared' in one ? one : prepareAttachment(one)))
  const isInline = (one: PreparedAttachment): boolean => html !== null && one.inline && one.contentId !== null
  const inline = encoded.filter(isInline).map((one) => one.part)
  const others = encoded.filter((one) => !isInline(one)).map((one) => one.part)
  const bodies: Node[] = []
  if (text !== null || html === null) bodies.push(textPart('plain', text ?? ''))
  if (html !== null) {
    const page = textPart('html', html)
    bodies.push(inline.length === 0 ? page : { subtype: 'related; type="text/html"', parts: [page, ...inline] })
  }
  const body = group('alternative', bodies)
  return { root: others.length === 0 ? body : { subtype: 'mixed', parts: [body, ...others] } }
}

function group(subtype: string, parts: readonly Node[]): Node {
  const [only] = parts
  return parts.length === 1 && only !== undefined ? only : { subtype, parts }
}

function textPart(subtype: 'plain' | 'html', text: string): Part {
  const body = encodeText(Buffer.from(text.toWellFormed(), 'utf8'))
  return { head: partHead([`text/${subtype};`, 'charset=utf-8'], body.encoding), body: body.bytes }
}

function partHead(type: readonly string[], encoding: EncodedBody['encoding'] | '7bit'): string {
  return `${tokenHeader('Content-Type', type)}Content-Transfer-Encoding: ${encoding}\r\n`
}

/** Parameters that only the composer sets: `boundary`, and the file name, which goes in Content-Disposition. */
const OWN_PARAMETERS: ReadonlySet<string> = new Set(['boundary', 'name'])

/** Encodes one attachment as base64, so that even text keeps its bytes. Only a 7-bit message/rfc822 is not encoded. */
export function prepareAttachment({
  filename,
  content,
  contentType,
  contentId,
  disposition,
}: AttachmentInput): PreparedAttachment {
  const given = parseMediaType(contentType) ?? { type: OCTETS, parameters: [] }
  // RFC 2046 section 5.2.1: a message may not be encoded, so one that needs encoding is sent as octets, as is a multipart.
  const attached = given.type === 'message/rfc822' ? withCrlf(content) : null
  const asIs = attached !== null && !needsEncoding(attached)
  const isLeaf = asIs || !/^(?:multipart|message)\//.test(given.type)
  const { type, parameters } = isLeaf ? given : { type: OCTETS, parameters: [] }
  const kept = parameters.filter(([name]) => !OWN_PARAMETERS.has(name))
  const types = listTokens([type, ...kept.flatMap(([name, value]) => parameter(name, value))])
  const names = filename === '' ? [] : parameter('filename', filename)
  const inline = disposition === 'inline'
  const id = contentId === null || contentId === '' ? null : contentId.replace(/[^\x21-\x3b\x3d\x3f-\x7e]/g, '_')
  let head = partHead(types, asIs ? '7bit' : 'base64')
  head += tokenHeader('Content-Disposition', listTokens([inline ? 'inline' : 'attachment', ...names]))
  if (id !== null) head += tokenHeader('Content-ID', [`<${id.slice(0, 900)}>`])
  return {
    prepared: true,
    inline,
    contentId: id,
    part: { head, body: asIs ? attached : encodeBase64(content) },
  }
}

function listTokens(tokens: readonly string[]): string[] {
  return tokens.map((token, index) => (index < tokens.length - 1 ? `${token};` : token))
}

/** True for content that a server without 8BITMIME and long lines would refuse or break. */
export function needsEncoding(content: Buffer): boolean {
  if (!isAscii(content) || content.includes(0)) return true
  for (let at = 0; at < content.length; ) {
    const feed = content.indexOf(0x0a, at)
    const end = feed < 0 ? content.length : feed + 1
    if (end - at > 1_000) return true
    at = end
  }
  return false
}

/** @throws TypeError when a sender may not set one of the headers (a bug of the caller, which must check first) */
export function compose(prepared: Prepared, envelope: Envelope): Composed {
  const { from, to, cc, replyTo } = envelope
  const smtpUtf8 = [from, ...to, ...cc, ...replyTo].some((one) => one.address.smtpUtf8)
  const seed = envelope.id.replace(/[^A-Za-z0-9]/g, '').slice(0, 40)
  const out: Buffer[] = []
  let pending = messageHead(envelope)
  let boundaries = 0
  const write = (node: Node): void => {
    if ('head' in node) {
      pending += `${node.head}\r\n`
      out.push(Buffer.from(pending, 'utf8'), node.body)
      pending = ''
      return
    }
    const boundary = `=_${seed}_${++boundaries}`
    pending += `Content-Type: multipart/${node.subtype};\r\n boundary="${boundary}"\r\n`
    pending += 'Content-Transfer-Encoding: 7bit\r\n'
    for (const part of node.parts) {
      pending += `\r\n--${boundary}\r\n`
      write(part)
    }
    pending += `\r\n--${boundary}--\r\n`
  }
  write(prepared.root)
  // In a multipart the delimiter supplies the line end; a body that is the whole message needs its own.
  if ('head' in prepared.root && !endsInCrlf(prepared.root.body)) pending = '\r\n'
  if (pending !== '') out.push(Buffer.from(pending, 'utf8'))
  return { message: Buffer.concat(out), smtpUtf8 }
}

function endsInCrlf(body: Buffer): boolean {
  return body.length >= 2 && body[body.length - 1] === 0x0a && body[body.length - 2] === 0x0d
}

function messageHead(envelope: Envelope): string {
  const { from, to, cc, replyTo, headers } = envelope
  const own = new Set(headers.map(([name]) => name.toLowerCase()))
  let head = addressHeader('From', [from])
  // RFC 5322 section 3.6.3 allows a message without To, but many receivers' filters do not.
  head += to.length === 0 ? 'To: undisclosed-recipients:;\r\n' : addressHeader('To', to)
  if (cc.length > 0) head += addressHeader('Cc', cc)
  if (replyTo.length > 0) head += addressHeader('Reply-To', replyTo)
  head += textHeader('Subject', envelope.subject)
  head += `Date: ${formatDate(envelope.date)}\r\n`
  head += tokenHeader('Message-ID', [`<${envelope.messageId}>`])
  const list = own.has('list-unsubscribe') ? null : (envelope.listUnsubscribe ?? null)
  if (list !== null) head += unsubscribeHead(list)
  for (const [name, value] of headers) {
    if (!isHeaderName(name) || isForbiddenHeader(name)) throw new TypeError('a header that a sender may not set')
    if (name.toLowerCase() === 'reply-to' && replyTo.length > 0) continue
    // RFC 8058 section 3.1 allows only one, and ours is already present.
    if (name.toLowerCase() === 'list-unsubscribe-post' && (list?.https ?? null) !== null) continue
    head += textHeader(name, value)
  }
  return `${head}MIME-Version: 1.0\r\n`
}

function unsubscribeHead({ https, mailto }: ListUnsubscribe): string {
  const links = [https, mailto].filter((link) => link !== null).map((link) => `<${link}>`)
  if (links.length === 0) return ''
  const tokens = links.map((link, index) => (index < links.length - 1 ? `${link},` : link))
  const post = https === null ? '' : 'List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n'
  return tokenHeader('List-Unsubscribe', tokens) + post
}
