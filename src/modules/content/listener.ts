// What the reader of words tells, and to whom.

export const CLASS = {
  word: 0,
  number: 1,
  money: 2,
  percent: 3,
  url: 4,
  email: 5,
  host: 6,
  phone: 7,
  wallet: 8,
} as const
export type Class = (typeof CLASS)[keyof typeof CLASS]

/** Who is told. The numbers are offsets into the part that is read. */
export interface Listener {
  word(hash: number, length: number, start: number, end: number, kind: Class, isCapitals: boolean): void
  sentence(): void
  /** A sign that a rule asks for. */
  sign(sign: Sign, start: number, end: number): void
  /** @returns whether a rule knows the word: words that were made unreadable for filters are read again. */
  knows(hash: number): boolean
}
export type Sign =
  | 'mixed'
  | 'lookalike'
  | 'invisible'
  | 'spaced'
  | 'digits'
  | 'styled'
  | 'emoji'
  | 'bidi'
  | 'exclamation'
