// Detects hidden content in html mail. The pass that finds the links also tells which of them are hidden: a click on a
// hidden link is attributed to a machine. The generated text part omits hidden text (text.ts). In doubt, content counts
// as shown:
//
// - An element hides the links inside it by its own `style` (display:none, opacity:0, or no height with overflow hidden), or
//   by `hidden` if the mail has no style sheet. Only elements whose end tags are always written are considered.
// - The element does not count as hiding if any rule of the mail could show it again: mail for phones hides a block and shows
//   it under @media with `!important`, the only way to override a `style`. Which block the rule targets is not checked.
// - font-size:0 does not count, because it is used to close the gaps between columns; neither does visibility:hidden, which
//   inner elements may undo.
// - Hiding ends at the element's end tag, at the end tag of an element around it, and where a new table cell or list item
//   begins. Beyond a nesting of MAX_DEPTH, hiding is given up.

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
/** Elements whose start ends hiding, unless the named container (for `li`, also `ol`) is among the open ones. */
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

  /** Whether a hiding element is open at the current position. */
  get around(): boolean {
    return this.#open.length > 0
  }

  /** Whether the `style` of a link hides it. */
  hidesLink(style: string): boolean {
    return INVISIBLE.test(style) || (DISPLAY_NONE.test(style) && !this.#shownAgain())
  }

  /** @param style of the element; null when it has none */
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

  /** Whether an element's own style, or its `hidden`, hides all its content. */
  hides(style: string | null, isMarked: boolean): boolean {
    if (style !== null && OTHER_DISPLAY.test(style)) return false
    const isStyled =
      style !== null &&
      (DISPLAY_NONE.test(style) || TRANSPARENT.test(style) || (NO_HEIGHT.test(style) && CUT_OFF.test(style)))
    if (isStyled) return !this.#shownAgain()
    return isMarked && !this.hasStyleSheet
  }

  /** Whether the mail has a style sheet, whose rules may show what an element itself hides. */
  get hasStyleSheet(): boolean {
    this.#hasStyleSheet ??= STYLE_SHEET.test(this.#html)
    return this.#hasStyleSheet
  }

  #shownAgain(): boolean {
    this.#mayShowAgain ??= SHOWS_AGAIN.test(this.#html) || LINKED_SHEET.test(this.#html)
    return this.#mayShowAgain
  }
}
