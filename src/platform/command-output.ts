// How commands print records: as JSON for programs, or as a table for people.

import type { CommandContext } from './command.ts'

type Printer = Pick<CommandContext, 'print'>
type Flags = { readonly [name: string]: unknown }

/** Prints one record: a line of JSON, or a line for each field. */
export function printRecord({ print }: Printer, { json }: Flags, record: object): void {
  if (json === true) {
    print(JSON.stringify(record))
    return
  }
  const width = widest(Object.keys(record))
  for (const [name, value] of Object.entries(record)) print(`${name.padEnd(width)}  ${cellOf(value)}`)
}

/**
 * Prints any number of records: one JSON array on a line, or a table with a heading, and `none` where there are none.
 *
 * @param columns the fields of a record that the table shows; JSON has all of them
 */
export function printRecords<Row extends object>(
  { print }: Printer,
  { json }: Flags,
  records: readonly Row[],
  columns: readonly (keyof Row & string)[],
): void {
  if (json === true) {
    print(JSON.stringify(records))
    return
  }
  if (records.length === 0) {
    print('none')
    return
  }
  const headings = columns.map((name) => name.replaceAll('_', ' ').toUpperCase())
  const table = [headings, ...records.map((record) => columns.map((name) => cellOf(record[name])))]
  const widths = columns.map((_, at) => widest(table.map((cells) => cells[at] ?? '')))
  for (const cells of table)
    print(
      cells
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0)
}

/** On one line whatever the value holds. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return '-'
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(cellOf).join(',')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what others wrote must not steer the terminal
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
}
