// Exports whole lists as CSV that the imports can read back. It reads one page at a time, ordered by address, so memory
// does not grow with the list. Each page is its own transaction: entries added or removed meanwhile may or may not appear.

import { csvLine, EXPORTED_AT_ONCE } from '../../platform/csv.ts'
import type { Database, Statement } from '../../platform/db.ts'
import { type SuppressionRow, type UnsubscribeRow, wireSuppression, wireUnsubscribe } from './entries.ts'
import { type ListFilter, type SuppressionFilter, suppressionFilterValues, unsubscribeFilterValues } from './lists.ts'
import * as sql from './sql.ts'

/** An unsubscribe as the API and the dashboard show it. */
export const UNSUBSCRIBE_COLUMNS = ['id', 'email', 'source', 'reason', 'sandbox', 'created_at'] as const
export const SUPPRESSION_COLUMNS = [
  'id',
  'email',
  'reason',
  'source',
  'domain_id',
  'email_id',
  'bounce_id',
  'details',
  'sandbox',
  'expires_at',
  'created_at',
] as const

/** Yields the entries that match the filter. */
export function exportSuppressions(
  database: Database,
  accountId: string,
  filter: SuppressionFilter,
  now: Date,
): AsyncGenerator<string> {
  return exported<SuppressionRow>(database, accountId, {
    columns: SUPPRESSION_COLUMNS,
    page: sql.SUPPRESSIONS_AFTER,
    wanted: suppressionFilterValues(accountId, filter, now),
    shownOf: (row) => {
      const shown = wireSuppression(row)
      return SUPPRESSION_COLUMNS.map((name) => shown[name])
    },
  })
}

/** Yields the entries that match the filter. */
export function exportUnsubscribes(database: Database, accountId: string, filter: ListFilter): AsyncGenerator<string> {
  return exported<UnsubscribeRow>(database, accountId, {
    columns: UNSUBSCRIBE_COLUMNS,
    page: sql.UNSUBSCRIBES_AFTER,
    wanted: unsubscribeFilterValues(accountId, filter),
    shownOf: (row) => {
      const shown = wireUnsubscribe(row)
      return UNSUBSCRIBE_COLUMNS.map((name) => shown[name])
    },
  })
}

interface Exported<Row> {
  readonly columns: readonly string[]
  /** Its parameters: those of the filter, `email` and `sandbox` of the last row of the previous page, the row limit. */
  readonly page: Statement
  readonly wanted: readonly unknown[]
  readonly shownOf: (row: Row) => readonly (string | boolean | null)[]
}

async function* exported<Row extends { readonly email: string; readonly sandbox: boolean }>(
  database: Database,
  accountId: string,
  { columns, page, wanted, shownOf }: Exported<Row>,
): AsyncGenerator<string> {
  yield csvLine(columns)
  const lineOf = (row: Row): string => csvLine(shownOf(row).map((cell) => (cell === null ? null : String(cell))))
  let after: { readonly email: string; readonly sandbox: boolean } = { email: '', sandbox: false }
  for (;;) {
    const { email, sandbox } = after
    const rows: readonly Row[] = await database.tenant(accountId, (db) =>
      db.query<Row>(page, [...wanted, email, sandbox, EXPORTED_AT_ONCE]),
    )
    if (rows.length > 0) yield rows.map(lineOf).join('')
    const last = rows.at(-1)
    if (last === undefined || rows.length < EXPORTED_AT_ONCE) return
    after = last
  }
}
