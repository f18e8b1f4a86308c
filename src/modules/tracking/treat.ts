// The addresses that are put into an outgoing mail: those of links and pixel, and those for unsubscribing. The same letter
// gets the same addresses on every try: tokens are made from their content, and a branded name is used only for letters
// accepted after it was ready.

import type { Replacements } from '../../mail/html-links.ts'
import { unsubscribeAddress, type VerpMac } from '../../mail/verp.ts'
import { UNSUBSCRIBE_SUBJECT } from './mail.ts'
import type { MailRef, Tokens } from './tokens.ts'
import type { TrackedLetter, Treatment } from './types.ts'

export interface TreatOptions {
  readonly tokens: Tokens
  /** The base of links without a branded name; no trailing slash. */
  readonly publicUrl: string
  /** The base of the sending domain's links, and since when it holds; null: the public one. */
  readonly brandedBase: (domainId: string) => { readonly url: string; readonly since: Date } | null
  /** The host that receives unsubscribe mail. */
  readonly hostname: string
  readonly unsubscribeMac: VerpMac
}

export interface UnsubscribeLinks {
  readonly https: string
  readonly mailto: string
}

export interface Treating {
  /** A null `link` or `pixel`: nothing is replaced or added. */
  replacements(treatment: Treatment, letter: TrackedLetter): Pick<Replacements, 'link' | 'pixel'>
  unsubscribeLinks(letter: TrackedLetter): UnsubscribeLinks
}

export function treating({ tokens, publicUrl, brandedBase, hostname, unsubscribeMac }: TreatOptions): Treating {
  const baseOf = ({ domainId, createdAt }: TrackedLetter): string => {
    const branded = domainId === null ? null : brandedBase(domainId)
    return branded !== null && branded.since <= createdAt ? branded.url : publicUrl
  }
  const unsubscribeToken = (letter: TrackedLetter): string => {
    const { recipientKey: recipient } = letter
    return tokens.write({ purpose: 'unsubscribe', ...mailOf(letter), recipient }, letter.createdAt)
  }
  return {
    replacements: ({ trackOpens, trackClicks }, letter) => {
      const mail = mailOf(letter)
      const base = baseOf(letter)
      const link: Replacements['link'] = ({ index: linkIndex, url, hidden }) =>
        `${base}/track/c/${tokens.write({ purpose: 'click', ...mail, linkIndex, url, hidden }, letter.createdAt)}`
      return {
        link: trackClicks ? link : null,
        pixel: trackOpens ? `${base}/track/o/${tokens.write({ purpose: 'open', ...mail }, letter.createdAt)}` : null,
      }
    },
    unsubscribeLinks: (letter) => {
      const token = unsubscribeToken(letter)
      const address = unsubscribeAddress(unsubscribeMac, letter.id, letter.accountId, hostname)
      return {
        https: `${baseOf(letter)}/track/u/${token}`,
        mailto: `mailto:${address}?subject=${UNSUBSCRIBE_SUBJECT}%20${token}`,
      }
    },
  }
}

function mailOf({ accountId, id: emailId, domainId, stream, sandbox }: TrackedLetter): MailRef {
  return { accountId, emailId, domainId, stream, sandbox }
}
