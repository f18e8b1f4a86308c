// Imports whole lists. Memory does not grow with the list: rows are processed as they arrive, 500 per transaction, and the next
// rows are read while a transaction runs.
//
// An import is not one transaction. What was written stays when the client disconnects or a later row is invalid, and sending
// the file again is harmless: existing addresses stay. An invalid row is reported with its line and stops nothing.

import type { Readable } from 'node:stream'
import { FAULT_WORDS, parseAddress, suppressionKey } from '../../mail/address.ts'
import { readCsvList, shown } from '../../platform/csv-list.ts'
import { type Database, type Db, isBrokenOff } from '../../platform/db.ts'
import { timeSlices } from '../../platform/time-slices.ts'
import { type Context, type NewSuppression, type NewUnsubscribe, suppress, unsubscribeAll } from './entries.ts'
import type { SuppressionReason } from './may-we-send.ts'

const ROWS_A_TRANSACTION = 500
/** Faults beyond this number are counted but not listed. */
const MAX_FAULTS = 1_000
const MAX_TRIES = 10

export const REASONS: readonly SuppressionReason[] = [
  'manual',
  'repeated_soft_bounce',
  'hard_bounce',
  'complaint',
  'spamtrap',
]

/** One entry from a file or JSON body; the texts are not checked yet, '' means absent. */
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
  /** Null when the row is too broken to have one. */
  readonly email: string | null
  readonly message: string
}

export interface ImportSummary {
  /** Addresses that were not on the list. */
  readonly imported: number
  /** Addresses that were on it: a heavier reason or later end was applied. */
  readonly updated: number
  /** Rows that were left out. */
  readonly failed: number
  /** The first 1,000 of those. */
  readonly errors: readonly ImportFault[]
}

/** Rows and faults in the order of the file or JSON body. */
export type ImportEntries = AsyncIterable<ImportEntry | ImportFault>

/** Writes as the account itself. */
export function importSuppressions(
  database: Database,
  context: Context,
  accountId: string,
  entries: ImportEntries,
): Promise<ImportSummary> {
  return importInto(database, context, accountId, entries, {
    rowOf: (entry) => newSuppression(accountId, entry, context.clock.now()),
    write: async (db, rows) => (await suppress(db, context, rows)).filter(({ created }) => created).length,
  })
}

/** Writes as the account itself. Each row counts as a request to unsubscribe, whatever its reason. */
export function importUnsubscribes(
  database: Database,
  context: Context,
  accountId: string,
  entries: ImportEntries,
): Promise<ImportSummary> {
  return importInto(database, context, accountId, entries, {
    rowOf: (entry) => newUnsubscribe(accountId, entry),
    write: async (db, rows) => (await unsubscribeAll(db, context, rows)).length,
  })
}

interface Imported<Row extends object> {
  readonly rowOf: (entry: ImportEntry) => Row | ImportFault
  /** @returns the number of new entries */
  readonly write: (db: Db, rows: readonly Row[]) => Promise<number>
}

async function importInto<Row extends object>(
  database: Database,
  { clock }: Context,
  accountId: string,
  entries: ImportEntries,
  list: Imported<Row>,
): Promise<ImportSummary> {
  const errors: ImportFault[] = []
  let imported = 0
  let updated = 0
  let failed = 0
  let batch: Row[] = []
  const turn = timeSlices(clock)
  let writing: Promise<void> = Promise.resolve()
  const write = async (rows: readonly Row[], tries = 1): Promise<void> => {
    const created = await database
      .tenant(accountId, (db) => list.write(db, rows))
      .catch((error: unknown) => {
        // Bounces and clicks recorded at the same time lock their rows in another order.
        if (!isBrokenOff(error) || tries === MAX_TRIES) throw error
        return null
      })
    if (created === null) return write(rows, tries + 1)
    imported += created
    updated += rows.length - created
  }
  const flush = async (): Promise<void> => {
    await writing
    writing = write(batch)
    // If it fails, the next await reports it.
    writing.catch(() => undefined)
    batch = []
  }
  try {
    for await (const entry of entries) {
      // A row that is left out does not wait for the database.
      await turn()
      const row = isFault(entry) ? entry : list.rowOf(entry)
      if (!isFault(row)) batch.push(row)
      else if (++failed <= MAX_FAULTS) errors.push(row)
      if (batch.length === ROWS_A_TRANSACTION) await flush()
    }
    if (batch.length > 0) await flush()
  } finally {
    await writing
  }
  return { imported, updated, failed, errors }
}

function isFault(entry: object): entry is ImportFault {
  return 'message' in entry
}

function faultOf({ line, email }: ImportEntry, message: string): ImportFault {
  return { line, email: shown(email), message }
}

/** The suppression key of the address. */
function recipientOf(entry: ImportEntry): string | ImportFault {
  const parsed = parseAddress(entry.email.trim())
  if (!parsed.ok) return faultOf(entry, `is not an email address: ${FAULT_WORDS[parsed.reason]}`)
  if (entry.email.includes('\ufffd')) return faultOf(entry, 'is not UTF-8')
  return suppressionKey(parsed.address)
}

function isSandbox({ sandbox }: ImportEntry): boolean {
  return sandbox.toLowerCase() === 'true'
}

function newSuppression(accountId: string, entry: ImportEntry, now: Date): NewSuppression | ImportFault {
  const recipient = recipientOf(entry)
  if (typeof recipient !== 'string') return recipient
  const reason = reasonOf(entry.reason)
  if (reason === 'unsubscribe') return faultOf(entry, ASKED)
  if (reason === undefined) return faultOf(entry, `reason is not one of ${REASONS.join(', ')}`)
  const expiresAt = entry.expiresAt === '' ? null : momentOf(entry.expiresAt)
  if (expiresAt === undefined) return faultOf(entry, 'expires_at is not a date-time')
  if (expiresAt !== null && expiresAt <= now) return faultOf(entry, 'expires_at has passed')
  return {
    accountId,
    recipient,
    sandbox: isSandbox(entry),
    reason,
    source: 'import',
    domainId: null,
    emailId: null,
    bounceId: null,
    details: entry.details === '' ? null : entry.details,
    expiresAt,
  }
}

const ASKED = 'unsubscribed of their own will: import them with POST /api/v1/customer/unsubscribes/import'

function newUnsubscribe(accountId: string, entry: ImportEntry): NewUnsubscribe | ImportFault {
  const recipient = recipientOf(entry)
  if (typeof recipient !== 'string') return recipient
  const reason = entry.reason.replaceAll(CONTROLS, ' ').trim().slice(0, MAX_REASON_CHARS).toWellFormed()
  return {
    accountId,
    recipient,
    sandbox: isSandbox(entry),
    source: 'import',
    reason: reason === '' ? null : reason,
    mail: null,
  }
}

const MAX_REASON_CHARS = 2_000
/** People may write several lines; the reason of an unsubscribe is one line. */
const CONTROLS = /\p{Cc}+/gu

const UNSUBSCRIBES = new Set(['unsubscribe', 'unsubscribed', 'manualunsubscribe', 'userunsubscribed'])
/** As other services name them in their exports, without spaces, punctuation and case. */
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

/** @returns undefined for unknown words; an empty text is `manual` */
function reasonOf(text: string): SuppressionReason | 'unsubscribe' | undefined {
  const given = text.trim().toLowerCase()
  if (given === '') return 'manual'
  const plain = given.replaceAll(/[\s_-]/g, '')
  if (UNSUBSCRIBES.has(plain)) return 'unsubscribe'
  return REASONS.find((known) => known === given) ?? FOREIGN_REASONS.get(plain)
}

const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:?\d{2})$/

function momentOf(text: string): Date | undefined {
  const at = DATE_TIME.test(text) ? new Date(text) : null
  return at === null || Number.isNaN(at.getTime()) ? undefined : at
}

/**
 * The entries of a CSV file. A row that is not valid CSV counts as one without an address.
 *
 * @param columns the columns of the list, whether they are used or not
 * @param onIgnored called once with the other columns
 * @throws HeaderMissing; CsvTooLarge
 */
export async function* csvEntries(
  source: Readable,
  options: { readonly maxBytes: number; readonly columns: readonly string[] },
  onIgnored: (columns: readonly string[]) => void = () => undefined,
): AsyncGenerator<ImportEntry | ImportFault> {
  for await (const row of readCsvList(source, options, onIgnored)) {
    if ('fault' in row) {
      yield { line: row.line, email: null, message: row.fault }
      continue
    }
    const { line, email, fields } = row
    yield {
      line,
      email,
      reason: fields['reason'] ?? '',
      details: fields['details'] ?? '',
      expiresAt: fields['expires_at'] ?? '',
      sandbox: fields['sandbox'] ?? '',
    }
  }
}
