// The operator's list of spam traps: addresses, and domains at which every address is a trap. It applies to all accounts, who
// see it only as `spamtrap_detected`.
//
// A file has one address or domain per line. Text after a comma, a semicolon or a tab is ignored, and so are empty lines,
// lines that begin with #, and a first line that says `email`, `address` or `domain`. The file is read as a stream, with 5,000
// rows per transaction. Committed rows stay when a later row is invalid or the command is interrupted, and importing a file
// again does no harm.

import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { FAULT_WORDS, parseAddress, parseDomain, suppressionKey } from '../../mail/address.ts'
import type { Database } from '../../platform/db.ts'
import * as sql from './sql.ts'

const ROWS_A_TRANSACTION = 5_000
const MAX_FAULTS = 1_000
const SHOWN_CHARS = 320

export interface TrapFault {
  readonly line: number
  readonly text: string
  readonly message: string
}

export interface TrapSummary {
  /** Rows read, without the header, comments and empty lines. */
  readonly read: number
  /** Rows that changed the list. */
  readonly changed: number
  readonly failed: number
  /** The first 1,000 failed rows. */
  readonly errors: readonly TrapFault[]
}

export interface TrapStore {
  readonly database: Database
  readonly mac: (text: string) => Buffer
  readonly now: () => Date
}

/** @param how `add` puts the rows on the list; `remove` takes them off */
export async function changeTraps(store: TrapStore, source: Readable, how: 'add' | 'remove'): Promise<TrapSummary> {
  const errors: TrapFault[] = []
  let [line, read, changed, failed] = [0, 0, 0, 0]
  let batch: Buffer[] = []
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return
    const values = how === 'add' ? [batch, store.now()] : [batch]
    changed += await store.database.system.execute(how === 'add' ? sql.ADD_TRAPS : sql.REMOVE_TRAPS, values)
    batch = []
  }
  for await (const text of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
    const found = readRow(text, ++line)
    if (found === null) continue
    read++
    if ('fault' in found) {
      failed++
      const shown = text.slice(0, SHOWN_CHARS).toWellFormed()
      if (errors.length < MAX_FAULTS) errors.push({ line, text: shown, message: found.fault })
      continue
    }
    batch.push(store.mac(found.key))
    if (batch.length === ROWS_A_TRANSACTION) await flush()
  }
  await flush()
  return { read, changed, failed, errors }
}

export async function countTraps(database: Database): Promise<number> {
  return (await database.system.one<{ count: number }>(sql.COUNT_TRAPS))?.count ?? 0
}

/** @returns the key to store for this row; null for a row without content */
function readRow(text: string, line: number): { readonly key: string } | { readonly fault: string } | null {
  const bare = text.replace(/^\ufeff/, '')
  const cell = (bare.split(/[,;\t]/, 1)[0] ?? '').trim().replace(/^"(.*)"$/, '$1')
  if (cell === '' || cell.startsWith('#')) return null
  if (line === 1 && /^(?:email|address|domain)$/i.test(cell)) return null
  if (cell.includes('@') && !cell.startsWith('@')) {
    const parsed = parseAddress(cell)
    return parsed.ok
      ? { key: suppressionKey(parsed.address) }
      : { fault: `is not an email address: ${FAULT_WORDS[parsed.reason]}` }
  }
  const domain = parseDomain(cell.replace(/^@/, ''))
  return domain.ok ? { key: domain.domain } : { fault: 'is neither an email address nor a domain' }
}
