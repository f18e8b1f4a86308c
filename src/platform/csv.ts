// CSV per RFC 4180, for imported and exported lists. CRLF, LF or CR ends a line, blanks around cells are dropped, and a quoted
// cell may span several lines. The dashboard uses this parser in the browser too: it imports no values.
//
// A row that is not valid CSV is reported with its line, and parsing resumes at the line after the one where that row
// began, so one forgotten quote costs one row. Common parsers give up on the rest of the file or take it for one cell;
// hence this parser of our own. Memory is bounded by the longest row.
//
// Spreadsheets treat a cell that begins with = + - @ or a control character as a formula, and an address may begin with
// most of these. The writer puts an apostrophe in front of such a cell, and in front of one that has apostrophes before
// such a character, so the reader removes exactly what the writer added.

import type { Readable } from 'node:stream'

const FORMULA = /^'*[=+\-@\t\r\n]/
const GUARDED = /^'(?='*[=+\-@\t\r\n])/
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/
const MAX_ROW_CHARS = 65_536
const MAX_ROW_LINES = 100
/**
 * Rows that an export reads from the database together. A thousand, read and written in 10 ms without a pause, make a call beside
 * four exports take four times as long.
 */
export const EXPORTED_AT_ONCE = 200
const NEVER_CLOSED = 'has a quote that is never closed'

export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(text: string | null): string {
  if (text === null) return ''
  const guarded = FORMULA.test(text) ? `'${text}` : text
  return NEEDS_QUOTES.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

/** Several texts in one cell, separated by commas; a text with a comma, a quote or a blank at either end is quoted. */
export function cellOfTexts(texts: readonly string[]): string {
  return texts.map((text) => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(',')
}

const TEXT_OF_CELL = /\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(?:,|$)/gy

/** The non-empty texts of such a cell. A quote that does not enclose a whole text is an ordinary character. */
export function textsOfCell(cell: string): readonly string[] {
  return [...cell.matchAll(TEXT_OF_CELL)]
    .map(([, quoted, bare = '']) => quoted?.replaceAll('""', '"') ?? bare.trim())
    .filter((text) => text !== '')
}

export interface CsvRow {
  /** The line on which the row begins, counted from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

export interface CsvFault {
  readonly line: number
  readonly fault: string
}

/** The file is larger than allowed. */
export class CsvTooLarge extends Error {}

/**
 * Yields the rows of a file as they arrive, including the header line; empty lines are left out. Octets that are not
 * UTF-8 become U+FFFD.
 *
 * @param separators the first of these that occurs in the first line is the file's separator
 * @throws CsvTooLarge past `maxBytes`; whatever `source` fails with
 */
export async function* readCsv(
  source: Readable,
  maxBytes: number,
  separators: readonly [string, ...string[]] = [','],
): AsyncGenerator<CsvRow | CsvFault> {
  let rows: RowReader | null = null
  for await (const lines of linesOf(source, maxBytes)) {
    const first = lines.find(({ text }) => text === null || text.trim() !== '')
    if (first !== undefined) rows ??= rowReader(separatorOf(first.text ?? '', separators))
    if (rows !== null) yield* rows.read(lines)
  }
  if (rows !== null) yield* rows.end()
}

function separatorOf(header: string, separators: readonly [string, ...string[]]): string {
  return separators.find((separator) => header.includes(separator)) ?? separators[0]
}

/** The rows of a complete text. The separator is one character, neither a quote nor a blank. */
export function* csvRows(text: string, separator: string): Generator<CsvRow | CsvFault> {
  const rows = rowReader(separator)
  yield* rows.read(
    text.split(/\r\n|\n|\r/).map((line, i) => ({ number: i + 1, text: line.length > MAX_ROW_CHARS ? null : line })),
  )
  yield* rows.end()
}

interface RowReader {
  read(lines: readonly Line[]): Generator<CsvRow | CsvFault>
  end(): Generator<CsvRow | CsvFault>
}

function rowReader(separator = ','): RowReader {
  // The lines of a row that is still open, kept so that parsing can resume after its first line.
  let held: Line[] = []
  let open: OpenRow | null = null

  /** Reports the broken row and returns its later lines, which are parsed again as rows of their own: nothing is lost. */
  const giveUp = function* (line: number, fault: string): Generator<CsvFault, Line[]> {
    const again = held.slice(1)
    held = []
    open = null
    yield { line, fault }
    return again
  }
  const read = function* (lines: readonly Line[]): Generator<CsvRow | CsvFault> {
    const ahead = lines.toReversed()
    for (let line = ahead.pop(); line !== undefined; line = ahead.pop()) {
      const found = readLine(line, open, separator)
      if (found.kind === 'open' && held.length < MAX_ROW_LINES && found.row.chars <= MAX_ROW_CHARS) {
        held.push(line)
        open = found.row
        continue
      }
      const [first = line] = held
      if (found.kind === 'fault' || found.kind === 'open') {
        if (held.length > 0) ahead.push(line)
        const again = yield* giveUp(first.number, found.kind === 'fault' ? found.fault : NEVER_CLOSED)
        ahead.push(...again.reverse())
        continue
      }
      held = []
      open = null
      if (found.kind === 'row') yield { line: first.number, cells: found.cells }
    }
  }
  return {
    read,
    end: function* () {
      for (let first = held[0]; first !== undefined; first = held[0]) {
        yield* read(yield* giveUp(first.number, NEVER_CLOSED))
      }
    },
  }
}

interface Line {
  readonly number: number
  /** Null: the line is longer than a row may be. */
  readonly text: string | null
}

/** The lines of each chunk. */
async function* linesOf(source: Readable, maxBytes: number): AsyncGenerator<Line[]> {
  const decoder = new TextDecoder()
  let bytes = 0
  let number = 0
  let rest = ''
  let tooLong = false
  const cut = (text: string, last: boolean): Line[] => {
    const lines: Line[] = []
    let from = 0
    for (const { 0: end, index } of text.matchAll(/\r\n|\n|\r/g)) {
      // A CR at the very end may be half of a CRLF.
      if (end === '\r' && index === text.length - 1 && !last) break
      lines.push({ number: ++number, text: tooLong || index - from > MAX_ROW_CHARS ? null : text.slice(from, index) })
      tooLong = false
      from = index + end.length
    }
    rest = text.slice(from)
    if (rest.length > MAX_ROW_CHARS + 1) {
      tooLong = true
      rest = rest.endsWith('\r') ? '\r' : ''
    }
    return lines
  }
  for await (const chunk of source as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new CsvTooLarge()
    yield cut(rest + decoder.decode(chunk, { stream: true }), false)
  }
  yield cut(`${rest}${decoder.decode()}\n`, true)
}

/** A row whose quoted cell continues past the end of the line. */
interface OpenRow {
  readonly cells: readonly string[]
  readonly cell: string
  readonly chars: number
}

type Read =
  | { readonly kind: 'row'; readonly cells: readonly string[] }
  | { readonly kind: 'open'; readonly row: OpenRow }
  | { readonly kind: 'fault'; readonly fault: string }
  | { readonly kind: 'empty' }

function readLine({ text }: Line, open: OpenRow | null, separator: string): Read {
  if (text === null) return { kind: 'fault', fault: `is longer than ${MAX_ROW_CHARS} characters` }
  if (open === null && text.trim() === '') return { kind: 'empty' }
  const cells = open === null ? [] : [...open.cells]
  let cell = open === null ? null : `${open.cell}\n`
  let at = 0
  for (;;) {
    if (cell === null) {
      while (text[at] === ' ') at++
      if (text[at] !== '"') {
        const end = text.indexOf(separator, at)
        cells.push(unguarded(text.slice(at, end < 0 ? text.length : end).trim()))
        if (end < 0) return { kind: 'row', cells }
        at = end + 1
        continue
      }
      at++
      cell = ''
    }
    const quoted = readQuoted(text, at)
    cell += quoted.text
    if (quoted.end < 0) return { kind: 'open', row: { cells, cell, chars: (open?.chars ?? 0) + text.length + 1 } }
    at = quoted.end
    while (text[at] === ' ') at++
    if (at < text.length && text[at] !== separator) return { kind: 'fault', fault: 'has text behind a closing quote' }
    cells.push(unguarded(cell))
    cell = null
    if (at === text.length) return { kind: 'row', cells }
    at++
  }
}

/** @returns the text up to the closing quote and the index after it, or -1 when the line ends first */
function readQuoted(text: string, from: number): { readonly text: string; readonly end: number } {
  let found = ''
  let at = from
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return { text: found + text.slice(at), end: -1 }
    found += text.slice(at, quote)
    if (text[quote + 1] !== '"') return { text: found, end: quote + 1 }
    found += '"'
    at = quote + 2
  }
}

function unguarded(cell: string): string {
  return cell.replace(GUARDED, '')
}
