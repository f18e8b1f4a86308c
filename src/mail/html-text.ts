// The text part for a mail that has html alone: what a reader of the html sees, in its order.
//
// Two steps. First the html is written anew with nothing but what is shown and what gives it form: the tags of blocks, cells,
// lists and links, balanced. Left out are titles, styles, scripts, templates, comments and what is hidden where it stands
// (html-hidden.ts). Where `<html>` and `<body>` begin and end says nothing, to browsers neither. Then a library makes
// lines of it.
//
// Whatever the html, the first step takes time by its length alone, and what it writes is nested no deeper than MAX_DEPTH: a
// block deeper than that is a line break.

import { decodeHTMLAttribute } from 'entities'
import { compile as compileHtml, type FormatCallback } from 'html-to-text'
import { Hiding } from './html-hidden.ts'
import { plainPlaceholder, TEXT_PLACEHOLDER } from './html-links.ts'
import { nameOf, readTokens } from './html-tokens.ts'

const MAX_DEPTH = 100
/** As deep as so many others: their lines are indented, deeper ones again for each. */
const INDENTING = new Set(['ul', 'ol', 'blockquote'])
const INDENTING_DEPTH = 10
/** How far up an element is looked for that ends because another begins. */
const MAX_LOOK_UP = 64

/**
 * Links stand in brackets behind their words, images are what their alt says. A table is a line for each row, with a space
 * between cells: most tables are layout, and columns would pad them.
 */
export function textFromHtml(html: string): string {
  // Empty blocks, such as rows that are there for their height, leave line ends behind.
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

/** What the library takes for a part of the line around it. */
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
  // What is shown is no longer than what was accepted, but for its escapes.
  limits: { maxInputLength: 0 },
})

const CELLS = ['td', 'th']
const PARAGRAPH_ENDERS = [
  ...['article', 'aside', 'blockquote', 'div', 'dl', 'fieldset', 'figcaption', 'figure', 'footer', 'form', 'header'],
  ...['address', 'center', 'main', 'nav', 'ol', 'p', 'pre', 'section', 'table', 'ul', ...HEADINGS],
]
/** Those whose tags are written: the library gives them form. The others are their content alone. */
const SHAPED = new Set([...PARAGRAPH_ENDERS, ...MORE_BLOCKS, ...CELLS, 'li'])
const VOID = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source'])
for (const name of ['track', 'wbr']) VOID.add(name)
/** Their content is for nobody, or for programs that cannot show what they are. */
const UNSHOWN = new Set(['title', 'style', 'script', 'template', 'iframe', 'noembed', 'noframes', 'datalist'])
const LONGEST_NAME = 10

/** What ends when an element begins, as far as it is open within another (WHATWG HTML section 13.2.6.4). */
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

/** An element that is open. */
interface Element {
  readonly name: string
  /** Written when it ends. */
  readonly closing: string
  /** Nothing in it is shown. */
  readonly hidden: boolean
  /** Nothing in it is shown but what says otherwise of itself. */
  readonly unseen: Unseen
}

interface Unseen {
  readonly invisible: boolean
  readonly sizeless: boolean
}

const SEEN: Unseen = { invisible: false, sizeless: false }

interface Tag {
  readonly name: string
  /** Their values as they stand; what is given twice counts once. */
  readonly attributes: Map<string, string>
}

const WANTED = new Set(['href', 'alt', 'style', 'hidden', 'start', 'type'])

/** The html that is left when what nobody is shown is left out; balanced. */
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
  /** How many of a name are open: an end tag without a start is found out without looking. */
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

  /** @returns what ends it */
  #anchor(raw: string): string {
    const address = this.#address(raw)
    // A link within a link is none of its own.
    if (address === '' || this.#anchors > 0) return ''
    this.#anchors++
    this.#out.push(`<a href="${quoted(address.replaceAll('&', '&amp;'))}">`)
    return '</a>'
  }

  /** @returns what ends it */
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

  /** Ends what an element ends by beginning. */
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

  /** The address that is told of a link: one that leads somewhere from a mail, or the placeholder. */
  #address(raw: string): string {
    const given = plainPlaceholder(decodeHTMLAttribute(raw)).replaceAll(/[\t\r\n]/g, '')
    if (/^(?:javascript|vbscript|data):/i.test(given)) return ''
    if (this.#base === null || given === '' || /^#|\{\{unsubscribe\}\}|^[a-z][a-z0-9+.-]*:/i.test(given)) return given
    return URL.parse(given, decodeHTMLAttribute(this.#base).trim())?.href ?? ''
  }
}

const VISIBILITY = /(?:^|[;\s])visibility\s{0,9}:\s{0,9}(\w{1,20})/i
const FONT_SIZE = /(?:^|[;\s])font-size\s{0,9}:\s{0,9}([\d.]{1,20})/i

/** What an element's own style says of its content, and what it leaves as it was. Where a style sheet is, others may say more. */
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

/** Left-out comments and tags must not make a tag of what stood around them. */
function escaped(raw: string): string {
  return raw.replaceAll('<', '&lt;')
}

function quoted(raw: string): string {
  return raw.replaceAll('"', '&quot;')
}
