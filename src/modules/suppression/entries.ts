// Adds addresses to the two lists and removes them.
//
// Adding is idempotent: an address already on the list stays, and its created event is written once, in the same
// transaction. An existing suppression only becomes firmer (heavier reason, later end). A removal deletes the live and the
// sandbox entry together, so that "can receive email again" holds for both, and records who did it and the old entry.
//
// An expired entry counts as absent. The job of src/composition/housekeeping.ts deletes it and writes its event, or an earlier
// transaction that needs its key does. The event is written once, by the transaction that deletes the row.

import type { Clock } from '../../platform/clock.ts'
import { storableText } from '../../platform/db/storable-text.ts'
import type { Db } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import { append, type NewEvent, type Stream } from '../events/index.ts'
import type { SuppressionReason } from './may-we-send.ts'
import * as sql from './sql.ts'

export interface Context {
  readonly ids: Ids
  readonly clock: Clock
}

/** Where a suppression came from: the bounces room (smtp, dsn, arf), an API key, the dashboard or a file. */
export type SuppressionSource = 'smtp' | 'dsn' | 'arf' | 'api' | 'manual' | 'import'
/** RFC 8058 POST, the form on the page, mail to the unsubscribe address, an API key, the dashboard or a file. */
export type UnsubscribeSource = 'one_click' | 'link' | 'mailto' | 'api' | 'manual' | 'import'

export interface NewSuppression {
  readonly accountId: string
  /** The suppression key of the address. */
  readonly recipient: string
  /** Made by sandbox mail; stops only sandbox mail. */
  readonly sandbox: boolean
  readonly reason: SuppressionReason
  readonly source: SuppressionSource
  readonly domainId: string | null
  readonly emailId: string | null
  readonly bounceId: string | null
  /** The evidence as text: the receiver's reply, or the text of the report. Cut to 2,000 characters. */
  readonly details: string | null
  /** Null: it lasts until it is removed. */
  readonly expiresAt: Date | null
}

/** A suppression as the API and the events show it (contract section 10). */
export interface Suppression {
  readonly id: string
  readonly email: string
  readonly reason: SuppressionReason
  readonly source: string
  readonly domain_id: string | null
  readonly email_id: string | null
  readonly bounce_id: string | null
  readonly details: string | null
  readonly sandbox: boolean
  readonly expires_at: string | null
  readonly created_at: string
}

export interface SuppressionRow {
  readonly id: string
  readonly account_id: string
  readonly email: string
  readonly reason: SuppressionReason
  readonly source: string
  readonly domain_id: string | null
  readonly email_id: string | null
  readonly bounce_id: string | null
  readonly details: string | null
  readonly sandbox: boolean
  readonly expires_at: Date | null
  readonly created_at: Date
}

export interface Suppressed {
  readonly suppression: Suppression
  /** False when the address was already on the list. */
  readonly created: boolean
}

const MAX_DETAILS_CHARS = 2_000

/** Set by the contract: a domain that takes no mail today may take some next year. */
export const BAD_DOMAIN_DAYS = 90

/**
 * Adds addresses to the suppression list, in the caller's transaction.
 *
 * @returns one answer for each entry, in the same order; of two entries for one address, only the first can be `created`
 */
export async function suppress(
  db: Db,
  context: Context,
  entries: readonly NewSuppression[],
): Promise<readonly Suppressed[]> {
  if (entries.length === 0) return []
  const now = context.clock.now()
  const offered = sortedByKey(firmestByKey(entries)).map((entry) => ({ entry, id: context.ids.next() }))
  await endExpired(
    db,
    context,
    offered.map(({ entry }) => entry),
  )
  const keys = keyColumns(offered.map(({ entry }) => entry))
  const written = await db.query<SuppressionRow>(sql.SUPPRESS, [
    ...keys,
    offered.map(({ id }) => id),
    offered.map(({ entry }) => entry.reason),
    offered.map(({ entry }) => entry.source),
    offered.map(({ entry }) => entry.domainId),
    offered.map(({ entry }) => entry.emailId),
    offered.map(({ entry }) => entry.bounceId),
    offered.map(({ entry }) => (entry.details === null ? null : storableText(entry.details, MAX_DETAILS_CHARS))),
    offered.map(({ entry }) => entry.expiresAt),
    now,
  ])
  const rows =
    written.length === offered.length ? written : await db.query<SuppressionRow>(sql.SUPPRESSIONS_BY_KEY, keys)
  const news = new Set(offered.map(({ id }) => id))
  const created = rows.filter(({ id }) => news.has(id))
  await append(
    db,
    created.map((row) => suppressionEvent(context, 'suppression.created', row)),
  )
  const byKey = new Map(rows.map((row) => [keyOf({ ...row, accountId: row.account_id, recipient: row.email }), row]))
  return entries.map((entry) => {
    const row = byKey.get(keyOf(entry))
    if (row === undefined) throw new Error('a suppression vanished in the transaction that wrote it')
    // Of several entries for one address, only the first counts as created.
    return { suppression: wireSuppression(row), created: news.delete(row.id) }
  })
}

interface Key {
  readonly accountId: string
  readonly recipient: string
  readonly sandbox: boolean
}

function keyOf({ accountId, recipient, sandbox }: Key): string {
  return `${accountId} ${sandbox} ${recipient}`
}

const WEIGHTS: Readonly<Record<SuppressionReason, number>> = {
  manual: 1,
  repeated_soft_bounce: 2,
  hard_bounce: 3,
  complaint: 4,
  spamtrap: 5,
}

/** Merges entries for one address into the heaviest, with the latest end: one statement cannot write a row twice. */
function firmestByKey(entries: readonly NewSuppression[]): NewSuppression[] {
  const firmest = new Map<string, NewSuppression>()
  for (const entry of entries) {
    const key = keyOf(entry)
    const other = firmest.get(key)
    if (other === undefined) {
      firmest.set(key, entry)
      continue
    }
    const heavier = WEIGHTS[entry.reason] > WEIGHTS[other.reason] ? entry : other
    firmest.set(key, { ...heavier, expiresAt: laterEnd(entry.expiresAt, other.expiresAt) })
  }
  return [...firmest.values()]
}

function laterEnd(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return null
  return a > b ? a : b
}

function sortedByKey<T extends Key>(keys: readonly T[]): T[] {
  return keys
    .map((key) => ({ key, order: keyOf(key) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ key }) => key)
}

function keyColumns(keys: readonly Key[]): unknown[][] {
  return [
    keys.map(({ accountId }) => accountId),
    keys.map(({ recipient }) => recipient),
    keys.map(({ sandbox }) => sandbox),
  ]
}

export function wireSuppression(row: SuppressionRow): Suppression {
  const { account_id: _, ...shown } = row
  return {
    ...shown,
    expires_at: row.expires_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  }
}

function suppressionEvent(
  { ids, clock }: Context,
  type: 'suppression.created' | 'suppression.deleted',
  row: SuppressionRow,
): NewEvent {
  return {
    eventId: ids.next(),
    at: clock.now(),
    accountId: row.account_id,
    domainId: row.domain_id,
    emailId: null,
    type,
    stream: 'transactional',
    sandbox: row.sandbox,
    tag: null,
    data: wireSuppression(row),
    facts: null,
  }
}

/** Who removes an address from a list. */
export interface Remover {
  /** Null for a person at the dashboard. */
  readonly keyId: string | null
}

/** @returns false when the address was not on the list */
export async function removeSuppression(
  db: Db,
  context: Context,
  accountId: string,
  recipient: string,
  remover: Remover,
): Promise<boolean> {
  await endExpired(
    db,
    context,
    [false, true].map((sandbox) => ({ accountId, recipient, sandbox })),
  )
  const removed = await db.query<SuppressionRow>(
    sql.REMOVE_SUPPRESSION,
    removalValues(context, accountId, recipient, remover),
  )
  await append(
    db,
    removed.map((row) => suppressionEvent(context, 'suppression.deleted', row)),
  )
  return (await db.execute(sql.FORGET_ERASED, [accountId, recipient, true])) > 0 || removed.length > 0
}

function removalValues({ ids, clock }: Context, accountId: string, recipient: string, { keyId }: Remover): unknown[] {
  return [accountId, recipient, ids.next(), ids.next(), keyId === null ? 'manual' : 'api', keyId, clock.now()]
}

/**
 * Deletes expired suppressions; they have stopped no mail since they expired.
 *
 * @returns how many; `limit` means that there may be more
 */
export async function expireSuppressions(db: Db, context: Context, limit: number): Promise<number> {
  const now = context.clock.now()
  const due = await db.query<{ account_id: string; email: string; sandbox: boolean }>(sql.EXPIRED_SUPPRESSIONS, [
    now,
    limit,
  ])
  if (due.length === 0) return 0
  return endExpired(
    db,
    context,
    due.map((row) => ({ ...row, accountId: row.account_id, recipient: row.email })),
  )
}

/** Deletes those of the entries that have expired. @returns how many */
async function endExpired(db: Db, context: Context, keys: readonly Key[]): Promise<number> {
  const removed = await db.query<SuppressionRow>(sql.EXPIRE_SUPPRESSIONS, [
    ...keyColumns(keys),
    keys.map(() => context.ids.next()),
    context.clock.now(),
  ])
  await append(
    db,
    removed.map((row) => suppressionEvent(context, 'suppression.deleted', row)),
  )
  return removed.length
}

// --- unsubscribes

export interface NewUnsubscribe {
  readonly accountId: string
  /** The suppression key of the address. */
  readonly recipient: string
  readonly sandbox: boolean
  readonly source: UnsubscribeSource
  readonly reason: string | null
  /** The mail whose link or header was used; null when there was none. */
  readonly mail: {
    readonly emailId: string
    readonly domainId: string | null
    readonly stream: Stream
    readonly tag: string | null
  } | null
}

/** An unsubscribe as the API documents it, plus `sandbox`. */
export interface Unsubscribe {
  readonly id: string
  readonly email: string
  readonly source: string
  readonly reason: string | null
  readonly sandbox: boolean
  readonly created_at: string
}

export interface UnsubscribeRow {
  readonly id: string
  readonly account_id: string
  readonly email: string
  readonly source: string
  readonly reason: string | null
  readonly sandbox: boolean
  readonly created_at: Date
}

export interface Unsubscribed {
  readonly unsubscribe: Unsubscribe
  /** False when the address was already on the list; `unsubscribe` is then the existing entry. */
  readonly created: boolean
}

/** Adds one address to the unsubscribe list, in the caller's transaction. */
export async function unsubscribe(db: Db, context: Context, entry: NewUnsubscribe): Promise<Unsubscribed> {
  const [row] = await unsubscribeAll(db, context, [entry])
  if (row !== undefined) return { unsubscribe: wireUnsubscribe(row), created: true }
  const { accountId, recipient, sandbox } = entry
  const known = await db.one<UnsubscribeRow>(sql.UNSUBSCRIBE_BY_KEY, [accountId, recipient, sandbox])
  // Another transaction removed it between the two statements: the next attempt can insert it.
  return known === null ? unsubscribe(db, context, entry) : { unsubscribe: wireUnsubscribe(known), created: false }
}

/**
 * The same for a person who follows the link of an email. One whose address was erased is refused mail already, and the address is
 * not written down again.
 */
export async function unsubscribeByLink(db: Db, context: Context, entry: NewUnsubscribe): Promise<void> {
  const isErased = (await db.one(sql.IS_ERASED, [entry.accountId, entry.recipient])) !== null
  if (!isErased) await unsubscribe(db, context, entry)
}

/**
 * Adds addresses to the unsubscribe list, in the caller's transaction. Of several entries for one address, the first wins.
 *
 * @returns only the new rows; addresses already on the list keep their entries unchanged
 */
export async function unsubscribeAll(
  db: Db,
  context: Context,
  entries: readonly NewUnsubscribe[],
): Promise<readonly UnsubscribeRow[]> {
  const byKey = new Map(entries.toReversed().map((entry) => [keyOf(entry), entry]))
  const offered = sortedByKey([...byKey.values()])
  const rows = await db.query<UnsubscribeRow>(sql.UNSUBSCRIBE, [
    ...keyColumns(offered),
    offered.map(() => context.ids.next()),
    offered.map(({ source }) => source),
    offered.map(({ reason }) => reason),
    offered.map(({ mail }) => mail?.domainId ?? null),
    offered.map(({ mail }) => mail?.emailId ?? null),
    context.clock.now(),
  ])
  await append(
    db,
    rows.map((row) => {
      const { mail = null } = byKey.get(keyOf({ ...row, accountId: row.account_id, recipient: row.email })) ?? {}
      return unsubscribedEvent(context, mail, row)
    }),
  )
  return rows
}

export function wireUnsubscribe(row: UnsubscribeRow): Unsubscribe {
  const { account_id: _, ...shown } = row
  return { ...shown, created_at: row.created_at.toISOString() }
}

/** The mail fields of an event that came from no mail. */
const NO_MAIL = { from: null, from_name: null, subject: null, message_id: null, stream: null }

function unsubscribedEvent({ ids }: Context, mail: NewUnsubscribe['mail'], row: UnsubscribeRow): NewEvent {
  const { email, source, reason } = row
  return {
    eventId: ids.next(),
    at: row.created_at,
    accountId: row.account_id,
    domainId: mail?.domainId ?? null,
    emailId: mail?.emailId ?? null,
    type: 'email.unsubscribed',
    stream: mail?.stream ?? 'transactional',
    sandbox: row.sandbox,
    tag: mail?.tag ?? null,
    data: {
      ...(mail === null && { recipient: email, ...NO_MAIL }),
      email,
      source,
      reason,
      unsubscribed_at: row.created_at.toISOString(),
    },
    facts: null,
  }
}

/** @returns false when the address was not on the list */
export async function resubscribe(
  db: Db,
  context: Context,
  accountId: string,
  recipient: string,
  remover: Remover,
): Promise<boolean> {
  const removed = await db.query(sql.REMOVE_UNSUBSCRIBE, removalValues(context, accountId, recipient, remover))
  return (await db.execute(sql.FORGET_ERASED, [accountId, recipient, false])) > 0 || removed.length > 0
}

/**
 * Deletes an address from both lists and from the records of removals. A salted hash remains, which refuses the address
 * for ever, or until someone removes that address from the list by name. A person who asks to be forgotten wants no mail:
 * the hash counts as an unsubscribe, or as a suppression where a live one without an end, other than `manual`, existed.
 */
export async function erase(
  db: Db,
  { ids, clock }: Context,
  { accountId, recipient }: { readonly accountId: string; readonly recipient: string },
): Promise<void> {
  await db.execute(sql.ERASE, [accountId, recipient, ids.next(), clock.now()])
}

/**
 * Erases what was written on the lists while the address was being erased: by transactions that were under way, and by bounces of
 * mail that was being sent. Entries that were added by hand after `before` stay.
 *
 * @returns false when the address was taken off the lists since: it may be written to again, and nothing is erased
 */
export async function eraseLate(
  db: Db,
  { accountId, recipient, before }: { readonly accountId: string; readonly recipient: string; readonly before: Date },
): Promise<boolean> {
  return (await db.one(sql.ERASE_LATE, [accountId, recipient, before])) !== null
}
