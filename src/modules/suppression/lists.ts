// Reads the two lists, newest first, with the account's own rights.

import { foldCase, storedSpelling } from '../../mail/address.ts'
import { containing } from '../../platform/db/sql-pattern.ts'
import type { Db } from '../../platform/db.ts'
import {
  type Suppression,
  type SuppressionRow,
  type Unsubscribe,
  type UnsubscribeRow,
  wireSuppression,
  wireUnsubscribe,
} from './entries.ts'
import type { SuppressionReason } from './may-we-send.ts'
import * as sql from './sql.ts'

const DAY_MS = 86_400_000

export interface ListFilter {
  readonly includeSandbox: boolean
  /** Part of the address, case-insensitive; `%` and `_` are literal. */
  readonly search: string | null
  /** Days in UTC, both inclusive. */
  readonly fromDate: string | null
  readonly toDate: string | null
}

export interface Window {
  readonly limit: number
  readonly offset: number
}

interface Total {
  readonly total: number
}

/** Parameters $1 to $6 of the unsubscribe filter in sql.ts. */
export function unsubscribeFilterValues(
  accountId: string,
  { includeSandbox, search, fromDate, toDate }: ListFilter,
): readonly unknown[] {
  return [
    accountId,
    includeSandbox,
    containing(search === null ? null : foldCase(search)),
    fromDate === null ? null : new Date(`${fromDate}T00:00:00Z`),
    toDate === null ? null : new Date(Date.parse(`${toDate}T00:00:00Z`) + DAY_MS),
    containing(search === null ? null : storedSpelling(search)),
  ]
}

export interface SuppressionFilter extends ListFilter {
  readonly reason: SuppressionReason | null
}

/** Parameters $1 to $8 of the suppression filter in sql.ts. */
export function suppressionFilterValues(accountId: string, filter: SuppressionFilter, now: Date): readonly unknown[] {
  return [...unsubscribeFilterValues(accountId, filter), filter.reason, now]
}

export async function listSuppressions(
  db: Db,
  accountId: string,
  filter: SuppressionFilter,
  { limit, offset }: Window,
  now: Date,
): Promise<{ readonly suppressions: readonly Suppression[]; readonly total: number }> {
  const values = suppressionFilterValues(accountId, filter, now)
  const [rows, count] = await Promise.all([
    db.query<SuppressionRow>(sql.LIST_SUPPRESSIONS, [...values, limit, offset]),
    db.one<Total>(sql.COUNT_SUPPRESSIONS, values),
  ])
  return { suppressions: rows.map(wireSuppression), total: count?.total ?? 0 }
}

/** @returns null when the address is not on the list; the live entry when there is also a sandbox one */
export async function suppressionOf(
  db: Db,
  accountId: string,
  recipient: string,
  now: Date,
): Promise<Suppression | null> {
  const row = await db.one<SuppressionRow>(sql.SUPPRESSION_OF, [accountId, recipient, now])
  return row === null ? null : wireSuppression(row)
}

export async function listUnsubscribes(
  db: Db,
  accountId: string,
  filter: ListFilter,
  { limit, offset }: Window,
): Promise<{ readonly unsubscribes: readonly Unsubscribe[]; readonly total: number }> {
  const values = unsubscribeFilterValues(accountId, filter)
  const [rows, count] = await Promise.all([
    db.query<UnsubscribeRow>(sql.LIST_UNSUBSCRIBES, [...values, limit, offset]),
    db.one<Total>(sql.COUNT_UNSUBSCRIBES, values),
  ])
  return { unsubscribes: rows.map(wireUnsubscribe), total: count?.total ?? 0 }
}
