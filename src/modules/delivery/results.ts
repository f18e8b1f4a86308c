// What an attempt means for the email: state, next try, events, bounce, suppression. Pure: nothing here waits.
//
//   2xx to the final dot                 delivered
//   5xx after the banner                 bounced; hard bounces suppress the address. Replies of a relay about us, and any about
//                                        our rate: deferred
//   5xx in all banners                   bounced if each names a block of ours or is 521, else deferred
//   4xx, no connection, no DNS           deferred while there is a next try; if the sender shortened the email's time, until
//                                        it is over; else failed
//   what our side cannot or may not do   failed, suppressed
//   its time is over                     failed
//
// An email that fails while the receiver keeps answering 4xx about the recipient also counts as one soft bounce. A reply about
// rates, including greylisting, counts only from the third attempt on, an hour or more after the start: greylisting lifts
// within that time, and a short time set by the sender says nothing about the address. A reply about the mailbox counts at once.

import { domainPart } from '../../mail/address-parts.ts'
import { providerOf } from '../../mail/dns/providers.ts'
import { type BounceCategory, bounceFromReply } from '../../mail/smtp/bounce.ts'
import { commandAnswered, type Dialogue } from '../../mail/smtp/dialogue.ts'
import type { NewBounce } from '../bounces/index.ts'
import type { EventType, NewEvent } from '../events/index.ts'
import {
  type AttemptOutcome,
  type AttemptRecord,
  type Claimed,
  EMAIL_LIFE_MS,
  type QueuedEmail,
  type Result,
  type StoredAttempt,
  storedResponse,
} from '../outbox/index.ts'
import { nextTry } from './schedule.ts'
import type { AttemptReport, Cause, FinalReply, Verdict } from './types.ts'

export type FailedReason =
  | 'retry_exhausted'
  | 'expired'
  | 'dns_failure'
  | 'connection_failed'
  | 'tls_required'
  | 'domain_removed'
  | 'internal_error'

/** Everything written about one leased email, in one transaction. */
export interface Conclusion {
  /** Null: the email's row is gone, and only the queue row is removed. */
  readonly email: QueuedEmail | null
  readonly sandbox: boolean
  readonly result: Result
  /** All events except the bounce's, which also tells whether the address was suppressed. */
  readonly events: readonly NewEvent[]
  readonly bounce: NewBounce | null
}

export interface Context {
  readonly email: QueuedEmail
  readonly fence: number
  /** Sandbox mail, or an instance in sandbox mode. */
  readonly sandbox: boolean
  /** Size of the composed message; null: it was not composed. */
  readonly sizeBytes: number | null
  readonly now: Date
  readonly newId: () => string
  readonly chance: () => number
}

/** The start of the email's time: acceptance, or its due time. */
export function dueSince({ scheduledAt, createdAt }: QueuedEmail): Date {
  return scheduledAt ?? createdAt
}

/** @param provider the mailbox provider whose host answered; null: none answered */
export function eventOf(
  { email, sandbox, now, newId }: Context,
  type: EventType,
  data: object,
  provider: string | null = null,
): NewEvent {
  return {
    eventId: newId(),
    at: now,
    accountId: email.accountId,
    domainId: email.domainId,
    emailId: email.id,
    type,
    stream: email.stream,
    sandbox,
    tag: email.tag,
    data,
    provider,
    facts: null,
  }
}

/** The host that decided an attempt. */
type Where = Pick<AttemptReport, 'host' | 'ip' | 'throttledBy'>

/** The mailbox provider whose host was asked; null when none was. */
function answeredBy({ email: { recipientKey }, sandbox }: Context, { host, throttledBy }: Where): string | null {
  if (host === null || sandbox) return host
  if (throttledBy !== null) return null
  return providerOf(domainPart(recipientKey), [host]).name
}

/** An end without an attempt. */
export function endedWithoutAttempt(
  context: Context,
  end:
    | { readonly status: 'suppressed'; readonly reason: string }
    | { readonly status: 'failed'; readonly reason: FailedReason },
): Conclusion {
  const { email, sandbox } = context
  const event =
    end.status === 'suppressed'
      ? eventOf(context, 'email.suppressed', { reason: end.reason })
      : eventOf(context, 'email.failed', failedData(end.reason, lastReply(email), email.attemptsCount))
  const result = resultOf(context, { status: end.status, next: null, finalReply: null, attempt: null })
  return { email, sandbox, result, events: [event], bounce: null }
}

/** RFC 3463 section 3.8: a cryptographic failure. */
const NO_TLS = '4.7.5'

/** The stored detail of the last attempt, in the wire names of `attemptOf`. */
interface StoredDetail {
  readonly mx: string | null
  readonly ip: string | null
  readonly smtp_code: number | null
  readonly enhanced_code: string | null
  readonly response: string
  readonly dialogue: Dialogue
  readonly throttled_by: string | null
}

const NO_REPLY: Pick<StoredDetail, 'smtp_code' | 'enhanced_code'> = { smtp_code: null, enhanced_code: null }

/** Ends an email at its time without another try. The bounce is that of the last attempt, as if it had been the final one. */
export function expired(context: Context, last: StoredAttempt | null): Conclusion {
  const detail = (last?.detail ?? NO_REPLY) as unknown as StoredDetail
  const { smtp_code: code } = detail
  const answered = code === null ? null : commandAnswered(detail.dialogue, { code, text: detail.response })
  // A mail that does not require TLS is sent without it when STARTTLS is refused, unless the server closes (421).
  const refused = answered === 'starttls' && (code !== 421 || context.email.tlsRequired)
  const lacksTls = code === null ? detail.enhanced_code === NO_TLS : refused
  const reason = lacksTls ? 'tls_required' : 'expired'
  const ended = endedWithoutAttempt(context, { status: 'failed', reason })
  if (code === null || last?.outcome !== 'deferred') return ended
  const where = { host: detail.mx, ip: detail.ip, throttledBy: detail.throttled_by }
  const finalReply = { code, enhanced: detail.enhanced_code, text: detail.response }
  const command = answered === 'starttls' ? 'connect' : answered
  const { type, category } = bounceFromReply({ ...finalReply, lines: [] }, command ?? 'rcpt')
  if (!keptRefusing(context.email, last, category)) return ended
  const refusal = { finalReply, type: 'soft', category: type === 'soft' ? category : 'expired', command } as const
  const data = { ...failedData(reason, lastReply(context.email), context.email.attemptsCount), listed_as: 'soft' }
  return {
    ...ended,
    // No host was asked now: the last try was counted when it was deferred, and statistics count each try once.
    events: [eventOf(context, 'email.failed', data, null)],
    bounce: { ...bounceOf(context, where, refusal, 'failed'), attempt: last.number },
  }
}

/** A queue row whose email is no longer there. */
export function forgotten({ id, accountId, fence }: Claimed, now: Date): Conclusion {
  const nothing = { next: null, smtpCode: null, response: null, sizeBytes: null, attempt: null }
  const result = { id, accountId, fence, status: 'failed', at: now, ...nothing } as const
  return { email: null, sandbox: false, result, events: [], bounce: null }
}

/** Deferred without an attempt, for at most an hour: nothing signals when the email may be sent. */
export function deferredWithoutAttempt(context: Context, why: string): Conclusion {
  const { email, sandbox, now } = context
  const next = new Date(Math.min((nextOf(context) ?? email.expiresAt).getTime(), now.getTime() + 3_600_000))
  const finalReply = { code: null, enhanced: '4.7.0', text: `4.7.0 not tried: ${why}` }
  const result = resultOf(context, { status: 'deferred', next, finalReply, attempt: null })
  return { email, sandbox, result, events: [], bounce: null }
}

function nextOf({ email, now, chance }: Context): Date | null {
  return nextTry({ start: dueSince(email), expiresAt: email.expiresAt }, now, chance(), email.attemptsCount)
}

export function conclusionOf(context: Context, report: AttemptReport): Conclusion {
  const { verdict } = report
  switch (verdict.kind) {
    case 'delivered':
      return delivered(context, report, verdict.finalReply)
    case 'bounced':
      return bounced(context, report, verdict)
    case 'deferred':
      return deferred(context, report, verdict)
    case 'failed':
      return failed(context, report, {
        reason: reasonOf(verdict.cause),
        outcome: 'error',
        provider: null,
        isBounce: false,
      })
  }
}

function delivered(context: Context, report: AttemptReport, finalReply: FinalReply): Conclusion {
  const { email, sandbox, now } = context
  const attempts = email.attemptsCount + 1
  const data = {
    delivered_at: now.toISOString(),
    smtp_code: finalReply.code,
    enhanced_code: finalReply.enhanced,
    response: finalReply.text,
    remote_mta: remoteMta(report),
    tls: report.tls,
    attempts,
    delivery_time_ms: Math.max(0, now.getTime() - dueSince(email).getTime()),
  }
  const event = eventOf(context, 'email.delivered', data, answeredBy(context, report))
  const attempt = attemptOf(context, report, 'delivered', null)
  const result = resultOf(context, { status: 'delivered', next: null, finalReply, attempt })
  return { email, sandbox, result, events: [event], bounce: null }
}

function bounced(context: Context, report: AttemptReport, verdict: Verdict & { kind: 'bounced' }): Conclusion {
  const { email, sandbox } = context
  const attempt = attemptOf(context, report, 'bounced', null)
  const result = resultOf(context, { status: 'bounced', next: null, finalReply: verdict.finalReply, attempt })
  return { email, sandbox, result, events: [], bounce: bounceOf(context, report, verdict, 'bounced') }
}

function deferred(context: Context, report: AttemptReport, verdict: Verdict & { kind: 'deferred' }): Conclusion {
  const { email, sandbox, now } = context
  const { finalReply, cause, category, command } = verdict
  const outcome = cause === 'recipient' ? 'deferred' : 'error'
  const next = nextOf(context)
  const attempt = attemptOf(context, report, outcome, next)
  if (next === null && !(isShortened(email) && email.expiresAt > now)) {
    const isBounce = outcome === 'deferred' && keptRefusing(email, attempt, category)
    const end = {
      reason: lastReason(email, verdict),
      outcome,
      provider: answeredBy(context, report),
      isBounce,
    } as const
    const ended = failed(context, report, end)
    if (!isBounce) return ended
    return { ...ended, bounce: bounceOf(context, report, { finalReply, command, type: 'soft', category }, 'failed') }
  }
  const data = {
    smtp_code: finalReply.code,
    enhanced_code: finalReply.enhanced,
    response: finalReply.text,
    attempt: attempt.number,
    next_attempt_at: next?.toISOString() ?? null,
  }
  const event = eventOf(context, 'email.deferred', data, answeredBy(context, report))
  const result = resultOf(context, { status: 'deferred', next: next ?? email.expiresAt, finalReply, attempt })
  return { email, sandbox, result, events: [event], bounce: null }
}

const KEPT_TRIES = 3
const KEPT_MS = 3_600_000

/** Whether a 4xx at the last try counts against the address: see the head of the file. */
function keptRefusing(
  email: QueuedEmail,
  { number, startedAt }: Pick<AttemptRecord, 'number' | 'startedAt'>,
  category: BounceCategory,
): boolean {
  if (category !== 'rate_limited') return true
  return number >= KEPT_TRIES && startedAt.getTime() - dueSince(email).getTime() >= KEPT_MS
}

interface Failure {
  readonly reason: FailedReason
  /** Outcome of the last attempt. */
  readonly outcome: AttemptOutcome
  /** The mailbox provider whose host deferred the last try; null: the end comes from our side. */
  readonly provider: string | null
  /** Listed as a soft bounce. Statistics also count it as one; they learn of it only from this event. */
  readonly isBounce: boolean
}

function failed(context: Context, report: AttemptReport, { reason, outcome, provider, isBounce }: Failure): Conclusion {
  const { email, sandbox } = context
  const { finalReply } = report.verdict
  const attempt = attemptOf(context, report, outcome, null)
  const data = { ...failedData(reason, finalReply, attempt.number), ...(isBounce && { listed_as: 'soft' }) }
  const event = eventOf(context, 'email.failed', data, provider)
  const result = resultOf(context, { status: 'failed', next: null, finalReply, attempt })
  return { email, sandbox, result, events: [event], bounce: null }
}

type LastReply = Pick<FinalReply, 'code' | 'text'>

function failedData(reason: FailedReason, finalReply: LastReply | null, attempts: number): object {
  return { reason, last_smtp_code: finalReply?.code ?? null, last_response: finalReply?.text ?? null, attempts }
}

function lastReply({ lastSmtpCode: code, lastResponse: text }: QueuedEmail): LastReply | null {
  return text === null ? null : { code, text }
}

function reasonOf(cause: Cause): FailedReason {
  switch (cause) {
    case 'recipient':
      return 'retry_exhausted'
    case 'connection':
      return 'connection_failed'
    case 'dns':
      return 'dns_failure'
    case 'tls':
      return 'tls_required'
    case 'internal':
      return 'internal_error'
  }
}

/** The sender gave the email less time than we would. */
function isShortened(email: QueuedEmail): boolean {
  return email.expiresAt.getTime() < dueSince(email).getTime() + EMAIL_LIFE_MS
}

/** Why an email ended after its last try. If the sender shortened its time, it expired, unless TLS was missing. */
function lastReason(email: QueuedEmail, { cause, finalReply }: Verdict & { kind: 'deferred' }): FailedReason {
  if (cause === 'tls') return 'tls_required'
  if (isShortened(email)) return 'expired'
  return cause === 'connection' && finalReply.code !== null ? 'retry_exhausted' : reasonOf(cause)
}

export function bounceOf(
  context: Context,
  where: Where,
  refusal: Pick<NewBounce, 'type' | 'category' | 'command'> & { readonly finalReply: FinalReply },
  endsAs: 'bounced' | 'failed',
): NewBounce {
  const { email, sandbox, now } = context
  const { finalReply, type, category, command } = refusal
  return {
    accountId: email.accountId,
    emailId: email.id,
    domainId: email.domainId,
    recipient: email.recipient,
    recipientKey: email.recipientKey,
    stream: email.stream,
    sandbox,
    tag: email.tag,
    type,
    category,
    smtpCode: finalReply.code,
    enhancedCode: finalReply.enhanced,
    diagnosticCode: finalReply.code === null ? null : `smtp; ${finalReply.text}`,
    errorMessage: finalReply.text,
    command,
    remoteMta: remoteMta(where),
    provider: answeredBy(context, where),
    source: 'smtp',
    feedbackType: null,
    attempt: email.attemptsCount + 1,
    bouncedAt: now,
    endsAs,
  }
}

function remoteMta({ host, ip }: Where): NewBounce['remoteMta'] {
  return host === null && ip === null ? null : { host, ip }
}

function resultOf(
  { email, fence, sizeBytes, now }: Context,
  facts: {
    readonly status: Result['status']
    readonly next: Date | null
    readonly finalReply: FinalReply | null
    readonly attempt: AttemptRecord | null
  },
): Result {
  const { status, next, finalReply, attempt } = facts
  return {
    id: email.id,
    accountId: email.accountId,
    fence,
    status,
    next,
    at: now,
    smtpCode: finalReply?.code ?? null,
    response: finalReply === null ? null : storedResponse(finalReply.text),
    sizeBytes,
    attempt,
  }
}

/** In the wire names of contract section 5. */
function attemptOf(
  { email }: Context,
  report: AttemptReport,
  outcome: AttemptOutcome,
  next: Date | null,
): AttemptRecord {
  const { finalReply } = report.verdict
  return {
    number: email.attemptsCount + 1,
    startedAt: report.startedAt,
    durationMs: Math.max(0, Math.round(report.durationMs)),
    outcome,
    detail: {
      mx: report.host,
      ip: report.ip,
      port: report.port,
      source_ip: report.sourceIp,
      tls: report.tls,
      smtp_code: finalReply.code,
      enhanced_code: finalReply.enhanced,
      response: finalReply.text,
      dialogue: report.dialogue,
      next_attempt_at: next?.toISOString() ?? null,
      throttled_by: report.throttledBy,
    },
  }
}

const LOCAL: Omit<AttemptReport, 'verdict' | 'startedAt' | 'durationMs'> = {
  host: null,
  ip: null,
  port: null,
  sourceIp: null,
  tls: null,
  dialogue: [],
  throttledBy: null,
}

/** A bug while a mail was composed or sent. The mail is retried: the bug may be fixed by then. */
export const INTERNAL_ERROR: Verdict = {
  kind: 'deferred',
  finalReply: { code: null, enhanced: '4.3.0', text: '4.3.0 an error on our side' },
  cause: 'internal',
  category: 'unknown',
  command: 'connect',
}

/** The report of an attempt that ended before it reached a server. */
export function localReport(verdict: Verdict, startedAt: Date, durationMs: number): AttemptReport {
  return { ...LOCAL, verdict, startedAt, durationMs }
}
