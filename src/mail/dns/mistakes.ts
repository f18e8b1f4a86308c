// Diagnoses mistakes made while entering a record in a provider's form, so that its owner can fix them: quotation marks,
// backslashes or blanks in the value, a missing beginning, or the record under another name. Runs only for a record that
// is wrong; a correct one costs no additional look-ups. A failed look-up here proves nothing and leaves the finding
// unchanged.

import type { Resolver } from '../../platform/dns.ts'

/** Describes the expected text. */
export interface ExpectedText {
  readonly isRight: (text: string) => boolean
  /** Looks like an attempt at such a record. */
  readonly isMeant: (text: string) => boolean
  /** Is only the part after `begins`. */
  readonly isBare: (text: string) => boolean
  readonly begins: string
}

const SPOILT: readonly (readonly [what: string, mend: (text: string) => string])[] = [
  // Joins a long value that was entered as two quoted strings.
  ['quotation marks', (text) => text.replace(/["“”„]\s*["“”„]/g, '').replace(/["“”„]/g, '')],
  ['backslashes', (text) => text.replaceAll('\\', '')],
  ['stray blanks or signs', (text) => text.replace(/[^\x21-\x7e]+/g, ' ').trim()],
]

/** @returns the first text that is nearly right and what is wrong with it, in words for people; null when none is */
export function nearMiss(
  texts: readonly string[],
  wanted: ExpectedText,
): { readonly text: string; readonly error: string } | null {
  for (const text of texts) {
    const error = wanted.isRight(text) ? null : faultOf(text, wanted)
    if (error !== null) return { text, error }
  }
  return null
}

function faultOf(text: string, { isRight, isMeant, isBare, begins }: ExpectedText): string | null {
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

/** A name where a form puts a record by mistake. */
export interface MisplacedName {
  readonly name: string
  /** What to enter in that form instead. */
  readonly host: string
}

/** RFC 1035 section 2.3.4, without the final dot. */
export const MAX_NAME_CHARS = 253

/**
 * Forms expect the part left of their zone and append the zone. Entering more than that publishes part of the name twice,
 * entering less publishes it too far up. The zone is the registrable domain, or the domain itself where that is delegated.
 *
 * @param name of the record, at or below `domain`
 * @param zone the registrable domain
 */
export function misplacedNames(name: string, domain: string, zone: string): readonly MisplacedName[] {
  const left = (of: string): string => (name === of ? '@' : name.slice(0, -(of.length + 1)))
  const [inZone, inDomain] = [left(zone), left(domain)]
  const misplaced: readonly MisplacedName[] = [
    { name: `${name}.${zone}`, host: inZone },
    { name: `${name}.${domain}`, host: inDomain },
    { name: `${inZone}.${domain}`, host: inDomain },
    { name: `${inDomain}.${zone}`, host: inZone },
    { name: domain, host: inZone },
    // Forms that refuse underscores, and a DKIM selector without the rest.
    { name: name.replaceAll('_', ''), host: inZone },
    { name: name.replace('._domainkey.', '.'), host: inZone },
  ]
  const isNew = (one: MisplacedName, i: number): boolean => misplaced.findIndex((each) => each.name === one.name) === i
  return misplaced.filter((one, i) => {
    return one.name !== name && !one.name.startsWith('@.') && one.name.length <= MAX_NAME_CHARS && isNew(one, i)
  })
}

/**
 * Looks for a correct record at names where forms put it by mistake.
 *
 * @param misplaced each asked once
 * @returns the first one that holds the record; null when none does or the DNS does not answer
 */
export async function misplacedRecord(
  misplaced: readonly MisplacedName[],
  { isRight }: ExpectedText,
  resolver: Resolver,
  signal: AbortSignal | undefined,
): Promise<MisplacedName | null> {
  const held = await Promise.all(
    misplaced.map(async ({ name }) => (await textsAt(name, resolver, signal)).some(isRight)),
  )
  return misplaced.find((_, i) => held[i]) ?? null
}

/** Empty when the DNS does not answer. */
export async function textsAt(
  name: string,
  resolver: Resolver,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const answer = await resolver.txt(name, signal).catch(() => null)
  return answer?.kind === 'found' ? answer.records : []
}

/** The error about a CNAME with another target, which may be the wanted one, entered without its final dot where one is needed. */
export function aboutTarget(error: string, target: string, wanted: string): string {
  if (!target.startsWith(`${wanted}.`)) return error
  return `${error}: the zone was appended to its target, enter that with a dot at its end`
}
