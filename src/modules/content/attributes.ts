// The attributes of a tag that the html walk asks for, found as browsers find them. No string is made of any other attribute.

import { Names, nameEnd } from './element-names.ts'
import { colorOf, type Declared, declared, NOTHING_DECLARED } from './inline-style.ts'

export interface Tag {
  href: string | null
  source: string
  httpEquiv: string
  style: Declared
  hidden: boolean
  /** An attribute that runs a script; '' when there is none. */
  handler: string
  hasAlt: boolean
  /** The tag is a password field. */
  isPassword: boolean
  width: number
  height: number
  color: number
  ground: number
  closed: boolean
  /** Offset after the `>`. */
  end: number
}

const ATTRIBUTE = {
  href: 1,
  style: 2,
  src: 3,
  alt: 4,
  width: 5,
  height: 6,
  bgcolor: 7,
  color: 8,
  hidden: 9,
  'http-equiv': 10,
  type: 11,
} as const
const ATTRIBUTES = new Names(Object.entries(ATTRIBUTE))
const MAX_HANDLER_CHARS = 24
const SHORT_CHARS = 16
const COLOR_CHARS = 32

/**
 * @param codes the code units of `html`, followed by one that is neither letter, blank nor sign
 * @param from offset after the element name
 */
export function readAttributes(html: string, codes: Uint16Array, from: number): Tag {
  const { length } = html
  // Written out to have one object shape: a tag object is made for each tag.
  const tag: Tag = {
    href: null,
    source: '',
    httpEquiv: '',
    style: NOTHING_DECLARED,
    hidden: false,
    handler: '',
    hasAlt: false,
    isPassword: false,
    width: -1,
    height: -1,
    color: -1,
    ground: -1,
    closed: false,
    end: length,
  }
  let at = from
  /** One bit for each known attribute. */
  let seen = 0
  while (at < length) {
    const code = codes[at] as number
    if (code === 0x3e) {
      tag.closed = codes[at - 1] === 0x2f
      tag.end = at + 1
      return tag
    }
    if (code <= 0x20 || code === 0x2f) {
      at++
      continue
    }
    const nameFrom = at
    const nameTo = nameEnd(codes, at + 1, length)
    at = pastBlanks(codes, nameTo)
    let valueFrom = at
    let valueTo = at
    if (codes[at] === 0x3d) {
      valueFrom = at = pastBlanks(codes, at + 1)
      const quote = codes[at] as number
      if (quote === 0x22 || quote === 0x27) {
        valueFrom = at + 1
        valueTo = html.indexOf(quote === 0x22 ? '"' : "'", valueFrom)
        if (valueTo === -1) return tag
        at = valueTo + 1
      } else {
        while (at < length && (codes[at] as number) > 0x20 && codes[at] !== 0x3e) at++
        valueTo = at
      }
    }
    const name = ATTRIBUTES.at(codes, nameFrom, nameTo)
    if (name !== null) {
      // Of two attributes with the same name browsers take the first.
      if ((seen & (1 << name)) === 0) set(tag, name, html.slice(valueFrom, valueTo))
      seen |= 1 << name
    } else if (beginsWithOn(codes, nameFrom))
      handle(tag, html.slice(nameFrom, Math.min(nameTo, nameFrom + MAX_HANDLER_CHARS)))
  }
  return tag
}

function pastBlanks(codes: Uint16Array, from: number): number {
  let at = from
  while ((codes[at] as number) <= 0x20) at++
  return at
}

function beginsWithOn(codes: Uint16Array, from: number): boolean {
  return ((codes[from] as number) | 0x20) === 0x6f && ((codes[from + 1] as number) | 0x20) === 0x6e
}

function handle(tag: Tag, written: string): void {
  const name = written.toLowerCase()
  if (/^on[a-z]{3,20}$/.test(name)) tag.handler = name
}

function set(tag: Tag, name: number, value: string): void {
  switch (name) {
    case ATTRIBUTE.href:
      tag.href = value
      break
    case ATTRIBUTE.style:
      tag.style = declared(value)
      break
    case ATTRIBUTE.src:
      tag.source = value.slice(0, SHORT_CHARS).trim().toLowerCase()
      break
    case ATTRIBUTE.alt:
      tag.hasAlt = true
      break
    case ATTRIBUTE.width:
      tag.width = Number.parseInt(value, 10)
      break
    case ATTRIBUTE.height:
      tag.height = Number.parseInt(value, 10)
      break
    case ATTRIBUTE.bgcolor:
      tag.ground = colorOf(value.slice(0, COLOR_CHARS).trim().toLowerCase())
      break
    case ATTRIBUTE.color:
      tag.color = colorOf(value.slice(0, COLOR_CHARS).trim().toLowerCase())
      break
    case ATTRIBUTE.hidden:
      tag.hidden = true
      break
    case ATTRIBUTE.type:
      tag.isPassword = value.slice(0, SHORT_CHARS).trim().toLowerCase() === 'password'
      break
    case ATTRIBUTE['http-equiv']:
      tag.httpEquiv = value.slice(0, SHORT_CHARS).trim().toLowerCase()
      break
  }
}
