// "May we send?" a third time, of what has waited in the process since its claim: behind a slow destination, or while a
// server took its time over a greeting. Somebody who said no meanwhile gets no RCPT TO; the email is handed back, and the
// claim that takes it up again ends it. Asked in groups; what was asked about in the last two seconds is not asked again,
// so a destination that keeps up costs nothing. While the database is away nobody can have said no to it: what the claim
// heard stands.

import type { Clock } from '../../platform/clock.ts'
import { type Database, isUnavailable } from '../../platform/db.ts'
import { groupCommit } from '../../platform/group-commit.ts'
import type { Letter } from '../outbox/index.ts'
import { type Ask, mayWeSend, type Refusal } from '../suppression/index.ts'

export interface AskedAbout {
  readonly letter: Letter
  /** When the lists were asked last, by the monotonic clock. */
  askedAtMs: number
}

const ASKED_MS = 2_000
const MAX_ASKS = 500

/** @returns whether the recipient has still not said no; rejects when that cannot be found out */
export function lateAsks(database: Database, clock: Clock): (one: AskedAbout) => Promise<boolean> {
  const asked = groupCommit<Ask, Refusal | null>({
    write: (asks) => mayWeSend(database.system, asks, clock.now()),
    sizeOf: ({ recipient }) => recipient.length,
    maxItems: MAX_ASKS,
    maxBytes: Number.POSITIVE_INFINITY,
    concurrency: 1,
    // What may wait is bounded by what is held.
    maxWaitingBytes: Number.POSITIVE_INFINITY,
    full: () => new Error('too many ask'),
  })
  return async (one) => {
    const nowMs = clock.monotonicMs()
    if (nowMs - one.askedAtMs < ASKED_MS) return true
    const { accountId, recipientKey: recipient, sandbox } = one.letter
    try {
      if ((await asked.add({ accountId, recipient, sandbox })) !== null) return false
      one.askedAtMs = nowMs
    } catch (error) {
      if (!isUnavailable(error)) throw error
    }
    return true
  }
}
