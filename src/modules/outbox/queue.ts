import { arrayText } from '../../platform/db/pg-array.ts'
import type { Db, Writer } from '../../platform/db.ts'
import { FIRST_ID, type Ids } from '../../platform/ids.ts'
import type { Logger } from '../../platform/log.ts'
import { removedSql } from '../domains/index.ts'
import { append, type Stream } from '../events/index.ts'
import { blockedSql } from '../suppression/index.ts'
import { readBody, storeBodies } from './bodies.ts'
import * as sql from './sql.ts'
import {
  ATTEMPT_OUTCOMES,
  type Claimed,
  type MailKind,
  type NewBody,
  type NewEmail,
  type QueuedEmail,
  type Result,
  SANDBOX_RESULTS,
  STATUS,
} from './types.ts'

const QUEUE_READY = 0
const QUEUE_LATER = 2

/**
 * Stores emails and their contents and puts them into the queue, in the caller's transaction.
 *
 * @param sites the site number of each email's site
 * @param posting the transaction's writer whose answers need not be awaited
 */
export async function enqueue(
  db: Db,
  emails: readonly NewEmail[],
  bodies: readonly NewBody[],
  sites: ReadonlyMap<string, number>,
  posting: Writer = db,
): Promise<void> {
  const queued = emails.filter((email) => email.status !== 'suppressed')
  await Promise.all([
    posting.execute(sql.addEmails, emailColumns(emails)),
    storeBodies(db, bodies, posting),
    queued.length === 0 ? null : posting.execute(sql.addQueueRows, queueColumns(queued, sites)),
  ])
}

function emailColumns(emails: readonly NewEmail[]): unknown[] {
  const column = <Value>(of: (email: NewEmail) => Value): Value[] => emails.map(of)
  return [
    column((email) => email.id),
    column((email) => email.accountId),
    column((email) => email.domainId),
    column((email) => email.bodyId),
    column((email) => email.createdAt),
    column((email) => STATUS[email.status]),
    column((email) => email.from.address),
    column((email) => (email.from.name === '' ? null : email.from.name)),
    column((email) => email.recipient),
    column((email) => email.recipientKey),
    column((email) => email.subject),
    column((email) => email.messageId),
    column((email) => streamNumber(email.stream)),
    column((email) => email.sandbox),
    column((email) => SANDBOX_RESULTS.indexOf(email.sandboxResult)),
    column((email) => email.tag),
    column((email) => (email.metadata === null ? null : JSON.stringify(email.metadata))),
    column((email) => email.sizeBytes),
    column((email) => email.scheduledAt),
    column((email) => email.expiresAt),
    column((email) => email.tlsRequired),
    column((email) => (email.risk === null ? null : JSON.stringify(email.risk))),
    column((email) => (email.status === 'suppressed' ? null : (email.scheduledAt ?? email.createdAt))),
    column((email) => (email.status === 'suppressed' ? email.createdAt : null)),
    column((email) => textOrNull(email.cc)),
    column((email) => textOrNull(email.replyTo)),
  ]
}

/** An array per row: PostgreSQL has no ragged arrays, so it is passed as text. */
function textOrNull(items: readonly string[]): string | null {
  return items.length === 0 ? null : arrayText(items)
}

function queueColumns(emails: readonly NewEmail[], sites: ReadonlyMap<string, number>): unknown[] {
  return [
    emails.map((email) => email.id),
    emails.map((email) => email.accountId),
    emails.map((email) => email.domainId),
    emails.map((email) => sites.get(email.site)),
    emails.map((email) => email.scheduledAt ?? email.createdAt),
    emails.map((email) => (email.status === 'scheduled' ? QUEUE_LATER : QUEUE_READY)),
    emails.map((email) => email.sandbox),
    emails.map((email) => email.status === 'scheduled'),
    emails.map((email) => email.recipientKey),
    emails.map((email) => email.bulk),
  ]
}

function streamNumber(stream: Stream): number {
  return stream === 'broadcast' ? 1 : 0
}

export interface ClaimAsk {
  readonly epoch: number
  readonly limit: number
  /** Default: all. */
  readonly kind?: MailKind
  /** Where the scan continues; null: from the start. */
  readonly cursor: ClaimCursor | null
  /** Free slots by site number; 0: take nothing for it. */
  readonly free: ReadonlyMap<number, number>
  /** Free slots of every other site, per account. */
  readonly defaultFree: number
  readonly suspended: readonly string[]
  /** The lists are checked as of now: entries may expire. */
  readonly now: Date
}

export interface ClaimCursor {
  readonly siteId: number
  readonly accountId: string
}

export interface ClaimAnswer {
  readonly claimed: readonly Claimed[]
  /** For the next claim. Null: the scan has reached its end. */
  readonly cursor: ClaimCursor | null
}

const MAX_PAIRS_VISITED = 1_000
const FIRST_ACCOUNT = '00000000-0000-0000-0000-000000000000'

/** A queue row as returned by a claim; no id: nothing was leased. */
export interface QueueRow {
  readonly id: string | null
  readonly account_id: string
  readonly domain_id: string | null
  readonly site_id: number
  readonly attempt: number
  readonly sandbox: boolean
  readonly bulk: boolean
  readonly blocked: string | null
}

interface ClaimRow extends QueueRow {
  readonly cursor_site: number | null
  readonly cursor_account: string | null
  readonly visited: number | null
  readonly taken: number
}

/** Leases ready rows to a node, fairly across destinations and accounts. A dead epoch gets none. */
export async function claim(db: Db, ask: ClaimAsk): Promise<ClaimAnswer> {
  const rows = await db.query<ClaimRow>(CLAIMS[ask.kind ?? 'all'], [
    ask.limit,
    ask.cursor?.siteId ?? -1,
    ask.cursor?.accountId ?? FIRST_ACCOUNT,
    JSON.stringify(Object.fromEntries(ask.free)),
    ask.defaultFree,
    MAX_PAIRS_VISITED,
    ask.suspended,
    ask.epoch,
    ask.now,
  ])
  const [first] = rows
  if (first === undefined) return { claimed: [], cursor: null }
  // `taken` also counts visited pairs that had nothing to lease: counting only the claimed rows would starve the tail.
  const more = first.taken >= ask.limit || (first.visited ?? 0) >= MAX_PAIRS_VISITED
  const cursor =
    more && first.cursor_site !== null && first.cursor_account !== null
      ? { siteId: first.cursor_site, accountId: first.cursor_account }
      : null
  return { claimed: rows.filter((row) => row.id !== null).map(claimedOf), cursor }
}

const BLOCKED = blockedSql({
  ...{ accountId: 'q.account_id', recipient: 'q.recipient_key', sandbox: 'q.sandbox', now: '$9::timestamptz' },
})
const CLAIMS: Readonly<Record<MailKind, ReturnType<typeof sql.claim>>> = {
  all: sql.claim('all', BLOCKED),
  single: sql.claim('single', BLOCKED),
  bulk: sql.claim('bulk', BLOCKED),
}

export function claimedOf(row: QueueRow): Claimed {
  return {
    id: row.id ?? '',
    accountId: row.account_id,
    domainId: row.domain_id,
    siteId: row.site_id,
    fence: row.attempt,
    sandbox: row.sandbox,
    bulk: row.bulk,
    blocked: row.blocked,
  }
}

interface EmailRow {
  readonly id: string
  readonly account_id: string
  readonly domain_id: string | null
  readonly created_at: Date
  readonly sender: string
  readonly recipient: string
  readonly recipient_key: string
  readonly subject: string
  readonly message_id: string
  readonly stream: number
  readonly sandbox: boolean
  readonly sandbox_result: number
  readonly tag: string | null
  readonly scheduled_at: Date | null
  readonly expires_at: Date
  readonly tls_required: boolean
  readonly attempts_count: number
  readonly last_smtp_code: number | null
  readonly last_response: string | null
  readonly body_id: string
}

/**
 * The emails of leased rows, with their contents; emails that share a content share one Buffer.
 *
 * @param maxBodyBytes larger contents are left out, to bound the size of a batch
 */
export async function fetchQueuedEmails(
  db: Db,
  claimed: readonly Pick<Claimed, 'id' | 'accountId'>[],
  maxBodyBytes: number,
): Promise<readonly QueuedEmail[]> {
  if (claimed.length === 0) return []
  const ids = claimed.map(({ id }) => id)
  const rows = await db.query<EmailRow>(sql.fetchEmails, [claimed.map((row) => row.accountId), ids, ...bounds(ids)])
  const bodyIds = new Map(rows.map((row) => [row.body_id, row.account_id]))
  const keys = [...bodyIds.keys()]
  const bodies = await db.query<BodyRow>(sql.fetchBodies, [[...bodyIds.values()], keys, ...bounds(keys), maxBodyBytes])
  const byId = new Map(bodies.map((row) => [row.id, row]))
  return rows.flatMap((row) => {
    const body = byId.get(row.body_id)
    return body === undefined ? [] : [emailOf(row, body)]
  })
}

interface BodyRow {
  readonly id: string
  readonly bytes: number
  readonly body: Buffer | null
}

/** The content of one email, whatever its size; null when it no longer exists. */
export async function fetchBody(db: Db, { accountId, bodyId }: QueuedEmail): Promise<Buffer | null> {
  return readBody(db, accountId, bodyId)
}

/** When an attempt of this email first ended with this status (RFC 3463) set by us, not by a server; or null. */
export async function firstAttemptWith(db: Db, email: QueuedEmail, enhanced: string): Promise<Date | null> {
  const row = await db.one<{ at: Date | null }>(sql.firstAttemptWith, [email.accountId, email.id, enhanced])
  return row?.at ?? null
}

/** The smallest and largest id: they prune partitions when the statement is executed. */
function bounds(ids: readonly string[]): [string | undefined, string | undefined] {
  const sorted = [...ids].sort()
  return [sorted[0], sorted.at(-1)]
}

function emailOf(row: EmailRow, { body, bytes }: BodyRow): QueuedEmail {
  return {
    id: row.id,
    accountId: row.account_id,
    domainId: row.domain_id,
    createdAt: row.created_at,
    sender: row.sender,
    recipient: row.recipient,
    recipientKey: row.recipient_key,
    subject: row.subject,
    messageId: row.message_id,
    stream: row.stream === 1 ? 'broadcast' : 'transactional',
    sandbox: row.sandbox,
    sandboxResult: SANDBOX_RESULTS[row.sandbox_result] ?? 'deliver',
    tag: row.tag,
    scheduledAt: row.scheduled_at,
    expiresAt: row.expires_at,
    tlsRequired: row.tls_required,
    attemptsCount: row.attempts_count,
    lastSmtpCode: row.last_smtp_code,
    lastResponse: row.last_response,
    bodyId: row.body_id,
    body,
    bodyBytes: bytes,
  }
}

/**
 * Writes the results of leased emails and their attempts, in the caller's transaction.
 *
 * @returns the ids that passed the fence; for the others nothing was written, and no event may be reported
 */
export async function complete(db: Db, epoch: number, results: readonly Result[]): Promise<ReadonlySet<string>> {
  if (results.length === 0) return new Set()
  const ids = results.map(({ id }) => id)
  const rows = await db.query<{ id: string }>(sql.complete, [
    ids,
    results.map((result) => result.accountId),
    results.map((result) => result.fence),
    results.map((result) => STATUS[result.status]),
    results.map((result) => result.at),
    results.map((result) => result.next),
    epoch,
    results.map((result) => result.smtpCode),
    results.map((result) => result.response),
    results.map((result) => result.attempt !== null),
    ...bounds(ids),
    results.map((result) => result.sizeBytes),
  ])
  const passed = new Set(rows.map(({ id }) => id))
  const attempts = results.filter((result) => result.attempt !== null && passed.has(result.id))
  if (attempts.length > 0) await db.execute(sql.addAttempts, attemptColumns(attempts))
  return passed
}

function attemptColumns(results: readonly Result[]): unknown[] {
  return [
    results.map((result) => result.id),
    results.map((result) => result.accountId),
    results.map((result) => result.attempt?.number),
    results.map((result) => result.attempt?.startedAt),
    results.map((result) => result.attempt?.durationMs),
    results.map((result) => ATTEMPT_OUTCOMES.indexOf(result.attempt?.outcome ?? 'error')),
    results.map((result) => JSON.stringify(result.attempt?.detail ?? {})),
  ]
}

/** Returns leased rows unchanged and ready at once. */
export async function handBack(db: Db, epoch: number, rows: readonly Pick<Claimed, 'id' | 'fence'>[]): Promise<void> {
  if (rows.length === 0) return
  await db.execute(sql.handBack, [rows.map((row) => row.id), rows.map((row) => row.fence), epoch])
}

export const PROMOTE_LIMIT = 1_000
/** Large, because every call reads all deferred emails. */
export const RECALL_LIMIT = 10_000

/** Emails that the retry schedule never defers beyond `latest`: a range of ids, and how often they were claimed. */
export interface PutOffBound {
  readonly fromId: string
  /** Exclusive. */
  readonly beforeId: string
  /** Maximum number of claims. */
  readonly claims: number
  readonly latest: Date
}

/**
 * Makes ready what was deferred further than the schedule allows: the clock was ahead then, and has since been set back.
 *
 * @returns how many; RECALL_LIMIT means that there may be more
 */
export async function recall(db: Db, now: Date, bounds: readonly PutOffBound[]): Promise<number> {
  return db.execute(sql.recall, [
    now,
    bounds.map(({ fromId }) => fromId),
    bounds.map(({ beforeId }) => beforeId),
    bounds.map(({ claims }) => claims),
    bounds.map(({ latest }) => latest),
    RECALL_LIMIT,
  ])
}

/**
 * Makes ready what is due by `now`: deferred emails, and scheduled ones, which are sent by this (event email.sent).
 *
 * @returns how many; 1,000 means that there may be more
 */
export async function promote(db: Db, ids: Ids, now: Date): Promise<number> {
  const rows = await db.query<{ id: string; account_id: string; scheduled: boolean }>(sql.promote, [now, PROMOTE_LIMIT])
  const scheduled = rows.filter((row) => row.scheduled)
  if (scheduled.length > 0) {
    const started = await db.query<{
      id: string
      account_id: string
      domain_id: string | null
      stream: number
      sandbox: boolean
      tag: string | null
    }>(sql.startScheduled, [scheduled.map((row) => row.account_id), scheduled.map((row) => row.id)])
    await db.execute(sql.clearScheduled, [scheduled.map((row) => row.id)])
    await append(
      db,
      started.map((row) => ({
        eventId: ids.next(),
        at: now,
        accountId: row.account_id,
        domainId: row.domain_id,
        emailId: row.id,
        type: 'email.sent' as const,
        stream: row.stream === 1 ? ('broadcast' as const) : ('transactional' as const),
        sandbox: row.sandbox,
        tag: row.tag,
        data: { queued_at: now.toISOString() },
        facts: null,
      })),
    )
  }
  return rows.length
}

/**
 * Makes waiting emails of a domain ready now, so that delivery ends those that may no longer be sent: the first 5,000 in the
 * transaction that removes the domain.
 */
export async function releaseDomain(db: Db, domainId: string): Promise<void> {
  await db.query(sql.releaseDomain, [FIRST_ID, domainId])
}

/** Releases all, in pieces after the commit. Never rejects: if it breaks off, the remaining emails end when they are due. */
export async function releaseAllOfDomain(db: Db, log: Pick<Logger, 'warn'>, domainId: string): Promise<void> {
  try {
    await inPieces((after) => db.query(sql.releaseDomain, [after, domainId]))
  } catch (err) {
    log.warn({ err, domain_id: domainId }, 'mail of a removed domain waits for its time')
  }
}

const RELEASE_REMOVED = sql.releaseRemoved(removedSql('q.domain_id'))

/**
 * Makes ready those of these deferred emails whose domain has been removed. Call it after committing the deferral: a domain
 * that is removed later releases them itself.
 */
export async function releaseRemoved(db: Db, ids: readonly string[]): Promise<void> {
  await db.execute(RELEASE_REMOVED, [ids])
}

/**
 * Walks the queue in pieces that commit one by one, so that nothing waits for the row locks of a million emails.
 *
 * @param move changes the first emails after an id and returns their ids
 * @returns how many it changed
 */
export async function inPieces(move: (after: string) => Promise<readonly { readonly id: string }[]>): Promise<number> {
  let moved = 0
  for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
    const rows = await move(after)
    moved += rows.length
    const ids = rows.map(({ id }) => id).sort()
    after = rows.length < sql.MOVED_AT_ONCE ? undefined : ids.at(-1)
  }
  return moved
}
