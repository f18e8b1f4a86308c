// Hosts that look like another's (UTS 39, and what browsers show as xn--): letters of several scripts in one label, or a label
// of Cyrillic or Greek letters that all look like Latin ones, under an ending that is none of their script's. A name that is
// written as its language is, `münchen.de` or `почта.рф`, is a name like any other.

import { domainToUnicode } from 'node:url'

/** A host without it is as it looks. */
const CODED = /xn--|[^\p{ASCII}]/u
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
/** Cyrillic and Greek letters that are drawn as Latin ones: fewer than fold.ts has, by which `карта` would be one of these. */
const LIKE_LATIN = new Set('аԁеһіјӏоорԛѕсѵԝхуαικνορυωѡ')

/** @param host A-labels or U-labels, lower case, without a port */
export function isDisguised(host: string): boolean {
  if (!CODED.test(host)) return false
  const labels = domainToUnicode(host).normalize('NFC').split('.')
  const isTheirs = CYRILLIC_OR_GREEK.test(labels.at(-1) ?? '')
  return labels.some((label) => {
    const letters = [...label].filter((one) => LETTER.test(one))
    return isMixed(letters) || (!isTheirs && looksLatin(letters))
  })
}

/** What a reader takes a label for: without accents. */
export function withoutAccents(label: string): string {
  return label.startsWith('xn--') ? domainToUnicode(label).normalize('NFKD').replaceAll(MARKS, '') : label
}

function isMixed(letters: readonly string[]): boolean {
  return !WRITTEN_IN.some((script) => letters.every((one) => script.test(one)))
}

function looksLatin(letters: readonly string[]): boolean {
  return letters.length > 0 && letters.every((one) => LIKE_LATIN.has(one))
}
