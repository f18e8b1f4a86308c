// Rewrites outgoing mail: the URLs of links and pixel, and the unsubscribe addresses. The same email gives the same result on every
// attempt: tokens are made from their content, and a branded name is used only for emails accepted after it was ready.

import type { Replacements } from '../../mail/html-links.ts'
import { unsubscribeAddress, type VerpMac } from '../../mail/verp.ts'
import { UNSUBSCRIBE_SUBJECT } from './mail.ts'
import type { MailRef, Tokens } from './tokens.ts'
import type { TrackedLetter, Treatment } from './types.ts'

export interface TreatOptions {
  readonly tokens: Tokens
  /** Base of links without a branded name, without a trailing slash. */
  readonly publicUrl: string
  /** Base of the sending domain's links, with its start time; null for the public one. */
  readonly brandedBase: (domainId: string) => { readonly url: string; readonly since: Date } | null
  /** Host that receives unsubscribe mail. */
  readonly hostname: string
  readonly unsubscribeMac: VerpMac
}

export interface UnsubscribeLinks {
  readonly https: string
  readonly mailto: string
}

export interface Treating {
  /** Null when there is nothing at that place. */
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
