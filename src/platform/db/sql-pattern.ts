/**
 * The LIKE pattern for texts that contain `part`; `%`, `_` and `\` in it are literal (the server's default escape).
 *
 * @returns null for null: no filter
 */
export function containing(part: string | null): string | null {
  return part === null ? null : `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`
}

/** Whether the locale of the database folds ASCII as all others do; a Turkish one makes `I` a dotless i. Known when planning. */
const FOLDS_ASCII = `lower('I') = 'i'`

/** The condition that a column matches a pattern (`$3`) in whatever case. Where the locale does not fold ASCII, that alone counts too. */
export function matches(column: string, pattern: string): string {
  const usual = `${column} ilike ${pattern}`
  return `(case when ${FOLDS_ASCII} then ${usual} else ${usual} or ${column} collate "C" ilike ${pattern} end)`
}

/** The same for a column of case-folded addresses. A sigma at the end of a word is stored as the one within it (foldCase). */
export function matchesFolded(column: string, pattern: string): string {
  const usual = `${column} like translate(lower(${pattern}), '\u03c2', '\u03c3')`
  return `(case when ${FOLDS_ASCII} then ${usual} else ${usual} or ${column} like lower(${pattern} collate "C") end)`
}
