// What is put into a mail on its way out: the addresses of links and pixel, and those by which its reader unsubscribes.
// The same letter gives the same answer on every try: tokens are made from their content, and a branded name serves the
// letters that were accepted after it was ready.

import type { Replacements } from '../../mail/html-links.ts'
import { unsubscribeAddress, type VerpMac } from '../../mail/verp.ts'
import type { Tokens } from './tokens.ts'
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
  const unsubscribeUrl = (letter: TrackedLetter): string => {
    const { accountId, id: emailId, sandbox, recipientKey: recipient } = letter
    const token = tokens.write({ purpose: 'unsubscribe', accountId, emailId, sandbox, recipient }, letter.createdAt)
    return `${baseOf(letter)}/track/u/${token}`
  }
  return {
    replacements: ({ trackOpens, trackClicks }, letter) => {
      const { accountId, id: emailId, sandbox } = letter
      const mail = { accountId, emailId, sandbox }
      const base = baseOf(letter)
      const link: Replacements['link'] = ({ index: linkIndex, url, hidden }) =>
        `${base}/track/c/${tokens.write({ purpose: 'click', ...mail, linkIndex, url, hidden }, letter.createdAt)}`
      return {
        link: trackClicks ? link : null,
        pixel: trackOpens ? `${base}/track/o/${tokens.write({ purpose: 'open', ...mail }, letter.createdAt)}` : null,
      }
    },
    unsubscribeLinks: (letter) => ({
      https: unsubscribeUrl(letter),
      mailto: `mailto:${unsubscribeAddress(unsubscribeMac, letter.id, letter.accountId, hostname)}?subject=unsubscribe`,
    }),
  }
}
