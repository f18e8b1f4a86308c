// What an inline style says about being seen: hidden, hidden by a trick, and the two colours. One walk over the text.

import { Recent } from './recent.ts'

export interface Declared {
  /** As layouts do it: display, visibility, no height. */
  readonly hidden: boolean
  /** As only tricks do it: no size of letters, no opacity, far outside. */
  readonly trick: boolean
  /** 24 bits, -1: not said. */
  readonly color: number
  readonly ground: number
}

export const NOTHING_DECLARED: Declared = { hidden: false, trick: false, color: -1, ground: -1 }
const MAX_CHARS = 2_048
const MAX_STYLES = 512
const COLOR_STEP = 12
const NAMED: Readonly<Record<string, number>> = {
  ...{ white: 0xffffff, black: 0x000000, red: 0xff0000, blue: 0x0000ff, green: 0x008000, yellow: 0xffff00 },
  ...{ gray: 0x808080, grey: 0x808080, silver: 0xc0c0c0, ivory: 0xfffff0, snow: 0xfffafa, whitesmoke: 0xf5f5f5 },
}

const remembered = new Recent<Declared>(MAX_STYLES)

/** What a style attribute declares; mails have few, and repeat them. */
export function declared(style: string): Declared {
  return remembered.find(style, declarations)
}

export function declarations(style: string): Declared {
  let hidden = false
  let trick = false
  let color = -1
  let ground = -1
  let at = 0
  const limit = Math.min(style.length, MAX_CHARS)
  while (at < limit) {
    const colon = style.indexOf(':', at)
    if (colon === -1 || colon >= limit) break
    let end = style.indexOf(';', colon)
    if (end === -1 || end > limit) end = limit
    const name = style.slice(at, colon).trim().toLowerCase()
    if (WANTED.has(name)) {
      const value = style
        .slice(colon + 1, Math.min(end, colon + 65))
        .trim()
        .toLowerCase()
      if (name === 'display') hidden ||= value.startsWith('none')
      else if (name === 'visibility') hidden ||= value.startsWith('hidden')
      else if (name === 'max-height') hidden ||= isNothing(value)
      else if (name === 'mso-hide') hidden ||= value.startsWith('all')
      else if (name === 'font-size') trick ||= Number.parseFloat(value) <= 1 && !/^1(?:\.0+)?(?:r?em|$)/.test(value)
      else if (name === 'opacity') trick ||= Number.parseFloat(value) < 0.05
      else if (name === 'text-indent' || name === 'left' || name === 'margin-left')
        trick ||= Number.parseFloat(value) <= -900
      else if (name === 'color') color = colorOf(value)
      else ground = colorOf(value)
    }
    at = end + 1
  }
  // A preheader is hidden in several ways at once: what is not displayed is not hidden by its size.
  return { hidden, trick: trick && !hidden, color, ground }
}

const WANTED = new Set(
  [
    'display',
    'visibility',
    'max-height',
    'mso-hide',
    'font-size',
    'opacity',
    'text-indent',
    'left',
    'margin-left',
  ].concat(['color', 'background', 'background-color']),
)

function isNothing(value: string): boolean {
  return Number.parseFloat(value) === 0
}

function colorOf(value: string): number {
  const hex = /^#([0-9a-f]{6}|[0-9a-f]{3})(?![0-9a-f])/.exec(value)?.[1]
  if (hex !== undefined) {
    return Number.parseInt(hex.length === 3 ? hex.replaceAll(/./g, '$&$&') : hex, 16)
  }
  const rgb = /^rgb\(\s?(\d{1,3})\s?,\s?(\d{1,3})\s?,\s?(\d{1,3})\s?\)/.exec(value)
  if (rgb !== null) return (Number(rgb[1]) << 16) | (Number(rgb[2]) << 8) | Number(rgb[3])
  return NAMED[/^[a-z]+/.exec(value)?.[0] ?? ''] ?? -1
}

/** Two colours that no eye tells apart. */
export function isNear(one: number, other: number): boolean {
  if (one === -1 || other === -1) return false
  for (const shift of [0, 8, 16])
    if (Math.abs(((one >> shift) & 255) - ((other >> shift) & 255)) > COLOR_STEP) return false
  return true
}
