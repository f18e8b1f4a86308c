// Rules about the claimed sender: the display name beside the address, and where replies go.

import { BRANDS, type Brand } from './brands.ts'
import type { Finding } from './finding.ts'
import { isFreeMail, isOwn, labelOf } from './links.ts'
import { wordsIn } from './terms.ts'
import type { ContentQuestion } from './types.ts'

const MAX_NAME_CHARS = 300
/** Anything but plain letters and signs; reading all names would take as long again. */
const MAY_DISGUISE = /[^ -~]|\d/
/** Nothing is displayed for them. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu

/** Facts that the caller does not give are not held against the mail. */
export function senderFindings({ senderName, senderDomain, replyTo = [] }: ContentQuestion): Finding[] {
  const found: Finding[] = []
  const add = (rule: string, points: number, fraud: number, match: string, words: readonly [string, string]): void => {
    const [description, suggestion] = words
    found.push({
      ...{ rule, category: 'links', points, fraud, location: 'header', offset: null, match, description, suggestion },
    })
  }
  const [label] = labelOf(senderDomain)
  if (senderName !== undefined && label !== undefined) {
    const spoken = brandsIn(senderName.replaceAll(UNSEEN, '').slice(0, MAX_NAME_CHARS))
    const [brand] = spoken
    if (brand !== undefined && !spoken.some((one) => isOwn(one, label)))
      add('sender_brand', 24, 2, senderName, [
        `The sender is named like ${brand.name}, and the address is not theirs`,
        'Name the sender as your own house',
      ])
  }
  const elsewhere = replyTo.find((address) => isFreeMail(address))
  if (elsewhere !== undefined && senderDomain !== undefined && !elsewhere.toLowerCase().endsWith(`@${senderDomain}`))
    add('reply_elsewhere', 5, 1, elsewhere, [
      'Answers go to an address that anybody can have',
      'Give an address of your own domain in Reply-To',
    ])
  return found
}

interface BrandName {
  readonly brand: Brand
  /** Between underscores, as `wordsOf` writes it. */
  readonly written: string
  /** The same as words of the reader. */
  readonly words: readonly number[]
}

interface BrandNames {
  readonly names: readonly BrandName[]
  /** Of all of them. */
  readonly words: ReadonlySet<number>
}

let compiled: BrandNames | null = null

function brandNames(): BrandNames {
  if (compiled !== null) return compiled
  const names = BRANDS.flatMap((brand) =>
    brand.words.split(/\s+/).map((name) => ({
      brand,
      written: `_${name}_`,
      words: wordsIn(name.replaceAll('_', ' ')),
    })),
  )
  compiled = { names, words: new Set(names.flatMap(({ words }) => words)) }
  return compiled
}

/** The brands that a name bears: as written, or as a reader sees it, in letters of other alphabets and the like. */
function brandsIn(name: string): readonly Brand[] {
  const { names, words: known } = brandNames()
  const plain = wordsOf(name)
  const all = MAY_DISGUISE.test(name) ? wordsIn(name, known) : []
  const seen = all.some((word) => known.has(word)) ? all : []
  return names.flatMap(({ brand, written, words }) =>
    plain.includes(written) || (seen.length > 0 && stands(words, seen)) ? [brand] : [],
  )
}

/** Whether these words stand one after the other among those. */
function stands(some: readonly number[], all: readonly number[]): boolean {
  return all.some((_, from) => some.every((word, i) => word === all[from + i]))
}

/** Turns `Netflix  Österreich` into `_netflix_osterreich_`. */
function wordsOf(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase()
  return `_${plain.replaceAll(/\p{M}/gu, '').replaceAll(/[^\p{L}\d]+/gu, '_')}_`.replaceAll(/_{2,}/g, '_')
}
