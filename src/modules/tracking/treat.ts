// What is put into a mail on its way out: the addresses of links and pixel, and those by which its reader unsubscribes.
// The same letter gives the same answer on every try: tokens are made from their content, and a branded name serves the
// letters that were accepted after it was ready.

import type { Replacements } from '../../mail/html-links.ts'
import { unsubscribeAddress, type VerpMac } from '../../mail/verp.ts'
import { UNSUBSCRIBE_SUBJECT } from './mail.ts'
import type { MailRef, Tokens } from './tokens.ts'
import type { TrackedLetter, Treatment } from './types.ts'

export interface TreatOptions {
  readonly tokens: Tokens
  /** The base of links where no branded name is, without a slash at its end. */
  readonly publicUrl: string
  /** The base that the sending domain's links have since a moment; null: the public one. */
  readonly brandedBase: (domainId: string) => { readonly url: string; readonly since: Date } | null
  /** Where unsubscribe mail is taken. */
  readonly hostname: string
  readonly unsubscribeMac: VerpMac
}

export interface UnsubscribeLinks {
  readonly https: string
  readonly mailto: string
}

export interface Treating {
  /** Null: nothing stands there. */
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
