// Detects hosts that look like other hosts (UTS 39, and what browsers show as xn--): a label that mixes letters of several
// scripts, or a label made only of Cyrillic or Greek letters that look like Latin ones, under a top-level domain that is not
// in that script. A name in the script of its own language, such as `münchen.de` or `почта.рф`, is not disguised.

import { domainToUnicode } from 'node:url'

/** A host without these is what it looks like. */
const CODED = /xn--|[^\p{ASCII}]/u
const MARKS = /\p{M}/gu
const LETTER = /\p{L}/u
/** Scripts that one label may combine (UTS 39 section 5.2, highly restrictive): Japanese, Chinese and Korean with Latin. */
const WRITTEN_IN = [
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]$/u,
  /^\p{Script=Cyrillic}$/u,
  /^\p{Script=Greek}$/u,
  /^[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]$/u,
] as const
const CYRILLIC_OR_GREEK = /^[\p{Script=Cyrillic}\p{Script=Greek}]/u
/** Cyrillic and Greek letters drawn like Latin ones. Fewer than in fold.ts, whose list would make `карта` look Latin. */
const LIKE_LATIN = new Set('аԁеһіјӏоорԛѕсѵԝхуαικνορυωѡ')

/** @param host A-labels or U-labels, in lower case, without a port */
export function isDisguised(host: string): boolean {
  if (!CODED.test(host)) return false
  const labels = domainToUnicode(host).normalize('NFC').split('.')
  const isTheirs = CYRILLIC_OR_GREEK.test(labels.at(-1) ?? '')
  return labels.some((label) => {
    const letters = [...label].filter((one) => LETTER.test(one))
    return isMixed(letters) || (!isTheirs && looksLatin(letters))
  })
}

/** The label as a reader perceives it, without accents. */
export function withoutAccents(label: string): string {
  return label.startsWith('xn--') ? domainToUnicode(label).normalize('NFKD').replaceAll(MARKS, '') : label
}

function isMixed(letters: readonly string[]): boolean {
  return !WRITTEN_IN.some((script) => letters.every((one) => script.test(one)))
}

function looksLatin(letters: readonly string[]): boolean {
  return letters.length > 0 && letters.every((one) => LIKE_LATIN.has(one))
}
