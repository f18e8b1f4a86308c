// What other rooms ask of the roll-ups.

import type { Database, Db } from '../../platform/db.ts'
import { EVENT_TYPES } from '../events/index.ts'
import { COUNTERS, type Counts } from './counters.ts'
import { NO_DOMAIN, SCOPE } from './roll-up.ts'
import * as sql from './sql.ts'

/** @returns the share of the whole in [0, 1] with four decimals; null when the whole is 0 */
export function rate(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000
}

export interface MonthFigures {
  readonly delivered: number
  readonly bounced: number
  readonly failed: number
  readonly deferred: number
  readonly complained: number
  readonly delivery_rate: number | null
}

/**
 * What became of an account's real mail in a month of UTC, exact at once: roll-ups and what they lack, of one snapshot.
 *
 * @param month `YYYY-MM-01`
 */
export async function deliveryFigures(database: Database, accountId: string, month: string): Promise<MonthFigures> {
  const begins = new Date(`${month}T00:00:00Z`)
  const ends = new Date(Date.UTC(begins.getUTCFullYear(), begins.getUTCMonth() + 1, 1))
  const types = [
    EVENT_TYPES['email.sent'],
    EVENT_TYPES['email.delivered'],
    EVENT_TYPES['email.bounced'],
    EVENT_TYPES['email.failed'],
    EVENT_TYPES['email.deferred'],
    EVENT_TYPES['email.complained'],
  ]
  const row = await database.system.one<Omit<MonthFigures, 'delivery_rate'> & { readonly sent: number }>(sql.monthNow, [
    accountId,
    begins,
    ends,
    ...types,
    accountId,
  ])
  if (row === null) throw new Error('a sum without a row')
  const { sent, ...figures } = row
  return { ...figures, delivery_rate: rate(row.delivered, sent) }
}

/**
 * All counters of whole days of UTC, of an account or one of its domains, without the sandbox.
 *
 * @param from the first moment of a day, inclusive
 * @param to the first moment of a day, exclusive
 */
export async function countsOf(
  db: Db,
  accountId: string,
  { domainId = null, from, to }: { readonly domainId?: string | null; readonly from: Date; readonly to: Date },
): Promise<Counts> {
  const scope = domainId === null ? SCOPE.account : SCOPE.domain
  const row = await db.one<Counts>(sql.sumOfDays, [accountId, scope, [domainId ?? NO_DOMAIN], from, to])
  return row ?? (Object.fromEntries(COUNTERS.map((name) => [name, 0])) as Counts)
}

/** The accounts that something happened to since `from`, in the order of ids, behind `after` (null: from the first). */
export async function activeAccounts(
  db: Db,
  { from, after, limit }: { readonly from: Date; readonly after: string | null; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await db.query<{ account_id: string }>(sql.activeAccounts, [after ?? NO_DOMAIN, from, limit])
  return rows.map((row) => row.account_id)
}
