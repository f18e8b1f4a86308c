// Links in an HTML mail: found once, replaced for each recipient. Every byte outside a replaced link stays as it was: the
// HTML is cut at the places found and put together again, never parsed and printed.
//
// - A link is the first `href` of an `a` or `area` start tag whose value, with its character references decoded once, is an
//   http or https address with a host. The value is replaced within its quotes, or without if it had none.
// - `//host/path` counts as a link too, and leads to https. A mail has no address to take a scheme from: webmail uses its
//   own, which is https, and mail programs try a file or nothing.
// - Left alone: other relative addresses, mailto:, tel:, sms: and all other schemes, fragments, links marked
//   `data-track="off"`, addresses over 4 KB or with control characters, links after the 2,000th, and anything a mail program
//   does not show as a link: comments (including Outlook's conditional ones), script, style, title, textarea, template etc.
// - `{{unsubscribe}}`, in any case and with or without blanks around the name, becomes the address inside an attribute, and
//   an anchor in text. Where an anchor is not possible (in another anchor, a title, a comment) it becomes the bare address.
// - The pixel goes before the last `</body>`, else at the end; if something unclosed is open there, before it.
//
// The tokenizer is that of WHATWG HTML (section 13.2.5) without entity decoding. It looks at each character a bounded number
// of times, so its time is linear in the length, whatever the HTML.

import { isUtf8 } from 'node:buffer'
import { decodeHTMLAttribute } from 'entities'
import { QuoteType } from 'htmlparser2'
import { Hiding } from './hidden.ts'
import { nameOf, readTokens } from './tokens.ts'

export interface HtmlLink {
  /** Counts the replaceable links of the mail from 0. */
  readonly index: number
  /** The address with its scheme, character references decoded once, without surrounding blanks and inner line breaks. */
  readonly url: string
  /** The tag, or one around it, is hidden from readers. */
  readonly hidden: boolean
}

/** HTML cut into parts that stay and slots that are replaced; made once for all recipients. */
export interface HtmlScan {
  readonly links: readonly HtmlLink[]
  readonly hasPlaceholder: boolean
  /** The parts that stay, one more than there are slots. */
  readonly pieces: readonly string[]
  readonly slots: readonly Slot[]
}

export type Slot =
  | { readonly kind: 'link'; readonly link: HtmlLink; readonly raw: string }
  | { readonly kind: 'unsubscribe'; readonly anchor: boolean }
  | { readonly kind: 'pixel' }

export interface Replacements {
  /** Makes the address that replaces a link, of characters that need no escaping; null: links stay. */
  readonly link: ((link: HtmlLink) => string) | null
  /** The address of the pixel; null: none. */
  readonly pixel: string | null
  /** The address that replaces the placeholder; null: the placeholder is removed. */
  readonly unsubscribe: string | null
}

export const MAX_LINK_BYTES = 4_096
/** Further links stay as they are: each costs a token per recipient. */
export const MAX_LINKS = 2_000
const MAX_PLACEHOLDERS = 1_000

// Editors put http:// before anything they take for an address, and encode its braces. Mustache's unescaped forms,
// `{{{unsubscribe}}}` and `{{&unsubscribe}}`, mean the same link.
const IN_ATTRIBUTE = new RegExp(
  `(?:https?://)?(?:${spelt('\\{', '(?:[ \\t\\r\\n]|%20){0,9}', '\\}')}|${spelt('(?:%7b)', '(?:[ \\t\\r\\n]|%20){0,9}', '(?:%7d)')})`,
  'gi',
)
/** The placeholder in text, in any case, with or without blanks around its name. */
export const TEXT_PLACEHOLDER = new RegExp(spelt('\\{', '[ \\t\\r\\n]{0,9}', '\\}'), 'gi')
const IN_TEXT_ONCE = new RegExp(TEXT_PLACEHOLDER, 'i')
const ANYWHERE = new RegExp(IN_ATTRIBUTE, 'i')
const BEGUN_TAG = /<\/?$/
const WEB_ADDRESS = /^https?:\/\/[^/?#\\]/i
const WITHOUT_SCHEME = /^\/\/[^/?#\\]/
// Trailing ones match only from their first character: matching from each would take quadratic time on a long run.
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const AROUND = /^[\0-\x20]+|(?<![\0-\x20])[\0-\x20]+$/g
const LINE_BREAKS = /[\t\r\n]/g
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\0-\x1f\x7f]/
/** Elements whose content is text up to their end tag. */
const RAW = new Set(['script', 'style', 'title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext'])
/** Those of them that a reader may see. */
const SHOWN_RAW = new Set(['title', 'textarea'])
const LONGEST_NAME = 9
const LONGEST_ATTRIBUTE = 10

/** @param open pattern of one opening brace in this spelling; `blanks` may surround the name */
function spelt(open: string, blanks: string, close: string): string {
  const name = `${blanks}unsubscribe${blanks}`
  return `${open}{2}(?:${open}${name}${close}|(?:${blanks}(?:&(?:amp;)?|%26))?${name})${close}{2}`
}

/** Restores the plain placeholder in an address where editors have disguised it. */
export function plainPlaceholder(address: string): string {
  return address.trim().replace(IN_ATTRIBUTE, '{{unsubscribe}}')
}

/** Makes each placeholder, in any spelling, one in looks only, with U+2060, an invisible joiner. */
export function withoutPlaceholders(text: string): string {
  // Between every two braces: the inner two of three would otherwise form a placeholder again.
  return text.replaceAll(IN_ATTRIBUTE, (found) => found.replaceAll(/\{(?=\{)|%7b(?=%7b)/gi, '$&\u2060'))
}

/** Replaces each placeholder, in any spelling, by `other`. */
export function placeholdersAs(other: string, text: string): string {
  return text.replaceAll(IN_ATTRIBUTE, () => other)
}

/** Encoding of HTML given as bytes, one per character; `other`: only ASCII can be read. */
export type ByteCharset = 'utf-8' | 'other'

/**
 * @param html a few megabytes at most; the time is linear in its length
 * @param charset null: `html` is text. Otherwise each character is a byte, and this is the encoding beyond ASCII
 */
export function scanHtml(html: string, charset: ByteCharset | null = null): HtmlScan {
  const pieces: string[] = []
  const slots: Slot[] = []
  const links: HtmlLink[] = []
  let end = 0
  for (const cut of cutsOf(html, charset)) {
    pieces.push(html.slice(end, cut.start))
    slots.push(cut.slot)
    if (cut.slot.kind === 'link') links.push(cut.slot.link)
    end = cut.end
  }
  pieces.push(html.slice(end))
  return { links, hasPlaceholder: slots.some(({ kind }) => kind === 'unsubscribe'), pieces, slots }
}

/** True when the HTML contains the placeholder, plain or as editors encode it. */
export function hasPlaceholder(html: string): boolean {
  return ANYWHERE.test(html)
}

export function hasTextPlaceholder(text: string): boolean {
  return IN_TEXT_ONCE.test(text)
}

/** An item of a comma-separated List-Unsubscribe, with or without brackets. */
const LISTED = new RegExp(`^\\s*<?\\s*(?:${IN_ATTRIBUTE.source})\\s*>?\\s*$`, 'i')

/** True when a List-Unsubscribe has the placeholder as an address: the author wants the address made per recipient. */
export function listsPlaceholder(listUnsubscribe: string): boolean {
  return listUnsubscribe.split(',').some((one) => LISTED.test(one))
}

/** Puts the HTML together again. */
export function fillHtml({ pieces, slots }: HtmlScan, replacements: Replacements): string {
  const parts: string[] = []
  slots.forEach((slot, i) => {
    const before = pieces[i] ?? ''
    parts.push(before, filled(slot, before, replacements))
  })
  parts.push(pieces.at(-1) ?? '')
  return parts.join('')
}

function filled(slot: Slot, before: string, { link, pixel, unsubscribe }: Replacements): string {
  switch (slot.kind) {
    case 'link':
      return link === null ? slot.raw : link(slot.link)
    case 'pixel':
      return pixel === null
        ? ''
        : `<img src="${pixel}" width="1" height="1" alt="" style="border:0;width:1px;height:1px">`
    case 'unsubscribe':
      if (unsubscribe === null) return ''
      if (slot.anchor) return `<a href="${unsubscribe}">Unsubscribe</a>`
      // After a `<` in text the address would start a tag, so its first letter becomes a character reference.
      return BEGUN_TAG.test(before) ? `&#${unsubscribe.charCodeAt(0)};${unsubscribe.slice(1)}` : unsubscribe
  }
}

/** Fills the text part: the placeholder becomes the address; null removes it. */
export function fillText(text: string, unsubscribe: string | null): string {
  return text.replaceAll(TEXT_PLACEHOLDER, () => unsubscribe ?? '')
}

interface Cut {
  readonly start: number
  readonly end: number
  readonly slot: Slot
}

/** The open start tag, with the positions of the relevant values. */
interface Tag {
  readonly name: string
  href: { readonly start: number; readonly end: number } | null
  tracked: boolean
  /** The tag has the attribute `hidden`. */
  marked: boolean
  style: { readonly start: number; readonly end: number } | null
}

/** What is open at a position in the HTML. */
interface Open {
  /** The element whose content is raw text, or null. */
  raw: string | null
  templates: number
  anchor: boolean
}

function cutsOf(html: string, charset: ByteCharset | null): readonly Cut[] {
  const cuts: Cut[] = []
  const open: Open = { raw: null, templates: 0, anchor: false }
  const placeholders = hasPlaceholder(html)
  const hiding = new Hiding(html)
  let tag: Tag = { name: '', href: null, tracked: true, marked: false, style: null }
  let attribute = ''
  let value: { start: number; end: number } | null = null
  let linkCount = 0
  let placeholderCount = 0
  let bodyEnd: number | null = null
  // End of the last complete construct: a pixel put there is read as a tag.
  let wholeEnd = 0

  const whole = (end: number): void => {
    if (open.raw === null && open.templates === 0) wholeEnd = end
  }
  const unsubscribeCuts = (pattern: RegExp, start: number, end: number, anchor: boolean): void => {
    for (const found of html.slice(start, end).matchAll(pattern)) {
      if (++placeholderCount > MAX_PLACEHOLDERS) return
      const at = start + found.index
      cuts.push({ start: at, end: at + found[0].length, slot: { kind: 'unsubscribe', anchor } })
    }
  }
  const attributeEnds = (): void => {
    const { start, end } = value ?? { start: 0, end: 0 }
    if (tag.name === 'a' || tag.name === 'area') {
      if (attribute === 'href') tag.href ??= { start, end }
      else if (attribute === 'data-track') tag.tracked &&= html.slice(start, end).trim().toLowerCase() !== 'off'
    }
    if (attribute === 'hidden') tag.marked = true
    else if (attribute === 'style') tag.style ??= { start, end }
    if (placeholders && value !== null) unsubscribeCuts(IN_ATTRIBUTE, start, end, false)
  }
  const tagEnds = (end: number): void => {
    const { name, href, tracked, marked } = tag
    const style = tag.style === null ? null : html.slice(tag.style.start, tag.style.end)
    if (href !== null && tracked && open.templates === 0 && linkCount < MAX_LINKS) {
      const raw = html.slice(href.start, href.end)
      const url = webAddress(raw, charset)
      if (url !== null) {
        const hidden = marked || hiding.around || (style !== null && hiding.hidesLink(style))
        const link = { index: linkCount++, url, hidden }
        cuts.push({ ...href, slot: { kind: 'link', link, raw } })
      }
    }
    whole(end + 1)
    hiding.opens(name, style, marked)
    if (RAW.has(name)) open.raw = name
    else if (name === 'template') open.templates++
    else if (name === 'a') open.anchor = true
  }
  readTokens(html, {
    onopentagname: (start, end) => {
      tag = { name: nameOf(html, { start, end }, LONGEST_NAME), href: null, tracked: true, marked: false, style: null }
    },
    onattribname: (start, end) => {
      attribute = nameOf(html, { start, end }, LONGEST_ATTRIBUTE)
      value = null
    },
    onattribdata: (start, end) => {
      value = { start, end }
    },
    onattribend: (quote) => {
      if (quote === QuoteType.NoValue) value = null
      attributeEnds()
    },
    onopentagend: tagEnds,
    onselfclosingtag: tagEnds,
    onclosetag: (start, end) => {
      const name = nameOf(html, { start, end }, LONGEST_NAME)
      hiding.closes(name)
      if (name === open.raw) open.raw = null
      else if (name === 'template') open.templates = Math.max(0, open.templates - 1)
      else if (name === 'a') open.anchor = false
      else if (name === 'body' && open.templates === 0) bodyEnd = start - 2
      const close = html.indexOf('>', end)
      if (close !== -1) whole(close + 1)
    },
    ontext: (start, end) => {
      whole(end)
      if (!placeholders || open.templates > 0) return
      if (open.raw === null) unsubscribeCuts(TEXT_PLACEHOLDER, start, end, !open.anchor)
      else if (SHOWN_RAW.has(open.raw)) unsubscribeCuts(TEXT_PLACEHOLDER, start, end, false)
    },
    oncomment: (start, end) => {
      if (end < html.length) whole(end + 1)
      if (placeholders) unsubscribeCuts(IN_ATTRIBUTE, start, end, false)
    },
    ondeclaration: (_, end) => {
      if (end < html.length) whole(end + 1)
    },
  })
  const pixelAt = bodyEnd ?? wholeEnd
  cuts.push({ start: pixelAt, end: pixelAt, slot: { kind: 'pixel' } })
  return withoutOverlaps(cuts)
}

/** Drops links that contain the placeholder. Cuts arrive in order of position, except within a tag. */
function withoutOverlaps(cuts: readonly Cut[]): readonly Cut[] {
  const sorted = cuts.toSorted((a, b) => a.start - b.start || a.end - b.end)
  const inHref = new Set<Cut>()
  sorted.forEach((cut, i) => {
    if (cut.slot.kind !== 'link') return
    const next = [sorted[i - 1], sorted[i + 1]]
    if (next.some((other) => other?.slot.kind === 'unsubscribe' && other.start < cut.end && other.end > cut.start)) {
      inHref.add(cut)
    }
  })
  if (inHref.size === 0) return sorted
  let index = 0
  return sorted
    .filter((cut) => !inHref.has(cut))
    .map((cut) =>
      cut.slot.kind === 'link' ? { ...cut, slot: { ...cut.slot, link: { ...cut.slot.link, index: index++ } } } : cut,
    )
}

/** The address of a replaceable link, or null. Drops the characters that browsers drop (URL Standard, basic URL parser). */
function webAddress(raw: string, charset: ByteCharset | null): string | null {
  if (raw.length > MAX_LINK_BYTES * 8) return null
  const text = charset === null ? raw : textOf(raw, charset)
  if (text === null) return null
  const written = decodeHTMLAttribute(text).replaceAll(AROUND, '').replaceAll(LINE_BREAKS, '')
  const url = WITHOUT_SCHEME.test(written) ? `https:${written}` : written
  if (!WEB_ADDRESS.test(url) || CONTROL.test(url) || !url.isWellFormed()) return null
  if (Buffer.byteLength(url) > MAX_LINK_BYTES) return null
  return url
}

function textOf(bytes: string, charset: ByteCharset): string | null {
  // oxlint-disable-next-line no-control-regex -- ASCII is what it looks for
  if (/^[\0-\x7f]*$/.test(bytes)) return bytes
  const raw = Buffer.from(bytes, 'latin1')
  return charset === 'utf-8' && isUtf8(raw) ? raw.toString() : null
}
