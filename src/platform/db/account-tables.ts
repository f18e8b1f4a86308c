// The tables with rows of accounts, declared by the rooms that store them, so that deleting an account leaves nothing behind. A
// test compares them with the database's catalogue.

import type { Statement } from '../db.ts'
import { eraseRows } from './sql-account-tables.ts'

export interface AccountTable {
  readonly table: string
  /** $1 account, $2 limit. */
  readonly erase: Statement
}

/**
 * A table whose rows of an account are found by an index that begins with `account_id`, or that is small.
 *
 * @param key a column that identifies a row within the account; absent: its place, for tables without partitions
 */
export function accountTable(table: string, key = 'ctid'): AccountTable {
  return { table, erase: eraseRows(table, key) }
}
