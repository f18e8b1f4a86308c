// All rows of a list for a command, read page by page: the newest first, each page those before the last one's id.

const PAGE = 500

/** @param page the rows before an id; null: the newest */
export async function allRows<Row extends { readonly id: string }>(
  page: (before: string | null, limit: number) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const all: Row[] = []
  for (;;) {
    const rows = await page(all.at(-1)?.id ?? null, PAGE)
    all.push(...rows)
    if (rows.length < PAGE) return all
  }
}
