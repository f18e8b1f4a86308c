// What a person who opens an email sees of its content: the parts of an API request as given, those of a message submitted by
// SMTP as a mail program would show them.

import { decodeWords } from 'postal-mime'
import { Type } from 'typebox'
import { isForbiddenHeader } from '../../mail/mime/headers.ts'
import { withInlineImages } from '../../mail/mime/inline-images.ts'
import type { ParsedMessage } from '../../mail/mime/parse.ts'
import { type Answer, FRAMED_HEADERS, nullable, raw } from '../../platform/http.ts'
import type { ReadMessage } from './message-reader.ts'
import type { Content } from './types.ts'

export interface Readable {
  /** The sender's own, without those shown in other fields of the email or added in transit. */
  readonly headers: Readonly<Record<string, string>>
  readonly html: string | null
  readonly text: string | null
  readonly attachments: readonly ReadableAttachment[]
}

export interface ReadableAttachment {
  readonly filename: string | null
  readonly contentType: string
  /** Without angle brackets. */
  readonly contentId: string | null
  readonly disposition: string | null
  /** Bytes, decoded. */
  readonly size: number
  readonly content: Buffer
}

const Text = nullable(Type.String())
/** An attachment as the API shows it. */
export const AttachmentFields = {
  filename: Text,
  content_type: Type.String(),
  content_id: Text,
  disposition: Text,
  size: Type.Integer(),
}

export function wireAttachment({ filename, contentType, contentId, disposition, size }: ReadableAttachment): object {
  return { filename, content_type: contentType, content_id: contentId, disposition, size }
}

/** An email for a frame: its HTML, with its inline images. */
export function framed({ html, attachments }: Pick<Readable, 'html' | 'attachments'>): Answer {
  return raw('text/html; charset=utf-8', withInlineImages(html ?? '', attachments), FRAMED_HEADERS)
}

/** @param content null when it has been erased */
export async function readable(content: Content | null, readMessage: ReadMessage): Promise<Readable> {
  switch (content?.kind) {
    case undefined:
      return { headers: {}, html: null, text: null, attachments: [] }
    case 'composed': {
      const attachments = content.attachments.map((one) => ({ ...one, size: one.content.length }))
      return { headers: Object.fromEntries(content.headers), html: content.html, text: content.text, attachments }
    }
    case 'submitted': {
      const { headers, html, text, attachments } = await readMessage(content.message)
      return { headers: ownHeaders(headers), html, text, attachments }
    }
  }
}

function ownHeaders(headers: ParsedMessage['headers']): Record<string, string> {
  const own = headers.filter(([name]) => !isForbiddenHeader(name) && name.toLowerCase() !== 'reply-to')
  return Object.fromEntries(own.map(([name, value]) => [name, decodeWords(value)]))
}
