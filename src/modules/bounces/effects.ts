// The effects of a report. A signed token or the account itself identifies the email; addresses in the report are never acted
// on. A failure turns `delivered` into `bounced`. A complaint turns these, and each other end after an attempt, into `complained`:
// a receiver can take a mail and its answer get lost. If such a mail still waits, a complaint suppresses its recipient, and so
// stops it. An opt-out unsubscribes, whatever the state of the email, and is no complaint. A report may overtake the record of its
// delivery: on an email that has not ended it is `early` and is read again later. In any other state it brings nothing new and is
// ignored. The email is locked, so of repeated or simultaneous reports only one has an effect. A failure behind a forward of the
// recipient names the address there.

import { domainToASCII } from 'node:url'
import { foldCase } from '../../mail/address.ts'
import { domainPart, localPart } from '../../mail/address-parts.ts'
import { type DkimOutcome, organizationOf } from '../../mail/authentication/dkim-check.ts'
import { type Feedback, isComplaint, isOptOut } from '../../mail/reports/arf.ts'
import type { Report } from '../../mail/reports/classify.ts'
import type { ReportedRecipient } from '../../mail/reports/result.ts'
import type { Db } from '../../platform/db.ts'
import { append, type EmailFacts, loggedAt, type Stream } from '../events/index.ts'
import { suppress, unsubscribe } from '../suppression/index.ts'
import { type Bounce, type BounceSource, type Context, type NewBounce, recordBounces } from './record.ts'

/** An email that a report is about, as its owning module returns it. */
export interface ReportedEmail {
  readonly accountId: string
  readonly emailId: string
  readonly domainId: string | null
  readonly recipient: string
  readonly recipientKey: string
  readonly stream: Stream
  readonly sandbox: boolean
  readonly tag: string | null
  readonly status: string
  /** Null: no receiver has taken it. */
  readonly deliveredAt: Date | null
  /** Whether there was an attempt. */
  readonly tried: boolean
  readonly facts: EmailFacts
}

/** The owner of emails, passed in by the composition root because it depends on this module. */
export interface StoredEmails<Email extends ReportedEmail = ReportedEmail> {
  /** Finds the email of a token and locks it until the end of the transaction. */
  byToken(
    db: Db,
    ids: { readonly emailId: string; readonly firstAccountId: string; readonly lastAccountId: string },
  ): Promise<Email | null>
  /** @param recipientKey null: any, if the message went to one recipient only */
  byMessageId(db: Db, accountId: string, messageId: string, recipientKey: string | null): Promise<Email | null>
  /** The email has bounced; `response` and `smtpCode` are the receiver's words, null where the report has none. */
  markBounced(
    db: Db,
    email: Email,
    refusal: { readonly at: Date; readonly smtpCode: number | null; readonly response: string | null },
  ): Promise<void>
  markComplained(db: Db, email: Email): Promise<void>
}

export type Outcome =
  | { readonly kind: 'bounced' | 'complained'; readonly bounce: Bounce }
  | { readonly kind: 'unsubscribed' | 'delayed' | 'delivered' | 'auto_reply' | 'other' | 'not_applicable' }
  | { readonly kind: 'early'; readonly suppressed: boolean }

export interface ReceivedReport {
  readonly report: Report
  readonly source: BounceSource
  /** Who signed the report; null: not checked. */
  readonly dkim: DkimOutcome | null
}

/** RFC 3464 section 2.3.6: `smtp; 550 ...`. */
const DIAGNOSTIC_TYPE = /^[\w-]{1,40};[ \t]{0,9}/

/** Applies a report about this email. */
export async function applyReport(
  db: Db,
  context: Context & { readonly emails: StoredEmails },
  email: ReportedEmail,
  { report, source, dkim }: ReceivedReport,
): Promise<Outcome> {
  if (report.kind === 'complaint') {
    if (isOptOut(report.feedback)) return applyOptOut(db, context, email, source)
    return isComplaint(report.feedback)
      ? applyComplaint(db, context, email, { ...report.feedback, dkim }, source)
      : { kind: 'not_applicable' }
  }
  if (report.kind !== 'bounce') return { kind: report.kind }
  const failed = failureOf(report.recipients, email.recipientKey)
  return failed === null ? { kind: 'not_applicable' } : applyFailure(db, context, email, failed, source)
}

export async function applyFailure(
  db: Db,
  context: Context & { readonly emails: StoredEmails },
  email: ReportedEmail,
  failed: Omit<ReportedRecipient, 'address' | 'action'> & { readonly address?: string | null },
  source: BounceSource,
  bouncedAt: Date = context.clock.now(),
): Promise<Outcome> {
  if (email.status !== 'delivered') return withoutEffect(email)
  const forward = forwardOf(failed, email.recipientKey)
  const words = failed.diagnostic?.replace(DIAGNOSTIC_TYPE, '') ?? null
  const errorMessage = forward === null ? words : `forwarded to ${forward}${words === null ? '' : `: ${words}`}`
  await context.emails.markBounced(db, email, { at: bouncedAt, smtpCode: failed.smtpCode, response: errorMessage })
  const bounce: NewBounce = {
    ...about(email),
    type: failed.verdict.type,
    category: failed.verdict.category,
    smtpCode: failed.smtpCode,
    enhancedCode: failed.enhanced,
    diagnosticCode: failed.diagnostic,
    errorMessage,
    command: failed.command,
    remoteMta:
      failed.remoteHost === null && failed.remoteIp === null ? null : { host: failed.remoteHost, ip: failed.remoteIp },
    source,
    feedbackType: null,
    bouncedAt,
  }
  const [recorded] = await recordBounces(db, context, [bounce])
  if (recorded === undefined) throw new Error('a bounce was not recorded')
  return { kind: 'bounced', bounce: recorded }
}

/**
 * Where the mail went from our recipient, an alias or a forward, as the report names the failed address. The same name at another
 * host of the recipient's organization is the recipient.
 *
 * @returns null when the report names nobody else
 */
function forwardOf(
  { address, isFinal, behind }: Pick<ReportedRecipient, 'isFinal' | 'behind'> & { readonly address?: string | null },
  recipientKey: string,
): string | null {
  const failed = behind ?? (isFinal === true ? address : null) ?? null
  if (failed === null) return null
  const key = foldCase(failed)
  const isOurs = localPart(key) === localPart(recipientKey) && organizationAt(key) === organizationAt(recipientKey)
  return isOurs ? null : failed
}

function organizationAt(address: string): string {
  const domain = domainPart(address).toLowerCase()
  return organizationOf(domainToASCII(domain) || domain)
}

export async function applyComplaint(
  db: Db,
  context: Context & { readonly emails: StoredEmails },
  email: ReportedEmail,
  feedback: Pick<Feedback, 'type' | 'reportingMta' | 'arrivalDate'> & { readonly dkim: DkimOutcome | null },
  source: BounceSource,
  at: Date = context.clock.now(),
): Promise<Outcome> {
  if (!mayHaveArrived(email)) return withoutEffect(email, await suppressWaiting(db, context, email, source))
  await context.emails.markComplained(db, email)
  const reporter = reporterOf(feedback.reportingMta, feedback.dkim)
  const complaint: NewBounce = {
    ...about(email),
    type: 'complaint',
    category: 'spam_complaint',
    smtpCode: null,
    enhancedCode: null,
    diagnosticCode: null,
    errorMessage: null,
    command: null,
    remoteMta: reporter === null ? null : { host: reporter, ip: null },
    source,
    feedbackType: feedback.type,
    reportDkim: feedback.dkim,
    bouncedAt: at,
  }
  const [recorded] = await recordBounces(db, context, [complaint])
  if (recorded === undefined) throw new Error('a complaint was not recorded')
  const { accountId, domainId, emailId, stream, sandbox, tag } = email
  const data = {
    feedback_type: feedback.type,
    reporting_mta: reporter,
    arrival_date: feedback.arrivalDate?.toISOString() ?? null,
    suppressed: recorded.suppressed,
  }
  const eventId = context.ids.next()
  const fact = {
    eventId,
    at: loggedAt(at, context.clock.now()),
    accountId,
    domainId,
    emailId,
    stream,
    sandbox,
    tag,
    data,
    facts: null,
  }
  await append(db, [{ ...fact, type: 'email.complained' }])
  return { kind: 'complained', bounce: recorded }
}

/** A wish, not a judgement: it does not count against the sender. An opt-out by mail is an unsubscribe by mail. */
export async function applyOptOut(
  db: Db,
  context: Context,
  { accountId, recipientKey: recipient, sandbox, emailId, domainId, stream, tag }: ReportedEmail,
  by: BounceSource,
): Promise<Outcome> {
  const source = by === 'api' ? 'api' : 'mailto'
  const mail = { emailId, domainId, stream, tag }
  await unsubscribe(db, context, { accountId, recipient, sandbox, source, reason: 'feedback report: opt-out', mail })
  return { kind: 'unsubscribed' }
}

/** The complainant: the host named in the report, unless another organization is known to have signed it. */
function reporterOf(stated: string | null, dkim: DkimOutcome | null): string | null {
  const signer = dkim?.domain ?? null
  const isTheirs = stated !== null && signer !== null && organizationOf(stated.toLowerCase()) === organizationOf(signer)
  return signer === null || isTheirs ? stated : signer
}

/** Whether the email has ended and somebody may hold it. */
function mayHaveArrived({ status, tried }: ReportedEmail): boolean {
  if (status === 'delivered' || status === 'bounced') return true
  return tried && (status === 'failed' || status === 'canceled' || status === 'suppressed')
}

/** The recipient of a mail that would be tried again. @returns whether they are suppressed */
async function suppressWaiting(db: Db, context: Context, email: ReportedEmail, source: BounceSource): Promise<boolean> {
  if (!email.tried || !isWaiting(email)) return false
  const { accountId, recipientKey: recipient, sandbox, domainId, emailId } = email
  const evidence = { accountId, recipient, sandbox, source, domainId, emailId, bounceId: null, details: null }
  await suppress(db, context, [{ ...evidence, reason: 'complaint', expiresAt: null }])
  return true
}

function isWaiting({ status }: ReportedEmail): boolean {
  return status === 'queued' || status === 'deferred'
}

function withoutEffect(email: ReportedEmail, suppressed = false): Outcome {
  return isWaiting(email) ? { kind: 'early', suppressed } : { kind: 'not_applicable' }
}

function about(
  email: ReportedEmail,
): Omit<ReportedEmail, 'status'> & Pick<NewBounce, 'provider' | 'attempt' | 'endsAs'> {
  const { status: _, ...rest } = email
  return { ...rest, provider: null, attempt: null, endsAs: null }
}

/**
 * The result for our recipient, who is named or the only one. A report about several others (by a forwarder or a list) counts
 * with its mildest failure.
 *
 * @returns null when our recipient did not fail, whatever happened to others
 */
function failureOf(recipients: readonly ReportedRecipient[], key: string): ReportedRecipient | null {
  const named = recipients.filter(({ address }) => address !== null && foldCase(address) === key)
  const ours = named.length > 0 ? named : recipients
  const failed = ours.filter(({ action }) => action === 'failed')
  if (named.length === 0 && failed.length < ours.length) return null
  return failed.find(({ verdict }) => verdict.type !== 'hard') ?? failed[0] ?? null
}
