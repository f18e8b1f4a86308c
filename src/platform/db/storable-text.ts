/** Text that PostgreSQL can store: cut to a limit, without lone surrogates (replaced) and NUL (removed). */
export function storableText(text: string, maxChars = Number.POSITIVE_INFINITY): string {
  return text.slice(0, maxChars).toWellFormed().replaceAll('\0', '')
}
