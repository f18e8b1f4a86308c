// The pages behind the links of a mail. Each says the same whatever the reason, so guessing tokens reveals nothing.

import { type Answer, LINK_PAGE_TEXTS, masked, page, shownSender, shownText } from '../../platform/http.ts'
import type { Language } from '../../platform/languages.ts'
import { PAGE_TEXTS } from './translations.ts'

export interface About {
  readonly language: Language
  readonly recipient: string
  /** Null: unknown at the moment. */
  readonly sender: string | null
}

/** @param status 400: the posted form was no request to unsubscribe */
export function confirmPage(about: About, status: 200 | 400 = 200): Answer {
  const { unsubscribe, button } = PAGE_TEXTS[about.language]
  return page(
    status,
    about.language,
    unsubscribe,
    `<p>${said('isWanted', about)}</p>
<form method="post"><button type="submit">${button}</button></form>`,
  )
}

export function donePage(about: About): Answer {
  const { unsubscribed, onItsWay } = PAGE_TEXTS[about.language]
  return page(200, about.language, unsubscribed, `<p role="status">${said('noMore', about)} ${onItsWay}</p>`)
}

function said(what: 'isWanted' | 'noMore', { language, recipient, sender }: About): string {
  return PAGE_TEXTS[language][what](shownText(masked(recipient)), sender === null ? null : shownSender(sender))
}

export function stoppedLinkPage(language: Language): Answer {
  return page(410, language, LINK_PAGE_TEXTS[language].switchedOff, `<p>${PAGE_TEXTS[language].stopped}</p>`)
}
