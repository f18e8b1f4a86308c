// Reads messages for the inbox and for SMTP submission: a thin wrapper around postal-mime that adds limits.
//
// A message that exceeds a limit, or that the parser gives up on, is "unparsed": its header fields are still returned, and
// callers that store it keep the raw bytes. No input makes it throw. Headers are lists of pairs, never keys of objects.

import type { Address as ParsedAddress } from 'postal-mime'
import { fieldValue, hasMoreLines, parseHeaderBlock } from './headers.ts'
import { MailParser, TooManyParts } from './mail-parser.ts'

/** Limit for the message's own header; the fields beyond it are ignored. */
const HEADER_BYTES = 65_536
/** The parser keeps an object per line: ten million would exhaust memory. 25 MB of base64 have a third of a million. */
const LINES_MOST = 500_000
/** Accepted mail has at most 25 MB; the rest is room for what relays add on the way. */
const MESSAGE_BYTES = 33_554_432

export interface ParsedMailbox {
  readonly name: string
  readonly address: string
}

export interface ParsedAttachment {
  readonly filename: string | null
  readonly contentType: string
  readonly disposition: string | null
  /** Without angle brackets. */
  readonly contentId: string | null
  /** Decoded size in bytes. */
  readonly size: number
  readonly content: Buffer
}

export interface ParsedMessage {
  /** In order, unfolded, not decoded. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly from: ParsedMailbox | null
  readonly to: readonly ParsedMailbox[]
  readonly cc: readonly ParsedMailbox[]
  readonly replyTo: readonly ParsedMailbox[]
  readonly subject: string | null
  readonly html: string | null
  readonly text: string | null
  readonly attachments: readonly ParsedAttachment[]
  /** Why the body was not read, in which case bodies and addresses are empty. Null for a message that was read. */
  readonly unparsed: 'too_large' | 'too_many_parts' | 'malformed' | null
}

/** @param raw one message; never throws */
export async function parseMessage(raw: Buffer): Promise<ParsedMessage> {
  const { fields, bodyStart, truncated } = parseHeaderBlock(raw, HEADER_BYTES)
  const headers = headersOf(raw, fields)
  if (raw.length > MESSAGE_BYTES) return unparsed(headers, 'too_large')
  const headerEnd = fields.at(-1)?.end ?? 0
  const readable = truncated
    ? Buffer.concat([raw.subarray(0, headerEnd), Buffer.from('\r\n'), raw.subarray(bodyStart)])
    : raw
  if (hasMoreLines(readable, LINES_MOST)) return unparsed(headers, 'too_large')
  try {
    const mail = await new MailParser().parse(readable)
    return {
      headers,
      from: mailboxes(mail.from === undefined ? [] : [mail.from])[0] ?? null,
      to: mailboxes(mail.to ?? []),
      cc: mailboxes(mail.cc ?? []),
      replyTo: mailboxes(mail.replyTo ?? []),
      subject: mail.subject ?? null,
      html: mail.html ?? null,
      text: mail.text ?? null,
      attachments: mail.attachments.map((one) => {
        const content = typeof one.content === 'string' ? Buffer.from(one.content) : asBuffer(one.content)
        return {
          filename: one.filename,
          contentType: one.mimeType,
          disposition: one.disposition,
          contentId: one.contentId?.replace(/^<|>$/g, '') ?? null,
          size: content.length,
          content,
        }
      }),
      unparsed: null,
    }
  } catch (error) {
    return unparsed(headers, error instanceof TooManyParts ? 'too_many_parts' : 'malformed')
  }
}

/** What is known about a message without reading its body. @param raw one message; never throws */
export function unparsedMessage(raw: Buffer, reason: NonNullable<ParsedMessage['unparsed']>): ParsedMessage {
  return unparsed(headersOf(raw, parseHeaderBlock(raw, HEADER_BYTES).fields), reason)
}

function headersOf(raw: Buffer, fields: ReturnType<typeof parseHeaderBlock>['fields']): ParsedMessage['headers'] {
  return fields.filter((field) => field.name !== '').map((field) => [field.name, fieldValue(raw, field)] as const)
}

/** The same bytes, not a copy. A Buffer that crosses threads arrives as a Uint8Array. */
export function asBuffer(content: ArrayBuffer | Uint8Array): Buffer {
  return content instanceof ArrayBuffer
    ? Buffer.from(content)
    : Buffer.from(content.buffer, content.byteOffset, content.byteLength)
}

function mailboxes(addresses: readonly ParsedAddress[]): ParsedMailbox[] {
  return addresses.flatMap((one) => (one.group ?? [one]).map(({ name, address }) => ({ name, address: address ?? '' })))
}

function unparsed(headers: ParsedMessage['headers'], reason: NonNullable<ParsedMessage['unparsed']>): ParsedMessage {
  const none = { from: null, to: [], cc: [], replyTo: [], subject: null, html: null, text: null, attachments: [] }
  return { headers, ...none, unparsed: reason }
}
