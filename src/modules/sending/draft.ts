// A draft is what acceptance needs to know of a message, whether it came by REST or by SMTP.

import { listsPlaceholder } from '../../mail/html/links.ts'
import { base64Bytes, encodedTextBytes } from '../../mail/mime/encodings.ts'
import type { Stream } from '../events/index.ts'
import {
  type Content,
  contentStretches,
  type Person,
  type SandboxResult,
  type StoredAttachment,
  type Treatment,
} from '../outbox/index.ts'
import type { ContentQuestion } from '../risk/index.ts'
import { errors } from './errors.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'
import { type RecipientRequest, type SendRequest, type TrackingOverrides, unlessBlank } from './request.ts'

export interface Draft {
  /** Of the email of the first recipient who is not refused, where the message has it in its header; null: made in acceptance. */
  readonly emailId: string | null
  readonly from: Person
  readonly fromDomain: string
  readonly recipients: readonly RecipientRequest[]
  /** Addresses, as shown in every copy. */
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly replyTo: readonly string[]
  readonly subject: string
  /** Without angle brackets; null: made from the id. */
  readonly messageId: string | null
  /** The content with the treatment that acceptance has decided on. */
  readonly content: (treatment: Treatment) => Content
  /** The input for scoring the content. */
  readonly readable: () => Promise<ContentQuestion>
  /** The message has its own List-Unsubscribe and gets none of ours. */
  readonly hasListUnsubscribe: boolean
  /** It had one that names `{{unsubscribe}}`, which requests ours. */
  readonly wantsListUnsubscribe: boolean
  /** Approximate size of what a receiver will get. */
  readonly sizeBytes: number
  readonly tag: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly overrides: TrackingOverrides
  readonly isBulk: boolean
  readonly stream: Stream
  readonly scheduledAt: Date | null
  readonly expiresAt: Date | null
  readonly tlsRequired: boolean
  readonly sandbox: boolean
  readonly sandboxResult: SandboxResult | null
  readonly overrideSoftBlock: boolean
}

const HEADERS_BYTES = 2_048
/** Upper bound of the growth of a text's bytes by encoding. */
const MOST_ENCODED = 3

/** Exact (encoded) where it may exceed the limit, else approximate: composing replaces it by the exact size. */
function sizeOf(html: string, text: string, attachments: readonly StoredAttachment[]): number {
  const files = attachments.reduce((total, { content }) => total + base64Bytes(content.length), HEADERS_BYTES)
  const plain = Buffer.byteLength(html) + Buffer.byteLength(text)
  if (files + MOST_ENCODED * plain <= MAX_MESSAGE_BYTES) return files + plain
  return files + encodedTextBytes(html) + encodedTextBytes(text)
}

/**
 * The draft of a REST request whose templates, if any, have been filled in.
 *
 * @throws ApiError payload_too_large when the encoded message would exceed the limit
 */
export function draftOf(request: SendRequest): Draft {
  const { attachments } = request
  const html = unlessBlank(request.html)
  // HTML alone gets a generated text; without HTML, a blank text is what was asked for.
  const text = html === null ? request.text : unlessBlank(request.text)
  const wishes = request.headers.filter(
    ([name, value]) => name.toLowerCase() === 'list-unsubscribe' && listsPlaceholder(value),
  )
  const others = request.headers.filter((header) => !wishes.includes(header))
  const hasListUnsubscribe = others.some(([name]) => name.toLowerCase() === 'list-unsubscribe')
  // Alone it has no effect, and it would duplicate the one that goes with ours (RFC 8058 section 3.1).
  const headers = others.filter(([name]) => hasListUnsubscribe || name.toLowerCase() !== 'list-unsubscribe-post')
  const sizeBytes = sizeOf(html ?? '', text ?? '', attachments)
  if (sizeBytes > MAX_MESSAGE_BYTES) throw errors.payload_too_large({ limit_bytes: MAX_MESSAGE_BYTES })
  const subject = request.subject ?? ''
  return {
    ...request,
    emailId: null,
    to: request.to.map(({ address }) => address),
    cc: request.cc.map(({ address }) => address),
    replyTo: request.replyTo.map(({ address }) => address),
    subject,
    messageId: null,
    sizeBytes,
    hasListUnsubscribe,
    wantsListUnsubscribe: wishes.length > 0,
    readable: async () => ({
      ...{ subject, html, text, senderDomain: request.fromDomain },
      attachments: attachments.map(({ filename, contentType }) => ({ filename, contentType })),
    }),
    content: (treatment) => ({
      kind: 'composed',
      from: request.from,
      to: request.to,
      cc: request.cc,
      replyTo: request.replyTo,
      subject,
      headers,
      html,
      text,
      attachments,
      treatment,
    }),
  }
}

/** The content as it is stored, in consecutive stretches. */
export function encodedContent(draft: Draft, treatment: Treatment): readonly Buffer[] {
  return contentStretches(draft.content(treatment))
}
