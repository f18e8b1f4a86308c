// Encodes arrays as PostgreSQL reads them (its manual, section 8.15.6), for statements that take their rows in columns. The
// driver's own encoder runs two regular expressions and builds three strings per element; at the size of a group commit that
// is a tenth of what accepting a mail costs the process.

const TEXT_SAFE_IN_JSON = /^[^\0-\x1f\ud800-\udfff]*$/

/**
 * Encodes one dimension of texts, numbers, booleans, bytes, times and nulls.
 *
 * @returns null when it holds anything else, or a time that PostgreSQL would not read as ISO 8601; the driver handles those
 */
export function arrayText(items: readonly unknown[]): string | null {
  let out = ''
  let before: unknown
  let text = ''
  for (const item of items) {
    // Rows of one group often repeat a value: a time, an account, a verdict.
    if (item !== before || out === '') {
      const made = elementText(item)
      if (made === null) return null
      text = made
      before = item
    }
    out += out === '' ? text : `,${text}`
  }
  return `{${out}}`
}

function elementText(item: unknown): string | null {
  switch (typeof item) {
    case 'string':
      return quoted(item)
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(item)
    case 'undefined':
      return 'NULL'
    case 'object':
      if (item === null) return 'NULL'
      if (Buffer.isBuffer(item)) return `"\\\\x${item.toString('hex')}"`
      return item instanceof Date ? timeText(item) : null
    case 'function':
    case 'symbol':
      return null
  }
}

function quoted(text: string): string {
  const hasQuotes = text.includes('"')
  if (!hasQuotes && !text.includes('\\')) return `"${text}"`
  // JSON escapes only these two, in the same way as an array, when nothing else in the text needs an escape.
  if (TEXT_SAFE_IN_JSON.test(text)) return JSON.stringify(text)
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}

const FIRST_YEAR = Date.parse('0001-01-01T00:00:00Z')
const AFTER_LAST_YEAR = Date.parse('+010000-01-01T00:00:00Z')

function timeText(at: Date): string | null {
  const ms = at.getTime()
  return ms >= FIRST_YEAR && ms < AFTER_LAST_YEAR ? at.toISOString() : null
}
