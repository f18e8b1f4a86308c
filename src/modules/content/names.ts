// Names of elements and attributes that the walk over html asks about, told by their letters as they stand in the array of
// code units. No text is made of a name that is known, and none of one that nobody asks for.

import { FNV_BASIS, FNV_PRIME } from './hash.ts'

const SLOTS = 512

/** What each of some names, ASCII in lower case, stands for. */
export class Names<T> {
  private readonly slots: ({ readonly name: string; readonly meaning: T } | undefined)[] = Array.from(
    { length: SLOTS },
    () => undefined,
  )

  constructor(meanings: Iterable<readonly [name: string, meaning: T]>) {
    for (const [name, meaning] of meanings) {
      let slot = hashOf(
        Uint16Array.from(name, (letter) => letter.charCodeAt(0)),
        0,
        name.length,
      )
      while (this.slots[slot] !== undefined) slot = (slot + 1) & (SLOTS - 1)
      this.slots[slot] = { name, meaning }
    }
  }

  /** @returns null: none of the names stands from `from` to `to` in `codes`; capitals count as small letters */
  at(codes: Uint16Array, from: number, to: number): T | null {
    for (let slot = hashOf(codes, from, to); ; slot = (slot + 1) & (SLOTS - 1)) {
      const one = this.slots[slot]
      if (one === undefined) return null
      if (one.name.length === to - from && isAt(codes, from, one.name)) return one.meaning
    }
  }
}

/** Of the first letters: no two names that are known share more. */
const HASHED = 12

function hashOf(codes: Uint16Array, from: number, to: number): number {
  const until = Math.min(to, from + HASHED)
  let hash = FNV_BASIS
  for (let at = from; at < until; at++) hash = Math.imul(hash ^ ((codes[at] as number) | 0x20), FNV_PRIME)
  return (hash ^ (hash >>> 16)) & (SLOTS - 1)
}

/** Of all that may stand in a name only a capital becomes the small letter by that bit. */
function isAt(codes: Uint16Array, from: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) if (((codes[from + i] as number) | 0x20) !== name.charCodeAt(i)) return false
  return true
}

/** @returns where the name that begins at `from` ends; `length` at the latest */
export function nameEnd(codes: Uint16Array, from: number, length: number): number {
  let at = from
  while (at < length && !endsName(codes[at] as number)) at++
  return at
}

function endsName(code: number): boolean {
  return code <= 0x3e && (code <= 0x20 || code === 0x2f || code >= 0x3d)
}

export interface ElementName {
  readonly text: string
  readonly isActive: boolean
  /** No tag is read in it. */
  readonly isRaw: boolean
  /** Of raw ones: what stands in it shows. */
  readonly isShown: boolean
  readonly isVoid: boolean
  readonly isInline: boolean
  /** Of these, those that end within the block they begin in. */
  readonly endsInBlock: boolean
  readonly closesItself: boolean
  readonly endsParagraph: boolean
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))
const ACTIVE = words('script form iframe object embed applet frame frameset base')
const RAW = words('script style textarea title template xmp noembed noframes')
const SHOWN = words('textarea xmp')
const VOID = words('area base br col embed hr img input link meta source wbr frame')
const INLINE = words(
  'a abbr acronym b bdi bdo big code em font i ins kbd mark s small span strike strong sub sup tt u wbr',
)
const ENDS_IN_BLOCK = words('abbr acronym bdi bdo ins kbd mark span sub sup')
const CLOSES_ITSELF = words('p li td th tr option dt dd')
const ENDS_PARAGRAPH = words(
  'center div dl form h1 h2 h3 h4 h5 h6 ol p pre section table ul article blockquote footer header',
)
/** Others that stand in nearly every mail. */
const COMMON = words('html head body tbody thead tfoot')
const MOST_CHARS = 16

function element(text: string): ElementName {
  return {
    text,
    isActive: ACTIVE.has(text),
    isRaw: RAW.has(text),
    isShown: SHOWN.has(text),
    isVoid: VOID.has(text),
    isInline: INLINE.has(text),
    endsInBlock: ENDS_IN_BLOCK.has(text),
    closesItself: CLOSES_ITSELF.has(text),
    endsParagraph: ENDS_PARAGRAPH.has(text),
  }
}

const KNOWN = new Map(
  [...ACTIVE, ...RAW, ...VOID, ...INLINE, ...CLOSES_ITSELF, ...ENDS_PARAGRAPH, ...COMMON].map((name) => [
    name,
    element(name),
  ]),
)
const ELEMENTS = new Names(KNOWN)
export const NO_ELEMENT = element('')

/**
 * The name of an element from `from` to `to`.
 *
 * @param isStart of a start tag only the first 16 characters count
 */
export function elementName(html: string, codes: Uint16Array, from: number, to: number, isStart: boolean): ElementName {
  const known = ELEMENTS.at(codes, from, to)
  if (known !== null) return known
  const text = html.slice(from, isStart ? Math.min(to, from + MOST_CHARS) : to).toLowerCase()
  // Letters beyond ASCII may become such as are known: the sign of the kelvin.
  return KNOWN.get(text) ?? element(text)
}

/** Names that are known are one object each. */
export function isSameElement(one: ElementName, other: ElementName): boolean {
  return one === other || one.text === other.text
}
