// Records bounces and complaints in the transaction that ends the email.
//
// A hard bounce or a complaint suppresses the recipient at once. A soft bounce about the recipient (`isOfRecipient`) counts
// towards the limit of three. Block and unknown never suppress: they say nothing against the address. A `bad_domain`
// suppression ends after 90 days; one for mail of the system account, which goes to addresses from the operator's settings,
// after a day. Each bounce has an event email.bounced, except a complaint, and the bounce of an email that fails because the
// receiver kept deferring it: its only terminal event is email.failed, which statistics also count as a soft bounce.

import type { DkimOutcome } from '../../mail/authentication/dkim-check.ts'
import type { BounceCategory, BounceType as ReplyBounceType, SmtpCommand } from '../../mail/smtp/bounce.ts'
import type { Clock } from '../../platform/clock.ts'
import { storableText } from '../../platform/db/storable-text.ts'
import type { Db } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import { SYSTEM_ACCOUNT_ID } from '../accounts/index.ts'
import { append, type EmailFacts, factsOf, loggedAt, type Stream } from '../events/index.ts'
import { BAD_DOMAIN_DAYS, noteSoftBounce, suppress } from '../suppression/index.ts'
import * as sql from './sql.ts'

export type BounceType = ReplyBounceType | 'complaint'
export type BounceSource = 'smtp' | 'dsn' | 'arf' | 'api'

export interface NewBounce {
  readonly accountId: string
  readonly emailId: string
  readonly domainId: string | null
  readonly recipient: string
  /** The suppression key of the recipient. */
  readonly recipientKey: string
  readonly stream: Stream
  readonly sandbox: boolean
  readonly tag: string | null
  readonly type: BounceType
  readonly category: BounceCategory | 'spam_complaint'
  readonly smtpCode: number | null
  readonly enhancedCode: string | null
  /** The receiver's unchanged words, such as `smtp; 550 5.1.1 no such user`. */
  readonly diagnosticCode: string | null
  /** Text for people. */
  readonly errorMessage: string | null
  readonly command: SmtpCommand | null
  readonly remoteMta: { readonly host: string | null; readonly ip: string | null } | null
  /** The mailbox provider whose host refused our try; null for later reports. */
  readonly provider: string | null
  readonly source: BounceSource
  readonly feedbackType: string | null
  /** Who signed the report; null or absent: there was no mail, or the signer was not checked. */
  readonly reportDkim?: DkimOutcome | null
  /** Absent: taken from the event log. */
  readonly facts?: EmailFacts
  /** The attempt that was refused, from 1; null for later reports. */
  readonly attempt: number | null
  readonly bouncedAt: Date
  /** The end state of the email; null when it had already ended (a report after delivery). */
  readonly endsAs: 'bounced' | 'failed' | null
}

/** A bounce as the API and email.bounced show it (contract section 10). */
export interface Bounce {
  readonly id: string
  readonly email_id: string | null
  readonly message_id: string | null
  readonly recipient: string
  readonly from: string | null
  readonly subject: string | null
  readonly domain_id: string | null
  readonly tag: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly type: BounceType
  readonly category: string
  readonly smtp_code: number | null
  readonly enhanced_code: string | null
  readonly diagnostic_code: string | null
  readonly error_message: string | null
  readonly command: string | null
  readonly remote_mta: { readonly host: string | null; readonly ip: string | null } | null
  readonly source: string
  readonly feedback_type: string | null
  readonly attempt: number | null
  readonly suppressed: boolean
  readonly suppression_id: string | null
  readonly sandbox: boolean
  readonly report_dkim: DkimOutcome | null
  readonly bounced_at: string
  readonly created_at: string
}

export interface Context {
  readonly ids: Ids
  readonly clock: Clock
}

const MAX_TEXT_CHARS = 4_096
const DAY_MS = 86_400_000

/**
 * Records bounces with their suppressions and events, in the caller's transaction.
 *
 * @returns the bounces in the given order
 */
export async function recordBounces(db: Db, context: Context, news: readonly NewBounce[]): Promise<readonly Bounce[]> {
  if (news.length === 0) return []
  const facts = await factsOf(
    db,
    news.map(({ emailId, accountId, facts = null }) => ({ emailId, accountId, facts })),
    null,
  )
  const withIds = news.map((bounce) => ({ bounce, id: context.ids.next() }))
  const suppressions = await suppressRecipients(db, context, withIds)
  const bounces = withIds.map(({ bounce, id }) =>
    bounceOf(id, bounce, facts.get(bounce.emailId) ?? null, suppressions.get(id) ?? null, context.clock.now()),
  )
  await db.execute(sql.RECORD_BOUNCES, columnsOf(news, bounces))
  await append(
    db,
    news.flatMap((bounce, index) => {
      if (bounce.endsAs === 'failed' || bounce.type === 'complaint') return []
      const { accountId, domainId, emailId, stream, sandbox, tag, bouncedAt, provider } = bounce
      const data = bounces[index] ?? null
      const type = 'email.bounced'
      const eventId = context.ids.next()
      const of = { accountId, domainId, emailId, stream, sandbox, tag, provider }
      return [{ ...of, eventId, at: loggedAt(bouncedAt, context.clock.now()), type, data, facts: null }]
    }),
  )
  return bounces
}

/** @returns the id of the suppression of a bounce's recipient, by the bounce's id */
async function suppressRecipients(
  db: Db,
  context: Context,
  all: readonly { readonly bounce: NewBounce; readonly id: string }[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const evidence = ({ bounce, id }: { bounce: NewBounce; id: string }) => ({
    accountId: bounce.accountId,
    recipient: bounce.recipientKey,
    sandbox: bounce.sandbox,
    source: bounce.source,
    domainId: bounce.domainId,
    emailId: bounce.emailId,
    bounceId: id,
    details: bounce.diagnosticCode ?? bounce.errorMessage,
  })
  const atOnce = all.filter(({ bounce: { type } }) => type === 'hard' || type === 'complaint')
  const suppressed = await suppress(
    db,
    context,
    atOnce.map((one) => ({
      ...evidence(one),
      reason: one.bounce.type === 'complaint' ? ('complaint' as const) : ('hard_bounce' as const),
      expiresAt: expiryOf(one.bounce, context.clock.now()),
    })),
  )
  for (const [index, { id }] of atOnce.entries()) {
    const suppressionId = suppressed[index]?.suppression.id
    if (suppressionId !== undefined) found.set(id, suppressionId)
  }
  const soft = all.filter(({ bounce }) => bounce.type === 'soft' && isOfRecipient(bounce))
  // One after the other in the order of keys, so that two batches never deadlock.
  for (const one of soft.toSorted((a, b) => (a.bounce.recipientKey < b.bounce.recipientKey ? -1 : 1))) {
    const third = await noteSoftBounce(db, context, { ...evidence(one), bouncedAt: one.bounce.bouncedAt })
    if (third !== null) found.set(one.id, third.suppression.id)
  }
  return found
}

/** RFC 3463: X.3.z is about the receiver's system, X.4.z about routing, X.7.z about a policy. */
const OF_SYSTEM = /^[245]\.[347]\./

/** Categories that concern all of a receiver's mail, when it answers our try. */
const OF_WAY: ReadonlySet<NewBounce['category']> = new Set(['rate_limited', 'connection', 'dns_failure'])

/**
 * Whether a soft bounce is about the recipient. It is not when no recipient was asked, when it is about the size of one message,
 * or when status or words are about the receiver's system, routing or policy: an outage says nothing about its users.
 */
function isOfRecipient({ command, category, enhancedCode, source }: NewBounce): boolean {
  if (command === 'connect' || command === 'mail' || category === 'message_too_large') return false
  if (enhancedCode !== null && OF_SYSTEM.test(enhancedCode)) return false
  return source !== 'smtp' || !OF_WAY.has(category)
}

function expiryOf({ accountId, category }: NewBounce, now: Date): Date | null {
  const inDays = (days: number): Date => new Date(now.getTime() + days * DAY_MS)
  if (accountId === SYSTEM_ACCOUNT_ID) return inDays(1)
  return category === 'bad_domain' ? inDays(BAD_DOMAIN_DAYS) : null
}

function bounceOf(
  id: string,
  bounce: NewBounce,
  facts: EmailFacts | null,
  suppressionId: string | null,
  now: Date,
): Bounce {
  return {
    id,
    email_id: bounce.emailId,
    message_id: facts?.message_id ?? null,
    recipient: bounce.recipient,
    from: facts?.from ?? null,
    subject: facts?.subject ?? null,
    domain_id: bounce.domainId,
    tag: bounce.tag,
    metadata: facts?.metadata ?? null,
    type: bounce.type,
    category: bounce.category,
    smtp_code: bounce.smtpCode,
    enhanced_code: bounce.enhancedCode,
    diagnostic_code: storable(bounce.diagnosticCode),
    error_message: storable(bounce.errorMessage),
    command: bounce.command,
    remote_mta: bounce.remoteMta,
    source: bounce.source,
    feedback_type: storable(bounce.feedbackType),
    attempt: bounce.attempt,
    suppressed: suppressionId !== null,
    suppression_id: suppressionId,
    sandbox: bounce.sandbox,
    report_dkim: bounce.reportDkim ?? null,
    bounced_at: bounce.bouncedAt.toISOString(),
    created_at: now.toISOString(),
  }
}

/** Deletes an account's oldest bounces from before `before`, at most `most`. @returns how many */
export function forgetBounces(db: Db, accountId: string, before: Date, most: number): Promise<number> {
  return db.execute(sql.FORGET_BOUNCES, [accountId, before, most])
}

/** Deletes the bounces and complaints of one recipient. */
export async function eraseBounces(db: Db, accountId: string, recipient: string): Promise<void> {
  await db.execute(sql.ERASE_BOUNCES, [accountId, recipient])
}

/** The receiver chooses the words; the database rejects NUL and unpaired surrogates. */
function storable(text: string | null): string | null {
  return text === null ? null : storableText(text, MAX_TEXT_CHARS)
}

function columnsOf(news: readonly NewBounce[], bounces: readonly Bounce[]): unknown[][] {
  const column = (value: (bounce: Bounce) => unknown): unknown[] => bounces.map(value)
  return [
    column(({ id }) => id),
    news.map(({ accountId }) => accountId),
    column((bounce) => bounce.email_id),
    column((bounce) => bounce.domain_id),
    column((bounce) => bounce.recipient),
    news.map(({ recipientKey }) => recipientKey),
    column((bounce) => bounce.message_id),
    column((bounce) => bounce.from),
    column((bounce) => bounce.subject),
    column((bounce) => bounce.tag),
    column(({ metadata }) => (metadata === null ? null : JSON.stringify(metadata))),
    column((bounce) => bounce.type),
    column((bounce) => bounce.category),
    column((bounce) => bounce.smtp_code),
    column((bounce) => bounce.enhanced_code),
    column((bounce) => bounce.diagnostic_code),
    column((bounce) => bounce.error_message),
    column((bounce) => bounce.command),
    column((bounce) => bounce.remote_mta?.host ?? null),
    column((bounce) => bounce.remote_mta?.ip ?? null),
    column((bounce) => bounce.source),
    column((bounce) => bounce.feedback_type),
    column((bounce) => bounce.attempt),
    column((bounce) => bounce.suppressed),
    column((bounce) => bounce.suppression_id),
    column((bounce) => bounce.sandbox),
    column((bounce) => bounce.bounced_at),
    column((bounce) => bounce.created_at),
    news.map(({ reportDkim }) => reportDkim?.result ?? null),
    news.map(({ reportDkim }) => reportDkim?.domain ?? null),
    news.map(({ reportDkim }) => reportDkim?.reason ?? null),
  ]
}
