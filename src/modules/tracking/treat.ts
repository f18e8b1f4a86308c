// What becomes of a mail on its way out: links and pixel in the html, the placeholder in html and text, the links of the
// List-Unsubscribe header. The same letter gives the same answer on every try: tokens are made from their content, and
// a branded name serves the letters that were accepted after it was ready.

import { fillHtml, fillText, type HtmlScan, scanHtml } from '../../mail/html-links.ts'
import { unsubscribeAddress, type VerpMac } from '../../mail/verp.ts'
import type { Tokens } from './tokens.ts'
import type { TrackedContent, TrackedLetter } from './types.ts'

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

export interface TreatedContent {
  readonly html: string | null
  readonly text: string | null
}

export interface UnsubscribeLinks {
  readonly https: string
  readonly mailto: string
}

export interface Treating {
  /** Null: the content goes as it is. */
  treat(content: TrackedContent, letter: TrackedLetter): TreatedContent | null
  unsubscribeLinks(content: unknown, letter: TrackedLetter): UnsubscribeLinks
}

const PLACEHOLDER = '{{unsubscribe}}'

export function treating({ tokens, publicUrl, brandedBase, hostname, unsubscribeMac }: TreatOptions): Treating {
  const scans = new WeakMap<TrackedContent, HtmlScan>()
  const scanOf = (content: TrackedContent): HtmlScan => {
    let scan = scans.get(content)
    if (scan === undefined) {
      scan = scanHtml(content.html ?? '')
      scans.set(content, scan)
    }
    return scan
  }
  const baseOf = ({ domainId, createdAt }: TrackedLetter): string => {
    const branded = domainId === null ? null : brandedBase(domainId)
    return branded !== null && branded.since <= createdAt ? branded.url : publicUrl
  }
  const unsubscribeUrl = (letter: TrackedLetter): string => {
    const { accountId, id: emailId, sandbox, recipientKey: recipient } = letter
    const token = tokens.write({ purpose: 'unsubscribe', accountId, emailId, sandbox, recipient })
    return `${baseOf(letter)}/track/u/${token}`
  }
  return {
    treat: (content, letter) => {
      const { html, text, treatment } = content
      const { trackOpens, trackClicks } = treatment
      const scan = html === null ? null : scanOf(content)
      const inText = text?.includes(PLACEHOLDER) === true
      const tracks = scan !== null && (trackOpens || (trackClicks && scan.links.length > 0))
      if (!tracks && !inText && scan?.hasPlaceholder !== true) return null
      const { accountId, id: emailId, sandbox } = letter
      const mail = { accountId, emailId, sandbox }
      const base = baseOf(letter)
      const unsubscribe = inText || scan?.hasPlaceholder === true ? unsubscribeUrl(letter) : null
      const link = ({ index: linkIndex, url, hidden }: HtmlScan['links'][number]): string =>
        `${base}/track/c/${tokens.write({ purpose: 'click', ...mail, linkIndex, url, hidden })}`
      return {
        html:
          scan === null
            ? null
            : fillHtml(scan, {
                link: trackClicks ? link : null,
                pixel: trackOpens ? `${base}/track/o/${tokens.write({ purpose: 'open', ...mail })}` : null,
                unsubscribe,
              }),
        text: text === null ? null : fillText(text, unsubscribe),
      }
    },
    unsubscribeLinks: (_, letter) => ({
      https: unsubscribeUrl(letter),
      mailto: `mailto:${unsubscribeAddress(unsubscribeMac, letter.id, letter.accountId, hostname)}?subject=unsubscribe`,
    }),
  }
}
