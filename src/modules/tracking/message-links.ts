// The addresses that are put into an outgoing mail: those of links and pixel, and those for unsubscribing. The same email
// gets the same addresses on every try: tokens are made from their content, and a branded name is used only for emails
// accepted after it was ready.

import type { Replacements } from '../../mail/html/links.ts'
import { unsubscribeAddress, type VerpMac } from '../../mail/verp.ts'
import { UNSUBSCRIBE_SUBJECT } from './mail.ts'
import type { MailRef, Tokens } from './tokens.ts'
import type { TrackedEmail, Treatment } from './types.ts'

export interface MessageLinksOptions {
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

export interface MessageLinks {
  /** A null `link` or `pixel`: nothing is replaced or added. */
  replacements(treatment: Treatment, email: TrackedEmail): Pick<Replacements, 'link' | 'pixel'>
  unsubscribeLinks(email: TrackedEmail): UnsubscribeLinks
}

export function messageLinks({
  tokens,
  publicUrl,
  brandedBase,
  hostname,
  unsubscribeMac,
}: MessageLinksOptions): MessageLinks {
  const baseOf = ({ domainId, createdAt }: TrackedEmail): string => {
    const branded = domainId === null ? null : brandedBase(domainId)
    return branded !== null && branded.since <= createdAt ? branded.url : publicUrl
  }
  const unsubscribeToken = (email: TrackedEmail): string => {
    const { recipientKey: recipient } = email
    return tokens.write({ purpose: 'unsubscribe', ...mailOf(email), recipient }, email.createdAt)
  }
  return {
    replacements: ({ trackOpens, trackClicks }, email) => {
      const mail = mailOf(email)
      const base = baseOf(email)
      const link: Replacements['link'] = ({ index: linkIndex, url, hidden }) =>
        `${base}/track/c/${tokens.write({ purpose: 'click', ...mail, linkIndex, url, hidden }, email.createdAt)}`
      return {
        link: trackClicks ? link : null,
        pixel: trackOpens ? `${base}/track/o/${tokens.write({ purpose: 'open', ...mail }, email.createdAt)}` : null,
      }
    },
    unsubscribeLinks: (email) => {
      const token = unsubscribeToken(email)
      const address = unsubscribeAddress(unsubscribeMac, email.id, email.accountId, hostname)
      return {
        https: `${baseOf(email)}/track/u/${token}`,
        mailto: `mailto:${address}?subject=${UNSUBSCRIBE_SUBJECT}%20${token}`,
      }
    },
  }
}

function mailOf({ accountId, id: emailId, domainId, stream, sandbox }: TrackedEmail): MailRef {
  return { accountId, emailId, domainId, stream, sandbox }
}
