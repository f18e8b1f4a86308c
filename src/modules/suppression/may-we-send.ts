// May we send? The check runs for each recipient before a mail is accepted, and again in the statement that claims the
// mail for delivery. A live entry stops all mail of its account to that mailbox, including sandbox mail, so that a test
// shows what would happen. An entry made by sandbox mail stops only sandbox mail. For a mailbox on both lists, the answer
// is the suppression.

import type { Db } from '../../platform/db.ts'
import { WHO_SAID_NO } from './sql.ts'

export type SuppressionReason = 'manual' | 'repeated_soft_bounce' | 'hard_bounce' | 'complaint' | 'spamtrap'

export interface SendQuestion {
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
      /** The reason the recipient gave; null when they gave none. */
      readonly reason: string | null
      readonly source: string
      readonly id: string
      readonly since: Date
    }

/** A row of `refusalRows` in sql.ts; `n` counts asks from 1. */
export interface RefusalRow {
  readonly n: number
  readonly list: 'suppression' | 'unsubscribe'
  readonly reason: string | null
  readonly source: string
  readonly id: string
  readonly created_at: Date
}

/** One answer for each of `count` asks, in the same order. */
export function refusalsOf(rows: readonly RefusalRow[], count: number): (Refusal | null)[] {
  const answers: (Refusal | null)[] = Array.from({ length: count }, () => null)
  for (const { n, list, reason, source, id, created_at } of rows) {
    if (answers[n - 1]?.list === 'suppression') continue
    answers[n - 1] = { list, reason, source, id, since: created_at } as Refusal
  }
  return answers
}

/**
 * Runs one statement for any number of asks.
 *
 * @returns one answer for each ask, in the same order; null when nothing forbids the mail
 */
export async function mayWeSend(
  db: Db,
  asks: readonly SendQuestion[],
  now: Date,
): Promise<readonly (Refusal | null)[]> {
  if (asks.length === 0) return []
  const rows = await db.query<RefusalRow>(WHO_SAID_NO, [
    asks.map(({ accountId }) => accountId),
    asks.map(({ recipient }) => recipient),
    asks.map(({ sandbox }) => sandbox),
    now,
  ])
  return refusalsOf(rows, asks.length)
}
