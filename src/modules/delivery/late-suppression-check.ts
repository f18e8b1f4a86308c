// The third suppression check, for mail that has waited in the process since its claim: behind a slow destination, or for a
// server's late greeting. A recipient suppressed or unsubscribed meanwhile gets no RCPT TO: the email is handed back, and its
// next claim ends it. Checks run in groups. An email checked within the last two seconds is not checked again, so a
// destination that keeps up costs nothing. While the database is away nobody knows, and the email is handed back.

import type { Clock } from '../../platform/clock.ts'
import { type Database, isUnavailable } from '../../platform/db.ts'
import { groupCommit } from '../../platform/group-commit.ts'
import type { QueuedEmail } from '../outbox/index.ts'
import { mayWeSend, type Refusal, type SendQuestion } from '../suppression/index.ts'

export interface CheckedEmail {
  readonly email: QueuedEmail
  /** When the suppression lists were last asked, by the monotonic clock. */
  checkedAtMs: number
}

const CHECKED_FOR_MS = 2_000
const MAX_ASKS = 500

/** @returns whether the recipient may still be mailed; false while the database is unavailable, since nobody knows */
export function lateSuppressionCheck(database: Database, clock: Clock): (one: CheckedEmail) => Promise<boolean> {
  const asked = groupCommit<SendQuestion, Refusal | null>({
    write: (asks) => mayWeSend(database.system, asks, clock.now()),
    sizeOf: ({ recipient }) => recipient.length,
    maxItems: MAX_ASKS,
    maxBytes: Number.POSITIVE_INFINITY,
    concurrency: 1,
    // The emails in the process bound what can wait.
    maxWaitingBytes: Number.POSITIVE_INFINITY,
    full: () => new Error('too many ask'),
  })
  return async (one) => {
    const nowMs = clock.monotonicMs()
    if (nowMs - one.checkedAtMs < CHECKED_FOR_MS) return true
    const { accountId, recipientKey: recipient, sandbox } = one.email
    try {
      if ((await asked.add({ accountId, recipient, sandbox })) !== null) return false
    } catch (error) {
      if (isUnavailable(error)) return false
      throw error
    }
    one.checkedAtMs = nowMs
    return true
  }
}
