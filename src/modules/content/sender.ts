// Rules about the claimed sender: the display name beside the address, and where replies go.

import { BRANDS } from './brands.ts'
import type { Finding } from './finding.ts'
import { isFreeMail, isOwn, labelOf } from './links.ts'
import type { ContentQuestion } from './types.ts'

const MAX_NAME_CHARS = 300
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
    const words = wordsOf(senderName)
    const spoken = BRANDS.filter(({ words: names }) => names.split(/\s+/).some((name) => words.includes(`_${name}_`)))
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

/** Turns `Netflix  Österreich` into `_netflix_osterreich_`. */
function wordsOf(name: string): string {
  const plain = name.replaceAll(UNSEEN, '').slice(0, MAX_NAME_CHARS).normalize('NFKD').toLowerCase()
  return `_${plain.replaceAll(/\p{M}/gu, '').replaceAll(/[^\p{L}\d]+/gu, '_')}_`.replaceAll(/_{2,}/g, '_')
}
