// Walks html in one pass: passes its visible characters to the word reader, collects links and images, and notes what hides
// or misleads. It finds tags and attributes by the rules that browsers follow. It builds no tree, but keeps the open elements
// (at most DEPTH), because hiding and colours are inherited. Each character is examined a bounded number of times. A
// construct that is not closed ends the walk.

import { decodeHTML } from 'entities'
import { readAttributes, type Tag } from './attributes.ts'
import { type ElementName, elementName, isSameElement, NO_ELEMENT, nameEnd } from './element-names.ts'
import { isNear } from './inline-style.ts'
import type { Reader } from './reader.ts'
import type { Location } from './types.ts'

export interface Link {
  readonly target: string
  readonly text: string
  readonly location: Location
  readonly offset: number
}

export interface Found {
  readonly name: string
  readonly offset: number
}

export interface HtmlFacts {
  readonly links: readonly Link[]
  /** Excludes tracking pixels. */
  readonly images: number
  readonly imagesWithoutAlt: number
  readonly firstImage: number
  /** Offset of the first image whose bytes are in the html. */
  readonly dataImage: number | null
  readonly visibleChars: number
  readonly hiddenChars: number
  /** Those of the hidden characters that are hidden by tricks no layout needs: no size, background colour, far outside. */
  readonly trickChars: number
  readonly firstTrick: number
  /** Those of the trick characters that come after visible text, where no preheader is. */
  readonly lateTrickChars: number
  /** Elements and attributes that mail clients drop or filters distrust, each name once. */
  readonly active: readonly Found[]
  readonly refresh: number | null
  /** Offset of the first password field. */
  readonly passwordField: number | null
  readonly commentChars: number
}

const DEPTH = 256
const CLOSE_LOOK = 48
const MAX_LINKS = 1_000
const LINK_TEXT_CHARS = 300
const MAX_TARGET_CHARS = 2_048
const ENTITY_CHARS = 32
const PREHEADER_BEFORE_CHARS = 120

interface Element {
  readonly name: ElementName
  /** Nothing inside is visible, whatever the inner elements declare. The same holds for `away`. */
  readonly gone: boolean
  readonly away: boolean
  /** The following apply to what is inside until it declares otherwise. */
  readonly invisible: boolean
  readonly tiny: boolean
  readonly color: number
  readonly ground: number
  /** The text has the colour of its background. */
  readonly faded: boolean
  /** Derived from the above: the text is not visible; it is hidden by tricks that no layout needs. */
  readonly hidden: boolean
  readonly trick: boolean
}
const ROOT: Element = {
  ...{ name: NO_ELEMENT, gone: false, away: false, invisible: false, tiny: false, color: -1, ground: -1 },
  ...{ faded: false, hidden: false, trick: false },
}

export function readHtml(html: string, reader: Reader): HtmlFacts {
  return new Walk(html, reader).walk()
}

class Walk {
  private readonly html: string
  private readonly reader: Reader
  private readonly stack: Element[] = [ROOT]
  private top: Element = ROOT
  /** Number of elements on the stack, by name. */
  private readonly opened = new Map<string, number>()
  private readonly links: Link[] = []
  private open: { target: string; text: string; offset: number } | null = null
  private readonly active = new Map<string, Found>()
  private images = 0
  private imagesWithoutAlt = 0
  private firstImage = 0
  private dataImage: number | null = null
  private visibleChars = 0
  private hiddenChars = 0
  private trickChars = 0
  private firstTrick = 0
  private lateTrickChars = 0
  private refresh: number | null = null
  private passwordField: number | null = null
  private commentChars = 0
  /** The next `&` after an earlier position; -1 before the first search. */
  private ampersand = -1
  private readonly codes: Uint16Array

  /** @param reader has begun reading this html */
  constructor(html: string, reader: Reader) {
    this.html = html
    this.reader = reader
    this.codes = reader.codes
  }

  walk(): HtmlFacts {
    const { html } = this
    let at = 0
    while (at < html.length) {
      const start = html.indexOf('<', at)
      const end = start === -1 ? html.length : start
      if (end > at) this.text(at, end)
      if (start === -1) break
      at = this.markup(start)
    }
    this.closeLink()
    this.reader.breakSentence()
    const { links, images, imagesWithoutAlt, firstImage, dataImage, visibleChars, hiddenChars } = this
    const { trickChars, firstTrick, lateTrickChars, refresh, passwordField, commentChars } = this
    return {
      ...{ links, images, imagesWithoutAlt, firstImage, dataImage, visibleChars, hiddenChars },
      ...{ trickChars, firstTrick, lateTrickChars, refresh, passwordField, commentChars },
      active: [...this.active.values()],
    }
  }

  /** @returns where to continue */
  private markup(start: number): number {
    const { html, codes } = this
    const next = codes[start + 1] as number
    if (isLetter(next)) return this.startTag(start)
    if (next === 0x2f && isLetter(codes[start + 2] as number)) return this.endTag(start)
    if (html.startsWith('<!--', start)) {
      const end = endOfComment(html, start)
      this.commentChars += end - start
      return end
    }
    if (next === 0x21 || next === 0x3f || next === 0x2f) {
      const end = html.indexOf('>', start)
      return end === -1 ? html.length : end + 1
    }
    this.text(start, start + 1)
    return start + 1
  }

  private text(from: number, to: number): void {
    const { html, reader, top } = this
    if (this.open !== null && this.open.text.length < LINK_TEXT_CHARS)
      this.open.text += html.slice(from, Math.min(to, from + LINK_TEXT_CHARS))
    let shown = 0
    for (let at = from; at < to; ) {
      const reference = this.nextReference(at, to)
      if (reference > at) shown += top.hidden ? countShown(this.codes, at, reference) : reader.run(at, reference)
      if (reference === to) break
      const end = referenceEnd(this.codes, reference, to)
      const code = end === -1 ? 0x26 : entity(html.slice(reference, end + 1))
      at = end === -1 ? reference + 1 : end + 1
      if (code > 0x20 && code !== 0xa0) shown++
      if (top.hidden) continue
      if (code > 0xffff) {
        reader.feed(0xd800 + ((code - 0x10000) >> 10), reference)
        reader.feed(0xdc00 + ((code - 0x10000) & 0x3ff), reference + 1)
      } else reader.feed(code, reference)
    }
    if (!top.hidden) this.visibleChars += shown
    else {
      this.hiddenChars += shown
      if (top.trick && shown > 0) {
        if (this.trickChars === 0) this.firstTrick = from
        this.trickChars += shown
        if (this.visibleChars > PREHEADER_BEFORE_CHARS) this.lateTrickChars += shown
      }
    }
  }

  /** The next `&` before `to`, or `to`. */
  private nextReference(from: number, to: number): number {
    if (this.ampersand < from) {
      const found = this.html.indexOf('&', from)
      this.ampersand = found === -1 ? this.html.length : found
    }
    return Math.min(this.ampersand, to)
  }

  private endTag(start: number): number {
    const { html, codes, stack } = this
    const afterName = nameEnd(codes, start + 2, html.length)
    const end = codes[afterName] === 0x3e ? afterName : html.indexOf('>', start)
    if (end === -1) return html.length
    const name = elementName(html, codes, start + 2, afterName, false)
    if (name.text === 'a') this.closeLink()
    this.part(name)
    const at = this.openAt(name)
    while (at > 0 && stack.length > at) this.pop()
    this.top = stack[stack.length - 1] ?? ROOT
    return end + 1
  }

  /**
   * The stack index of the element that an end tag of this name closes; 0 when it closes none. Closing it also closes all
   * elements inside, however many: each is removed once, so the cost grows with the number of tags. An end tag like `</span>`
   * does not close an element that was opened outside the current block.
   */
  private openAt(name: ElementName): number {
    const { stack } = this
    if ((this.opened.get(name.text) ?? 0) === 0) return 0
    const least = name.endsInBlock ? Math.max(1, stack.length - CLOSE_LOOK) : 1
    for (let at = stack.length - 1; at >= least; at--) {
      const one = (stack[at] as Element).name
      if (isSameElement(one, name)) return at
      if (name.endsInBlock && !one.isInline) return 0
    }
    return 0
  }

  private pop(): void {
    const { text } = (this.stack.pop() as Element).name
    this.opened.set(text, (this.opened.get(text) ?? 1) - 1)
  }

  private part({ isInline, text }: ElementName): void {
    if (isInline) return
    if (text === 'br') this.reader.breakWord()
    else this.reader.breakSentence()
  }

  private startTag(start: number): number {
    const { html, codes } = this
    const afterName = nameEnd(codes, start + 1, html.length)
    const name = elementName(html, codes, start + 1, afterName, true)
    const { text } = name
    const tag = readAttributes(html, codes, afterName)
    this.part(name)
    if (text === 'a' || text === 'area') this.link(tag, start)
    else if (text === 'img') this.image(tag, start)
    else if (text === 'input' && tag.isPassword) this.passwordField ??= start
    else if (text === 'meta' && tag.httpEquiv === 'refresh') this.refresh ??= start
    if (name.isActive && (text !== 'base' || tag.href !== null)) this.note(`<${text}>`, start)
    if (tag.handler !== '') this.note(tag.handler, start)
    if (tag.end >= html.length) return html.length
    if (name.isRaw) {
      const close = indexOfClose(html, text, tag.end)
      const end = close === -1 ? html.length : close
      if (name.isShown) {
        this.push(name, tag)
        this.text(tag.end, end)
      }
      return end
    }
    if (!name.isVoid && !tag.closed) this.push(name, tag)
    return tag.end
  }

  private note(name: string, offset: number): void {
    if (!this.active.has(name)) this.active.set(name, { name, offset })
  }

  private push(name: ElementName, tag: Tag): void {
    const { stack } = this
    if (name.closesItself && this.top.name === name) this.pop()
    else if (name.endsParagraph) this.endParagraph()
    const parent = stack[stack.length - 1] ?? ROOT
    if (stack.length >= DEPTH) return
    const { style } = tag
    const ground = style.ground === -1 ? (tag.ground === -1 ? parent.ground : tag.ground) : style.ground
    const color = style.color === -1 ? (tag.color === -1 ? parent.color : tag.color) : style.color
    const isSame = ground === parent.ground && color === parent.color
    const faded = isSame ? parent.faded : isNear(ground, color)
    const gone = parent.gone || style.hidden || (tag.hidden && !style.shown)
    const away = parent.away || style.away
    const invisible = style.invisible ?? parent.invisible
    const tiny = style.tiny ?? parent.tiny
    const trick = away || tiny || faded
    const hidden = gone || invisible || trick
    this.top = { name, gone, away, invisible, tiny, color, ground, faded, hidden, trick }
    stack.push(this.top)
    this.opened.set(name.text, (this.opened.get(name.text) ?? 0) + 1)
  }

  /** A paragraph cannot contain a block: a block closes an open paragraph together with the inline elements in it. */
  private endParagraph(): void {
    const { stack } = this
    const least = Math.max(1, stack.length - CLOSE_LOOK)
    let at = stack.length - 1
    while (at > least && (stack[at] as Element).name.isInline) at--
    if ((stack[at] as Element).name.text === 'p') while (stack.length > at) this.pop()
  }

  private link(tag: Tag, offset: number): void {
    this.closeLink()
    if (tag.href === null) return
    this.open = { target: unescaped(tag.href.slice(0, MAX_TARGET_CHARS)).trim(), text: '', offset }
  }

  private closeLink(): void {
    if (this.open === null) return
    if (this.links.length < MAX_LINKS) {
      const { target, text, offset } = this.open
      this.links.push({ target, text: unescaped(text), location: 'html', offset })
    }
    this.open = null
  }

  private image(tag: Tag, offset: number): void {
    const isPixel = tag.width >= 0 && tag.width <= 3 && tag.height >= 0 && tag.height <= 3
    if (isPixel || this.top.hidden) return
    if (this.images++ === 0) this.firstImage = offset
    if (!tag.hasAlt) this.imagesWithoutAlt++
    if (tag.source.startsWith('data:')) this.dataImage ??= offset
  }
}

const COMMENT_END = /--!?>/g

/** As browsers do: `<!-->` and `<!--->` are whole comments. @returns the offset after the comment at `start` */
function endOfComment(html: string, start: number): number {
  for (const abrupt of ['>', '->']) if (html.startsWith(abrupt, start + 4)) return start + 4 + abrupt.length
  COMMENT_END.lastIndex = start + 4
  return COMMENT_END.test(html) ? COMMENT_END.lastIndex : html.length
}

function countShown(codes: Uint16Array, from: number, to: number): number {
  let shown = 0
  for (let at = from; at < to; at++) {
    const code = codes[at] as number
    if (code > 0x20 && code !== 0xa0) shown++
  }
  return shown
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
}

const CLOSES = new Map<string, RegExp>()

function indexOfClose(html: string, name: string, from: number): number {
  const close = CLOSES.get(name) ?? new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  CLOSES.set(name, close)
  close.lastIndex = from
  return close.exec(html)?.index ?? -1
}

/** @returns the offset of the `;` that ends the reference at `from`; -1 when it is not a reference */
function referenceEnd(codes: Uint16Array, from: number, to: number): number {
  const limit = Math.min(to, from + ENTITY_CHARS)
  for (let at = from + 1; at < limit; at++) {
    const code = codes[at] as number
    if (code === 0x3b) return at
    if (!isLetter(code) && !(code >= 0x30 && code <= 0x39) && code !== 0x23) return -1
  }
  return -1
}

const entities = new Map<string, number>()

/** @returns the code point, the first one of a sequence */
function entity(reference: string): number {
  const known = entities.get(reference)
  if (known !== undefined) return known
  const decoded = decodeHTML(reference)
  const code = decoded === reference ? 0x26 : (decoded.codePointAt(0) ?? 0x20)
  if (decoded !== reference && entities.size < 2_048) entities.set(reference, code)
  return code
}

export function unescaped(text: string): string {
  return text.includes('&') ? decodeHTML(text) : text
}
