// Secrets and signatures. The signed bytes are the bytes sent, the same for both signatures.
//
// - X-Webhook-Signature: lower-case hex of HMAC-SHA256 over the body; the key is the secret as shown.
// - Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`; the key is the secret's base64 part, decoded. One signature for each
//   secret that is valid: a receiver takes any.

import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

export function newSecret(bytes: (length: number) => Buffer): string {
  return PREFIX + bytes(SECRET_BYTES).toString('base64')
}

/** The secrets that are valid at the time of an attempt. */
export interface SigningSecrets {
  readonly present: string
  /** The one before, in its grace period; null: there is none, or the period is over. */
  readonly previous: string | null
}

/** @param at time of this attempt */
export function signedHeaders(
  { present, previous }: SigningSecrets,
  eventId: string,
  body: Buffer,
  at: Date,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const standard = (secret: string): string => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${eventId}.${timestamp}.`).update(body).digest('base64')}`
  }
  return {
    'x-webhook-signature': createHmac('sha256', present).update(body).digest('hex'),
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': previous === null ? standard(present) : `${standard(present)} ${standard(previous)}`,
  }
}
