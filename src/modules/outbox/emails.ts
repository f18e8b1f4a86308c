// Reading emails, as the account that owns them.

import { storedSpelling } from '../../mail/address.ts'
import type { FullCounts } from '../../platform/db/full-counts.ts'
import { containing } from '../../platform/db/sql-pattern.ts'
import type { Database, Db } from '../../platform/db.ts'
import { listPage, type PageAsked } from '../../platform/http/list-page.ts'
import { FIRST_ID, firstIdAt, LAST_ID } from '../../platform/ids.ts'
import { type EmailFacts, eventsOfEmail, type KeptFacts, type WireEvent } from '../events/index.ts'
import { readBody } from './bodies.ts'
import { decodeContent } from './content.ts'
import { emailErrors as errors } from './errors.ts'
import * as sql from './sql.ts'
import { dontSort, LISTS, type ListIndex } from './sql-lists.ts'
import {
  ATTEMPT_OUTCOMES,
  type AttemptOutcome,
  type Content,
  type EmailStatus,
  type QueuedEmail,
  STATUS,
} from './types.ts'

export interface EmailRow {
  readonly id: string
  readonly domain_id: string | null
  readonly body_id: string
  readonly status: number
  readonly sender: string
  readonly sender_name: string | null
  readonly recipient: string
  readonly cc: readonly string[] | null
  readonly reply_to: readonly string[] | null
  readonly subject: string
  readonly message_id: string
  readonly stream: number
  readonly sandbox: boolean
  readonly tag: string | null
  readonly metadata: Record<string, unknown> | null
  readonly size_bytes: number
  readonly scheduled_at: Date | null
  readonly expires_at: Date
  readonly risk: Record<string, unknown> | null
  readonly attempts_count: number
  readonly last_smtp_code: number | null
  readonly last_response: string | null
  readonly next_attempt_at: Date | null
  readonly delivered_at: Date | null
  readonly ended_at: Date | null
  readonly open_count: number
  readonly click_count: number
}

export interface StoredAttempt {
  readonly number: number
  readonly startedAt: Date
  readonly durationMs: number
  readonly outcome: AttemptOutcome
  readonly detail: Readonly<Record<string, unknown>>
}

export interface EmailStory {
  readonly email: EmailRow
  /** Null when retention has deleted it. */
  readonly content: Content | null
  readonly attempts: readonly StoredAttempt[]
  readonly events: readonly WireEvent[]
}

export interface EmailFilter {
  readonly from: Date | null
  readonly to: Date | null
  readonly statuses: readonly EmailStatus[] | null
  readonly recipientKey: string | null
  readonly tag: string | null
  /** Null: emails of every domain, and those of none. */
  readonly domainIds: readonly string[] | null
  readonly messageId: string | null
  /** A substring of recipient, subject or message id. */
  readonly search: string | null
  /** A substring of the last response. */
  readonly response: string | null
  readonly includeSandbox: boolean
}

export interface EmailPage {
  readonly emails: readonly EmailRow[]
  /** Exact up to 100,000, where counting stops; a count that reached the limit is reused for half a minute. */
  readonly total: number
  /** The id below which the next page continues; null on the last page. */
  readonly nextCursor: string | null
}

export const COUNT_LIMIT = 100_000
const MAX_ATTEMPTS_SHOWN = 100

export interface Lists {
  readonly database: Database
  /** Counts up to COUNT_LIMIT. */
  readonly counts: FullCounts
}

/** Newest first. `cursor` is the id below which the page continues; it replaces an offset. @param gone as for `reading` */
export async function listEmails(
  { database, counts }: Lists,
  accountId: string,
  filter: EmailFilter,
  page: PageAsked,
  gone?: AbortSignal,
): Promise<EmailPage> {
  const low = filter.from === null ? FIRST_ID : firstIdAt(filter.from)
  const high = filter.to === null ? LAST_ID : firstIdAt(filter.to)
  const rest = [
    filter.statuses === null ? null : [...new Set(filter.statuses.map((status) => STATUS[status]))],
    filter.recipientKey,
    filter.tag,
    filter.domainIds === null ? null : [...new Set(filter.domainIds)],
    filter.messageId,
    containing(filter.search),
    containing(filter.search === null ? null : storedSpelling(filter.search)),
    containing(filter.response),
    filter.includeSandbox,
  ]
  const { cursor } = page
  const index = indexFor(filter)
  const list = LISTS[index ?? 'id']
  const offset = cursor === null ? page.offset : 0
  const below = cursor !== null && cursor < high ? cursor : high
  return database.reading(
    accountId,
    async (db) => {
      const steered = index === null ? null : db.execute(dontSort)
      const reading = Promise.all([
        db.query<EmailRow>(list.page, [accountId, low, below, ...rest, page.limit + 1, offset]),
        steered,
      ])
      const values = [accountId, low, high, ...rest]
      const count = (): Promise<number> =>
        counts.total(
          values,
          async () => (await db.one<{ total: number }>(list.count, [...values, COUNT_LIMIT]))?.total ?? 0,
        )
      // A substring reads every email: it is counted by a second pass only when one page does not hold all matches.
      const isSubstring = filter.search !== null || filter.response !== null
      const known = isSubstring && cursor === null && offset === 0 && (await reading)[0].length <= page.limit
      const [[rows], counted] = await Promise.all([reading, known ? null : count()])
      const { rows: emails, total, next: nextCursor } = listPage(rows, page, counted ?? rows.length, ({ id }) => id)
      return { emails, total, nextCursor }
    },
    gone,
  )
}

/** The filter that usually leaves the fewest. Null: a recipient or message id, where the planner cannot choose badly. */
function indexFor({ statuses, recipientKey, tag, domainIds, messageId }: EmailFilter): ListIndex | null {
  if (recipientKey !== null || messageId !== null) return null
  const few = statuses !== null && !statuses.includes('delivered')
  if (tag !== null && !few) return 'tag'
  if (statuses !== null) return 'status'
  return domainIds === null ? 'id' : 'domain'
}

/** @throws not_found */
export async function oneEmail(database: Database, accountId: string, id: string): Promise<EmailRow> {
  const row = await database.tenant(accountId, (db) => db.one<EmailRow>(sql.oneEmail, [accountId, id]))
  if (row === null) throw errors.not_found()
  return row
}

/** @throws not_found */
export async function emailStory(database: Database, accountId: string, id: string): Promise<EmailStory> {
  return database.tenant(accountId, async (db) => {
    const email = await db.one<EmailRow>(sql.oneEmail, [accountId, id])
    if (email === null) throw errors.not_found()
    const [body, attempts, events] = await Promise.all([
      readBody(db, accountId, email.body_id),
      db.query<AttemptRow>(sql.attemptsOf, [accountId, id, MAX_ATTEMPTS_SHOWN]),
      eventsOfEmail(db, accountId, id, emailFacts(email)),
    ])
    return {
      email,
      content: body === null ? null : decodeContent(body),
      attempts: attempts.map(attemptOf),
      events,
    }
  })
}

/** The facts for an email's events, from its row: the first event may have a shorter retention. */
export function emailFacts(
  row: Pick<EmailRow, 'recipient' | 'sender' | 'sender_name' | 'subject' | 'message_id' | 'metadata'>,
): EmailFacts {
  const { recipient, sender: from, sender_name: from_name, subject, message_id, metadata } = row
  return { recipient, from, from_name, subject, message_id, metadata }
}

export const keptFacts: KeptFacts = async (db, emails) => {
  const ids = emails.map(({ id }) => id).sort()
  const [first, last] = [ids[0], ids.at(-1)]
  if (first === undefined) return new Map()
  const keys = [emails.map(({ accountId }) => accountId), emails.map(({ id }) => id)]
  const rows = await db.query<EmailRow>(sql.keptFacts, [...keys, first, last])
  return new Map(rows.map((row) => [row.id, emailFacts(row)]))
}

interface AttemptRow {
  readonly number: number
  readonly started_at: Date
  readonly duration_ms: number
  readonly outcome: number
  readonly detail: string
}

function attemptOf(row: AttemptRow): StoredAttempt {
  return {
    number: row.number,
    startedAt: row.started_at,
    durationMs: row.duration_ms,
    outcome: ATTEMPT_OUTCOMES[row.outcome] ?? 'error',
    detail: JSON.parse(row.detail) as Record<string, unknown>,
  }
}

/** The last attempt of each email that had one, by email id. Runs as the service. */
export async function lastAttempts(
  db: Db,
  emails: readonly Pick<QueuedEmail, 'id' | 'accountId' | 'attemptsCount'>[],
): Promise<ReadonlyMap<string, StoredAttempt>> {
  const tried = emails.filter(({ attemptsCount }) => attemptsCount > 0)
  if (tried.length === 0) return new Map()
  const asked = [tried.map(({ accountId }) => accountId), tried.map(({ id }) => id)]
  const rows = await db.query<AttemptRow & { id: string }>(sql.lastAttempts, asked)
  return new Map(rows.map((row) => [row.id, attemptOf(row)]))
}

const MAX_EMAILS_TO = 10_000

/** The ids of an account's newest 10,000 emails to one address (a suppression key), newest first. */
export async function emailsTo(db: Db, accountId: string, recipientKey: string): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(sql.newestTo, [accountId, recipientKey, MAX_EMAILS_TO])
  return rows.map(({ id }) => id)
}
