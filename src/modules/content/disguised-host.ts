// Hosts that look like another's (UTS 39, and what browsers show as xn--): letters of several scripts in one label, or a label
// of Cyrillic or Greek letters that all look like Latin ones, under an ending that is none of their script's. A name that is
// written as its language is, `münchen.de` or `почта.рф`, is a name like any other.

import { domainToUnicode } from 'node:url'

const MARKS = /\p{M}/gu
const LETTER = /\p{L}/u
/** What a label may be written in (UTS 39 section 5.2, highly restrictive): Japanese, Chinese and Korean go with Latin. */
const WRITTEN_IN = [
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]$/u,
  /^\p{Script=Cyrillic}$/u,
  /^\p{Script=Greek}$/u,
  /^[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]$/u,
] as const
const CYRILLIC_OR_GREEK = /^[\p{Script=Cyrillic}\p{Script=Greek}]/u
/** Cyrillic and Greek letters that a reader takes for Latin ones. */
const LIKE_LATIN = new Set('аԁеһіјӏоорԛѕсѵԝхуαικνορυωѡ')

/** @param host A-labels or U-labels, lower case, without a port */
export function isDisguised(host: string): boolean {
  const labels = domainToUnicode(host).normalize('NFC').split('.')
  const ending = labels.at(-1) ?? ''
  return labels.some((label) => isMixed(label) || (looksLatin(label) && !CYRILLIC_OR_GREEK.test(ending)))
}

/** What a reader takes a label for: without accents. */
export function withoutAccents(label: string): string {
  return label.startsWith('xn--') ? domainToUnicode(label).normalize('NFKD').replaceAll(MARKS, '') : label
}

function lettersOf(label: string): readonly string[] {
  return [...label].filter((one) => LETTER.test(one))
}

function isMixed(label: string): boolean {
  const letters = lettersOf(label)
  return !WRITTEN_IN.some((script) => letters.every((one) => script.test(one)))
}

function looksLatin(label: string): boolean {
  const letters = lettersOf(label)
  return letters.length > 0 && letters.every((one) => LIKE_LATIN.has(one))
}
