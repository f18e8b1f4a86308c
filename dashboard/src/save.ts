// Files that the page makes itself, or takes out of a mail.

import { call, type Json, withQuery } from './api.ts'
import { type Cell, csvText } from './csv.ts'
import { insisting, pause } from './work.ts'

/** The most that the API gives at once of a list of each kind. */
const ROWS_AT_ONCE = { page: 100, offset: 1_000 }

export function save(name: string, text: string): void {
  saveBlob(name, new Blob([text], { type: 'text/csv;charset=utf-8' }))
}

/** Bytes of a stranger's: told as nothing that a browser would rather show than save. */
export function saveBytes(name: string, bytes: Uint8Array<ArrayBuffer>): void {
  saveBlob(name, new Blob([bytes], { type: 'application/octet-stream' }))
}

function saveBlob(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has the file in hand before the next task.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/**
 * A list of the API as CSV, read page by page. A long one is more than may be asked for in a second: it waits as it is told to.
 * @param query which of it: filters, as the API takes them
 */
export async function saveList(
  name: string,
  path: string,
  pages: 'page' | 'offset',
  columns: readonly string[],
  query: Readonly<Record<string, string | boolean>> = {},
): Promise<number> {
  const rows: Cell[][] = []
  const { signal } = new AbortController()
  const limit = ROWS_AT_ONCE[pages]
  for (let page = 1; ; page++) {
    const place = pages === 'page' ? { page } : { offset: (page - 1) * limit }
    const address = withQuery(path, { ...query, ...place, limit })
    const { data, pagination } = (await insisting(() => call('GET', address), { pause, signal })) as Json
    for (const row of data as readonly Json[]) rows.push(columns.map((column) => row[column]))
    if (data.length === 0 || rows.length >= pagination.total) break
  }
  save(name, csvText([columns, ...rows]))
  return rows.length
}
