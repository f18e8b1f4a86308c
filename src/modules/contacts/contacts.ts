// Contacts of an account: created, changed, removed, erased. Asking a pending contact is in double-opt-in.ts.

import { storedSpelling } from '../../mail/address.ts'
import type { Clock } from '../../platform/clock.ts'
import { EXPORTED_AT_ONCE } from '../../platform/csv.ts'
import { containing } from '../../platform/db/sql-pattern.ts'
import type { Database, Db } from '../../platform/db.ts'
import type { Principal } from '../../platform/http.ts'
import { FIRST_ID, type Ids } from '../../platform/ids.ts'
import type { AccountSettings } from '../accounts/index.ts'
import { type RequestedErasure, unsubscribe } from '../suppression/index.ts'
import { errors } from './errors.ts'
import * as sql from './sql.ts'

export interface ContactContext {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
}

/** The account's name as recipients know it, and the locale for addressing them. */
export type SenderOf = (accountId: string) => Promise<Pick<AccountSettings, 'name' | 'locale'>>

export interface NewContact {
  /** The suppression key of the address. */
  readonly email: string
  /** The address as given. */
  readonly address: string
  readonly name: string | null
  readonly source: string
  readonly consent: { readonly sourceUrl: string | null; readonly text: string | null; readonly at: Date | null }
  readonly tags: readonly string[]
  readonly doubleOptIn: boolean
  readonly sender: string | null
  readonly templateId: string | null
}

export interface ContactFilter {
  /** Part of the address or name, case-insensitive; `%` and `_` are literal. */
  readonly search: string | null
  readonly tag: string | null
  readonly status: sql.ContactRow['status'] | null
}

/** @returns false when the account already has a contact with that address */
export async function addContact(
  db: Db,
  accountId: string,
  id: string,
  contact: NewContact,
  { now, mailed }: { readonly now: Date; readonly mailed: boolean },
): Promise<boolean> {
  const { consent } = contact
  await db.execute(sql.adding, [accountId])
  const added = await db.one(sql.add, [
    id,
    accountId,
    contact.email,
    contact.address,
    contact.name,
    contact.doubleOptIn ? 'pending_confirmation' : 'subscribed',
    contact.source,
    consent.sourceUrl,
    consent.text,
    consent.at,
    contact.tags,
    contact.doubleOptIn,
    contact.sender,
    contact.templateId,
    mailed ? now : null,
    now,
  ])
  return added !== null
}

/** @throws ApiError not_found */
export async function readContact(db: Db, now: Date, accountId: string, id: string): Promise<sql.ContactRow> {
  const row = await db.one<sql.ContactRow>(sql.contact, [now, accountId, id])
  if (row === null) throw errors.not_found()
  return row
}

/** The parameters of the filter in sql.ts, $1 to $5. */
function filterValues(accountId: string, { search, tag }: ContactFilter, now: Date): readonly unknown[] {
  const other = search === null ? null : storedSpelling(search)
  return [now, accountId, containing(search), tag, containing(other)]
}

/** Newest first. @param gone as for `reading` */
export async function listContacts(
  { database, clock }: ContactContext,
  accountId: string,
  filter: ContactFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  gone: AbortSignal,
): Promise<{ readonly contacts: readonly sql.ContactRow[]; readonly total: number }> {
  const values = filterValues(accountId, filter, clock.now())
  const { status } = filter
  const ofAnyStatus = async (db: Db) => {
    const [contacts, counted] = await Promise.all([
      db.query<sql.ContactRow>(sql.list, [...values, limit, offset]),
      db.one<{ total: number }>(sql.count, values),
    ])
    return { contacts, total: counted?.total ?? 0 }
  }
  const ofOneStatus = async (db: Db) => {
    const [, rows] = await Promise.all([
      db.execute(sql.dontLoop),
      db.query<sql.CountedContactRow>(sql.listOfStatus, [...values, status, limit, offset]),
    ])
    return { contacts: rows.filter(hasContact), total: rows[0]?.total ?? 0 }
  }
  return database.reading(accountId, status === null ? ofAnyStatus : ofOneStatus, gone)
}

function hasContact(row: sql.CountedContactRow): row is sql.CountedContactRow & sql.ContactRow {
  return row.id !== null
}

export interface ContactChange {
  readonly name?: string | null
  readonly tags?: readonly string[]
  /** The person told the account; the address is put on the unsubscribe list. */
  readonly unsubscribed?: boolean
}

/** @throws ApiError not_found */
export function changeContact(
  { database, clock, ids }: ContactContext,
  { accountId, keyId }: Principal,
  id: string,
  { name, tags, unsubscribed }: ContactChange,
): Promise<sql.ContactRow> {
  const now = clock.now()
  return database.tenant(accountId, async (db) => {
    const given = [name !== undefined, name ?? null, tags !== undefined, tags ?? null]
    const changed = await db.one<{ email: string }>(sql.change, [accountId, id, ...given, now])
    if (changed === null) throw errors.not_found()
    if (unsubscribed === true) {
      const source = keyId === null ? 'manual' : 'api'
      const entry = { accountId, recipient: changed.email, sandbox: false, source, reason: null, mail: null } as const
      await unsubscribe(db, { ids, clock }, entry)
    }
    return readContact(db, now, accountId, id)
  })
}

export interface PersonErasing {
  /** Requests the erasure of a recipient, which deletes its contact too. @param recipient suppression key of the address */
  readonly erasePerson: (principal: Principal, recipient: string) => Promise<RequestedErasure>
}

/**
 * Removes a contact. The two lists keep its address: a contact that unsubscribed gets no mail when it is created again.
 *
 * @throws ApiError not_found
 */
export async function removeContact({ database }: ContactContext, accountId: string, id: string): Promise<void> {
  const removed = await database.tenant(accountId, (db) => db.execute(sql.remove, [accountId, id]))
  if (removed === 0) throw errors.not_found()
}

/** @throws ApiError not_found, insufficient_scope for a key bound to some domains */
export async function eraseContact(
  { database, clock, erasePerson }: ContactContext & PersonErasing,
  principal: Principal,
  id: string,
): Promise<RequestedErasure> {
  const { accountId } = principal
  const { email } = await database.tenant(accountId, (db) => readContact(db, clock.now(), accountId, id))
  return erasePerson(principal, email)
}

/** Deletes the contact of an erased person, if there is one or a transaction is adding it. */
export async function forgetContact(db: Db, accountId: string, recipient: string): Promise<void> {
  await db.execute(sql.noneAdding, [accountId])
  await db.execute(sql.forget, [accountId, recipient])
}

/** All contacts that match, oldest first, in pages of separate transactions: one created meanwhile may be missing. */
export async function* everyContact(
  { database, clock }: ContactContext,
  accountId: string,
  filter: ContactFilter,
): AsyncGenerator<readonly sql.ContactRow[]> {
  let after = FIRST_ID
  for (;;) {
    const page: readonly sql.ContactRow[] = await database.tenant(accountId, (db) =>
      db.query<sql.ContactRow>(sql.after, [...filterValues(accountId, filter, clock.now()), after, EXPORTED_AT_ONCE]),
    )
    yield filter.status === null ? page : page.filter(({ status }) => status === filter.status)
    const last = page.at(-1)
    if (last === undefined || page.length < EXPORTED_AT_ONCE) return
    after = last.id
  }
}
