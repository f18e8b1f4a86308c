// The rows that acceptance writes for one message, and its answer.

import type { Ids } from '../../platform/ids.ts'
import type { EmailFacts, EventType, NewEvent } from '../events/index.ts'
import { EMAIL_LIFE_MS, type NewBody, type NewEmail, type Treatment } from '../outbox/index.ts'
import type { Override } from '../risk/index.ts'
import { encodedContent } from './draft.ts'
import { type Judged, type JudgedRecipient, riskSnapshot } from './recipient-verdicts.ts'
import { sandboxResultOf } from './request.ts'
import { goesToMany, type Incoming } from './sender.ts'

/** The content of the answer (contract section 5). */
export interface Accepted {
  readonly emailId: string
  readonly messageId: string
  readonly status: 'queued' | 'scheduled' | 'sandboxed'
  readonly to: readonly string[]
  readonly recipients: readonly {
    readonly email: string
    readonly emailId: string
    readonly status: 'queued' | 'suppressed' | 'unsubscribed' | 'blocked'
    readonly reason: string | null
  }[]
  readonly acceptedAt: Date
  readonly scheduledAt: Date | null
  readonly tag: string | null
  readonly stream: 'transactional' | 'broadcast'
  readonly risk: {
    readonly risk_score: number
    readonly risk_level: string
    readonly action: string
    readonly warnings: readonly string[]
  }
}

export interface Rows {
  readonly emails: readonly NewEmail[]
  readonly overrides: readonly Override[]
  readonly body: NewBody
  readonly events: readonly NewEvent[]
  readonly accepted: Accepted
}

export interface RowsOptions {
  readonly accountId: string
  readonly incoming: Incoming
  readonly judged: Judged
  readonly ids: Ids
  readonly now: Date
}

export function rowsOf({ accountId, incoming, judged, ids, now }: RowsOptions): Rows {
  const { draft, sender } = incoming
  const going = judged.recipients.findIndex(({ passes }) => passes)
  const idOf = new Map(
    judged.recipients.map(({ recipient }, index) => [
      recipient.key,
      (index === going ? draft.emailId : null) ?? ids.next(),
    ]),
  )
  const [first] = judged.recipients
  const bodyId = (first && idOf.get(first.recipient.key)) ?? ids.next()
  const messageId = draft.messageId ?? `${bodyId}@${draft.fromDomain}`
  const treatment = treatmentOf(incoming)
  const stretches = encodedContent(draft, treatment)
  const made = judged.recipients.map((one) => {
    const email = emailOf({
      accountId,
      incoming,
      one,
      id: idOf.get(one.recipient.key) ?? '',
      bodyId,
      messageId,
      now,
    })
    return { email, event: eventOf(email, one, ids.next(), now) }
  })
  return {
    emails: made.map(({ email }) => email),
    overrides: judged.overridden ? overridesOf(incoming, judged, idOf, accountId) : [],
    body: { id: bodyId, accountId, stretches },
    events: made.map(({ event }) => event),
    accepted: acceptedOf(incoming, judged, idOf, messageId, bodyId, now),
  }

  function treatmentOf({ draft }: Incoming): Treatment {
    const wanted = sender.treatment.unsubscribeHeader || goesToMany(draft) || draft.wantsListUnsubscribe
    const unsubscribeHeader = wanted && !draft.hasListUnsubscribe
    return { ...sender.treatment, unsubscribeHeader }
  }
}

interface EmailOptions {
  readonly accountId: string
  readonly incoming: Incoming
  readonly one: JudgedRecipient
  readonly id: string
  readonly bodyId: string
  readonly messageId: string
  readonly now: Date
}

function emailOf({ accountId, incoming, one, id, bodyId, messageId, now }: EmailOptions): NewEmail {
  const { draft, sender } = incoming
  const start = draft.scheduledAt ?? now
  return {
    id,
    accountId,
    domainId: sender.domainId,
    bodyId,
    createdAt: now,
    status: !one.passes ? 'suppressed' : draft.scheduledAt === null ? 'queued' : 'scheduled',
    from: draft.from,
    recipient: one.recipient.address,
    recipientKey: one.recipient.key,
    cc: draft.cc,
    replyTo: draft.replyTo,
    site: one.recipient.site,
    subject: draft.subject,
    messageId,
    stream: draft.stream,
    bulk: goesToMany(draft),
    sandbox: one.sandbox,
    sandboxResult: draft.sandboxResult ?? sandboxResultOf(one.recipient.key) ?? 'deliver',
    tag: draft.tag,
    metadata: draft.metadata,
    sizeBytes: draft.sizeBytes,
    scheduledAt: draft.scheduledAt,
    expiresAt: earlier(draft.expiresAt, new Date(start.getTime() + EMAIL_LIFE_MS)),
    tlsRequired: draft.tlsRequired,
    risk: riskSnapshot(one, incoming),
  }
}

function earlier(wanted: Date | null, latest: Date): Date {
  return wanted !== null && wanted < latest ? wanted : latest
}

function overridesOf(
  { keyId }: Incoming,
  { recipients }: Judged,
  idOf: ReadonlyMap<string, string>,
  accountId: string,
): readonly Override[] {
  return recipients
    .filter(({ passes, verdict: { wouldBlock } }) => passes && wouldBlock)
    .map(({ recipient: { key }, verdict: { reasonCode, score } }) => ({
      accountId,
      emailId: idOf.get(key) ?? '',
      keyId,
      reason: reasonCode ?? 'risk_score_critical',
      score,
    }))
}

/** The email's first event, which holds the facts of the email itself. */
function eventOf(email: NewEmail, one: JudgedRecipient, eventId: string, now: Date): NewEvent {
  const facts: EmailFacts = {
    recipient: email.recipient,
    from: email.from.address,
    from_name: email.from.name === '' ? null : email.from.name,
    subject: email.subject,
    message_id: email.messageId,
    metadata: email.metadata,
  }
  const [type, data] = firstFact(email, one, now)
  return {
    eventId,
    at: now,
    accountId: email.accountId,
    domainId: email.domainId,
    emailId: email.id,
    type,
    stream: email.stream,
    sandbox: email.sandbox,
    tag: email.tag,
    data,
    facts,
  }
}

function firstFact(email: NewEmail, one: JudgedRecipient, now: Date): [EventType, object] {
  switch (email.status) {
    case 'queued':
      return ['email.sent', { queued_at: now.toISOString() }]
    case 'scheduled':
      return ['email.scheduled', { scheduled_at: email.scheduledAt?.toISOString() ?? null }]
    case 'suppressed':
      return ['email.suppressed', { reason: one.verdict.reasonCode }]
  }
}

function acceptedOf(
  { draft }: Incoming,
  judged: Judged,
  idOf: ReadonlyMap<string, string>,
  messageId: string,
  emailId: string,
  now: Date,
): Accepted {
  const passing = judged.recipients.filter(({ passes }) => passes)
  const riskiest = passing.reduce(
    (top, one) => (one.verdict.score > top.verdict.score ? one : top),
    passing[0] as JudgedRecipient,
  )
  const sandboxed = passing.every(({ sandbox }) => sandbox)
  return {
    emailId,
    messageId,
    status: draft.scheduledAt !== null ? 'scheduled' : sandboxed ? 'sandboxed' : 'queued',
    to: draft.to,
    recipients: judged.recipients.map((one) => ({
      email: one.recipient.address,
      emailId: idOf.get(one.recipient.key) ?? '',
      status: one.passes ? 'queued' : recipientStatus(one),
      reason: one.passes ? null : one.verdict.reasonCode,
    })),
    acceptedAt: now,
    scheduledAt: draft.scheduledAt,
    tag: draft.tag,
    stream: draft.stream,
    risk: {
      risk_score: riskiest.verdict.score,
      risk_level: riskiest.verdict.level,
      action: riskiest.verdict.action,
      warnings: riskiest.verdict.factors.filter(({ points }) => points > 0).map(({ message }) => message),
    },
  }
}

function recipientStatus({ refusal }: JudgedRecipient): 'suppressed' | 'unsubscribed' | 'blocked' {
  if (refusal === null) return 'blocked'
  return refusal.list === 'unsubscribe' ? 'unsubscribed' : 'suppressed'
}
