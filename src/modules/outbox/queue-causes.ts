// Why deferred emails wait: their last responses, counted over all accounts and destinations. The emails that are due first are
// examined, at most EXAMINED.

import type { Db } from '../../platform/db.ts'
import { waitingCauses as asked } from './sql-causes.ts'

export const EXAMINED = 10_000

export interface WaitingCause {
  /** The last response of the email that is due first; null: no attempt has had a result. */
  readonly response: string | null
  readonly smtpCode: number | null
  readonly emails: number
  readonly accounts: number
  readonly destinations: number
  /** Those with the most emails first. */
  readonly topDestinations: readonly string[]
  readonly nextAttemptAt: Date
}

export interface WaitingCauses {
  /** The cause of the most emails first. */
  readonly causes: readonly WaitingCause[]
  /** How many deferred emails were examined; EXAMINED: there may be more. */
  readonly examined: number
}

interface Row {
  readonly response: string | null
  readonly code: number | null
  readonly emails: number
  readonly accounts: number
  readonly destinations: number
  readonly names: readonly string[]
  readonly next: Date
  readonly examined: number
}

/** @param destination null: all */
export async function waitingCauses(
  db: Db,
  { destination, limit }: { readonly destination: string | null; readonly limit: number },
): Promise<WaitingCauses> {
  const rows = await db.query<Row>(asked, [destination, EXAMINED, limit])
  return {
    examined: rows[0]?.examined ?? 0,
    causes: rows.map((row) => ({
      response: row.response,
      smtpCode: row.code,
      emails: row.emails,
      accounts: row.accounts,
      destinations: row.destinations,
      topDestinations: row.names,
      nextAttemptAt: row.next,
    })),
  }
}

/** Also used by `posthorn queue causes --json`. */
export function wireCause(one: WaitingCause): object {
  return {
    response: one.response,
    smtp_code: one.smtpCode,
    emails: one.emails,
    accounts: one.accounts,
    destinations: one.destinations,
    top_destinations: one.topDestinations,
    next_attempt_at: one.nextAttemptAt.toISOString(),
  }
}
