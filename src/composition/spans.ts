// The spans in the trace of an email: its acceptance, each attempt, each webhook about it, with ids, numbers and outcomes, but no
// address or host. Also the log line for each attempt, which has the host. A part of the composition root.

import type { TriedEmail } from '../modules/delivery/index.ts'
import type { Accepted } from '../modules/sending/index.ts'
import type { FinishedRequest } from '../modules/webhooks/index.ts'
import type { Logger } from '../platform/log.ts'
import type { Traces } from '../platform/traces.ts'

type Outcome = { readonly kind: 'accepted'; readonly accepted: Accepted } | { readonly kind: string }

/** Records a span for each email of a submission; `durationMs` is that of their common commit. */
export function traceAccepted(traces: Traces, outcomes: readonly Outcome[], durationMs: number): void {
  for (const outcome of outcomes) {
    if (!('accepted' in outcome)) continue
    const { recipients, acceptedAt: startedAt, status, stream } = outcome.accepted
    const attributes = { recipients: recipients.length, status, stream }
    for (const { emailId } of recipients)
      traces.record({ name: 'accept', emailId, startedAt, durationMs, failed: false, attributes })
  }
}

/** @param provider who runs the receiving host */
export function traceAttempt(traces: Traces, { emailId, accountId, smtpCode, attempt }: TriedEmail, provider: string) {
  const { number, outcome, startedAt, durationMs } = attempt
  const attributes = { account_id: accountId, attempt: number, outcome, provider }
  traces.record({
    name: 'attempt',
    emailId,
    startedAt,
    durationMs,
    failed: outcome !== 'delivered',
    attributes: smtpCode === null ? attributes : { ...attributes, smtp_code: smtpCode },
  })
}

export function traceWebhook(traces: Traces, request: FinishedRequest): void {
  const { emailId, accountId, webhookId, eventId, number, httpStatus, success, startedAt, durationMs } = request
  const attributes = { account_id: accountId, webhook_id: webhookId, event_id: eventId, attempt: number }
  traces.record({
    name: 'webhook',
    emailId,
    startedAt,
    durationMs,
    failed: !success,
    attributes: httpStatus === null ? attributes : { ...attributes, http_status: httpStatus },
  })
}

/** The server's reply is only in the attempt itself, because it may repeat an address. */
export function logAttempt(log: Logger, { accountId, emailId, host, smtpCode, attempt }: TriedEmail): void {
  const { number, outcome } = attempt
  const ids = { account_id: accountId, email_id: emailId }
  log.info({ ...ids, attempt: number, outcome, host, code: smtpCode }, 'delivery attempted')
}
