// Why an email is not with its recipient, in plain words: read from the email as the public API tells it.

import { adviceFor, type BounceAdvice, deferralCategory } from '../mail/bounce-advice.ts'

export interface Why extends Omit<BounceAdvice, 'matter'> {
  /** Of the event that tells it; null: the status says it all. */
  readonly reason: string | null
  /** As in the advice on a bounce, or the sender's own doing, or nobody's. */
  readonly matter: BounceAdvice['matter'] | 'sender' | 'nobody'
}

type Fields = Readonly<Record<string, unknown>>
type Words = Omit<Why, 'reason'>

const OFF_THE_LIST = 'Send again only when the person asks for it, and take the address off the list first.'

/** The lists and verdicts that stop a mail before it is sent. */
const SUPPRESSED: Readonly<Record<string, Words>> = {
  unsubscribed: {
    matter: 'address',
    meaning: 'It was not sent: the recipient unsubscribed.',
    next: OFF_THE_LIST,
  },
  complaint: {
    matter: 'reputation',
    meaning: 'It was not sent: the recipient marked an earlier mail as spam.',
    next: 'Send nothing more to them. Ask how the address came onto the list.',
  },
  hard_bounce: {
    matter: 'address',
    meaning: 'It was not sent: an earlier mail to the address bounced for good.',
    next: 'Ask the person for another address, or whether this one is right, and only then take it off the suppressions.',
  },
  repeated_soft_bounce: {
    matter: 'receiver',
    meaning: 'It was not sent: mail to the address was put off until the end too often.',
    next: 'Reach the person another way; take the address off the suppressions when its mailbox takes mail again.',
  },
  spamtrap: {
    matter: 'reputation',
    meaning: 'It was not sent: the address is a trap for those who send unasked.',
    next: 'Ask how the address came onto the list, and remove what came with it.',
  },
  manual: {
    matter: 'sender',
    meaning: 'It was not sent: the address was suppressed by hand.',
    next: OFF_THE_LIST,
  },
  recipient_suppressed: {
    matter: 'sender',
    meaning: 'It was not sent: the address is suppressed.',
    next: 'check_recipient tells why it is on the list. Take it off only when the reason is gone.',
  },
}

/** Other words for the same, as a verdict on a send has them. */
const SAME: Readonly<Record<string, string>> = {
  recipient_unsubscribed: 'unsubscribed',
  previous_complaint: 'complaint',
  previous_hard_bounce: 'hard_bounce',
  spamtrap_detected: 'spamtrap',
}

const FAILED: Readonly<Record<string, Words>> = {
  retry_exhausted: {
    matter: 'receiver',
    meaning: 'The receiver put it off at every attempt, until its time was over.',
    next: 'The answers of the attempts say why; retry it when that is over.',
  },
  expired: {
    matter: 'receiver',
    meaning: 'The time that it was given was over before the receiver took it.',
    next: 'The answers of the attempts say why. Retry it, or send with a later expires_at.',
  },
  dns_failure: adviceFor('dns_failure') as Words,
  connection_failed: adviceFor('connection') as Words,
  tls_required: {
    matter: 'receiver',
    meaning: 'TLS was asked for, by the mail or by the receiving domain, and could not be had of the receiver.',
    next: 'Where the mail asked for it, send with tls_policy opportunistic if it may travel so; else tell the receiving side.',
  },
  domain_removed: {
    matter: 'sender',
    meaning: 'The sending domain was removed while the mail waited.',
    next: 'Add and verify the domain again, or send from another one.',
  },
  internal_error: {
    matter: 'setup',
    meaning: 'A fault in the service itself ended it.',
    next: "Retry it; if it fails again, the operator's log tells more.",
  },
}

const UNCLEAR: Words = {
  matter: 'unclear',
  meaning: 'It was not sent; the reason has no words here.',
  next: 'Read the events of the email.',
}

/** @param email the public API's, with its events and attempts; its bounces are told beside this */
export function explain(email: Fields): Why {
  const { status } = email
  switch (status) {
    case 'suppressed':
      return withReason(SUPPRESSED, reasonIn(email, 'email.suppressed'), {
        ...UNCLEAR,
        meaning: 'It was not sent: the verdict on its risk was against it.',
        next: 'The risk of the email names what spoke against it.',
      })
    case 'failed':
      return withReason(FAILED, reasonIn(email, 'email.failed'), UNCLEAR)
    case 'deferred':
      return deferred(email)
    case 'canceled':
      return of('sender', 'It was canceled before it was sent.', 'Send it anew if it is wanted after all.')
    case 'scheduled':
      return of('sender', `It waits for its time, ${String(email['scheduled_at'])}.`, 'Nothing.')
    case 'queued':
      return of('nobody', 'It is accepted and about to be tried.', 'Nothing; look again in a minute.')
    case 'bounced':
      return bounced(email)
    case 'complained':
      return of('reputation', 'It arrived, and the recipient marked it as spam.', 'Send nothing more to them.')
    default:
      return of(
        'nobody',
        'The receiving server took it. Whether it lies in the inbox or among spam, that server does not say.',
        'Have the recipient look among spam; score the content if it is there.',
      )
  }
}

/** As the advice on its bounce, which the lists of bounces show. */
function bounced(email: Fields): Why {
  const { category } = lastOf(email, 'email.bounced')
  if (typeof category !== 'string')
    return of('unclear', 'The receiving side refused it.', 'Its bounce tells why, and whose matter it is.')
  const { matter, meaning, next } = adviceFor(category)
  return { reason: category, matter, meaning, next }
}

function deferred(email: Fields): Why {
  const { smtp_code: code, enhanced_code: enhanced, response: text } = lastOf(email, 'email.deferred')
  const said = { code: code as number | null, enhanced: enhanced as string | null }
  const category = typeof text === 'string' ? deferralCategory({ ...said, text }) : null
  const at = String(email['next_attempt_at'])
  if (category === null) {
    return of('receiver', 'The receiver put it off; its answer says why.', `Nothing: it is tried again at ${at}.`)
  }
  const { matter, meaning, next } = adviceFor(category)
  return { reason: category, matter, meaning, next: `It is tried again by itself at ${at}. If it goes on: ${next}` }
}

function of(matter: Why['matter'], meaning: string, next: string): Why {
  return { reason: null, matter, meaning, next }
}

function withReason(known: Readonly<Record<string, Words>>, reason: string | null, otherwise: Words): Why {
  const name = SAME[reason ?? ''] ?? reason ?? ''
  return { reason, ...(Object.hasOwn(known, name) ? known[name] : otherwise) } as Why
}

function reasonIn(email: Fields, event: string): string | null {
  const { reason } = lastOf(email, event)
  return typeof reason === 'string' ? reason : null
}

/** The data of the latest event of that name; `{}`: there is none. */
function lastOf(email: Fields, name: string): Fields {
  const events = (email['events'] ?? []) as readonly { readonly event: string; readonly data: Fields }[]
  return events.findLast(({ event }) => event === name)?.data ?? {}
}
