// Lists as people have them: a file out of a spreadsheet, or lines that were pasted. Fields are parted by a comma, a
// semicolon or a tab, whichever the first line has most of; quoted fields as in RFC 4180. Knows nothing of the browser.

export interface Row {
  /** In the file, from 1; of a field over several lines, the first. */
  readonly line: number
  readonly cells: readonly string[]
}

export interface Entry {
  readonly line: number
  readonly email: string
  /** The other columns by their headings, in lower case; empty without a heading line. */
  readonly fields: Readonly<Record<string, string>>
}

/** Null and undefined are written as nothing. */
export type Cell = string | number | boolean | null | undefined

export interface Listed {
  readonly entries: readonly Entry[]
  /** Lines in which no address stands. */
  readonly without: readonly { readonly line: number; readonly text: string }[]
}

const SEPARATORS = [',', ';', '\t'] as const
const HEADINGS = new Set(['email', 'e-mail', 'email address', 'email_address', 'mail', 'address', 'recipient'])
const MAX_SHOWN_CHARS = 80

/** Empty lines are left out, blanks around a field too. An open quote at the end takes all that is left. */
export function readRows(text: string): readonly Row[] {
  const source = text.replace(/^\uFEFF/, '')
  const separator = separatorOf(source)
  const rows: Row[] = []
  let cells: string[] = []
  let cell = ''
  let quoted = false
  let line = 1
  let begun = 1
  const endRow = (): void => {
    cells.push(cell.trim())
    if (cells.some((one) => one !== '')) rows.push({ line: begun, cells })
    cells = []
    cell = ''
  }
  for (let i = 0; i < source.length; i++) {
    const char = source[i] ?? ''
    if (char === '\n') line++
    if (quoted) {
      if (char !== '"') cell += char
      else if (source[i + 1] === '"') cell += source[++i]
      else quoted = false
    } else if (char === '"' && cell.trim() === '') {
      quoted = true
      cell = ''
    } else if (char === separator) {
      cells.push(cell.trim())
      cell = ''
    } else if (char === '\n') {
      endRow()
      begun = line
    } else if (char !== '\r') cell += char
  }
  endRow()
  return rows
}

function separatorOf(text: string): string {
  const first = text.split('\n', 1)[0] ?? ''
  const counted = SEPARATORS.map((one) => [first.split(one).length, one] as const)
  return counted.reduce((best, one) => (one[0] > best[0] ? one : best))[1]
}

/** Finds the column of the addresses: by its heading, or else the first field with an @ in each line. */
export function readList(text: string): Listed {
  const rows = readRows(text)
  const first = rows[0]?.cells.map((cell) => cell.toLowerCase()) ?? []
  const column = first.findIndex((cell) => HEADINGS.has(cell))
  const headed = column !== -1 && !(first[column] ?? '').includes('@')
  const entries: Entry[] = []
  const without: { line: number; text: string }[] = []
  for (const { line, cells } of headed ? rows.slice(1) : rows) {
    const email = headed ? (cells[column] ?? '') : (cells.find((cell) => cell.includes('@')) ?? '')
    if (email === '') without.push({ line, text: cells.join(', ').slice(0, MAX_SHOWN_CHARS) })
    else entries.push({ line, email, fields: headed ? fieldsOf(first, cells) : {} })
  }
  return { entries, without }
}

function fieldsOf(headings: readonly string[], cells: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(headings.map((heading, i) => [heading, cells[i] ?? '']))
}

/** A field that a spreadsheet would take for a formula gets an apostrophe in front. */
export function csvText(rows: readonly (readonly Cell[])[]): string {
  return rows.map((cells) => `${cells.map(field).join(',')}\r\n`).join('')
}

function field(value: Cell): string {
  const text = value === null || value === undefined ? '' : String(value)
  const safe = /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+(?:\.\d+)?$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
