// What single characters mean to the reader of words, for those that most mails consist of.

/** A letter with what is told of it: its folded form, and whether it is a capital. */
export const LETTER = { folded: 0x7fff, capital: 0x8000, capitalBit: 15 } as const

/** What a code unit does between words. Up to `fed` each ends a word before it, whatever follows. */
export const ROLE = {
  silent: 0,
  blank: 1,
  line: 2,
  /** It ends a sentence. */
  end: 3,
  /** It says something else, and begins nothing. */
  fed: 4,
  /** These end a word, a sentence too, if no letter or digit follows; else they join. */
  at: 5,
  dot: 6,
  /** It ends a word that is no protocol. */
  colon: 7,
  /** Letters and digits of all kinds, what belongs to them, and what stands for a character in two units. */
  other: 8,
} as const

/** @param code of a unit that is neither letter, digit nor mark, nor one of two */
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
