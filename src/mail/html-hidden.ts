// What of an html mail nobody is shown. For its links it is told in the same pass that finds them: a click on a hidden one is
// taken for a machine's. The text that is made of it leaves hidden text out (html-text.ts). Every doubt is for the reader:
//
// - An element around a link hides it by its own `style` (display:none, opacity:0, no height with its overflow hidden), or
//   by `hidden` where no style sheet is. Only elements whose end tags are always written are looked at.
// - Not where a rule of the mail could show it again: mail for phones hides a block and shows it by `!important`, the one way
//   past a `style`, under @media. Which block is meant is not asked.
// - Not font-size:0, which takes the gaps from between columns, nor visibility:hidden, which what is inside may undo.
// - It ends at its end tag, at one of an element around it, and where a cell or an item begins anew. Deeper than MAX_DEPTH it is given up.

const DISPLAY_NONE = /display\s{0,9}:\s{0,9}none/i
const OTHER_DISPLAY = /display\s{0,9}:\s{0,9}(?!none)[a-z]/i
const INVISIBLE = /visibility\s{0,9}:\s{0,9}hidden/i
const TRANSPARENT = /opacity\s{0,9}:\s{0,9}0(?:\.0{1,9})?\s{0,9}(?:[;!]|$)/i
const NO_HEIGHT = /(?:^|[;\s])(?:max-)?height\s{0,9}:\s{0,9}0(?:px)?\s{0,9}(?:[;!]|$)/i
const CUT_OFF = /overflow\s{0,9}:\s{0,9}hidden/i
const SHOWS_AGAIN =
  /(?:display\s{0,9}:\s{0,9}(?!none)|height\s{0,9}:\s{0,9}(?!0)|opacity\s{0,9}:\s{0,9}(?!0\s)|overflow\s{0,9}:\s{0,9}v)[a-z\d.%-]{1,40}\s{0,9}!\s{0,9}important/i
const STYLE_SHEET = /<(?:style|link)\b/i
const LINKED_SHEET = /<link\b|@import\b/i

const HIDING = new Set(['div', 'span', 'table', 'center', 'section', 'article'])
const VOID = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr'])
/** What begins anew where one of the others is open: the one before it ends, and all inside it. */
const WITHIN: Readonly<Record<string, string>> = {
  td: 'table',
  th: 'table',
  tr: 'table',
  tbody: 'table',
  li: 'ul',
}
const MAX_DEPTH = 64

export class Hiding {
  readonly #html: string
  /** Names from the hiding element inwards; empty while nothing hides. */
  #open: string[] = []
  #mayShowAgain: boolean | null = null
  #hasStyleSheet: boolean | null = null

  constructor(html: string) {
    this.#html = html
  }

  /** Around the place that the pass has come to. */
  get around(): boolean {
    return this.#open.length > 0
  }

  /** Whether the `style` of a link hides it. */
  hidesLink(style: string): boolean {
    return INVISIBLE.test(style) || (DISPLAY_NONE.test(style) && !this.#shownAgain())
  }

  /** @param style of the element; null: it has none */
  opens(name: string, style: string | null, isMarked: boolean): void {
    if (VOID.has(name)) return
    if (!this.around) {
      if (HIDING.has(name) && this.hides(style, isMarked)) this.#open = [name]
      return
    }
    const outer = WITHIN[name]
    const isAnew = outer !== undefined && !this.#open.includes(outer) && !(outer === 'ul' && this.#open.includes('ol'))
    if (isAnew || this.#open.length >= MAX_DEPTH) this.#open = []
    else this.#open.push(name)
  }

  closes(name: string): void {
    if (!this.around) return
    const at = this.#open.lastIndexOf(name)
    this.#open = at === -1 ? [] : this.#open.slice(0, at)
  }

  /** Whether an element's own style, or its `hidden`, hides all that is in it. */
  hides(style: string | null, isMarked: boolean): boolean {
    if (style !== null && OTHER_DISPLAY.test(style)) return false
    const isStyled =
      style !== null &&
      (DISPLAY_NONE.test(style) || TRANSPARENT.test(style) || (NO_HEIGHT.test(style) && CUT_OFF.test(style)))
    if (isStyled) return !this.#shownAgain()
    return isMarked && !this.hasStyleSheet
  }

  /** A rule of it may show what an element of itself hides. */
  get hasStyleSheet(): boolean {
    this.#hasStyleSheet ??= STYLE_SHEET.test(this.#html)
    return this.#hasStyleSheet
  }

  #shownAgain(): boolean {
    this.#mayShowAgain ??= SHOWS_AGAIN.test(this.#html) || LINKED_SHEET.test(this.#html)
    return this.#mayShowAgain
  }
}
