// Whether a sender's domain passes itself off as somebody else's, judged by its name alone.

import { domainToUnicode } from 'node:url'
import { isDisguised } from './disguised-host.ts'
import { brandBorneBy } from './links.ts'

export type Imitation =
  /** Its letters look like others: the name as a reader sees it. */
  | { readonly kind: 'letters'; readonly seen: string }
  /** It bears the name of a brand and is none of the domains known as the brand's. */
  | { readonly kind: 'brand'; readonly brand: string }

/** @param domain A-labels, in lower case */
export function imitationOf(domain: string): Imitation | null {
  if (isDisguised(domain)) return { kind: 'letters', seen: domainToUnicode(domain) }
  const brand = brandBorneBy(domain)
  return brand === null ? null : { kind: 'brand', brand }
}
