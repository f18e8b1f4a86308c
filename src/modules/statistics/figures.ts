// Figures from the roll-ups for other modules.

import type { Database, Db } from '../../platform/db.ts'
import { EVENT_TYPES, firstAndLast } from '../events/index.ts'
import { COUNTERS, type Counts } from './counters.ts'
import { NO_DOMAIN, QUARTER_MS, SCOPE } from './roll-up.ts'
import * as sql from './sql.ts'

/**
 * Capped at 1: an event counts on the day on which it happened, so a day may have more deliveries than sends.
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
 * The results of an account's live mail in a month in UTC. Exact at any moment: the roll-ups plus the events not yet counted,
 * from one snapshot.
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
 * All counters of whole days in UTC, for an account or one of its domains, without the sandbox.
 *
 * @param from first moment of a day, inclusive
 * @param to first moment of a day, exclusive
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
  /** Null when nothing was sent. Exact while the log has the event; after that, the start of its quarter of an hour. */
  readonly firstAt: Date | null
  readonly lastAt: Date | null
}

/** What a domain has sent since it was added, without the sandbox. */
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

/** The accounts with any event since `from`, in order of id, after `after` (null: from the first). */
export async function activeAccounts(
  db: Db,
  { from, after, limit }: { readonly from: Date; readonly after: string | null; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await db.query<{ account_id: string }>(sql.activeAccounts, [after ?? NO_DOMAIN, from, limit])
  return rows.map((row) => row.account_id)
}

export interface ComplaintFloor {
  readonly from: Date
  readonly complained: number
  readonly delivered: number
  /** From 0 to 1, of what was delivered. */
  readonly rate: number
}

/** The domains of all accounts with at least so many complaints since `from`, to the day of UTC. Sandbox mail does not count. */
export function complainedDomains(db: Db, least: ComplaintFloor): Promise<readonly sql.ComplainedRow[]> {
  return db.query(sql.complainedDomains, [NO_DOMAIN, least.from, least.complained, least.delivered, least.rate])
}

export interface OpensFloor {
  readonly from: Date
  readonly opened: number
  /** Opens for each mail that was delivered. */
  readonly perDelivered: number
  /** The opens are more than what was delivered since then: mail may be opened late. */
  readonly lateSince: Date
}

/**
 * The domains of all accounts with at least so many opens since `from`, to the day of UTC, by people and machines. Sandbox mail
 * does not count.
 */
export function openedDomains(db: Db, least: OpensFloor): Promise<readonly sql.OpenedRow[]> {
  return db.query(sql.openedDomains, [NO_DOMAIN, least.from, least.opened, least.perDelivered, least.lateSince])
}
