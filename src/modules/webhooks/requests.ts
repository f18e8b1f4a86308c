// One request for one claimed delivery: opens the secrets, asks the endpoint, and passes the result on.

import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/log.ts'
import type { Connector } from '../../platform/network/connect.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { type AttemptResult, attempt } from './attempt.ts'
import { openSecrets } from './endpoints.ts'
import type { Ended } from './record-results.ts'
import type { SealedSecrets } from './sql.ts'

/** A finished request to an endpoint. */
export interface FinishedRequest {
  readonly emailId: string
  readonly accountId: string
  readonly webhookId: string
  readonly eventId: string
  readonly number: number
  readonly httpStatus: number | null
  readonly success: boolean
  readonly startedAt: Date
  readonly durationMs: number
}

export interface RequestOptions {
  readonly clock: Clock
  readonly secrets: Secrets
  readonly connector: Connector
  readonly log: Logger
  /** Called after each request about an email. */
  readonly onAttempt?: (attempt: FinishedRequest) => void
}

export interface Claimed extends SealedSecrets {
  readonly id: string
  readonly account_id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly event_at: Date
  readonly event: number
  readonly email_id: string | null
  readonly attempt: number
  readonly leads: boolean
  readonly url: string
  readonly is_active: boolean
}

/** A claimed delivery, to be sent. */
export interface Work {
  readonly claimed: Claimed
  readonly lease: string
  /** Null when the log no longer has the event. */
  readonly payload: object | null
}

const NOT_KEPT: AttemptResult = {
  success: false,
  gone: false,
  retryAfter: null,
  facts: { http_status: null, duration_ms: 0, response_body: null, error: 'the event is no longer kept' },
}

/**
 * Never rejects.
 *
 * @param onEnded gets the result, unless the attempt is to be made again when its lease ends
 * @returns whether the endpoint is doing well
 */
export async function request(
  options: RequestOptions,
  { claimed, lease, payload }: Work,
  onEnded: (ended: Ended) => void,
): Promise<boolean> {
  const { clock, log } = options
  const { id, webhook_id: webhookId, event_id: eventId, url, leads: leading } = claimed
  try {
    const startedAt = clock.now()
    const secrets = openSecrets(options.secrets, webhookId, claimed, startedAt)
    const result = payload === null ? NOT_KEPT : await attempt(options, { url, secrets, eventId, payload, webhookId })
    const { account_id: accountId, event_at: eventAt, event, email_id: emailId, attempt: before } = claimed
    const logged = { accountId, eventAt, event, emailId }
    const ended = { id, lease, webhookId, eventId, logged, leading, attempt: before, url, startedAt, result }
    onEnded({ ...ended, wasSent: payload !== null })
    if (payload !== null && 'email_id' in payload) {
      options.onAttempt?.({
        emailId: String(payload.email_id),
        accountId,
        webhookId,
        eventId,
        number: claimed.attempt,
        httpStatus: result.facts.http_status,
        success: result.success,
        startedAt,
        durationMs: result.facts.duration_ms,
      })
    }
    log.debug({ webhook_id: webhookId, event_id: eventId, status: result.facts.http_status }, 'webhook attempted')
    return result.success || payload === null
  } catch (err) {
    log.warn({ err, webhook_id: webhookId, event_id: eventId }, 'a webhook attempt will be made again')
    return false
  }
}
