// One attempt: the body, its signatures, and the receiver's answer. Only 2xx is success.

import { StringDecoder } from 'node:string_decoder'
import type { Clock } from '../../platform/clock.ts'
import type { Connector, Outcome } from '../../platform/network/connect.ts'
import { type SigningSecrets, signedHeaders } from './sign.ts'
import type { AttemptFacts } from './types.ts'

export const TIMEOUT_MS = 15_000
const SHOWN_BYTES = 4_096
const USER_AGENT = 'Posthorn-Webhooks/1.0'

export interface Attempt {
  readonly url: string
  readonly secrets: SigningSecrets
  readonly eventId: string
  readonly payload: object
  /** Connections are not shared between endpoints. */
  readonly webhookId: string
}

export interface AttemptResult {
  readonly success: boolean
  /** The receiver answered 410: it never wants to be called again. */
  readonly gone: boolean
  readonly retryAfter: string | null
  readonly facts: AttemptFacts
}

export async function attempt(
  { connector, clock }: { readonly connector: Connector; readonly clock: Clock },
  { url, secrets, eventId, payload, webhookId }: Attempt,
): Promise<AttemptResult> {
  const body = Buffer.from(JSON.stringify(payload))
  const began = clock.monotonicMs()
  const outcome = await connector.request({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      ...signedHeaders(secrets, eventId, body, clock.now()),
    },
    body,
    timeoutMs: TIMEOUT_MS,
    tenant: webhookId,
  })
  return resultOf(outcome, Math.round(clock.monotonicMs() - began))
}

function resultOf(outcome: Outcome, durationMs: number): AttemptResult {
  if (outcome.kind === 'failed') {
    const { failure, detail } = outcome
    const facts = { http_status: null, duration_ms: durationMs, response_body: null, error: `${failure}: ${detail}` }
    return { success: false, gone: false, retryAfter: null, facts }
  }
  const { status, headers, body } = outcome
  const success = status >= 200 && status < 300
  const retryAfter = headers['retry-after']
  return {
    success,
    gone: status === 410,
    retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
    facts: {
      http_status: status,
      duration_ms: durationMs,
      response_body: textOf(body),
      error: success ? null : `http: the receiver answered ${status}`,
    },
  }
}

/** Replaces NUL, which the database cannot store. U+FFFD is longer than the bytes it replaces, so the text is cut again. */
function textOf(body: Buffer): string {
  return wholeCharacters(Buffer.from(wholeCharacters(body).replaceAll('\0', '\ufffd')))
}

/** The characters that fit in SHOWN_BYTES entirely. */
function wholeCharacters(bytes: Buffer): string {
  return new StringDecoder('utf8').write(bytes.subarray(0, SHOWN_BYTES))
}
