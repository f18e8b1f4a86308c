// An email's status in a sentence, the bounces that explain it, and the events and attempts of its activity.

import { refusedHere } from '../../../src/mail/reports/bounce-advice.ts'
import { untriedFor } from '../../../src/mail/reports/explain.ts'

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
  readonly next_attempt_at: string | null
  readonly last_response: string | null
}

const NO_DOMAIN = 'The domain of the address does not exist, or takes no mail.'

/** By the enhanced codes that the service itself assigns. */
const UNREACHED: Readonly<Record<string, string>> = {
  '4.1.2': NO_DOMAIN,
  '4.4.4': NO_DOMAIN,
  '4.4.3': 'The DNS of the receiving domain did not answer.',
  '4.7.5': 'TLS is required, and no TLS connection to the receiver could be established.',
}

/** An attempt without an answer, or without TLS where that is required, has the outcome `error`; so has one that ended with 421. */
function deferralStory({ attempts }: Pick<StoryEmail, 'attempts'>): string {
  const last = attempts.at(-1)
  if (last?.outcome !== 'error' || last.smtp_code !== null) return 'The receiving server deferred it.'
  return UNREACHED[last.enhanced_code ?? ''] ?? 'No receiving server could be reached, or none followed the protocol.'
}

function deferredStory(email: StoryEmail): string {
  const cause = untriedFor({ ...email })
  const why = cause === null ? deferralStory(email) : `Not attempted: ${cause}.`
  if (email.next_attempt_at === null) return `${why} There is no further attempt before it expires.`
  return `${why} It will be ${cause === null ? 'retried' : 'tried again'} automatically.`
}

/** Those of an email that ended with them: one that is retried after a bounce may wait for another reason, or have arrived. */
export function bouncesBehind<Bounce>(
  { status }: Pick<StoryEmail, 'status'>,
  all: readonly Bounce[],
): readonly Bounce[] {
  return ['bounced', 'complained', 'failed'].includes(status) ? all : []
}

/** The sentence that answers the reader's question. */
export function storyOf(email: StoryEmail): string {
  const tries = email.attempts_count === 1 ? 'on the first attempt' : `after ${email.attempts_count} attempts`
  switch (email.status) {
    case 'delivered':
      return email.sandbox
        ? 'Captured in the inbox: sandbox mail reaches nobody.'
        : `The receiving server accepted it ${tries}. It does not say whether it went to the inbox or to spam.`
    case 'deferred':
      return deferredStory(email)
    case 'bounced':
      return email.delivered_at === null
        ? 'Not delivered: the receiving side rejected it.'
        : 'Not delivered: the receiving server accepted it, and its failure was reported later.'
    case 'failed':
      if (refusedHere(email.last_response) !== null)
        return 'Not delivered: this service sends no email to the servers of that domain.'
      return `Not delivered: gave up ${email.attempts_count === 0 ? 'before the first attempt' : tries}.`
    case 'suppressed':
      return email.attempts_count === 0
        ? 'Not sent: it was blocked on this side.'
        : 'Not delivered: it was blocked on this side before another attempt.'
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

/** Shown by the attempts. */
const ATTEMPTED: readonly string[] = ['email.delivered', 'email.deferred']

/** Those beside its attempts. Of a scheduled email, email.sent says that its time has come: it was accepted before. */
export function shownEvents<Event extends { readonly event: string }>(events: readonly Event[]): readonly Event[] {
  const isScheduled = events.some(({ event }) => event === 'email.scheduled')
  return events
    .filter(({ event }) => !ATTEMPTED.includes(event))
    .map((one) => (isScheduled && one.event === 'email.sent' ? { ...one, event: 'due' } : one))
}

const REASONS: Readonly<Record<string, string>> = {
  recipient_unsubscribed: 'the recipient unsubscribed',
  unsubscribed: 'the recipient unsubscribed',
  suppressed: 'the address is suppressed',
  hard_bounce: 'email to the address bounced permanently',
  complaint: 'the recipient marked an email as spam',
  manual: 'the address was suppressed manually',
  repeated_soft_bounce: 'email to the address soft-bounced too often',
  spamtrap: 'the address is a spam trap',
  retry_exhausted: 'every attempt failed',
  dns_failure: 'the DNS of the receiving domain did not answer',
  connection_failed: 'the receiving servers could not be reached',
  tls_required: 'TLS was required, and could not be established with the receiver',
  internal_error: 'of an error in this service; see its log',
  expired: 'it expired before the receiver accepted it',
  domain_removed: 'the sending domain was removed',
}

/** Why an email was not sent, or was given up, from the event that says so; null: it does not say. */
export function causeOf({
  reason,
  last_response: response,
}: {
  readonly reason?: unknown
  readonly last_response?: unknown
}): string | null {
  const refused = reason === 'dns_failure' ? refusedHere(response) : null
  if (refused !== null) return refused.meaning
  if (typeof reason !== 'string' || reason === '') return null
  return `Because ${REASONS[reason] ?? reason.replaceAll('_', ' ')}.`
}

interface Tried {
  /** Null when no server was found or reached. */
  readonly mx: string | null
  readonly ip: string | null
  readonly port?: number | null
  readonly tls: string | { readonly version?: string; readonly cipher?: string } | null
  readonly duration_ms: number
}

/** Host, encryption and duration of an attempt. Without a connection there was nothing to encrypt. */
export function factsOf({ mx, ip, port, tls, duration_ms: ms }: Tried): readonly string[] {
  if (mx === 'sandbox') return []
  const connection = ip === null ? [] : [ip === mx ? `port ${port}` : `${ip}, port ${port}`, tlsOf(tls)]
  return [...(mx === null ? [] : [mx]), ...connection, `took ${tookOf(ms)}`]
}

function tookOf(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`
}

function tlsOf(tls: Tried['tls']): string {
  if (tls === null) return 'no TLS'
  return typeof tls === 'string' ? tls : [tls.version, tls.cipher].filter(Boolean).join(' ')
}
