// Lists of addresses as people have them in files: a header line names the columns, commas, semicolons or tabs separate
// them, and the address column has one of its usual names. Unknown columns are ignored, so that exports of other services
// can be imported.

import type { Readable } from 'node:stream'
import { type CsvFault, type CsvRow, readCsv } from './csv.ts'

/** The header line has no column `email`. */
export class HeaderMissing extends Error {}

export interface ListRow {
  readonly line: number
  readonly email: string
  /** The known columns that the file has, by name in lower case; a row that ends early has '' for the rest. */
  readonly fields: Readonly<Record<string, string>>
}

/**
 * @param columns the known columns of the list, whether or not they are used
 * @param onIgnored called once with the other columns
 * @throws HeaderMissing; CsvTooLarge
 */
export async function* readCsvList(
  source: Readable,
  { maxBytes, columns: known }: { readonly maxBytes: number; readonly columns: readonly string[] },
  onIgnored: (columns: readonly string[]) => void = () => undefined,
): AsyncGenerator<ListRow | CsvFault> {
  let columns: ReadonlyMap<string, number> | null = null
  let taken: readonly (readonly [name: string, index: number])[] = []
  for await (const row of readCsv(source, maxBytes, SEPARATORS)) {
    if (columns === null) {
      columns = headerOf(row)
      onIgnored([...columns.keys()].filter((name) => name !== '' && !known.includes(name)).map(shown))
      taken = [...columns].filter(([name]) => known.includes(name))
      continue
    }
    if ('fault' in row) {
      yield row
      continue
    }
    const { line, cells } = row
    const fields = Object.fromEntries(taken.map(([name, index]) => [name, cells[index] ?? '']))
    yield { line, email: cells[columns.get('email') ?? -1] ?? '', fields }
  }
  if (columns === null) throw new HeaderMissing()
}

function headerOf(row: CsvRow | CsvFault): ReadonlyMap<string, number> {
  const given = 'cells' in row ? row.cells.map((name) => name.toLowerCase()) : []
  const address = given.includes('email')
    ? 'email'
    : given.find((name) => ADDRESS_COLUMNS.has(name.replaceAll(/[\s_-]/g, '')))
  if (address === undefined) throw new HeaderMissing()
  return new Map(given.slice(0, MAX_COLUMNS).map((name, index) => [name === address ? 'email' : name, index]))
}

/** In many countries spreadsheets write semicolons, or tabs. */
const SEPARATORS = [',', ';', '\t'] as const
const MAX_COLUMNS = 1_000
/** Names that other services give the address column, without blanks, hyphens and underscores. */
const ADDRESS_COLUMNS = new Set(['email', 'emailaddress', 'recipient', 'address'])
const SHOWN_CHARS = 320

/** The part of the input that an answer repeats. */
export function shown(text: string): string {
  return text.slice(0, SHOWN_CHARS).toWellFormed().replaceAll('\0', '\ufffd')
}
