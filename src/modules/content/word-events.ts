// The events that the word reader emits, and their receiver.

import { isCurrency } from './characters.ts'

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

/** What a number is, by the sign after it. */
export function unitOf(code: number): Class {
  return code === 0x25 ? CLASS.percent : isCurrency(code) ? CLASS.money : CLASS.number
}

/** Receives the events. `start` and `end` are offsets into the part being read. */
export interface Listener {
  word(hash: number, length: number, start: number, end: number, kind: Class, isCapitals: boolean): void
  sentence(): void
  /** A sign that a rule asks for. */
  sign(sign: Sign, start: number, end: number): void
  /** @returns whether a rule knows the word; the reader uses it to decode words disguised from filters */
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
