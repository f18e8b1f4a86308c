// Looks up the names of elements and attributes that the HTML walk asks about, directly in the array of code units. No string
// is made for a known name, nor for a name that nothing asks for.

import { FNV_BASIS, FNV_PRIME } from './hash.ts'

const SLOTS = 512

/** Maps a set of names (ASCII, lower case) to their meanings. */
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

  /** @returns null when `codes` from `from` to `to` is none of the names; ignores case */
  at(codes: Uint16Array, from: number, to: number): T | null {
    for (let slot = hashOf(codes, from, to); ; slot = (slot + 1) & (SLOTS - 1)) {
      const one = this.slots[slot]
      if (one === undefined) return null
      if (one.name.length === to - from && isAt(codes, from, one.name)) return one.meaning
    }
  }
}

/** Number of leading letters that are hashed: no two known names share as many. */
const HASHED = 12

function hashOf(codes: Uint16Array, from: number, to: number): number {
  const until = Math.min(to, from + HASHED)
  let hash = FNV_BASIS
  for (let at = from; at < until; at++) hash = Math.imul(hash ^ ((codes[at] as number) | 0x20), FNV_PRIME)
  return (hash ^ (hash >>> 16)) & (SLOTS - 1)
}

/** Among the characters that can occur in a name, only a capital turns into a small letter by setting that bit. */
function isAt(codes: Uint16Array, from: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) if (((codes[from + i] as number) | 0x20) !== name.charCodeAt(i)) return false
  return true
}

/** @returns the end of the name that begins at `from`, at most `length` */
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
  /** Its content holds no tags. */
  readonly isRaw: boolean
  /** Only for raw elements: the content is displayed. */
  readonly isShown: boolean
  readonly isVoid: boolean
  readonly isInline: boolean
  /** Only for inline elements: it ends within the block in which it begins. */
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
/** Other elements that occur in nearly every mail. */
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
 * The element name from `from` to `to`.
 *
 * @param isStart a start tag, of whose name only the first 16 characters count
 */
export function elementName(html: string, codes: Uint16Array, from: number, to: number, isStart: boolean): ElementName {
  const known = ELEMENTS.at(codes, from, to)
  if (known !== null) return known
  const text = html.slice(from, isStart ? Math.min(to, from + MOST_CHARS) : to).toLowerCase()
  // Lower case can turn letters beyond ASCII into a known name: the Kelvin sign becomes k.
  return KNOWN.get(text) ?? element(text)
}

/** Each known name is a single object. */
export function isSameElement(one: ElementName, other: ElementName): boolean {
  return one === other || one.text === other.text
}
