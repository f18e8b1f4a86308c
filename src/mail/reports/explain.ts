// Explains in plain words why an email has not reached its recipient, from the email as the public API returns it.

import {
  adviceFor,
  type BounceAdvice,
  type DeferralAdvice,
  deferralAdvice,
  refusedHere,
  WITHOUT_TLS,
} from './bounce-advice.ts'

export interface Explanation extends Omit<BounceAdvice, 'matter'> {
  /** From the event that has it; null: the status alone explains it. */
  readonly reason: string | null
  /** As in the advice on a bounce, or `sender`: the sender's own doing, or `nobody`: no action is needed. */
  readonly matter: BounceAdvice['matter'] | 'sender' | 'nobody'
}

type Fields = Readonly<Record<string, unknown>>
type Words = Omit<Explanation, 'reason'>

const OFF_THE_LIST = 'Send again only if the person asks for it, and take the address off the list first.'

/** The list entries and verdicts that stop an email before it is sent. */
const SUPPRESSED: Readonly<Record<string, Words>> = {
  unsubscribed: {
    matter: 'address',
    meaning: 'It was not sent: the recipient unsubscribed.',
    next: OFF_THE_LIST,
  },
  complaint: {
    matter: 'reputation',
    meaning: 'It was not sent: the recipient marked an earlier email as spam.',
    next: 'Send nothing more to this recipient. Find out how the address got on your list.',
  },
  hard_bounce: {
    matter: 'address',
    meaning: 'It was not sent: an earlier email to this address bounced permanently.',
    next: 'Ask the person for another address, or to confirm this one. Only then take it off the suppression list.',
  },
  repeated_soft_bounce: {
    matter: 'receiver',
    meaning: 'It was not sent: too many emails to this address were deferred until they failed.',
    next: 'Reach the person another way. Take the address off the suppression list once its mailbox accepts mail again.',
  },
  spamtrap: {
    matter: 'reputation',
    meaning: 'It was not sent: the address is a spam trap.',
    next: 'Find out how the address got on your list, and remove all addresses from the same source.',
  },
  manual: {
    matter: 'sender',
    meaning: 'It was not sent: the address was suppressed manually.',
    next: OFF_THE_LIST,
  },
  recipient_suppressed: {
    matter: 'sender',
    meaning: 'It was not sent: the address is on the suppression list.',
    next: 'Its entry on the list shows the reason. Take the address off the list only if that reason no longer applies.',
  },
}

/** Synonyms, as used in the verdict on a send. */
const SAME: Readonly<Record<string, string>> = {
  recipient_unsubscribed: 'unsubscribed',
  previous_complaint: 'complaint',
  previous_hard_bounce: 'hard_bounce',
  spamtrap_detected: 'spamtrap',
}

const FAILED: Readonly<Record<string, Words>> = {
  retry_exhausted: {
    matter: 'receiver',
    meaning: 'The receiver deferred every attempt, and there are no more retries.',
    next: 'See the responses of the attempts for the reason; retry once it is resolved.',
  },
  expired: {
    matter: 'receiver',
    meaning: 'It expired before the receiver accepted it.',
    next: 'See the responses of the attempts for the reason. Retry it, or send with a later expires_at.',
  },
  dns_failure: adviceFor('dns_failure') as Words,
  connection_failed: adviceFor('connection') as Words,
  tls_required: WITHOUT_TLS as Words,
  domain_removed: {
    matter: 'sender',
    meaning: 'The sending domain was removed while the email was in the queue.',
    next: 'Add and verify the domain again and send the email again, or send it from another domain.',
  },
  internal_error: {
    matter: 'setup',
    meaning: 'It failed because of an internal error of the service.',
    next: 'Retry it. If it fails again, the operator should check the service log.',
  },
}

const UNCLEAR: Words = {
  matter: 'unclear',
  meaning: 'It was not sent. The reason is not known here.',
  next: 'Check the events of the email.',
}

/** How long an email may be due before that is worth saying: delivery looks at its queue every few seconds. */
const OVERDUE_MS = 600_000

/** Whether an email waits for delivery rather than for a time or a receiver. */
export function isOverdue({ status, next_attempt_at: due }: Fields, now: Date): boolean {
  const waits = status === 'queued' || status === 'deferred'
  return waits && typeof due === 'string' && now.getTime() - Date.parse(due) > OVERDUE_MS
}

/** Why an email waits without an attempt; null: it does not, or a receiver deferred it. */
export function untriedFor({ status, last_response: response }: Fields): string | null {
  if (status !== 'deferred' || typeof response !== 'string') return null
  return /^4\.7\.0 not tried: (.+)$/.exec(response)?.[1] ?? null
}

/** @param email the public API's email, with its events and attempts; its bounces are shown separately */
export function explain(email: Fields, now: Date): Explanation {
  const { status } = email
  if (isOverdue(email, now)) {
    return of(
      'setup',
      `An attempt has been due since ${String(email['next_attempt_at'])}: delivery to this destination is paused, slowed down by its limits, or not running.`,
      'Ask the operator, who sees which on the queue page or with posthorn queue list.',
    )
  }
  switch (status) {
    case 'suppressed':
      return suppressed(reasonIn(email, 'email.suppressed'))
    case 'failed':
      return failed(email)
    case 'deferred':
      return deferred(email)
    case 'canceled':
      return of('sender', 'It was canceled before it was sent.', 'Send it again if it is needed after all.')
    case 'scheduled':
      return of('sender', `It is scheduled for ${String(email['scheduled_at'])}.`, 'Nothing.')
    case 'queued':
      return of('nobody', 'It is accepted and will be attempted soon.', 'Nothing; check again in a minute.')
    case 'bounced':
      return bounced(email)
    case 'complained':
      return of(
        'reputation',
        'It arrived, and the recipient marked it as spam.',
        'Send nothing more to this recipient.',
      )
    default:
      return of(
        'nobody',
        'The receiving server accepted it. The server does not say whether it went to the inbox or to spam.',
        'Ask the recipient to check the spam folder. If it is there, run a content check.',
      )
  }
}

function suppressed(reason: string | null): Explanation {
  const code = reason === null ? '' : ` (${reason})`
  return withReason(SUPPRESSED, reason, {
    matter: 'sender',
    meaning: `It was not sent: it was blocked because of its risk${code}.`,
    next: 'The risk of the email lists the reasons.',
  })
}

/** Whether a list names the recipient, by the reason of an explanation; otherwise the verdict on the send blocked the email. */
export function isListReason(reason: string | null): boolean {
  return Object.hasOwn(SUPPRESSED, SAME[reason ?? ''] ?? reason ?? '')
}

/** The same as the advice on its bounce, as shown in the lists of bounces. */
function bounced(email: Fields): Explanation {
  const { category } = lastOf(email, 'email.bounced')
  if (typeof category !== 'string')
    return of('unclear', 'The receiving side refused it.', 'Its bounce shows the reason, and who has to act.')
  const { matter, meaning, next } = adviceFor(category)
  return { reason: category, matter, meaning, next }
}

/** Of an email that was deferred to its end, the last response tells the cause. */
function failed(email: Fields): Explanation {
  const reason = reasonIn(email, 'email.failed')
  const refused = reason === 'dns_failure' ? refusedHere(email['last_response']) : null
  if (refused !== null) return { reason, ...refused }
  const words = withReason(FAILED, reason, UNCLEAR)
  const attempts = (email['attempts'] ?? []) as readonly Fields[]
  const advice = reason === 'retry_exhausted' || reason === 'expired' ? adviceOn(attempts.at(-1) ?? {}) : null
  if (advice === null) return words
  const { matter, meaning, ifLasting } = advice
  return {
    reason,
    matter,
    meaning: `${words.meaning} ${meaning}`,
    next: `Retry it once that is resolved. ${ifLasting}`,
  }
}

/**
 * Advice on a deferral.
 *
 * @param fields of an attempt, or the data of an event
 * @returns null when the response does not tell the cause, or there was none
 */
export function adviceOn({ smtp_code: code, enhanced_code: enhanced, response: text }: Fields): DeferralAdvice | null {
  if (typeof text !== 'string') return null
  return deferralAdvice({ code: code as number | null, enhanced: enhanced as string | null, text })
}

function nextOf({ next_attempt_at: at, expires_at: end }: Fields): string {
  return typeof at === 'string'
    ? `The next attempt is at ${at}, automatically.`
    : `There is no further attempt before it expires at ${String(end)}.`
}

function deferred(email: Fields): Explanation {
  const cause = untriedFor(email)
  if (cause !== null) {
    const isDomain = cause === 'the sending domain is not verified'
    const remedy = isDomain ? 'Verify the domain again: its page shows the missing records.' : 'Ask the operator.'
    return of('setup', `It was not attempted: ${cause}.`, `${remedy} ${nextOf(email)}`)
  }
  const advice = adviceOn(lastOf(email, 'email.deferred'))
  const next = nextOf(email)
  if (advice === null) {
    return of('receiver', 'The receiver deferred it; see its response for the reason.', next)
  }
  const { reason, matter, meaning, ifLasting } = advice
  return { reason, matter, meaning, next: `${next} If it keeps failing: ${ifLasting}` }
}

function of(matter: Explanation['matter'], meaning: string, next: string): Explanation {
  return { reason: null, matter, meaning, next }
}

function withReason(known: Readonly<Record<string, Words>>, reason: string | null, otherwise: Words): Explanation {
  const name = SAME[reason ?? ''] ?? reason ?? ''
  return { reason, ...(Object.hasOwn(known, name) ? known[name] : otherwise) } as Explanation
}

function reasonIn(email: Fields, event: string): string | null {
  const { reason } = lastOf(email, event)
  return typeof reason === 'string' ? reason : null
}

/** The data of the latest event of that name; `{}` if there is none. */
function lastOf(email: Fields, name: string): Fields {
  const events = (email['events'] ?? []) as readonly { readonly event: string; readonly data: Fields }[]
  return events.findLast(({ event }) => event === name)?.data ?? {}
}
