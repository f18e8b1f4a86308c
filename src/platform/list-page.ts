// One page of a list that is read with one row more than it shows, beside a count of the whole list.

export interface PageAsked {
  readonly limit: number
  readonly offset: number
  /** Where the page continues; null: at `offset`, which a cursor replaces. */
  readonly cursor: string | null
}

export interface ListPage<Row> {
  readonly rows: readonly Row[]
  readonly total: number
  /** Where the next page continues; null: the list ends here. */
  readonly next: string | null
}

/**
 * Page and count are two statements, and a row may be added between them: where the page shows the end of the list, its rows
 * decide the total.
 *
 * @param found the rows read, up to `limit` + 1
 * @param cursorOf where a page continues after this row
 */
export function listPage<Row>(
  found: readonly Row[],
  { limit, offset, cursor }: PageAsked,
  counted: number,
  cursorOf: (row: Row) => string,
): ListPage<Row> {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const goesOn = found.length > limit
  // A cursor does not tell how many rows are before it, nor a page past the end how many there are.
  const isEnd = cursor === null && !goesOn && (last !== undefined || offset === 0)
  const total = isEnd ? offset + rows.length : counted
  return { rows, total, next: goesOn && last !== undefined ? cursorOf(last) : null }
}
