// One email's story as steps in order: it was accepted, each attempt with its answer, what people and machines did with
// it, and what came of that.

import { deferralCategory } from '../../src/mail/bounce-advice.ts'
import type { BounceCategory } from '../../src/mail/smtp-bounce.ts'
import type { Json } from './api.ts'
import type { Tone } from './tones.ts'

export interface Said {
  /** Ms after the attempt began. */
  readonly at: number
  readonly from: string
  readonly line: string
}

export interface Step {
  readonly key: string
  readonly at: string
  readonly tone: Tone
  readonly title: string
  /** Where, how and how long. */
  readonly facts: readonly string[]
  /** What the other side said, in its own words. */
  readonly answer: string | null
  /** The same in ours. */
  readonly notes: readonly string[]
  readonly dialogue: readonly Said[]
}

const OUTCOMES: Readonly<Record<string, readonly [words: string, tone: Tone]>> = {
  delivered: ['was delivered', 'good'],
  deferred: ['was put off', 'wait'],
  bounced: ['was refused', 'bad'],
  error: ['did not come about', 'wait'],
}

const TITLES: Readonly<Record<string, readonly [title: string, tone: Tone]>> = {
  'email.sent': ['Accepted', 'good'],
  'email.scheduled': ['Accepted for later', 'wait'],
  'email.opened': ['Opened', 'good'],
  'email.clicked': ['Clicked', 'good'],
  'email.bounced': ['Bounced', 'bad'],
  'email.failed': ['Given up', 'bad'],
  'email.complained': ['Marked as spam', 'bad'],
  'email.unsubscribed': ['Unsubscribed', 'robot'],
  'email.suppressed': ['Not sent', 'robot'],
  'email.canceled': ['Canceled', 'robot'],
}

/** These two stand in the attempts already. */
const ATTEMPTED = new Set(['email.delivered', 'email.deferred'])

export function timelineOf(email: Json): readonly Step[] {
  const attempts: readonly Step[] = email.attempts.map(attemptStep)
  const events: readonly Step[] = email.events.filter(({ event }: Json) => !ATTEMPTED.has(event)).map(eventStep)
  return [...attempts, ...events].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

function attemptStep(one: Json): Step {
  const [words, tone] = OUTCOMES[one.outcome] ?? [one.outcome, 'robot']
  const where = one.ip === null ? null : one.ip === one.mx ? `port ${one.port}` : `${one.ip}, port ${one.port}`
  return {
    key: `attempt ${one.attempt}`,
    at: one.started_at,
    tone,
    title: `Attempt ${one.attempt} ${words}`,
    facts:
      one.mx === 'sandbox'
        ? []
        : [one.mx, where, tlsOf(one.tls), `took ${tookOf(one.duration_ms)}`].filter((fact) => fact !== null),
    answer: one.response,
    notes: one.throttled_by === null || one.throttled_by === undefined ? [] : [`held back: ${one.throttled_by}`],
    dialogue: one.dialogue.map((said: Json) => ({ ...said, at: Date.parse(said.at) - Date.parse(one.started_at) })),
  }
}

function tookOf(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`
}

function tlsOf(tls: Json): string {
  if (tls === null) return 'no TLS'
  return typeof tls === 'string' ? tls : [tls.version, tls.cipher].filter(Boolean).join(' ')
}

function eventStep(one: Json): Step {
  const machine = one.data.is_machine === true || one.data.machine === true
  const [title, tone] = TITLES[one.event] ?? [one.event.replace('email.', ''), 'robot' as const]
  return {
    key: one.event_id,
    at: one.timestamp,
    tone: machine ? 'robot' : tone,
    title: machine ? `${title} by a machine` : title,
    facts: [],
    answer: null,
    notes: notesOf(one, machine),
    dialogue: [],
  }
}

const REASONS: Readonly<Record<string, string>> = {
  recipient_unsubscribed: 'the recipient unsubscribed',
  unsubscribed: 'the recipient unsubscribed',
  suppressed: 'the address is suppressed',
  hard_bounce: 'mail to the address bounced for good',
  complaint: 'the recipient marked a mail as spam',
  manual: 'the address was suppressed by hand',
  repeated_soft_bounce: 'mail to the address was put off until the end too often',
  spamtrap: 'the address is a trap for those who send unasked',
  retry_exhausted: 'every try failed',
  dns_failure: 'the DNS of the receiving domain did not answer',
  connection_failed: 'no connection to the receiving servers came about',
  tls_required: 'TLS was asked for, and could not be had of the receiver',
  internal_error: 'of a fault in this service; its log tells more',
  expired: 'its time was over before the receiver took it',
  domain_removed: 'the sending domain was removed',
}

function notesOf({ event, data }: Json, machine: boolean): readonly string[] {
  if (event === 'email.opened' || event === 'email.clicked') {
    const why = data.machine_reason ?? data.reason ?? null
    return [
      machine
        ? `Known by: ${String(why ?? 'its behaviour').replaceAll('_', ' ')}`
        : 'By a person, as far as can be told.',
      ...(data.url === undefined ? [] : [String(data.url)]),
    ]
  }
  if (event === 'email.suppressed' || event === 'email.failed') {
    const reason = String(data.reason ?? '')
    return reason === '' ? [] : [`Because ${REASONS[reason] ?? reason.replaceAll('_', ' ')}.`]
  }
  if (event === 'email.bounced') {
    const kind = `${String(data.type)}: ${String(data.category).replaceAll('_', ' ')}`
    return [data.suppressed === true ? `${kind}. The address is suppressed from now on.` : kind]
  }
  if (event === 'email.complained') return ['The address is suppressed from now on.']
  return []
}

/** What the latest answer of one that is put off is about; null where the answer does not tell. */
export function deferralOf(email: Json): BounceCategory | null {
  const last = email.attempts.at(-1)
  if (last === undefined || last.response === null) return null
  return deferralCategory({ code: last.smtp_code, enhanced: last.enhanced_code, text: last.response })
}

/** Of a bounce or what it suppressed, in the receiver's words: without the type that a report has before them. */
export function answerIn(diagnostic: string | null): string | null {
  return diagnostic === null ? null : diagnostic.replace(/^smtp;\s*/i, '')
}

/** The sentence a person came for. */
export function storyOf(email: Json): string {
  const tries = email.attempts_count === 1 ? 'at the first attempt' : `after ${email.attempts_count} attempts`
  switch (email.status) {
    case 'delivered':
      return email.sandbox
        ? 'It stands in the inbox: sent with a test key, or while the service delivers to nobody.'
        : `The receiving server took it ${tries}. Where it put it, inbox or spam, it does not say.`
    case 'deferred':
      return email.attempts.at(-1)?.outcome === 'error'
        ? 'No receiving server could be reached, or none kept to the protocol. It will be tried again by itself.'
        : 'The receiving server put it off. It will be tried again by itself.'
    case 'bounced':
      return 'It did not arrive: the receiving side refused it.'
    case 'failed':
      return `It did not arrive: given up ${tries}.`
    case 'suppressed':
      return 'It was not sent: the address is on a list of those who must not be mailed.'
    case 'complained':
      return 'It was delivered, and the recipient marked it as spam.'
    case 'scheduled':
      return 'It waits for its time.'
    case 'canceled':
      return 'It was canceled before it was sent.'
    default:
      return 'It is on its way.'
  }
}
