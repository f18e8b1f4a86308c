// Imports whole lists of contacts. Memory does not grow with the list: contacts that are not asked are written 500 to a
// transaction; contacts that are asked take the path of a single contact each, mail included, a few at a time, within the
// same limits (double-opt-in.ts).
//
// An import is not one transaction. What was imported stays when the client disconnects or the service stops. Sending the
// file again is harmless: known contacts stay as they are, and nobody is asked twice. A refused row is reported with its
// line and stops nothing. A refusal that would hit every further mail (quota, sender, template) is found once; later rows
// that need a mail are reported with it without a try.

import type { Db } from '../../platform/db.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http.ts'
import { timeSlices } from '../../platform/time-slices.ts'
import type { NewContact } from './contacts.ts'
import { createContact, type OptInContext } from './double-opt-in.ts'
import * as sql from './sql.ts'

const ROWS_A_TRANSACTION = 500
/** Limit of contacts asked in parallel; each holds a connection while it is written. */
const ASKED_AT_ONCE = 8
/** Faults beyond this are counted but not listed. */
const MAX_FAULTS = 1_000

export interface ContactFault {
  readonly line: number
  /** Null when the row is too broken to have one. */
  readonly email: string | null
  readonly message: string
}

export interface ListedRow {
  readonly line: number
  readonly contact: NewContact
}

export interface ContactsImported {
  readonly imported: number
  /** Imported contacts that are sent a confirmation mail. */
  readonly asked: number
  /** Rows whose contact already exists; it stays as it is. */
  readonly known: number
  /** Rows that were left out. */
  readonly failed: number
  /** The first 1,000 faults. */
  readonly errors: readonly ContactFault[]
}

/** Imports the rows, under the account's own database role. */
export async function importContacts(
  context: OptInContext,
  principal: Principal,
  rows: AsyncIterable<ListedRow | ContactFault>,
): Promise<ContactsImported> {
  const errors: ContactFault[] = []
  const counts = { imported: 0, asked: 0, known: 0, failed: 0 }
  const fault = (entry: ContactFault): void => {
    if (++counts.failed <= MAX_FAULTS) errors.push(entry)
  }
  let refusedForAll: string | null = null
  const ask = async ({ line, contact }: ListedRow): Promise<void> => {
    const { email } = contact
    if (refusedForAll !== null) return fault({ line, email, message: refusedForAll })
    try {
      const made = await createContact(context, principal, contact, false)
      counts.imported++
      if (made.confirmation_sent_at !== null) counts.asked++
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      if (error.code === 'already_exists') {
        counts.known++
        return
      }
      const message = wordsOf(error)
      if (isForAll(error)) refusedForAll = message
      fault({ line, email, message })
    }
  }
  const add = async (batch: readonly ListedRow[]): Promise<void> => {
    const added = await addContacts(context, principal.accountId, batch)
    counts.imported += added
    counts.known += batch.length - added
  }
  let [plain, asked]: [ListedRow[], ListedRow[]] = [[], []]
  const turn = timeSlices(context.clock)
  for await (const row of rows) {
    // A row that is left out does not wait for the database.
    await turn()
    if ('message' in row) fault(row)
    else if (row.contact.doubleOptIn) asked.push(row)
    else plain.push(row)
    if (plain.length === ROWS_A_TRANSACTION) {
      await add(plain)
      plain = []
    }
    if (asked.length === ASKED_AT_ONCE) {
      await Promise.all(asked.map(ask))
      asked = []
    }
  }
  if (plain.length > 0) await add(plain)
  await Promise.all(asked.map(ask))
  return { ...counts, errors: errors.toSorted((a, b) => a.line - b.line) }
}

/** True when every other contact of the file would be refused for the same reason. */
function isForAll({ code, details }: ApiError): boolean {
  if (['quota_exceeded', 'sender_not_verified', 'sender_domain_not_allowed', 'account_suspended'].includes(code))
    return true
  const fields = (details['fields'] ?? []) as readonly { readonly field: string }[]
  return fields.some(({ field }) => field === 'template_id' || field === 'from')
}

function wordsOf({ message, details }: ApiError): string {
  const fields = (details['fields'] ?? []) as readonly { readonly field: string; readonly message: string }[]
  return fields.length === 0 ? message : fields.map((one) => `${one.field} ${one.message}`).join('; ')
}

/** Adds contacts that are not asked. @returns how many of them are new */
function addContacts(
  { database, clock, ids }: OptInContext,
  accountId: string,
  rows: readonly ListedRow[],
): Promise<number> {
  const listed = rows.map(({ contact }) => ({
    id: ids.next(),
    email: contact.email,
    address: contact.address,
    name: contact.name,
    source: contact.source,
    source_url: contact.consent.sourceUrl,
    consent_text: contact.consent.text,
    consent_at: contact.consent.at,
    tags: contact.tags,
    sender: contact.sender,
    template_id: contact.templateId,
  }))
  return database.tenant(accountId, async (db: Db) => {
    await db.execute(sql.adding, [accountId])
    return db.execute(sql.addListed, [accountId, JSON.stringify(listed), clock.now()])
  })
}
