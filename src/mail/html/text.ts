// Generates the text part for a mail that has only html: what a reader of the html sees, in its order.
//
// There are two steps. The first rewrites the html with only the visible content and the tags that give it structure (blocks,
// cells, lists and links), balanced. It drops titles, styles, scripts, templates, comments and hidden elements
// (hidden.ts). It ignores where `<html>` and `<body>` begin and end, as browsers do. In the second step, a library
// turns the result into lines.
//
// The first step takes time linear in the length of any html. Its output is nested at most MAX_DEPTH deep: a deeper block
// becomes a line break.

import { decodeHTMLAttribute } from 'entities'
import { compile as compileHtml, type FormatCallback } from 'html-to-text'
import { Hiding } from './hidden.ts'
import { plainPlaceholder, TEXT_PLACEHOLDER } from './links.ts'
import { nameOf, readTokens } from './tokens.ts'

const MAX_DEPTH = 100
/** Elements that count as INDENTING_DEPTH levels each, because their lines are indented once more per level. */
const INDENTING = new Set(['ul', 'ol', 'blockquote'])
const INDENTING_DEPTH = 10
/** Most open elements searched for one that ends because another begins. */
const MAX_LOOK_UP = 64

/**
 * A link's address follows its words in brackets; an image becomes its alt text. A table row becomes a line with spaces
 * between the cells: most tables are layout, which columns would pad.
 */
export function textFromHtml(html: string): string {
  // Empty blocks, such as spacer rows, leave line ends behind.
  const text = toText(shownHtml(html))
    .replace(/\n(?:[ \u00a0]*\n){2,}/g, '\n\n')
    .replace(/^(?:[ \u00a0]*\n)+/, '')
    .trimEnd()
  return text === '' ? '' : `${text}\n`
}

const asCell: FormatCallback = ({ children }, walk, builder) => {
  builder.addInline(' ')
  walk(children, builder)
}

const asAlt: FormatCallback = ({ attribs }, _walk, builder) => {
  const alt: string = attribs['alt'] ?? ''
  if (alt.trim() !== '') builder.addInline(` ${alt} `)
}

/** Blocks that the library would render inline. */
const MORE_BLOCKS = [
  'address',
  'caption',
  'center',
  'dd',
  'dl',
  'dt',
  'fieldset',
  'figcaption',
  'figure',
  'legend',
  'tr',
]
const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']

const toText = compileHtml({
  wordwrap: 78,
  formatters: { alt: asAlt, cell: asCell },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false, noAnchorUrl: true } },
    { selector: 'img', format: 'alt' },
    { selector: 'td', format: 'cell' },
    { selector: 'th', format: 'cell' },
    ...MORE_BLOCKS.map((selector) => ({
      ...{ selector, format: 'block' },
      options: { leadingLineBreaks: 1, trailingLineBreaks: 1 },
    })),
    ...HEADINGS.map((selector) => ({ selector, options: { uppercase: false } })),
  ],
  // Apart from escapes, the visible html is no longer than the accepted html.
  limits: { maxInputLength: 0 },
})

const CELLS = ['td', 'th']
const PARAGRAPH_ENDERS = [
  ...['article', 'aside', 'blockquote', 'div', 'dl', 'fieldset', 'figcaption', 'figure', 'footer', 'form', 'header'],
  ...['address', 'center', 'main', 'nav', 'ol', 'p', 'pre', 'section', 'table', 'ul', ...HEADINGS],
]
/** Elements whose tags are written, for the library to format. Of others, only the content is written. */
const SHAPED = new Set([...PARAGRAPH_ENDERS, ...MORE_BLOCKS, ...CELLS, 'li'])
const VOID = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source'])
for (const name of ['track', 'wbr']) VOID.add(name)
/** Elements whose content is never shown, or only by programs that do not support the element. */
const UNSHOWN = new Set(['title', 'style', 'script', 'template', 'iframe', 'noembed', 'noframes', 'datalist'])
const LONGEST_NAME = 10

/** The elements in `ends` that the start of another closes, up to the nearest one in `within` (WHATWG HTML section 13.2.6.4). */
interface Ending {
  readonly ends: readonly string[]
  readonly within: readonly string[]
}
const ROW = ['tr', ...CELLS, 'caption']
const GROUPS = ['tbody', 'thead', 'tfoot']
const ENDINGS: ReadonlyMap<string, Ending> = new Map(
  [
    { begins: PARAGRAPH_ENDERS, ends: ['p'], within: ['table', ...CELLS, 'caption', 'button', 'object'] },
    { begins: ['li'], ends: ['li', 'p'], within: ['ul', 'ol', 'table', ...CELLS] },
    { begins: ['dd', 'dt'], ends: ['dd', 'dt', 'p'], within: ['dl', 'table', ...CELLS] },
    { begins: CELLS, ends: [...CELLS, 'caption'], within: ['table', 'tr'] },
    { begins: ['tr'], ends: ROW, within: ['table'] },
    { begins: GROUPS, ends: [...GROUPS, ...ROW], within: ['table'] },
  ].flatMap(({ begins, ...ending }) => begins.map((name) => [name, ending] as const)),
)

/** An open element. */
interface Element {
  readonly name: string
  /** Written when the element ends. */
  readonly closing: string
  /** None of its content is shown. */
  readonly hidden: boolean
  /** Its content is not shown unless an inner element overrides that. */
  readonly unseen: Unseen
}

interface Unseen {
  readonly invisible: boolean
  readonly sizeless: boolean
}

const SEEN: Unseen = { invisible: false, sizeless: false }

interface Tag {
  readonly name: string
  /** Raw values; the first of duplicate attributes wins. */
  readonly attributes: Map<string, string>
}

const WANTED = new Set(['href', 'alt', 'style', 'hidden', 'start', 'type'])

/** The html without hidden content, balanced. */
function shownHtml(html: string): string {
  const out = new Shown(html)
  let tag: Tag = { name: '', attributes: new Map() }
  let attribute = ''
  let value = ''
  const opens = (): void => out.opens(tag)
  readTokens(html, {
    onopentagname: (start, end) => {
      tag = { name: nameOf(html, { start, end }, LONGEST_NAME), attributes: new Map() }
    },
    onattribname: (start, end) => {
      attribute = nameOf(html, { start, end }, LONGEST_NAME)
      value = ''
    },
    onattribdata: (start, end) => {
      value += html.slice(start, end)
    },
    onattribend: () => {
      if (WANTED.has(attribute) && !tag.attributes.has(attribute)) tag.attributes.set(attribute, value)
    },
    onopentagend: opens,
    onselfclosingtag: opens,
    onclosetag: (start, end) => out.closes(nameOf(html, { start, end }, LONGEST_NAME)),
    ontext: (start, end) => out.text(html.slice(start, end)),
  })
  return out.end()
}

class Shown {
  readonly #hiding: Hiding
  readonly #out: string[] = []
  readonly #open: Element[] = []
  /** Number of open elements by name, to detect a stray end tag without a search. */
  readonly #counts = new Map<string, number>()
  #depth = 0
  #anchors = 0
  #base: string | null = null

  constructor(html: string) {
    this.#hiding = new Hiding(html)
  }

  text(raw: string): void {
    if (this.#isSeen()) this.#out.push(escaped(raw.replaceAll(TEXT_PLACEHOLDER, '{{unsubscribe}}')))
  }

  opens({ name, attributes }: Tag): void {
    if (name === 'base') this.#base ??= attributes.get('href') ?? null
    if (VOID.has(name)) {
      if (this.#isSeen() && !this.#hides(attributes)) this.#void(name, attributes.get('alt') ?? '')
      return
    }
    this.#endBefore(name)
    const parent = this.#open.at(-1)
    const hidden = parent?.hidden === true || UNSHOWN.has(name) || this.#hides(attributes)
    const unseen = hidden ? SEEN : unseenBy(attributes.get('style'), parent?.unseen ?? SEEN, this.#hiding)
    const closing = hidden
      ? ''
      : name === 'a'
        ? this.#anchor(attributes.get('href') ?? '')
        : this.#shape(name, attributes)
    this.#open.push({ name, closing, hidden, unseen })
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  closes(name: string): void {
    if (name === 'br') this.#void(name, '')
    if ((this.#counts.get(name) ?? 0) === 0) return
    let closed: Element | undefined
    do closed = this.#pop()
    while (closed !== undefined && closed.name !== name)
  }

  end(): string {
    while (this.#open.length > 0) this.#pop()
    return this.#out.join('')
  }

  #isSeen(): boolean {
    const around = this.#open.at(-1)
    return around === undefined || !(around.hidden || around.unseen.invisible || around.unseen.sizeless)
  }

  #hides(attributes: Tag['attributes']): boolean {
    const style = attributes.get('style')
    const isMarked = attributes.has('hidden')
    return (style !== undefined || isMarked) && this.#hiding.hides(style ?? null, isMarked)
  }

  #void(name: string, alt: string): void {
    if (name === 'img') this.#out.push(`<img alt="${quoted(alt)}">`)
    else if (name === 'br' || name === 'hr' || name === 'wbr') this.#out.push(`<${name}>`)
  }

  /** @returns the closing tag; empty if none is needed */
  #anchor(raw: string): string {
    const address = this.#address(raw)
    // A link inside a link does not count.
    if (address === '' || this.#anchors > 0) return ''
    this.#anchors++
    this.#out.push(`<a href="${quoted(address.replaceAll('&', '&amp;'))}">`)
    return '</a>'
  }

  /** @returns the closing tag or line break; empty if none is needed */
  #shape(name: string, attributes: Tag['attributes']): string {
    if (!SHAPED.has(name)) return ''
    if (this.#depth + depthOf(name) > MAX_DEPTH) {
      this.#break()
      return '<br>'
    }
    this.#depth += depthOf(name)
    const numbered = name === 'ol' ? ['start', 'type'].filter((one) => attributes.has(one)) : []
    const given = numbered.map((one) => ` ${one}="${quoted(attributes.get(one) ?? '')}"`).join('')
    this.#out.push(`<${name}${given}>`)
    return `</${name}>`
  }

  #break(): void {
    if (this.#out.at(-1) !== '<br>') this.#out.push('<br>')
  }

  #pop(): Element | undefined {
    const last = this.#open.pop()
    if (last === undefined) return undefined
    this.#counts.set(last.name, (this.#counts.get(last.name) ?? 1) - 1)
    if (last.closing === '<br>') this.#break()
    else if (last.closing !== '') {
      this.#out.push(last.closing)
      if (last.name === 'a') this.#anchors--
      else this.#depth -= depthOf(last.name)
    }
    return last
  }

  /** Ends the elements that the start of this one closes. */
  #endBefore(name: string): void {
    const ending = ENDINGS.get(name)
    if (ending === undefined || ending.ends.every((one) => (this.#counts.get(one) ?? 0) === 0)) return
    let from = this.#open.length
    for (let at = from - 1; at >= Math.max(0, this.#open.length - MAX_LOOK_UP); at--) {
      const { name: around = '' } = this.#open[at] ?? {}
      if (ending.within.includes(around)) break
      if (ending.ends.includes(around)) from = at
    }
    while (this.#open.length > from) this.#pop()
  }

  /**
   * The address to show for a link: resolved against `<base>`, or the placeholder; empty for `javascript:`, `vbscript:` and
   * `data:`.
   */
  #address(raw: string): string {
    const given = plainPlaceholder(decodeHTMLAttribute(raw)).replaceAll(/[\t\r\n]/g, '')
    if (/^(?:javascript|vbscript|data):/i.test(given)) return ''
    if (this.#base === null || given === '' || /^#|\{\{unsubscribe\}\}|^[a-z][a-z0-9+.-]*:/i.test(given)) return given
    return URL.parse(given, decodeHTMLAttribute(this.#base).trim())?.href ?? ''
  }
}

const VISIBILITY = /(?:^|[;\s])visibility\s{0,9}:\s{0,9}(\w{1,20})/i
const FONT_SIZE = /(?:^|[;\s])font-size\s{0,9}:\s{0,9}([\d.]{1,20})/i

/** The visibility that an element's own style sets, else what it inherits. Ignores the style if a style sheet may override it. */
function unseenBy(style: string | undefined, around: Unseen, hiding: Hiding): Unseen {
  if (style === undefined) return around
  const visibility = VISIBILITY.exec(style)?.[1]?.toLowerCase()
  const size = FONT_SIZE.exec(style)?.[1]
  if ((visibility === undefined && size === undefined) || hiding.hasStyleSheet) return around
  return {
    invisible: visibility === undefined ? around.invisible : visibility === 'hidden' || visibility === 'collapse',
    sizeless: size === undefined ? around.sizeless : Number(size) === 0,
  }
}

function depthOf(name: string): number {
  return INDENTING.has(name) ? INDENTING_DEPTH : 1
}

/** Prevents the text around a dropped comment or tag from forming a tag. */
function escaped(raw: string): string {
  return raw.replaceAll('<', '&lt;')
}

function quoted(raw: string): string {
  return raw.replaceAll('"', '&quot;')
}
