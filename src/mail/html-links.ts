// Links in an html mail: found once, replaced for each recipient. Every byte that is not a replaced link stays as it was:
// the html is cut at the places found and put together again, never parsed and printed.
//
// - A link is the first `href` of an `a` or `area` start tag whose value, its character references decoded once, is an
//   http or https address with a host. Its value is replaced between its quotes (or without, as it stood).
// - `//host/path` is one too, and leads to https. A mail has no address that a scheme could be taken from: webmail takes its
//   own, which is https, and programs try a file or nothing.
// - Untouched: other relative addresses, mailto:, tel:, sms: and every other scheme, fragments, links marked
//   `data-track="off"`, addresses over 4 KB or with control characters, links after the 2,000th, and whatever a
//   reader's program does not show as a link: comments (Outlook's conditional ones too), script, style, title, textarea, template and the like.
// - `{{unsubscribe}}`, in any case and with blanks around the name or without, becomes the address inside an attribute and an
//   anchor in text; the address alone where an anchor cannot stand (inside another anchor, in a title, in a comment).
// - The pixel stands before the last `</body>`, else at the end; when the end lies inside something unclosed, before it.
//
// The tokenizer is that of WHATWG HTML (section 13.2.5) without entity decoding; each character is looked at a bounded
// number of times, so time grows with the length alone, whatever the html.

import { isUtf8 } from 'node:buffer'
import { decodeHTMLAttribute } from 'entities'
import { QuoteType } from 'htmlparser2'
import { Hiding } from './html-hidden.ts'
import { nameOf, readTokens } from './html-tokens.ts'

export interface HtmlLink {
  /** Counts the replaceable links of the mail from 0. */
  readonly index: number
  /** The address, character references decoded once, with its scheme; blanks around it and line breaks inside it are no part of it. */
  readonly url: string
  /** The tag, or one around it, says that nobody is meant to see it. */
  readonly hidden: boolean
}

/** Html cut into what stays and what is replaced; made once for all recipients. */
export interface HtmlScan {
  readonly links: readonly HtmlLink[]
  readonly hasPlaceholder: boolean
  /** What stays, one more than there are slots. */
  readonly pieces: readonly string[]
  readonly slots: readonly Slot[]
}

export type Slot =
  | { readonly kind: 'link'; readonly link: HtmlLink; readonly raw: string }
  | { readonly kind: 'unsubscribe'; readonly anchor: boolean }
  | { readonly kind: 'pixel' }

export interface Replacements {
  /** The address that goes in the place of a link, of characters that need no escaping; null: links stay. */
  readonly link: ((link: HtmlLink) => string) | null
  /** The address of the pixel; null: none. */
  readonly pixel: string | null
  /** The address that the placeholder stands for; null: it is taken away. */
  readonly unsubscribe: string | null
}

export const MAX_LINK_BYTES = 4_096
/** Those that come after stay as they are: each costs a token for each recipient. */
export const MAX_LINKS = 2_000
const MAX_PLACEHOLDERS = 1_000

// Editors put http:// before what they take for an address, and encode its braces. Mustache's spellings for what is not to
// be escaped, `{{{unsubscribe}}}` and `{{&unsubscribe}}`, mean the same link.
const IN_ATTRIBUTE = new RegExp(
  `(?:https?://)?(?:${spelt('\\{', '(?:[ \\t\\r\\n]|%20){0,9}', '\\}')}|${spelt('(?:%7b)', '(?:[ \\t\\r\\n]|%20){0,9}', '(?:%7d)')})`,
  'gi',
)
/** The placeholder as it is written in text, in any case, with blanks around its name or without. */
export const TEXT_PLACEHOLDER = new RegExp(spelt('\\{', '[ \\t\\r\\n]{0,9}', '\\}'), 'gi')
const IN_TEXT_ONCE = new RegExp(TEXT_PLACEHOLDER, 'i')
const ANYWHERE = new RegExp(IN_ATTRIBUTE, 'i')
const BEGUN_TAG = /<\/?$/
const WEB_ADDRESS = /^https?:\/\/[^/?#\\]/i
const WITHOUT_SCHEME = /^\/\/[^/?#\\]/
// Those at the end are looked at from their first alone: from each of them on, a long run would take its square.
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const AROUND = /^[\0-\x20]+|(?<![\0-\x20])[\0-\x20]+$/g
const LINE_BREAKS = /[\t\r\n]/g
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\0-\x1f\x7f]/
/** Their content is text up to their end tag. */
const RAW = new Set(['script', 'style', 'title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext'])
/** Of these, what a reader may see. */
const SHOWN_RAW = new Set(['title', 'textarea'])
const LONGEST_NAME = 9
const LONGEST_ATTRIBUTE = 10

/** @param open one opening brace as it is written there, as a pattern; `blanks` may stand around the name */
function spelt(open: string, blanks: string, close: string): string {
  const name = `${blanks}unsubscribe${blanks}`
  return `${open}{2}(?:${open}${name}${close}|(?:${blanks}(?:&(?:amp;)?|%26))?${name})${close}{2}`
}

/** An address in which editors have disguised the placeholder, with the placeholder as it is written in text. */
export function plainPlaceholder(address: string): string {
  return address.trim().replace(IN_ATTRIBUTE, '{{unsubscribe}}')
}

/** The text with each placeholder, however it is written, made one that only looks so: U+2060 joins without being seen. */
export function withoutPlaceholders(text: string): string {
  // Between any two braces: of three, the inner two would be one again.
  return text.replaceAll(IN_ATTRIBUTE, (found) => found.replaceAll(/\{(?=\{)|%7b(?=%7b)/gi, '$&\u2060'))
}

/** The text with `other` in the place of each placeholder, however it is written. */
export function placeholdersAs(other: string, text: string): string {
  return text.replaceAll(IN_ATTRIBUTE, () => other)
}

/** How html that is given as bytes, one in each character, says its characters; `other`: only ASCII can be read. */
export type ByteCharset = 'utf-8' | 'other'

/**
 * @param html at most some megabytes; the time is linear in its length
 * @param charset null: `html` is text. Else each of its characters is a byte, and those beyond ASCII are told by this
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

/** Whether html holds the placeholder, as it is or as editors encode it. */
export function hasPlaceholder(html: string): boolean {
  return ANYWHERE.test(html)
}

export function hasTextPlaceholder(text: string): boolean {
  return IN_TEXT_ONCE.test(text)
}

/** What stands between the commas of a List-Unsubscribe, with brackets or without. */
const LISTED = new RegExp(`^\\s*<?\\s*(?:${IN_ATTRIBUTE.source})\\s*>?\\s*$`, 'i')

/** Whether a List-Unsubscribe names the placeholder as an address: who writes so wants the one that is made for each recipient. */
export function listsPlaceholder(listUnsubscribe: string): boolean {
  return listUnsubscribe.split(',').some((one) => LISTED.test(one))
}

/** Puts the html together again. */
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
      // Behind `<`, as text has it, the address would begin a tag: its first letter becomes a character reference.
      return BEGUN_TAG.test(before) ? `&#${unsubscribe.charCodeAt(0)};${unsubscribe.slice(1)}` : unsubscribe
  }
}

/** The text part: the placeholder becomes the address; null: it is taken away. */
export function fillText(text: string, unsubscribe: string | null): string {
  return text.replaceAll(TEXT_PLACEHOLDER, () => unsubscribe ?? '')
}

interface Cut {
  readonly start: number
  readonly end: number
  readonly slot: Slot
}

/** The open start tag: where its interesting values stand. */
interface Tag {
  readonly name: string
  href: { readonly start: number; readonly end: number } | null
  tracked: boolean
  /** The attribute of that name. */
  marked: boolean
  style: { readonly start: number; readonly end: number } | null
}

/** What is open at a place of the html. */
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
  // The end of the last thing that was whole: a pixel put there is read as a tag.
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

/** A link that holds the placeholder is the placeholder's. Cuts come in the order of their places, but for a tag's own. */
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

/** The address of a replaceable link, or null. Browsers drop what is dropped here (URL Standard, basic URL parser). */
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
