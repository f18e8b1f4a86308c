// Lists as people have them: a file from a spreadsheet, or pasted lines. Fields are separated by a comma, semicolon or tab,
// whichever is most frequent in the first line, or by the separator of a line `sep=;` above it. Rows are read as the service reads
// a file: a broken row is reported with its line and affects no other. Independent of the browser.

import { type CsvRow, csvLine, csvRows } from '../../../src/platform/csv.ts'
import type { Fault } from '../api/bulk-calls.ts'

export interface Entry {
  readonly line: number
  readonly email: string
  /** The other columns by heading, in lower case; empty without a heading line. */
  readonly fields: Readonly<Record<string, string>>
}

/** Null and undefined become empty fields. */
export type Cell = string | number | boolean | null | undefined

export interface Listed {
  readonly entries: readonly Entry[]
  /** Lines without an address. */
  readonly without: readonly { readonly line: number; readonly text: string }[]
  /** Unreadable lines. */
  readonly faults: readonly Fault[]
  /** Lines whose row continues over further lines that contain an @, as after a forgotten quote. */
  readonly swallowing: readonly number[]
  /** Headings of the other columns, as written. */
  readonly headings: readonly string[]
}

const SEPARATORS = [',', ';', '\t'] as const
const SAID_SEPARATOR = /^sep=(.)(?=\r|\n|$)/i
/** The most certain first: in a list of people, `Address` may be a street. */
const HEADINGS = [
  ...['email', 'e-mail', 'email address', 'email_address', 'e-mail address', 'e-mail-adresse', 'email-adresse'],
  ...['emailadresse', 'adresse e-mail', 'adresse email', 'courriel', 'correo electrónico', 'correo', 'indirizzo email'],
  ...['indirizzo e-mail', 'e-mailadres', 'emailadres', 'mail', 'recipient', 'address'],
]
const MAX_SHOWN_CHARS = 80

/** Charset of a file without a mark: UTF-8, or Windows-1252 as written by spreadsheets on Windows. */
export function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Finds the address column by its heading, otherwise the first field with an @ in each line. */
export function readList(text: string): Listed {
  const source = text.replace(/^\uFEFF/, '')
  const [said = '', separator = separatorOf(source)] = SAID_SEPARATOR.exec(source) ?? []
  const lines = [...csvRows(source.slice(said.length), separator)]
  const rows = lines.flatMap((one) => ('cells' in one && one.cells.some((cell) => cell !== '') ? [one] : []))
  // Macs write accents as separate characters.
  const written = (rows[0]?.cells ?? []).map((cell) => cell.normalize('NFC'))
  const first = written.map((cell) => cell.toLowerCase())
  const column = first.indexOf(HEADINGS.find((heading) => first.includes(heading)) ?? '')
  const headed = column !== -1 && first[column] !== ''
  const entries: Entry[] = []
  const without: { line: number; text: string }[] = []
  for (const { line, cells } of headed ? rows.slice(1) : rows) {
    const email = headed ? (cells[column] ?? '') : (cells.find((cell) => cell.includes('@')) ?? '')
    if (email === '') without.push({ line, text: cells.join(', ').slice(0, MAX_SHOWN_CHARS) })
    else entries.push({ line, email, fields: headed ? fieldsOf(first, cells) : {} })
  }
  return {
    entries,
    without,
    faults: lines.flatMap((one) =>
      'fault' in one ? [{ line: one.line, text: '', message: `The line ${one.fault}.` }] : [],
    ),
    swallowing: rows.filter(swallows).map(({ line }) => line),
    headings: headed ? written.filter((heading, i) => i !== column && heading !== '') : [],
  }
}

function separatorOf(text: string): string {
  const first = text.split(/[\r\n]/, 1)[0] ?? ''
  const counted = SEPARATORS.map((one) => [first.split(one).length, one] as const)
  return counted.reduce((best, one) => (one[0] > best[0] ? one : best))[1]
}

function swallows({ cells }: CsvRow): boolean {
  return cells.some((cell) =>
    cell
      .split('\n')
      .slice(1)
      .some((line) => line.includes('@')),
  )
}

function fieldsOf(headings: readonly string[], cells: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(headings.map((heading, i) => [heading, cells[i] ?? '']))
}

/** A field that a spreadsheet would read as a formula gets a leading apostrophe; reading removes it. */
export function csvText(rows: readonly (readonly Cell[])[]): string {
  return rows
    .map((cells) => csvLine(cells.map((cell) => (cell === null || cell === undefined ? null : String(cell)))))
    .join('')
}
