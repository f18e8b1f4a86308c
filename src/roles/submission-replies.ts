// Replies for messages that cannot be taken: the codes of contract section 6.

import { isUnavailable } from '../platform/db.ts'
import { ApiError } from '../platform/errors.ts'

/** A reply that passes through the SMTP library; `message` begins with the enhanced code. */
export class Reply extends Error {
  readonly responseCode: number
  constructor(responseCode: number, text: string, cause?: unknown) {
    super(text, cause === undefined ? undefined : { cause })
    this.name = 'Reply'
    this.responseCode = responseCode
  }
}

/** @returns null for a bug or another fault of ours: the client tries again, and the log has the cause */
export function replyOf(error: unknown): Reply | null {
  if (error instanceof Reply) return error
  if (!(error instanceof ApiError)) return isUnavailable(error) ? unavailable() : null
  const text = `${error.message} (${error.code})`
  switch (error.code) {
    case 'rate_limit_exceeded':
    case 'quota_exceeded':
      return new Reply(451, `4.7.0 ${text}`)
    case 'payload_too_large':
      return new Reply(552, `5.3.4 ${text}`)
    case 'idempotency_key_reused':
      return new Reply(550, `5.6.0 ${text}`)
    case 'idempotency_in_progress':
      return new Reply(451, '4.3.0 a message with this X-Idempotency-Key is being taken, try again')
    case 'service_unavailable':
      return unavailable()
    default:
      return error.status >= 500 ? null : new Reply(550, `5.7.1 ${text}`)
  }
}

/** The client disconnected in the middle of its message: not our fault, and nobody gets the answer. */
export function isHungUp(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return code === 'ECONNECTION' || code === 'ERR_STREAM_PREMATURE_CLOSE'
}

export function unavailable(): Reply {
  return new Reply(451, '4.3.0 the message cannot be stored right now, try again')
}
