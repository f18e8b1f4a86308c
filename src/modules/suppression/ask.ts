// May we send? Asked for each recipient before a mail is accepted, and again by the statement that claims it for
// delivery. A live entry stops every mail of its account to that mailbox, sandbox mail too, so that a test shows what
// would happen; an entry that sandbox mail made stops sandbox mail alone. A mailbox on both lists is answered with the
// suppression.

import type { Db } from '../../platform/db.ts'
import { WHO_SAID_NO } from './sql.ts'

export type SuppressionReason = 'manual' | 'repeated_soft_bounce' | 'hard_bounce' | 'complaint' | 'spamtrap'

export interface Ask {
  readonly accountId: string
  /** The suppression key of the recipient. */
  readonly recipient: string
  /** The mail is sandbox mail. */
  readonly sandbox: boolean
}

export type Refusal =
  | {
      readonly list: 'suppression'
      readonly reason: SuppressionReason
      readonly source: string
      readonly id: string
      readonly since: Date
    }
  | {
      readonly list: 'unsubscribe'
      /** What the recipient said, when they said anything. */
      readonly reason: string | null
      readonly source: string
      readonly id: string
      readonly since: Date
    }

interface RefusalRow {
  readonly n: number
  readonly list: 'suppression' | 'unsubscribe'
  readonly reason: string | null
  readonly source: string
  readonly id: string
  readonly created_at: Date
}

/**
 * One statement for any number of asks.
 *
 * @returns one answer for each ask, in their order; null = nothing speaks against it
 */
export async function mayWeSend(db: Db, asks: readonly Ask[], now: Date): Promise<readonly (Refusal | null)[]> {
  const answers: (Refusal | null)[] = asks.map(() => null)
  if (asks.length === 0) return answers
  const rows = await db.query<RefusalRow>(WHO_SAID_NO, [
    asks.map(({ accountId }) => accountId),
    asks.map(({ recipient }) => recipient),
    asks.map(({ sandbox }) => sandbox),
    now,
  ])
  for (const { n, list, reason, source, id, created_at } of rows) {
    if (answers[n - 1]?.list === 'suppression') continue
    answers[n - 1] = { list, reason, source, id, since: created_at } as Refusal
  }
  return answers
}
