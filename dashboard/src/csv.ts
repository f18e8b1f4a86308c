// Lists as people have them: a file out of a spreadsheet, or lines that were pasted. Fields are parted by a comma, a
// semicolon or a tab, whichever the first line has most of, or by what a line `sep=;` above it says. The rows are read as
// the service reads a file: one that is broken is told with its line and costs no other. Knows nothing of the browser.

import { type CsvRow, csvLine, csvRows } from '../../src/platform/csv.ts'
import type { Fault } from './work.ts'

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
  /** Lines that cannot be read. */
  readonly faults: readonly Fault[]
  /** Lines whose row goes on over further lines with an @ in them, as behind a forgotten quote. */
  readonly swallowing: readonly number[]
  /** The headings of the other columns, as they are written. */
  readonly headings: readonly string[]
}

const SEPARATORS = [',', ';', '\t'] as const
const SAID_SEPARATOR = /^sep=(.)(?=\r|\n|$)/i
/** The surest comes first: a list of people may have an `Address` that is a street. */
const HEADINGS = [
  ...['email', 'e-mail', 'email address', 'email_address', 'e-mail address', 'e-mail-adresse', 'email-adresse'],
  ...['emailadresse', 'adresse e-mail', 'adresse email', 'courriel', 'correo electrónico', 'correo', 'indirizzo email'],
  ...['indirizzo e-mail', 'e-mailadres', 'emailadres', 'mail', 'recipient', 'address'],
]
const MAX_SHOWN_CHARS = 80

/** Of a file whose bytes say no other: UTF-8, or Windows-1252 as spreadsheets on Windows still write it. */
export function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Finds the column of the addresses: by its heading, or else the first field with an @ in each line. */
export function readList(text: string): Listed {
  const source = text.replace(/^\uFEFF/, '')
  const [said = '', separator = separatorOf(source)] = SAID_SEPARATOR.exec(source) ?? []
  const lines = [...csvRows(source.slice(said.length), separator)]
  const rows = lines.flatMap((one) => ('cells' in one && one.cells.some((cell) => cell !== '') ? [one] : []))
  // What a Mac writes has its accents apart.
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

/** A field that a spreadsheet would take for a formula gets an apostrophe in front; reading takes it off. */
export function csvText(rows: readonly (readonly Cell[])[]): string {
  return rows
    .map((cells) => csvLine(cells.map((cell) => (cell === null || cell === undefined ? null : String(cell)))))
    .join('')
}
