import type { Database, Db } from '../../platform/db.ts'
import * as sql from './sql.ts'
import { type EmailFacts, EVENT_TYPES, type EventType, eventType, type Stream } from './types.ts'

export interface FollowedEvent {
  readonly eventId: string
  readonly at: Date
  readonly accountId: string
  readonly domainId: string | null
  readonly emailId: string | null
  readonly type: EventType
  readonly stream: Stream
  readonly sandbox: boolean
  readonly tag: string | null
  /** Also null when `types` limits the followed types. */
  readonly provider: string | null
  readonly data: Readonly<Record<string, unknown>>
  readonly facts: EmailFacts | null
}

export interface FollowOptions {
  /** The cursor is stored under this name, so it must always stand for the same effect. */
  readonly name: string
  /** Most events per transaction. */
  readonly limit: number
  /** Only events of these types are passed to `effect`; absent: all. */
  readonly types?: readonly EventType[]
  /**
   * Types whose `data` is read: other events have `data` {}, and `facts` is null for all, which is quicker. Absent: events
   * are read whole. Not with `types`.
   */
  readonly dataOf?: readonly EventType[]
  /**
   * How many of the events, from the first one, `effect` may take in one transaction, at least one; the others come next. Absent:
   * all. Not with `types`. What is written while a transaction is open is read by no follower before it ends.
   */
  readonly fits?: (db: Db, events: readonly FollowedEvent[]) => Promise<number>
  /** Runs in the transaction that advances the cursor, so it happens exactly once or not at all. */
  readonly effect: (db: Db, events: readonly FollowedEvent[]) => Promise<void>
}

export interface EventRow {
  readonly xid: string
  readonly seq: number
  readonly at: Date
  readonly event_id: string
  readonly account_id: string
  readonly domain_id: string | null
  readonly email_id: string | null
  readonly type: number
  readonly stream: number
  readonly sandbox: boolean
  readonly tag: string | null
  readonly provider?: string | null
  readonly data: Record<string, unknown> | null
  readonly facts: EmailFacts | null
}

const FROM_THE_START = new Date(0)
/**
 * A transaction may commit an event that is older than one already read: clicks kept on disk while the database was down
 * arrive with the time at which they happened. The overlap only selects the partitions to scan; an old partition with
 * nothing new costs one index look-up.
 */
export const OVERLAP_MS = 7 * 86_400_000
/** A day less than the overlap. */
const OLDEST_MS = 6 * 86_400_000

/**
 * The time for the event of something that happened at `at` and was learned of at `now`. Followers would not find an event from
 * before the overlap, and retention may have removed its day; its data tells when it happened.
 */
export function loggedAt(at: Date, now: Date): Date {
  return new Date(Math.max(at.getTime(), now.getTime() - OLDEST_MS))
}

/**
 * Processes the next stretch of the log. Another worker of the same name waits for this one.
 *
 * @returns how many events the stretch had; `limit` means that there may be more, or that some did not fit
 */
export async function follow(database: Database, options: FollowOptions): Promise<number> {
  const { name, effect, fits, limit } = options
  const known = await database.system.one<{ unread: boolean }>(sql.hasUnread, [name, OVERLAP_MS])
  if (known?.unread === false) return 0
  return database.transaction(async (db) => {
    const cursor = await lockCursor(db, name)
    const since = cursor.at === null ? FROM_THE_START : new Date(cursor.at.getTime() - OVERLAP_MS)
    const stretch = await (options.types === undefined ? readAll : readSome)(db, cursor, since, options)
    if (stretch === null) return 0
    const events = stretch.rows.map(followed)
    const fitting = events.length === 0 ? 0 : ((await fits?.(db, events)) ?? events.length)
    const { xid, seq, latest } =
      fitting === events.length ? stretch : (endOf(stretch.rows.slice(0, fitting)) ?? stretch)
    if (events.length > 0) await effect(db, events.slice(0, fitting))
    await db.execute(sql.advance, [name, xid, seq, latest])
    return fitting === events.length ? stretch.taken : limit
  })
}

/** Null in place of a stretch means that there is nothing new. */
type Stretch = StretchEnd & { readonly rows: readonly EventRow[] }

interface StretchEnd {
  readonly xid: string
  readonly seq: number
  /** The latest event time in the stretch. */
  readonly latest: Date
  /** Number of events in the stretch, passed to `effect` or not. */
  readonly taken: number
}

async function readAll(db: Db, { xid, seq }: Cursor, since: Date, options: FollowOptions): Promise<Stretch | null> {
  const dataOf = options.dataOf?.map((type) => EVENT_TYPES[type]) ?? null
  const rows = await db.query<EventRow>(sql.after, [xid, seq, since, options.limit, dataOf])
  const end = endOf(rows)
  return end === null ? null : { ...end, rows }
}

/** Null: there are no rows. */
function endOf(rows: readonly EventRow[]): StretchEnd | null {
  const last = rows.at(-1)
  if (last === undefined) return null
  const latest = rows.reduce((at, row) => (row.at > at ? row.at : at), last.at)
  return { xid: last.xid, seq: last.seq, latest, taken: rows.length }
}

async function readSome(db: Db, { xid, seq }: Cursor, since: Date, options: FollowOptions): Promise<Stretch | null> {
  const end = await db.one<StretchEnd>(sql.stretchEnd, [xid, seq, since, options.limit])
  if (end === null) return null
  const types = (options.types ?? []).map((type) => EVENT_TYPES[type])
  return { ...end, rows: await db.query<EventRow>(sql.ofTypes, [xid, seq, end.xid, end.seq, since, types]) }
}

/** The age of each follower's first unread event, in seconds; 0 when it has read all. */
export async function followerLags(
  db: Db,
  now: Date,
): Promise<readonly { readonly name: string; readonly lagSeconds: number }[]> {
  const rows = await db.query<{ name: string; xid: string; seq: number; at: Date | number }>(sql.followers)
  return Promise.all(
    rows.map(async ({ name, xid, seq, at }) => {
      const since = at instanceof Date ? new Date(at.getTime() - OVERLAP_MS) : FROM_THE_START
      const first = await db.one<{ at: Date }>(sql.firstAfter, [xid, seq, since])
      return { name, lagSeconds: first === null ? 0 : Math.max(0, (now.getTime() - first.at.getTime()) / 1_000) }
    }),
  )
}

interface Cursor {
  readonly xid: string
  readonly seq: number
  readonly at: Date | null
}

async function lockCursor(db: Db, name: string): Promise<Cursor> {
  const lock = (): Promise<{ xid: string; seq: number; at: Date | number } | null> => db.one(sql.lockFollower, [name])
  let row = await lock()
  if (row === null) {
    await db.execute(sql.addFollower, [name])
    row = await lock()
  }
  if (row === null) throw new Error(`the follower ${name} has no cursor`)
  return { xid: row.xid, seq: row.seq, at: row.at instanceof Date ? row.at : null }
}

/** Resets a follower to the start of the log, in the caller's transaction; its workers wait for that transaction to end. */
export async function rewind(db: Db, name: string): Promise<void> {
  await db.execute(sql.rewind, [name])
}

/** The start of the oldest partition of the log; null when there is none. */
export async function logBegins(db: Db): Promise<Date | null> {
  return (await db.one<{ at: Date | null }>(sql.logBegins))?.at ?? null
}

export function followed(row: EventRow): FollowedEvent {
  return {
    eventId: row.event_id,
    at: row.at,
    accountId: row.account_id,
    domainId: row.domain_id,
    emailId: row.email_id,
    type: eventType(row.type),
    stream: row.stream === 1 ? 'broadcast' : 'transactional',
    sandbox: row.sandbox,
    tag: row.tag,
    provider: row.provider ?? null,
    data: row.data ?? {},
    facts: row.facts,
  }
}
