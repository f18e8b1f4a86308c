// The log as a live stream (server-sent events). One reader per process follows the tail of the log for all accounts with
// an open stream here, and reads nothing while there is none.
//
// The id of a message is the event's place in the log. A client that reconnects with `Last-Event-ID` first reads what it
// missed, page by page, and joins the reader once it has reached the same place. No event is skipped or sent twice. Three
// things are bounded: streams per account, streams in total, and the bytes buffered for a slow client. A client with a full
// buffer leaves the reader, and is sent the rest page by page as it reads. One that has not read on for a minute is cut off,
// and reconnects with its place. Only the client keeps its place, so a crash here costs it nothing.

import { Readable } from 'node:stream'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import type { Principal } from '../../platform/http.ts'
import { type Loop, loop, type Service } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import { errors } from './errors.ts'
import { type EventRow, type FollowedEvent, followed, OVERLAP_MS } from './follow.ts'
import { factsOf, type KeptFacts, wireEvent } from './read.ts'
import * as sql from './sql.ts'

export const MAX_STREAMS_PER_ACCOUNT = 5
const MAX_STREAMS = 1_000
const MAX_WAITING_BYTES = 1_048_576
const PAGE = 500
const POLL_MS = 500
/** From here on a client is sent more. */
const LOW_BYTES = MAX_WAITING_BYTES / 4
/** How long a full buffer may stand. */
export const STALLED_MS = 60_000
/** How long the rest of a stream that has ended may take. It counts as open until then. */
const REST_MS = 10_000
/** When the service stops, everybody else would wait for a client that does not read. */
const REST_ON_STOP_MS = 2_000
const STOP_POLL_MS = 20
const HEARTBEAT_MS = 15_000
const ADMITTED_FOR_MS = 4_000
const RETRY_AFTER_SECONDS = 5

/** A place in the log; `atMs` serves to prune partitions. */
export interface LogPosition {
  readonly xid: string
  readonly seq: number
  readonly atMs: number
}

const PLACE = /^(\d{1,20})-(\d{1,16})-(\d{1,14})$/

export function logPositionText({ xid, seq, atMs }: LogPosition): string {
  return `${xid}-${seq}-${atMs}`
}

/** Returns null for text that is not a place. */
export function parseLogPosition(text: string): LogPosition | null {
  const [, xid = '', seq = '', atMs = ''] = PLACE.exec(text) ?? []
  // A transaction id has 64 bits, and no event lies in the far future.
  if (xid === '' || BigInt(xid) > 0xffff_ffff_ffff_ffffn || Number(atMs) > 8e12) return null
  return { xid, seq: Number(seq), atMs: Number(atMs) }
}

export interface StreamRequest {
  readonly principal: Principal
  /** The place of the last event the client read; null: start now. */
  readonly after: LogPosition | null
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** The caller with the rights that it has now, null when its key is not valid any more; asked every few seconds. */
  readonly admitted: () => Promise<Principal | null>
}

export interface EventStreams {
  /** @throws ApiError rate_limit_exceeded when too many streams are open, of the account or in total, or on shutdown */
  open(ask: StreamRequest): Promise<Readable>
  /** Ends all streams when it stops. */
  readonly service: Service
}

interface Client {
  readonly ask: StreamRequest
  readonly body: Readable
  /** The domains whose events it may read now; null: all. */
  domainIds: readonly string[] | null
  place: LogPosition
  /** True once the client has reached the reader's place, until its buffer is full. */
  live: boolean
  /** Null: its buffer is not full. */
  fullSinceMs: number | null
  /** Null: the stream goes on. */
  endedAtMs: number | null
  admittedAtMs: number
  wroteAtMs: number
}

export interface EventStreamsOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly keptFacts: KeptFacts
}

export function eventStreams({ database, clock, log, keptFacts }: EventStreamsOptions): EventStreams {
  const clients = new Set<Client>()
  let tail: LogPosition | null = null
  let stopped = false

  const end = (client: Client): void => {
    if (!clients.has(client) || client.endedAtMs !== null) return
    client.live = false
    client.endedAtMs = clock.monotonicMs()
    client.body.push(null)
  }

  const write = (client: Client, text: string): void => {
    if (!clients.has(client) || client.endedAtMs !== null) return
    client.wroteAtMs = clock.monotonicMs()
    client.body.push(text)
  }

  /** @returns false when the client's buffer is full: it stays at its place */
  const sendTo = (client: Client, { domainId, place, text }: Message): boolean => {
    if (client.body.readableLength >= MAX_WAITING_BYTES) {
      client.fullSinceMs ??= clock.monotonicMs()
      return false
    }
    const { domainIds } = client
    if (domainIds === null || (domainId !== null && domainIds.includes(domainId))) write(client, text)
    client.place = place
    return true
  }

  const read = async (accountIds: readonly string[], from: LogPosition, to: string): Promise<readonly EventRow[]> => {
    const since = new Date(Math.max(0, from.atMs - OVERLAP_MS))
    return database.system.query<EventRow>(sql.between, [from.xid, from.seq, to, accountIds, since, PAGE])
  }

  const horizon = async (): Promise<LogPosition> => {
    const atMs = clock.now().getTime()
    const row = await database.system.one<{ xid: string }>(sql.horizon)
    return { xid: row?.xid ?? '0', seq: 0, atMs }
  }

  const messages = async (rows: readonly EventRow[]): Promise<readonly Message[]> => {
    const events = rows.map(followed)
    const facts = await factsOf(database.system, events, keptFacts)
    return rows.map((row, i) => messageOf(row, events[i] ?? followed(row), facts))
  }

  /** Sends one page to a client that is behind; it becomes live at the reader's place. @returns whether there is more to read */
  const catchUp = async (client: Client): Promise<boolean> => {
    const goal = tail
    // In the middle of a long stretch the reader's place is inside a transaction: the client joins at the end of the stretch.
    if (goal === null || goal.seq !== 0 || client.body.readableLength > LOW_BYTES) return false
    client.fullSinceMs = null
    const rows = await read([client.ask.principal.accountId], client.place, goal.xid)
    const messagesRead = await messages(rows)
    // Its buffer wakes the reader when it is low again.
    if (!messagesRead.every((message) => sendTo(client, message))) return false
    if (rows.length === PAGE) return true
    client.place = laterOf(client.place, goal)
    client.live = client.place === goal && client.endedAtMs === null
    return false
  }

  /** @returns whether there is more to read */
  const advance = async (): Promise<boolean> => {
    const to = await horizon()
    const from: LogPosition = tail ?? to
    const live = [...clients].filter((client) => client.live)
    const accounts = [...new Set(live.map(({ ask }) => ask.principal.accountId))]
    const rows = accounts.length === 0 ? [] : await read(accounts, from, to.xid)
    const messagesRead = await messages(rows)
    for (const message of messagesRead) {
      for (const client of live) {
        if (client.live && client.ask.principal.accountId === message.accountId) client.live = sendTo(client, message)
      }
    }
    tail = rows.length === PAGE ? (messagesRead.at(-1)?.place ?? to) : to
    for (const client of live) if (client.live) client.place = tail
    return rows.length === PAGE
  }

  const keep = async (client: Client): Promise<void> => {
    const nowMs = clock.monotonicMs()
    const { endedAtMs, fullSinceMs } = client
    const isStalled = fullSinceMs !== null && nowMs - fullSinceMs >= STALLED_MS
    if (isStalled || (endedAtMs !== null && nowMs - endedAtMs >= REST_MS)) client.body.destroy()
    if (client.body.destroyed || endedAtMs !== null) return
    if (nowMs - client.wroteAtMs >= HEARTBEAT_MS && client.body.readableLength === 0) write(client, ': heartbeat\n\n')
    if (nowMs - client.admittedAtMs < ADMITTED_FOR_MS) return
    client.admittedAtMs = nowMs
    const now = await client.ask.admitted()
    if (now?.accountId === client.ask.principal.accountId) client.domainIds = now.domainIds
    else end(client)
  }

  const turn = async (): Promise<number> => {
    if (clients.size === 0) {
      tail = null
      return POLL_MS
    }
    let behind = await advance()
    for (const client of clients) {
      if (!client.live && client.endedAtMs === null) behind = (await catchUp(client)) || behind
    }
    // Together, so that one statement looks up the keys of many: everybody's events wait for it.
    await Promise.all([...clients].map(keep))
    return behind ? 0 : POLL_MS
  }
  const reader: Loop = loop({
    name: 'event streams',
    turn,
    onError: (err) => log.warn({ err }, 'event streams will be read again'),
  })

  const checkRoom = (accountId: string): void => {
    const own = [...clients].filter((client) => client.ask.principal.accountId === accountId).length
    if (!stopped && own < MAX_STREAMS_PER_ACCOUNT && clients.size < MAX_STREAMS) return
    throw errors.rate_limit_exceeded(
      { limit: MAX_STREAMS_PER_ACCOUNT, window_seconds: null, retry_after: RETRY_AFTER_SECONDS },
      { retryAfter: RETRY_AFTER_SECONDS },
    )
  }

  const open = async (ask: StreamRequest): Promise<Readable> => {
    checkRoom(ask.principal.accountId)
    // Read before the response starts, so the stream includes every event after the client has seen the headers.
    const place = ask.after ?? (await horizon())
    checkRoom(ask.principal.accountId)
    const nowMs = clock.monotonicMs()
    const isLow = (): void => {
      if (client.fullSinceMs !== null) reader.wake()
    }
    const body = new Readable({ highWaterMark: LOW_BYTES, read: isLow })
    const times = { fullSinceMs: null, endedAtMs: null, admittedAtMs: nowMs, wroteAtMs: nowMs }
    const client: Client = { ask, body, domainIds: ask.principal.domainIds, place, live: false, ...times }
    clients.add(client)
    const gone = (): void => void clients.delete(client)
    body.once('close', gone)
    body.once('error', gone)
    ask.signal.addEventListener('abort', gone, { once: true })
    if (ask.signal.aborted) gone()
    write(client, `retry: 2000\nid: ${logPositionText(place)}\n\n`)
    reader.wake()
    return body
  }

  return {
    open,
    service: {
      name: 'event streams',
      start: () => reader.start(),
      stop: async (deadline) => {
        stopped = true
        for (const client of clients) end(client)
        await reader.stop(deadline)
        const untilMs = clock.monotonicMs() + REST_ON_STOP_MS
        while (clients.size > 0 && clock.monotonicMs() < untilMs && !deadline.aborted)
          await clock.sleep(STOP_POLL_MS, deadline).catch(() => undefined)
        for (const { body } of clients) body.destroy()
      },
    },
  }
}

function laterOf(a: LogPosition, b: LogPosition): LogPosition {
  const [one, other] = [BigInt(a.xid), BigInt(b.xid)]
  return one > other || (one === other && a.seq > b.seq) ? a : b
}

interface Message {
  readonly accountId: string
  readonly domainId: string | null
  readonly place: LogPosition
  readonly text: string
}

function messageOf(row: EventRow, event: FollowedEvent, facts: Awaited<ReturnType<typeof factsOf>>): Message {
  const place = { xid: row.xid, seq: row.seq, atMs: row.at.getTime() }
  const known = event.emailId === null ? null : (facts.get(event.emailId) ?? null)
  const data = JSON.stringify(wireEvent(event, known))
  return {
    accountId: event.accountId,
    domainId: event.domainId,
    place,
    text: `id: ${logPositionText(place)}\nevent: ${event.type}\ndata: ${data}\n\n`,
  }
}
