// An email's status in a sentence.

interface Attempt {
  readonly outcome: string
  readonly smtp_code: number | null
  readonly enhanced_code: string | null
}

interface StoryEmail {
  readonly status: string
  readonly sandbox: boolean
  readonly attempts_count: number
  readonly attempts: readonly Attempt[]
  readonly delivered_at: string | null
}

/** An attempt without an answer, or without TLS where that is required, has the outcome `error`; so has one that ended with 421. */
function deferralStory(last: Attempt | undefined): string {
  if (last?.outcome !== 'error' || last.smtp_code !== null) return 'The receiving server deferred it.'
  return last.enhanced_code === '4.7.5'
    ? 'TLS is required, and no TLS connection to the receiver could be established.'
    : 'No receiving server could be reached, or none followed the protocol.'
}

/** The sentence that answers the reader's question. */
export function storyOf(email: StoryEmail): string {
  const tries = email.attempts_count === 1 ? 'on the first attempt' : `after ${email.attempts_count} attempts`
  switch (email.status) {
    case 'delivered':
      return email.sandbox
        ? 'Captured in the inbox: sent with a test key, or while the service delivers to nobody.'
        : `The receiving server accepted it ${tries}. It does not say whether it went to the inbox or to spam.`
    case 'deferred':
      return `${deferralStory(email.attempts.at(-1))} It will be retried automatically.`
    case 'bounced':
      return email.delivered_at === null
        ? 'Not delivered: the receiving side rejected it.'
        : 'Not delivered: the receiving server accepted it, and its failure was reported later.'
    case 'failed':
      return `Not delivered: gave up ${tries}.`
    case 'suppressed':
      return 'Not sent: it was blocked on this side.'
    case 'complained':
      return 'Delivered, and marked as spam by the recipient.'
    case 'scheduled':
      return 'Waiting for its scheduled time.'
    case 'canceled':
      return 'Canceled before it was sent.'
    default:
      return 'On its way.'
  }
}
