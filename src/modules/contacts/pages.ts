// The pages behind the link of a confirmation mail.

import { type Answer, masked, page, shownSender, shownText } from '../../platform/http.ts'

interface About {
  readonly email: string
  readonly sender: string | null
}

export function askPage({ email, sender }: About): Answer {
  return page(
    200,
    'Please confirm',
    `<p>${shownSender(sender)} wants to send mail to ${shownText(masked(email))}. Do you want it?</p>
<form method="post"><button type="submit">Yes, I want it</button></form>
<p>If you do not, close this page: nothing has been changed.</p>`,
  )
}

export function confirmedPage({ email, sender }: About): Answer {
  return page(
    200,
    'You are subscribed',
    `<p role="status">${shownText(masked(email))} gets mail from ${shownSender(sender)}. Each of these mails tells how to end that.</p>`,
  )
}

export function stoppedPage({ email, sender }: About): Answer {
  return page(
    409,
    'Nothing was changed',
    `<p role="status">${shownText(masked(email))} gets no mail from ${shownSender(sender)}: mail was refused after this link was sent. To get mail again, ask ${shownSender(sender)}: signing up alone does not undo a refusal.</p>`,
  )
}

export function outdatedPage(): Answer {
  return page(410, 'This link is too old', '<p>Nothing was changed. Sign up once more to get a new one.</p>')
}

export function suspendedPage(): Answer {
  return page(410, 'This link was switched off', '<p>Nothing was changed.</p>')
}

/** The database is away. */
export function laterPage(): Answer {
  return page(503, 'Please try again', '<p>Nothing was changed. The service cannot answer right now.</p>', {
    'retry-after': '5',
  })
}
