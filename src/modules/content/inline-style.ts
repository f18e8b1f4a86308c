// What an inline style says about visibility: hidden, hidden by a trick, and the two colours. One pass over the text.

import { Recent } from './recent-results.ts'

export interface Declared {
  /** Not displayed, or cut to zero height. */
  readonly hidden: boolean
  /** Displayed, whatever an attribute says. */
  readonly shown: boolean
  /** Null: inherited. */
  readonly invisible: boolean | null
  /** Hidden in ways only tricks use: no opacity, or far outside the page. This hides everything inside as well. */
  readonly away: boolean
  /** Text of no size, also a trick; templates set it around elements that have a size of their own. Null: inherited. */
  readonly tiny: boolean | null
  /** 24 bits; -1 when not declared. */
  readonly color: number
  readonly ground: number
}

export const NOTHING_DECLARED: Declared = {
  ...{ hidden: false, shown: false, invisible: null, away: false, tiny: null, color: -1, ground: -1 },
}
const MAX_CHARS = 2_048
const MAX_STYLES = 512
const COLOR_STEP = 12
const NAMED: Readonly<Record<string, number>> = {
  ...{ white: 0xffffff, black: 0x000000, red: 0xff0000, blue: 0x0000ff, green: 0x008000, yellow: 0xffff00 },
  ...{ gray: 0x808080, grey: 0x808080, silver: 0xc0c0c0, ivory: 0xfffff0, snow: 0xfffafa, whitesmoke: 0xf5f5f5 },
}

const remembered = new Recent<Declared>(MAX_STYLES)

/** What a style attribute declares. Cached, because mails have few styles and repeat them. */
export function declared(style: string): Declared {
  return remembered.find(style, declarations)
}

function declarations(style: string): Declared {
  const declared = wantedOf(style)
  const valueOf = (name: string): string => declared.get(name) ?? ''
  const display = valueOf('display')
  const hidden = isWord('none', display) || (isNothing(valueOf('max-height')) && CUT.test(valueOf('overflow')))
  const visibility = valueOf('visibility')
  const invisible = visibility === '' || isWord('inherit', visibility) ? null : /^(?:hidden|collapse)/.test(visibility)
  const isPlaced = /^(?:absolute|fixed|relative)/.test(valueOf('position'))
  const places = isPlaced ? ['text-indent', 'margin-left', 'left'] : ['text-indent', 'margin-left']
  const isOutside = places.some((name) => Number.parseFloat(valueOf(name)) <= -900)
  // A preheader is hidden in several ways at once: an element that is not displayed does not count as hidden by its size.
  const isGone = hidden || invisible === true
  return {
    hidden,
    shown: display !== '' && !hidden,
    invisible,
    away: !isGone && (isOutside || Number.parseFloat(valueOf('opacity')) < 0.05),
    tiny: isGone ? null : isTiny(valueOf('font-size')),
    color: colorOf(valueOf('color')),
    ground: colorOf(valueOf('background')),
  }
}

/** The effective value by name: the last one declared, or the last important one. */
function wantedOf(style: string): ReadonlyMap<string, string> {
  const declared = new Map<string, string>()
  const important = new Set<string>()
  let at = 0
  const limit = Math.min(style.length, MAX_CHARS)
  while (at < limit) {
    const colon = style.indexOf(':', at)
    if (colon === -1 || colon >= limit) break
    let end = style.indexOf(';', colon)
    if (end === -1 || end > limit) end = limit
    const written = style.slice(at, colon).trim().toLowerCase()
    const name = written === 'background-color' ? 'background' : written
    if (WANTED.has(name)) {
      const value = style
        .slice(colon + 1, Math.min(end, colon + 65))
        .trim()
        .toLowerCase()
      const isImportant = value.endsWith('important')
      if (isImportant || !important.has(name)) declared.set(name, value)
      if (isImportant) important.add(name)
    }
    at = end + 1
  }
  return declared
}

const WANTED = new Set(
  [
    'display',
    'visibility',
    'max-height',
    'overflow',
    'font-size',
    'opacity',
    'position',
    'text-indent',
    'left',
    'margin-left',
  ].concat(['color', 'background']),
)
const CUT = /^(?:hidden|clip|scroll|auto)/
const SIZE = /^(\d{0,6}(?:\.\d{0,6})?)([a-z%]{0,4})/
const NAMED_SIZE = /^(?:(?:x{1,3}-)?(?:small|large)|medium)(?![\w-])/
/** Pixels per unit, at the usual letter size. */
const PIXELS: Readonly<Record<string, number>> = { px: 1, pt: 4 / 3, em: 16, rem: 16, '%': 0.16 }

/** Letters of at most one pixel. Null: no size, or a size relative to the surroundings. */
function isTiny(size: string): boolean | null {
  const [, digits = '', unit = ''] = SIZE.exec(size) ?? []
  const number = Number.parseFloat(digits)
  if (Number.isNaN(number)) return NAMED_SIZE.test(size) ? false : null
  if (number === 0) return true
  const pixels = PIXELS[unit]
  if (pixels === undefined) return unit === '' ? null : false
  if (number * pixels <= 1) return true
  return unit === 'em' || unit === '%' ? null : false
}

/** The value is this word, not a longer word that begins with it. */
function isWord(word: string, value: string): boolean {
  return value.startsWith(word) && !/^[\w-]/.test(value.slice(word.length))
}

function isNothing(value: string): boolean {
  return Number.parseFloat(value) === 0
}

/** @param value in lower case. @returns 24 bits; -1 for an unknown colour */
export function colorOf(value: string): number {
  const hex = /^#([0-9a-f]{6}|[0-9a-f]{3})(?![0-9a-f])/.exec(value)?.[1]
  if (hex !== undefined) {
    return Number.parseInt(hex.length === 3 ? hex.replaceAll(/./g, '$&$&') : hex, 16)
  }
  const rgb = /^rgb\(\s?(\d{1,3})\s?,\s?(\d{1,3})\s?,\s?(\d{1,3})\s?\)/.exec(value)
  if (rgb !== null) return (Number(rgb[1]) << 16) | (Number(rgb[2]) << 8) | Number(rgb[3])
  return NAMED[/^[a-z]+/.exec(value)?.[0] ?? ''] ?? -1
}

/** The eye cannot tell the two colours apart. */
export function isNear(one: number, other: number): boolean {
  if (one === -1 || other === -1) return false
  for (const shift of [0, 8, 16])
    if (Math.abs(((one >> shift) & 255) - ((other >> shift) & 255)) > COLOR_STEP) return false
  return true
}
