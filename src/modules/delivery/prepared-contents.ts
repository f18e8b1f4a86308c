// Prepares stored contents for composition: decodes them and finds what tracking and the placeholder replace. A content with
// several recipients is prepared once for its first recipient and once for all others. The most recently used of these are
// kept, within a bound.

import { LRUCache } from 'lru-cache'
import {
  fillHtml,
  fillText,
  type HtmlScan,
  hasPlaceholder,
  hasTextPlaceholder,
  type Replacements,
} from '../../mail/html/links.ts'
import { type Prepared, type PreparedAttachment, prepare, prepareAttachment } from '../../mail/mime/compose.ts'
import {
  contentOf,
  type MessagePart,
  mayHavePlaceholder,
  messageParts,
  withContents,
} from '../../mail/mime/message-parts.ts'
import { type ComposedContent, decodeContent, type QueuedEmail, type SubmittedContent } from '../outbox/index.ts'
import type { HtmlReader } from './html-reader.ts'

interface Found {
  /** The content has something that tracking replaces. */
  readonly tracks: boolean
  /** The content has `{{unsubscribe}}` somewhere. */
  readonly placeholder: boolean
}

export interface ComposedEntry extends Found {
  readonly kind: 'composed'
  readonly content: ComposedContent
  /** @param replacements null: nothing is replaced, and the content is encoded once for all recipients */
  readonly filled: (replacements: Replacements | null) => Prepared
}

export interface SubmittedEntry extends Found {
  readonly kind: 'submitted'
  readonly content: SubmittedContent
  /** @param replacements null: the message as submitted */
  readonly filled: (replacements: Replacements | null) => Buffer
}

export type Entry = ComposedEntry | SubmittedEntry

export interface Contents {
  get(email: Pick<QueuedEmail, 'id' | 'bodyId'>, body: Buffer): Promise<Entry>
}

const MAX_KEPT = 128
const MAX_KEPT_BYTES = 16 * 1_048_576

/** @param tracked false: opens and clicks are not tracked, and the placeholder has no link */
export function contentsOf(reader: HtmlReader, tracked: boolean): Contents {
  const kept = new LRUCache<string, Promise<Entry>>({ max: MAX_KEPT, maxSize: MAX_KEPT_BYTES })
  const make = async (body: Buffer, emailId: string): Promise<Entry> => {
    const content = decodeContent(body)
    return content.kind === 'composed'
      ? composedEntry(content, reader, tracked, emailId)
      : submittedEntry(content, reader, tracked, emailId)
  }
  return {
    get: (email, body) => {
      const { bodyId } = email
      const known = kept.get(bodyId)
      if (known !== undefined) return known
      const entry = make(body, email.id)
      const size = body.length * 3
      // The content of an email of its own id may have no other recipient. Kept until others push it out, such contents fill
      // the old generation, and with it full collections double.
      if (bodyId === email.id || size > MAX_KEPT_BYTES / 4) return entry
      kept.set(bodyId, entry, { size })
      entry.catch(() => kept.delete(bodyId))
      return entry
    },
  }
}

function tracksHtml({ treatment }: Pick<ComposedContent, 'treatment'>): boolean {
  return treatment.trackOpens || treatment.trackClicks
}

function isTracked({ treatment }: Pick<ComposedContent, 'treatment'>, scans: readonly (HtmlScan | null)[]): boolean {
  const found = scans.filter((scan) => scan !== null)
  const clicks = treatment.trackClicks && found.some(({ links }) => links.length > 0)
  return clicks || (treatment.trackOpens && found.length > 0)
}

async function composedEntry(
  stored: ComposedContent,
  reader: HtmlReader,
  tracked: boolean,
  emailId: string,
): Promise<ComposedEntry> {
  const { html } = stored
  // A mail with html alone gets a text made from it.
  const text = stored.text ?? (html === null ? null : await reader.text(html, emailId))
  const content = { ...stored, text }
  const inHtml = html !== null && hasPlaceholder(html)
  const scans = html !== null && (inHtml || (tracked && tracksHtml(stored)))
  const scan = scans ? await reader.links(html, null, emailId) : null
  let attachments: readonly PreparedAttachment[] | null = null
  let plain: Prepared | null = null
  const filled = (replacements: Replacements | null): Prepared => {
    if (replacements === null && plain !== null) return plain
    attachments ??= stored.attachments.map(prepareAttachment)
    const made = prepare(replacements === null ? { html, text, attachments } : { ...both(replacements), attachments })
    if (replacements === null) plain = made
    return made
  }
  const both = (replacements: Replacements): { html: string | null; text: string | null } => ({
    html: html === null ? null : filledHtml(html, scan, replacements),
    text: text === null ? null : fillText(text, replacements.unsubscribe),
  })
  const placeholder = inHtml || (text !== null && hasTextPlaceholder(text))
  return { kind: 'composed', content, tracks: isTracked(stored, [scan]), placeholder, filled }
}

interface ReadPart {
  readonly part: MessagePart
  readonly content: string
  /** Null: plain text, or html that is not read. */
  readonly scan: HtmlScan | null
  readonly placeholder: boolean
}

async function submittedEntry(
  content: SubmittedContent,
  reader: HtmlReader,
  tracked: boolean,
  emailId: string,
): Promise<SubmittedEntry> {
  const { message } = content
  const wanted = tracked && tracksHtml(content)
  const parts: ReadPart[] = []
  for (const part of messageParts(message)) {
    if (!(wanted && part.kind === 'html') && !mayHavePlaceholder(message, part)) continue
    const email = contentOf(message, part)
    if (email === null) continue
    const html = part.kind === 'html'
    const placeholder = html ? hasPlaceholder(email) : hasTextPlaceholder(email)
    const scan = html && (placeholder || wanted) ? await reader.links(email, part.charset.bytes, emailId) : null
    if (scan !== null || placeholder) parts.push({ part, content: email, scan, placeholder })
  }
  return {
    kind: 'submitted',
    content,
    tracks: isTracked(
      content,
      parts.map(({ scan }) => scan),
    ),
    placeholder: parts.some(({ placeholder }) => placeholder),
    filled: (replacements) => (replacements === null ? message : filledMessage(message, parts, replacements)),
  }
}

/** Links are numbered across all parts; only the first html part gets the pixel. */
function filledMessage(message: Buffer, parts: readonly ReadPart[], replacements: Replacements): Buffer {
  const { link, pixel, unsubscribe } = replacements
  let firstIndex = 0
  let pixelLeft = pixel
  const contents = parts.flatMap(({ part, content, scan }) => {
    const at = firstIndex
    const filled =
      part.kind === 'plain'
        ? fillText(content, unsubscribe)
        : filledHtml(content, scan, {
            link: link === null ? null : (found) => link({ ...found, index: at + found.index }),
            pixel: pixelLeft,
            unsubscribe,
          })
    if (scan !== null) {
      firstIndex += scan.links.length
      pixelLeft = null
    }
    return filled === content ? [] : [{ part, content: filled }]
  })
  return withContents(message, contents)
}

/** In html that was not read only the placeholder is replaced, by its address, in all places. */
function filledHtml(html: string, scan: HtmlScan | null, replacements: Replacements): string {
  return scan === null ? fillText(html, replacements.unsubscribe) : fillHtml(scan, replacements)
}
