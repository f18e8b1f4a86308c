// What the links of a mail show. Each page says the same whatever the reason, so that it tells nothing to who guesses.

import { type Answer, masked, page, shownSender, shownText } from '../../platform/http.ts'

/** @param status 400: what was posted asked for nothing */
export function confirmPage(recipient: string, sender: string | null, status: 200 | 400 = 200): Answer {
  return page(
    status,
    'Unsubscribe',
    `<p>${shownText(masked(recipient))} will get no more mail from ${shownSender(sender)}.</p>
<form method="post"><button type="submit">Unsubscribe</button></form>`,
  )
}

export function donePage(recipient: string, sender: string | null): Answer {
  return page(
    200,
    'You are unsubscribed',
    `<p role="status">${shownText(masked(recipient))} will get no more mail from ${shownSender(sender)}. A mail that is already on its way may still arrive.</p>`,
  )
}

export function stoppedLinkPage(): Answer {
  return page(410, 'This link was switched off', '<p>The sender of the mail or the target of the link was stopped.</p>')
}
