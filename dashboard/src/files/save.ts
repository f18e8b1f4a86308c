// Saves files that the page generates or extracts from an email.

import { call, type Json, withQuery } from '../api/api.ts'
import { everyRow, insisting, pause } from '../api/bulk-calls.ts'
import { type Cell, csvText } from './csv.ts'

/** Maximum page size of the API for large lists. */
const ROWS_AT_ONCE = 1_000

export function save(name: string, text: string): void {
  saveBlob(name, new Blob([text], { type: 'text/csv;charset=utf-8' }))
}

/** A stranger's bytes, with a type that no browser displays instead of saving. */
export function saveBytes(name: string, bytes: Uint8Array<ArrayBuffer>): void {
  saveBlob(name, new Blob([bytes], { type: 'application/octet-stream' }))
}

function saveBlob(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser holds the file before the next task.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/**
 * Exports a large API list as CSV, page by page. Long lists exceed the rate limit, so it waits as the API asks.
 * @param query filters, as expected by the API
 */
export async function saveList(
  name: string,
  path: string,
  columns: readonly string[],
  query: Readonly<Record<string, string | boolean>> = {},
): Promise<number> {
  const { signal } = new AbortController()
  const found = await everyRow<Json>((cursor) => {
    const address = withQuery(path, { ...query, cursor, limit: ROWS_AT_ONCE })
    return insisting(() => call('GET', address), { pause, signal })
  })
  const rows = found.map((row): Cell[] => columns.map((column) => row[column]))
  save(name, csvText([columns, ...rows]))
  return rows.length
}
