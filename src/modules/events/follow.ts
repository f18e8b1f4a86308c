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
  /** What of the events `effect` takes in one transaction. Absent: all. Not with `types`. */
  readonly share?: (db: Db, events: readonly FollowedEvent[]) => Promise<Share>
  /** Runs in the transaction that advances the cursor, so it happens exactly once or not at all. */
  readonly effect: (db: Db, events: readonly FollowedEvent[]) => Promise<void>
}

/** What is written while a transaction is open is read by no follower before it ends: hence its effects are few. */
export interface Share {
  /** Accounts whose events `effect` does not get: they are followed apart from here on (followApart), until they have caught up. */
  readonly apart: ReadonlySet<string>
  /** How many of the other events, from the first one, fit, at least one; the others come next. */
  readonly fits: number
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
  const { name, effect, share, limit } = options
  const known = await database.system.one<{ unread: boolean }>(sql.hasUnread, [name, OVERLAP_MS])
  if (known?.unread === false) return 0
  return database.transaction(async (db) => {
    const cursor = await lockCursor(db, name)
    const stretch = await (options.types === undefined ? readAll : readSome)(db, cursor, sinceOf(cursor), options)
    if (stretch === null) return 0
    const { end, events } =
      share === undefined
        ? { end: stretch, events: stretch.rows.map(followed) }
        : await shared(db, { name, stretch, share })
    if (events.length > 0) await effect(db, events)
    await db.execute(sql.advance, [name, end.xid, end.seq, end.latest])
    return end === stretch ? stretch.taken : limit
  })
}

interface Sharing {
  readonly name: string
  readonly stretch: Stretch
  readonly share: NonNullable<FollowOptions['share']>
}

/** The events of a stretch that go into one transaction, and where these end. */
async function shared(
  db: Db,
  { name, stretch, share }: Sharing,
): Promise<{ end: StretchEnd; events: FollowedEvent[] }> {
  const apart = await db.query<{ account_id: string }>(sql.apart, [name])
  const before = new Set(apart.map(({ account_id: accountId }) => accountId))
  const events = stretch.rows.map(followed).filter(({ accountId }) => !before.has(accountId))
  if (events.length === 0) return { end: stretch, events }
  const { apart: added, fits } = await share(db, events)
  if (added.size > 0) await db.execute(sql.setApart, [name, [...added]])
  const others = events.filter(({ accountId }) => !added.has(accountId))
  const last = others[fits - 1]
  if (fits >= others.length || last === undefined) return { end: stretch, events: others }
  const rows = stretch.rows.slice(0, stretch.rows.findIndex((row) => row.event_id === last.eventId) + 1)
  return { end: endOf(rows) ?? stretch, events: others.slice(0, fits) }
}

export interface ApartOptions {
  /** As of the follower that puts accounts apart. */
  readonly name: string
  /** The account that had the turn before; null: none. */
  readonly before: string | null
  /** Most events of any accounts that are looked through for those of one. */
  readonly limit: number
  /** Most events of the account that `effect` takes in one transaction, at least one. */
  readonly most: (db: Db, accountId: string) => Promise<number>
  readonly effect: (db: Db, events: readonly FollowedEvent[]) => Promise<void>
}

/**
 * Processes the next events, without data, of one account that is followed apart, in turns by account, up to where the follower
 * itself has come. Then it is followed with the others again, in the order of the log.
 *
 * @returns the account; null: none is apart, or another worker has the only one
 */
export async function followApart(database: Database, options: ApartOptions): Promise<string | null> {
  const { name, before, limit, most, effect } = options
  if ((await database.system.one(sql.apart, [name])) === null) return null
  const turn = await database.transaction(async (db) => {
    const cursor = await db.one<ApartCursor>(sql.lockApart, [name, before ?? ''])
    if (cursor === null) return null
    const { account_id: accountId, xid, seq } = cursor
    const since = sinceOf(cursor)
    const window = await db.one<StretchEnd>(sql.apartEnd, [xid, seq, since, limit, cursor.main_xid, cursor.main_seq])
    if (window === null) return { accountId, hasMore: false }
    const count = await most(db, accountId)
    const values = [xid, seq, window.xid, window.seq, since, accountId, count]
    const rows = await db.query<EventRow>(sql.ofAccount, values)
    const end = (rows.length < count ? null : endOf(rows)) ?? window
    if (rows.length > 0) await effect(db, rows.map(followed))
    await db.execute(sql.advance, [`${name}:${accountId}`, end.xid, end.seq, end.latest])
    return { accountId, hasMore: true }
  })
  if (turn === null) return null
  if (!turn.hasMore) await rejoin(database, name, turn.accountId)
  return turn.accountId
}

/** The follower stands still meanwhile: what it read while the account was still apart would be read by nobody. */
async function rejoin(database: Database, name: string, accountId: string): Promise<void> {
  await database.transaction(async (db) => {
    await lockCursor(db, name)
    await db.execute(sql.rejoin, [name, accountId, OVERLAP_MS])
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

/** The age of each follower's first unread event, in seconds; 0 when it has read all. Accounts that are followed apart count too. */
export async function followerLags(
  db: Db,
  now: Date,
): Promise<readonly { readonly name: string; readonly lagSeconds: number }[]> {
  const rows = await db.query<Cursor & { readonly name: string }>(sql.followers)
  return Promise.all(
    rows.map(async (row) => {
      const first = await db.one<{ at: Date }>(sql.firstAfter, [row.xid, row.seq, sinceOf(row)])
      return {
        name: row.name,
        lagSeconds: first === null ? 0 : Math.max(0, (now.getTime() - first.at.getTime()) / 1_000),
      }
    }),
  )
}

interface Cursor {
  readonly xid: string
  readonly seq: number
  /** Not a date: no event has been read. */
  readonly at: Date | number
}

interface ApartCursor extends Cursor {
  readonly account_id: string
  readonly main_xid: string
  readonly main_seq: number
}

function sinceOf({ at }: Cursor): Date {
  return at instanceof Date ? new Date(at.getTime() - OVERLAP_MS) : FROM_THE_START
}

async function lockCursor(db: Db, name: string): Promise<Cursor> {
  const lock = (): Promise<Cursor | null> => db.one(sql.lockFollower, [name])
  let row = await lock()
  if (row === null) {
    await db.execute(sql.addFollower, [name])
    row = await lock()
  }
  if (row === null) throw new Error(`the follower ${name} has no cursor`)
  return row
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
