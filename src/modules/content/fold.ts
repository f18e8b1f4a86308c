// Characters as the word reader sees them: tables over the UTF-16 code units, built at the first use.
//
// FOLDED maps letters to lower case without accents, and full-width letters to plain ones. KIND says what a unit is.
// LOOKALIKE names the Latin letter that a Cyrillic, Greek or Armenian letter is mistaken for; it applies to words that mix
// alphabets and to words made only of such letters.

import { LETTER, OVERRIDES_DIRECTION, ROLE, roleOf } from './characters.ts'

export const KIND = {
  break: 0,
  latin: 1,
  digit: 2,
  letter: 3,
  /** Displays nothing: zero-width characters, joiners, fillers. */
  invisible: 4,
  /** A mark that belongs to the letter before it. */
  mark: 5,
  /** Displays nothing, and may stand within a word: a soft hyphen, an isolate around what a program has filled in. */
  silent: 6,
} as const

const UNITS = 65_536
const SURROGATES = [0xd800, 0xdfff] as const

export interface Folding {
  readonly folded: Uint16Array
  readonly kind: Uint8Array
  readonly lookalike: Uint16Array
  /** 1: a capital. */
  readonly capital: Uint8Array
  /** For a Latin letter, FOLDED and whether it is a capital, in the bits of LETTER. 0: another unit, or a styled letter. */
  readonly letters: Uint16Array
  /** ROLE: the effect of a unit between words of such letters. */
  readonly roles: Uint8Array
}

const LOOKALIKES: readonly (readonly [latin: string, others: string])[] = [
  ['a', 'аαɑ'],
  ['b', 'ЬвΒв'],
  ['c', 'сϲ'],
  ['d', 'ԁ'],
  ['e', 'еєΕε'],
  ['g', 'ɡց'],
  ['h', 'һнΗ'],
  ['i', 'іιӏі'],
  ['j', 'јϳ'],
  ['k', 'кκ'],
  ['l', 'ӏ'],
  ['m', 'мΜ'],
  ['n', 'ոη'],
  ['o', 'оοօ'],
  ['p', 'рρ'],
  ['q', 'ԛ'],
  ['r', 'г'],
  ['s', 'ѕ'],
  ['t', 'тτ'],
  ['u', 'υս'],
  ['v', 'ѵν'],
  ['w', 'ԝω'],
  ['x', 'хχ'],
  ['y', 'уγү'],
  ['z', 'ᴢζ'],
]
const MARK = /\p{M}/u
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u
const MAY_STAND = new Set([0xad, 0x2066, 0x2067, 0x2068, 0x2069])
/** The only mark that has no letter to belong to. */
const GRAPHEME_JOINER = 0x34f
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz'
/** Letters that Unicode does not decompose. Only the first letter of a pair is kept: the words of the rules fold the same way. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 's',
  æ: 'a',
  œ: 'o',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  þ: 't',
  ð: 'd',
}
/** Letters in brackets or circles, which are no letters for Unicode, and small capitals, which it does not decompose. */
const STYLED: ReadonlyMap<number, string> = new Map([
  ...[0x249c, 0x24b6, 0x24d0].flatMap((from) => [...ALPHABET].map((letter, i) => [from + i, letter] as const)),
  ...[...'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡ ʏᴢ']
    .map((small, i) => [small.charCodeAt(0), ALPHABET[i] ?? ''] as const)
    .filter(([unit]) => unit > 0x7f),
])

/** Letters that digits stand for: `0` o, `1` i, `3` e, `4` a, `5` s, `7` t. */
export const LEET: Readonly<Record<number, number>> = {
  0x30: 0x6f,
  0x31: 0x69,
  0x33: 0x65,
  0x34: 0x61,
  0x35: 0x73,
  0x37: 0x74,
}

let made: Folding | null = null

export function folding(): Folding {
  made ??= make()
  return made
}

function make(): Folding {
  const folded = new Uint16Array(UNITS)
  const kind = new Uint8Array(UNITS)
  const lookalike = new Uint16Array(UNITS)
  const capital = new Uint8Array(UNITS)
  const letters = new Uint16Array(UNITS)
  const roles = new Uint8Array(UNITS).fill(ROLE.other)
  for (let unit = 0; unit < UNITS; unit++) {
    if (unit >= SURROGATES[0] && unit <= SURROGATES[1]) continue
    const character = String.fromCharCode(unit)
    if (
      UNSEEN.test(character) &&
      !OVERRIDES_DIRECTION.has(unit) &&
      (unit === GRAPHEME_JOINER || !MARK.test(character))
    ) {
      kind[unit] = MAY_STAND.has(unit) ? KIND.silent : KIND.invisible
      continue
    }
    if (MARK.test(character)) kind[unit] = KIND.mark
    else if (/\p{Nd}/u.test(character)) kind[unit] = KIND.digit
    else if (/\p{L}/u.test(character)) kind[unit] = /\p{Script=Latin}/u.test(character) ? KIND.latin : KIND.letter
    else if (isStyled(unit)) kind[unit] = KIND.latin
    else {
      roles[unit] = roleOf(unit)
      continue
    }
    const lower = character.toLowerCase()
    const plain = STYLED.get(unit) ?? PLAIN[lower] ?? (lower.normalize('NFKD')[0] as string).toLowerCase()
    folded[unit] = plain.charCodeAt(0)
    if (lower !== character) capital[unit] = 1
    if (kind[unit] === KIND.latin && !isStyled(unit) && (folded[unit] as number) <= LETTER.folded)
      letters[unit] = (folded[unit] as number) | ((capital[unit] as number) << LETTER.capitalBit)
  }
  for (const [latin, others] of LOOKALIKES) {
    for (const other of others)
      lookalike[(folded[other.charCodeAt(0)] as number) || other.charCodeAt(0)] = latin.charCodeAt(0)
  }
  return { folded, kind, lookalike, capital, letters, roles }
}

/** A tag, or an invisible sign of music or shorthand. */
export function isUnseenPair(high: number, low: number): boolean {
  if (high >= 0xdb40 && high <= 0xdb43) return true
  return (high === 0xd834 && low >= 0xdd73 && low <= 0xdd7a) || (high === 0xd82f && low >= 0xdca0 && low <= 0xdca3)
}

/** A full-width letter, one in a circle or in brackets, or a small capital. */
export function isStyled(unit: number): boolean {
  return STYLED.has(unit) || (unit >= 0xff21 && unit <= 0xff5a)
}

/** The plain letter of a mathematical alphanumeric or a letter in a square, in a circle or in brackets; 0 for others. */
export function styledLetter(high: number, low: number): number {
  if (high === 0xd835) {
    const at = low - 0xdc00
    return at < 0x2a4 ? 0x61 + ((at % 52) % 26) : 0
  }
  if (high !== 0xd83c) return 0
  for (const from of [0xdd10, 0xdd30, 0xdd50, 0xdd70]) if (low >= from && low < from + 26) return 0x61 + low - from
  return 0
}
