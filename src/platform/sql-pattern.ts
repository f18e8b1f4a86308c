/**
 * The LIKE pattern for texts that contain `part`; `%`, `_` and `\` in it are literal (the server's default escape).
 *
 * @returns null for null: no filter
 */
export function containing(part: string | null): string | null {
  return part === null ? null : `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`
}
