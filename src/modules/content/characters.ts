// What single characters mean to the word reader, for those that make up most mails.

/** Bits of a letter's entry: its folded form, and whether it is a capital. */
export const LETTER = { folded: 0x7fff, capital: 0x8000, capitalBit: 15 } as const

/** What a code unit does between words. Each role up to `fed` ends the word before it, whatever follows. */
export const ROLE = {
  silent: 0,
  blank: 1,
  line: 2,
  /** Ends a sentence. */
  end: 3,
  /** Has a meaning of its own and begins nothing. */
  fed: 4,
  /** `at` and `dot` end a word (and a sentence) unless a letter or digit follows; then they join. */
  at: 5,
  dot: 6,
  /** Ends a word unless the word is a protocol. */
  colon: 7,
  /** Letters and digits of all kinds, marks that belong to them, and surrogates. */
  other: 8,
} as const

/** @param code a unit that is neither letter, digit, mark nor surrogate */
export function roleOf(code: number): number {
  if (code === 0x0a) return ROLE.line
  if (code <= 0x20 || code === 0xa0) return ROLE.blank
  if (code === 0x2e) return ROLE.dot
  if (code === 0x3a) return ROLE.colon
  if (code === 0x40) return ROLE.at
  if (code === 0x3f || code === 0x3b || code === 0x3002) return ROLE.end
  const isSign = code === 0x21 || (code >= 0x202a && code <= 0x202e) || (code >= 0x2600 && code <= 0x27bf)
  return isSign || isCurrency(code) ? ROLE.fed : ROLE.silent
}

export const ENDS_ADDRESS = new Set([...'<>"()[]{}\'`|\\'].map((one) => one.charCodeAt(0)))
/** `.`, `?`, `;`, `!`, and the full stop of Chinese and Japanese. */
export const ENDS_SENTENCE = new Set([0x2e, 0x3f, 0x3b, 0x21, 0x3002])
/** What follows runs from left to right, or from right to left, whatever its letters are. */
export const OVERRIDES_DIRECTION = new Set([0x202d, 0x202e])

/** $ ¢ £ ¥ € ₿ */
export function isCurrency(code: number): boolean {
  return code === 0x24 || (code >= 0xa2 && (code <= 0xa3 || code === 0xa5 || code === 0x20ac || code === 0x20bf))
}

/** 0 to 9. */
export function isDigit(code: number): boolean {
  return (code - 0x30) >>> 0 < 10
}

/** a to z and A to Z. */
export function isPlainLetter(code: number): boolean {
  return ((code | 0x20) - 0x61) >>> 0 < 26
}
