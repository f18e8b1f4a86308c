/**
 * The LIKE pattern of texts that hold this one somewhere; `%`, `_` and `\` in it mean themselves (the server's default escape).
 *
 * @returns null for null: nothing is looked for
 */
export function containing(part: string | null): string | null {
  return part === null ? null : `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`
}
