// What went wrong when a record was typed into a provider's form, told so that its owner can mend it: the value with
// quotation marks, backslashes or blanks in it or without its beginning, or the record under another name. It is looked
// for only where a record is not right: a good one costs no look-up more. A look-up that fails here says nothing, and
// leaves what was found as it was.

import type { Resolver } from '../platform/dns.ts'

/** The text that is wanted. */
export interface Wanted {
  readonly isRight: (text: string) => boolean
  /** It looks as if it were to be one. */
  readonly isMeant: (text: string) => boolean
  /** It is what comes after `begins`. */
  readonly isBare: (text: string) => boolean
  readonly begins: string
}

const SPOILT: readonly (readonly [what: string, mend: (text: string) => string])[] = [
  // A long value that was given in two quoted strings is one text again.
  ['quotation marks', (text) => text.replace(/["“”„]\s*["“”„]/g, '').replace(/["“”„]/g, '')],
  ['backslashes', (text) => text.replaceAll('\\', '')],
  ['stray blanks or signs', (text) => text.replace(/[^\x21-\x7e]+/g, ' ').trim()],
]

/** @returns the text that is nearly right, and what is wrong with it, for a person; null when none is */
export function nearly(
  texts: readonly string[],
  wanted: Wanted,
): { readonly text: string; readonly error: string } | null {
  for (const text of texts) {
    const error = wanted.isRight(text) ? null : faultOf(text, wanted)
    if (error !== null) return { text, error }
  }
  return null
}

function faultOf(text: string, { isRight, isMeant, isBare, begins }: Wanted): string | null {
  const signs: string[] = []
  let mended = text
  for (const [what, mend] of SPOILT) {
    const next = mend(mended)
    if (next !== mended) signs.push(what)
    mended = next
  }
  if (signs.length > 0 && isRight(mended)) return `the record has ${signs.join(' and ')} in it: publish it without them`
  if (isBare(mended)) return `the record must begin with "${begins}"`
  if (isMeant(mended) && isRight(mended.toLowerCase())) return 'the record must be in lower case'
  return isMeant(mended) && !mended.startsWith(begins) ? `a record that begins with "${begins}" is wanted` : null
}

/**
 * Looks for a right record where forms put it by mistake.
 *
 * @param elsewhere full names, each asked once
 * @returns the first name that holds one; null when none does, or nobody answered
 */
export async function strayRecord(
  elsewhere: readonly string[],
  { isRight }: Wanted,
  resolver: Resolver,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const held = await Promise.all(elsewhere.map(async (name) => (await textsAt(name, resolver, signal)).some(isRight)))
  return elsewhere.find((_, i) => held[i]) ?? null
}

/** None where nobody answers. */
export async function textsAt(
  name: string,
  resolver: Resolver,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const answer = await resolver.txt(name, signal).catch(() => null)
  return answer?.kind === 'found' ? answer.records : []
}
