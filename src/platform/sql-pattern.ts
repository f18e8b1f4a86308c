/**
 * The LIKE pattern for texts that contain `part`; `%`, `_` and `\` in it are literal (the server's default escape).
 *
 * @returns null for null: no filter
 */
export function containing(part: string | null): string | null {
  return part === null ? null : `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`
}

/**
 * The condition that a column matches a pattern (`$3`) in whatever case. The database's locale may fold letters of ASCII in its own
 * way (a Turkish one makes `I` a dotless i), so folding these alone counts too.
 */
export function matches(column: string, pattern: string): string {
  return `(${column} ilike ${pattern} or ${column} collate "C" ilike ${pattern})`
}

/** The same for a column of case-folded addresses. A sigma at the end of a word is stored as the one within it (foldCase). */
export function matchesFolded(column: string, pattern: string): string {
  return `(${column} like translate(lower(${pattern}), '\u03c2', '\u03c3') or ${column} like lower(${pattern} collate "C"))`
}
