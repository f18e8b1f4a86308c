// The sandbox inbox: the sandbox mail of an account, readable with each of its keys.

import { containing } from '../../platform/db/sql-pattern.ts'
import type { Database, Db } from '../../platform/db.ts'
import { type ListPage, listPage, type PageAsked } from '../../platform/http/list-page.ts'
import { LAST_ID } from '../../platform/ids.ts'
import { errors } from './errors.ts'
import * as sql from './sql.ts'

const CLEARED_TOGETHER = 5_000

export interface NewInboxMail {
  readonly id: string
  readonly accountId: string
  readonly emailId: string
  readonly from: string
  readonly to: string
  readonly recipientKey: string
  readonly subject: string
  readonly raw: Buffer
  readonly receivedAt: Date
}

export interface InboxRow {
  readonly id: string
  readonly email_id: string
  readonly sender: string
  readonly recipient: string
  readonly subject: string
  readonly size_bytes: number
  readonly received_at: Date
}

/** Adds mails in the caller's transaction. A mail that is already there stays unchanged. */
export async function addToInbox(db: Db, mails: readonly NewInboxMail[]): Promise<void> {
  if (mails.length === 0) return
  let start = 1
  const starts = mails.map(({ raw }) => {
    const here = start
    start += raw.length
    return here
  })
  await db.execute(sql.addInbox, [
    mails.map((mail) => mail.id),
    mails.map((mail) => mail.accountId),
    mails.map((mail) => mail.emailId),
    mails.map((mail) => mail.from),
    mails.map((mail) => mail.to),
    mails.map((mail) => mail.recipientKey),
    mails.map((mail) => mail.subject),
    mails.length === 1 ? mails[0]?.raw : Buffer.concat(mails.map((mail) => mail.raw)),
    starts,
    mails.map((mail) => mail.raw.length),
    mails.map((mail) => mail.receivedAt),
  ])
}

export interface InboxFilter {
  /** A suppression key. */
  readonly to: string | null
  /** Part of the subject, case-insensitive. */
  readonly subject: string | null
  readonly emailId: string | null
  /** Received at this time or later. */
  readonly from: Date | null
  /** Received before this time. */
  readonly before: Date | null
}

/** Newest first. A cursor is the id of a mail: only older ones. */
export async function listInbox(
  database: Database,
  accountId: string,
  asked: InboxFilter,
  page: PageAsked,
): Promise<ListPage<InboxRow>> {
  const { limit, offset, cursor } = page
  const filter = filterColumns(accountId, asked)
  return database.tenant(accountId, async (db) => {
    const [rows, count] = await Promise.all([
      db.query<InboxRow>(sql.listInbox, [...filter, cursor, limit + 1, cursor === null ? offset : 0]),
      db.one<{ total: number }>(sql.countInbox, filter),
    ])
    return listPage(rows, page, count?.total ?? 0, ({ id }) => id)
  })
}

function filterColumns(accountId: string, { to, subject, emailId, from, before }: InboxFilter): readonly unknown[] {
  return [accountId, to, containing(subject), emailId, from, before]
}

/** The size of one mail in bytes. @throws not_found */
export async function inboxMailBytes(database: Database, accountId: string, id: string): Promise<number> {
  const row = await database.tenant(accountId, (db) =>
    db.one<Pick<InboxRow, 'size_bytes'>>(sql.inboxBytes, [accountId, id]),
  )
  if (row === null) throw errors.not_found()
  return row.size_bytes
}

/** @throws not_found */
export async function oneInboxMail(
  database: Database,
  accountId: string,
  id: string,
): Promise<InboxRow & { readonly raw: Buffer }> {
  const row = await database.tenant(accountId, (db) =>
    db.one<InboxRow & { readonly raw: Buffer }>(sql.oneInbox, [accountId, id]),
  )
  if (row === null) throw errors.not_found()
  return row
}

/** @throws not_found */
export async function deleteInboxMail(database: Database, accountId: string, id: string): Promise<void> {
  const deleted = await database.tenant(accountId, (db) => db.execute(sql.deleteInbox, [accountId, id]))
  if (deleted === 0) throw errors.not_found()
}

interface ClearedPage {
  readonly deleted: number
  /** The oldest looked at; null: none is left. */
  readonly last: string | null
}

/**
 * Deletes the mails that the filter finds, in pages: one statement for all would not end within its limit of 30 s. Mails that
 * arrive meanwhile are kept. A call that is broken off goes on where it ended when it is repeated.
 *
 * @returns how many
 */
export async function clearInbox(database: Database, accountId: string, filter: InboxFilter): Promise<number> {
  const columns = filterColumns(accountId, filter)
  let deleted = 0
  for (let before: string | null = LAST_ID; before !== null; ) {
    const values: readonly unknown[] = [...columns, before, CLEARED_TOGETHER]
    const page = await database.tenant(accountId, (db) => db.one<ClearedPage>(sql.clearInbox, values))
    deleted += page?.deleted ?? 0
    before = page?.last ?? null
  }
  return deleted
}

/** Deletes mails received before `before`. @returns how many; `limit` means that there may be more */
export async function forgetInbox(db: Db, before: Date, limit: number): Promise<number> {
  let deleted = 0
  while (deleted < limit) {
    const some = await db.execute(sql.forgetInbox, [before, limit - deleted])
    if (some === 0) break
    deleted += some
  }
  return deleted
}

/** Deletes what stands in the inbox of these emails. */
export async function eraseInbox(db: Db, accountId: string, emailIds: readonly string[]): Promise<void> {
  await db.execute(sql.eraseInbox, [accountId, emailIds])
}
