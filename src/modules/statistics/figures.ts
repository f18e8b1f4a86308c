// What other rooms ask of the roll-ups.

import type { Database, Db } from '../../platform/db.ts'
import { EVENT_TYPES, firstAndLast } from '../events/index.ts'
import { COUNTERS, type Counts } from './counters.ts'
import { NO_DOMAIN, QUARTER_MS, SCOPE } from './roll-up.ts'
import * as sql from './sql.ts'

/**
 * An event counts on the day on which it happened, so a day may have more deliveries than sends: that is the whole, no more.
 *
 * @returns the share of the whole in [0, 1] with four decimals; null when the whole is 0
 */
export function rate(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.min(1, Math.round((part / whole) * 10_000) / 10_000)
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

export interface SentByDomain {
  readonly total: number
  /** Null: nothing was sent. Exact while the log has the event, else the quarter of an hour. */
  readonly firstAt: Date | null
  readonly lastAt: Date | null
}

/** What a domain has sent since it is here, without the sandbox. */
export async function sentByDomain(db: Db, accountId: string, domainId: string): Promise<SentByDomain> {
  const row = await db.one<{ total: number; first: Date | null; last: Date | null }>(sql.sentByDomain, [
    accountId,
    domainId,
  ])
  const { total = 0, first = null, last = null } = row ?? {}
  const within = (from: Date) =>
    firstAndLast(db, accountId, {
      domainId,
      type: 'email.sent',
      from,
      to: new Date(from.getTime() + QUARTER_MS),
    })
  return {
    total,
    firstAt: first === null ? null : ((await within(first))?.first ?? first),
    lastAt: last === null ? null : ((await within(last))?.last ?? last),
  }
}

/** The accounts that something happened to since `from`, in the order of ids, behind `after` (null: from the first). */
export async function activeAccounts(
  db: Db,
  { from, after, limit }: { readonly from: Date; readonly after: string | null; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await db.query<{ account_id: string }>(sql.activeAccounts, [after ?? NO_DOMAIN, from, limit])
  return rows.map((row) => row.account_id)
}
