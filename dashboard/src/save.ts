// Files that the page makes itself.

import { call, type Json, withQuery } from './api.ts'
import { type Cell, csvText } from './csv.ts'

const ROWS_A_PAGE = 100

export function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has the file in hand before the next task.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/**
 * A list of the API as CSV, read page by page.
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
  for (let page = 1; ; page++) {
    const place = pages === 'page' ? { page } : { offset: (page - 1) * ROWS_A_PAGE }
    const { data, pagination } = await call('GET', withQuery(path, { ...query, ...place, limit: ROWS_A_PAGE }))
    for (const row of data as readonly Json[]) rows.push(columns.map((column) => row[column]))
    if (data.length === 0 || rows.length >= pagination.total) break
  }
  save(name, csvText([columns, ...rows]))
  return rows.length
}
