// The pages that a confirmation mail's link leads to.

import { type Answer, LINK_PAGE_TEXTS, masked, page, shownSender, shownText } from '../../platform/http.ts'
import type { Language } from '../../platform/languages.ts'
import { PAGE_TEXTS } from './translations.ts'

interface About {
  readonly language: Language
  readonly email: string
  readonly sender: string
}

export function askPage({ language, email, sender }: About): Answer {
  const words = PAGE_TEXTS[language]
  return page(
    200,
    language,
    words.pleaseConfirm,
    `<p>${words.question(shownSender(sender), shownText(masked(email)))}</p>
<form method="post"><button type="submit">${words.yes}</button></form>
<p>${words.orClose}</p>`,
  )
}

export function confirmedPage({ language, email, sender }: About): Answer {
  const words = PAGE_TEXTS[language]
  const gets = words.gets(shownSender(sender), shownText(masked(email)))
  return page(200, language, words.subscribed, `<p role="status">${gets}</p>`)
}

export function stoppedPage({ language, email, sender }: About): Answer {
  const refused = PAGE_TEXTS[language].refused(shownSender(sender), shownText(masked(email)))
  return page(409, language, LINK_PAGE_TEXTS[language].nothingChanged, `<p role="status">${refused}</p>`)
}

export function outdatedPage(language: Language): Answer {
  const { tooOld, signUpAgain } = PAGE_TEXTS[language]
  return page(410, language, tooOld, `<p>${LINK_PAGE_TEXTS[language].nothingChanged}. ${signUpAgain}</p>`)
}

export function suspendedPage(language: Language): Answer {
  const { switchedOff, nothingChanged } = LINK_PAGE_TEXTS[language]
  return page(410, language, switchedOff, `<p>${nothingChanged}.</p>`)
}

/** Shown while the database is unavailable. */
export function laterPage(language: Language): Answer {
  const { tryAgain, cannotAnswer } = PAGE_TEXTS[language]
  const body = `<p>${LINK_PAGE_TEXTS[language].nothingChanged}. ${cannotAnswer}</p>`
  return page(503, language, tryAgain, body, { 'retry-after': '5' })
}
