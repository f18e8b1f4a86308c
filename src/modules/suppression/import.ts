// Whole lists in and out. Memory does not grow with the list: rows are taken as they come, 1,000 to a transaction, one
// transaction running while the next rows are read.
//
// An import is not one transaction. What was written stays when the client goes away or a later row is bad, and sending
// the file again does no harm: known addresses stay. A bad row is told with its line and stops nothing.

import type { Readable } from 'node:stream'
import { parseAddress, suppressionKey } from '../../mail/address.ts'
import { type CsvFault, type CsvRow, csvLine, readCsv } from '../../platform/csv.ts'
import { type Database, type Db, isBrokenOff } from '../../platform/db.ts'
import type { SuppressionReason } from './ask.ts'
import { type Context, type NewSuppression, type SuppressionRow, suppress, wireSuppression } from './entries.ts'
import * as sql from './sql.ts'

const ROWS_A_TRANSACTION = 500
const ROWS_A_PAGE = 1_000
/** More faults than this are counted, not listed. */
const MAX_FAULTS = 1_000
const SHOWN_CHARS = 320
const MAX_TRIES = 10

export const REASONS: readonly SuppressionReason[] = [
  'manual',
  'repeated_soft_bounce',
  'hard_bounce',
  'complaint',
  'spamtrap',
]

/** One entry as a file or a JSON body has it; the texts are not checked yet, '' is the same as absent. */
export interface ImportEntry {
  readonly line: number
  readonly email: string
  readonly reason: string
  readonly details: string
  readonly expiresAt: string
  readonly sandbox: string
}

export interface ImportFault {
  readonly line: number
  /** Null when the row is so broken that it has none. */
  readonly email: string | null
  readonly message: string
}

export interface ImportSummary {
  /** Addresses that were not on the list. */
  readonly imported: number
  /** Addresses that were: a heavier reason or a later end was taken over. */
  readonly updated: number
  /** Rows that were left out. */
  readonly failed: number
  /** The first 1,000 of these. */
  readonly errors: readonly ImportFault[]
}

/** Writes as the account itself. */
export async function importSuppressions(
  database: Database,
  context: Context,
  accountId: string,
  entries: AsyncIterable<ImportEntry | ImportFault>,
): Promise<ImportSummary> {
  const errors: ImportFault[] = []
  let imported = 0
  let updated = 0
  let failed = 0
  let batch: NewSuppression[] = []
  let writing: Promise<void> = Promise.resolve()
  const write = async (rows: readonly NewSuppression[], tries = 1): Promise<void> => {
    const made = await database
      .tenant(accountId, (db) => suppress(db, context, rows))
      .catch((error: unknown) => {
        // Bounces that are recorded meanwhile take rows of theirs in another order.
        if (!isBrokenOff(error) || tries === MAX_TRIES) throw error
        return null
      })
    if (made === null) return write(rows, tries + 1)
    const created = made.filter((one) => one.created).length
    imported += created
    updated += made.length - created
  }
  const flush = async (): Promise<void> => {
    await writing
    writing = write(batch)
    // Should it fail, whoever awaits it next is told.
    writing.catch(() => undefined)
    batch = []
  }
  try {
    for await (const entry of entries) {
      const row = 'message' in entry ? entry : newSuppression(accountId, entry, context.clock.now())
      if (!('message' in row)) batch.push(row)
      else if (++failed <= MAX_FAULTS) errors.push(row)
      if (batch.length === ROWS_A_TRANSACTION) await flush()
    }
    if (batch.length > 0) await flush()
  } finally {
    await writing
  }
  return { imported, updated, failed, errors }
}

function newSuppression(accountId: string, entry: ImportEntry, now: Date): NewSuppression | ImportFault {
  const { line, details, sandbox } = entry
  const fault = (message: string): ImportFault => ({ line, email: shown(entry.email), message })
  const parsed = parseAddress(entry.email.trim())
  if (!parsed.ok) return fault(`is not an email address: ${parsed.reason}`)
  if (entry.email.includes('\ufffd')) return fault('is not UTF-8')
  const reason = reasonOf(entry.reason)
  if (reason === 'unsubscribe') return fault('unsubscribed of their own will: import them to the unsubscribe list')
  if (reason === undefined) return fault(`reason is not one of ${REASONS.join(', ')}`)
  const expiresAt = entry.expiresAt === '' ? null : momentOf(entry.expiresAt)
  if (expiresAt === undefined) return fault('expires_at is not a date-time')
  if (expiresAt !== null && expiresAt <= now) return fault('expires_at has passed')
  return {
    accountId,
    recipient: suppressionKey(parsed.address),
    sandbox: sandbox.toLowerCase() === 'true',
    reason,
    source: 'import',
    domainId: null,
    emailId: null,
    bounceId: null,
    details: details === '' ? null : details,
    expiresAt,
  }
}

const UNSUBSCRIBES = new Set(['unsubscribe', 'unsubscribed', 'manualunsubscribe', 'userunsubscribed'])
/** As other services name them in what they export, without blanks, marks and case. */
const FOREIGN_REASONS: ReadonlyMap<string, SuppressionReason> = new Map([
  ['hardbounce', 'hard_bounce'],
  ['hardbounced', 'hard_bounce'],
  ['complaint', 'complaint'],
  ['complained', 'complaint'],
  ['spam', 'complaint'],
  ['spamcomplaint', 'complaint'],
  ['spamreport', 'complaint'],
  ['markedasspam', 'complaint'],
  ['manualsuppression', 'manual'],
])

/** @returns undefined for words that are not known; none at all is `manual` */
function reasonOf(text: string): SuppressionReason | 'unsubscribe' | undefined {
  const given = text.trim().toLowerCase()
  if (given === '') return 'manual'
  const plain = given.replaceAll(/[\s_-]/g, '')
  if (UNSUBSCRIBES.has(plain)) return 'unsubscribe'
  return REASONS.find((known) => known === given) ?? FOREIGN_REASONS.get(plain)
}

/** As much of what was given as an answer repeats. */
export function shown(text: string): string {
  return text.slice(0, SHOWN_CHARS).toWellFormed().replaceAll('\0', '\ufffd')
}

const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:?\d{2})$/

function momentOf(text: string): Date | undefined {
  const at = DATE_TIME.test(text) ? new Date(text) : null
  return at === null || Number.isNaN(at.getTime()) ? undefined : at
}

/** The header line has no column `email`. */
export class HeaderMissing extends Error {}

/**
 * The entries of a CSV file by the names in its header line; columns of other names are ignored, so that an export can be
 * imported.
 *
 * @throws HeaderMissing; CsvTooLarge
 */
export async function* csvEntries(
  source: Readable,
  maxBytes: number,
  onIgnored: (columns: readonly string[]) => void = () => undefined,
): AsyncGenerator<ImportEntry | ImportFault> {
  let columns: ReadonlyMap<string, number> | null = null
  for await (const row of readCsv(source, maxBytes, SEPARATORS)) {
    if (columns === null) {
      columns = headerOf(row)
      onIgnored(
        [...columns.keys()].filter((name) => name !== '' && !EXPORTED.some((known) => known === name)).map(shown),
      )
      continue
    }
    if ('fault' in row) {
      yield { line: row.line, email: null, message: row.fault }
      continue
    }
    const { line, cells } = row
    const cell = (name: string): string => cells[columns?.get(name) ?? -1] ?? ''
    yield {
      line,
      email: cell('email'),
      reason: cell('reason'),
      details: cell('details'),
      expiresAt: cell('expires_at'),
      sandbox: cell('sandbox'),
    }
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

/** Spreadsheets of many countries write semicolons, or tabs. */
const SEPARATORS = [',', ';', '\t'] as const
const MAX_COLUMNS = 1_000
/** As other services name the column of the address, without blanks and marks. */
const ADDRESS_COLUMNS = new Set(['email', 'emailaddress', 'recipient', 'address'])

const EXPORTED = [
  'id',
  'email',
  'reason',
  'source',
  'domain_id',
  'email_id',
  'bounce_id',
  'details',
  'sandbox',
  'expires_at',
  'created_at',
] as const

/** The list as CSV, a page at a time, by address. Entries that come or go meanwhile may or may not be in it. */
export async function* exportSuppressions(
  database: Database,
  accountId: string,
  { includeSandbox, now }: { readonly includeSandbox: boolean; readonly now: Date },
): AsyncGenerator<string> {
  yield csvLine(EXPORTED)
  let after: Pick<SuppressionRow, 'email' | 'sandbox'> = { email: '', sandbox: false }
  for (;;) {
    const { email, sandbox } = after
    const rows: readonly SuppressionRow[] = await database.tenant(accountId, (db: Db) =>
      db.query<SuppressionRow>(sql.SUPPRESSIONS_AFTER, [accountId, email, sandbox, includeSandbox, now, ROWS_A_PAGE]),
    )
    if (rows.length > 0) yield rows.map(exportedLine).join('')
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS_A_PAGE) return
    after = last
  }
}

function exportedLine(row: SuppressionRow): string {
  const shownRow = wireSuppression(row)
  return csvLine(EXPORTED.map((name) => (shownRow[name] === null ? null : String(shownRow[name]))))
}
