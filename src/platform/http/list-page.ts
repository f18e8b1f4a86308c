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
 * decide the total. A page past the end does not tell how many rows are before it.
 *
 * @param shown number of rows on the page that begins at `offset`
 * @param goesOn whether rows follow, or may follow
 */
export function listTotal(
  { offset, shown, goesOn }: { readonly offset: number; readonly shown: number; readonly goesOn: boolean },
  counted: number,
): number {
  return !goesOn && (shown > 0 || offset === 0) ? offset + shown : counted
}

/**
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
  // A cursor does not tell how many rows are before it.
  const total = cursor === null ? listTotal({ offset, shown: rows.length, goesOn }, counted) : counted
  return { rows, total, next: goesOn && last !== undefined ? cursorOf(last) : null }
}
