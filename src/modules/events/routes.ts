import { Type } from 'typebox'
import { parseAddress, suppressionKey } from '../../mail/address.ts'
import type { Clock } from '../../platform/clock.ts'
import { fullCounts } from '../../platform/db/full-counts.ts'
import { containing } from '../../platform/db/sql-pattern.ts'
import type { Database, Db } from '../../platform/db.ts'
import { PARAMETER_WORDS, parameterError } from '../../platform/errors.ts'
import { listPage } from '../../platform/http/list-page.ts'
import {
  type AnyEndpoint,
  type Call,
  CursorPagination,
  endpoint,
  FromTime,
  type Gate,
  ListLimit,
  ListOffset,
  list,
  listOf,
  placeCursor,
  raw,
  ToTime,
  typed,
  Uuid,
} from '../../platform/http.ts'
import { admission, READS_EVENTS } from './admission.ts'
import { errors } from './errors.ts'
import { type EventRow, followed } from './follow.ts'
import { EventItem } from './payloads.ts'
import { factsOf, type KeptFacts, wireEvent } from './read.ts'
import * as sql from './sql.ts'
import { type EventStreams, type LogPosition, parseLogPosition } from './stream.ts'
import { EVENT_TYPES, type EventType } from './types.ts'

export interface EventRoutesOptions {
  readonly database: Database
  readonly clock: Clock
  readonly streams: EventStreams
  /** Checked repeatedly while a stream is open: a revoked key ends the stream. */
  readonly gate: Gate
  readonly keptFacts: KeptFacts
  /** The ids of the newest emails of an account to one address (a suppression key). */
  readonly emailsTo: (db: Db, accountId: string, recipientKey: string) => Promise<readonly string[]>
}

const TAG = 'Events'
const COUNT_LIMIT = 100_000
const NO_EMAIL = '00000000-0000-0000-0000-000000000000'
const CURSOR = /^(\d{1,17})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

const Query = Type.Object({
  event: Type.Optional(Type.Enum(Object.keys(EVENT_TYPES))),
  email_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        'The events that the email itself shows. A suppression that it caused names it in its data and is not among them.',
    }),
  ),
  recipient: Type.Optional(
    Type.String({ description: 'Only events of the newest 10,000 emails to this address, and of the address itself.' }),
  ),
  domain_id: Type.Optional(Uuid),
  tag: Type.Optional(Type.String({ maxLength: 128 })),
  from: FromTime,
  to: ToTime,
  response: Type.Optional(
    Type.String({
      maxLength: 998,
      description:
        'Part of what the receiver answered, in any case, such as `rate limited` or `4.7.28`. With `event=email.deferred` and `from`, the emails that one cause has held up since then, delivered or not.',
    }),
  ),
  include_sandbox: Type.Boolean({ default: true, description: 'Whether events of sandbox emails are included.' }),
  limit: ListLimit,
  offset: ListOffset,
  cursor: placeCursor(CURSOR),
})

export function eventRoutes(options: EventRoutesOptions): readonly AnyEndpoint[] {
  return [listRoute(options), streamRoute(options)]
}

function listRoute({ database, clock, emailsTo, keptFacts }: EventRoutesOptions): AnyEndpoint {
  const counts = fullCounts(clock, COUNT_LIMIT)
  return endpoint({
    method: 'GET',
    path: '/api/v1/events',
    access: { scope: READS_EVENTS },
    operationId: 'listEvents',
    summary: 'List events, newest first',
    tag: TAG,
    query: Query,
    answers: { 200: listOf(EventItem, CursorPagination) },
    handle: async ({ principal: { accountId, domainIds }, query, signal }) => {
      const { limit, offset } = query
      const [, atUs = null, afterId = null] = CURSOR.exec(query.cursor ?? '') ?? []
      const recipient = query.recipient === undefined ? null : recipientKeyOf(query.recipient)
      const found = await database.reading(
        accountId,
        async (db) => {
          const filter = [
            accountId,
            query.from === undefined ? null : new Date(query.from),
            query.to === undefined ? null : new Date(query.to),
            query.event === undefined ? null : EVENT_TYPES[query.event as EventType],
            query.email_id ?? null,
            recipient === null ? null : [NO_EMAIL, ...(await emailsTo(db, accountId, recipient))],
            query.domain_id ?? null,
            query.tag ?? null,
            domainIds,
            recipient,
            query.include_sandbox,
            containing(query.response ?? null),
          ]
          const asked = [...filter, atUs, afterId, limit + 1, atUs === null ? offset : 0]
          const count = async (): Promise<number> =>
            (await db.one<{ total: number }>(sql.count, [...filter, COUNT_LIMIT]))?.total ?? 0
          const [rows, counted] = await Promise.all([
            db.query<EventRow & { readonly at_us: number }>(sql.list, asked),
            counts.total(filter, count),
          ])
          const page = listPage(rows, { limit, offset, cursor: atUs }, counted, (row) => `${row.at_us}.${row.event_id}`)
          const events = page.rows.map(followed)
          return { events, facts: await factsOf(db, events, keptFacts), total: page.total, next: page.next }
        },
        signal,
      )
      const shown = found.events.map((event) => wireEvent(event, found.facts.get(event.emailId ?? '') ?? null))
      return list(shown, { total: found.total, limit, offset, next_cursor: found.next })
    },
  })
}

function recipientKeyOf(text: string): string {
  const parsed = parseAddress(text.trim())
  if (parsed.ok) return suppressionKey(parsed.address)
  throw parameterError('recipient', 'email', PARAMETER_WORDS.email)
}

function streamRoute({ streams, gate }: EventRoutesOptions): AnyEndpoint {
  return endpoint({
    method: 'GET',
    path: '/api/v1/events/stream',
    access: { scope: READS_EVENTS },
    operationId: 'streamEvents',
    summary:
      'Stream events as server-sent events, with at most 5 streams per account. Each frame has `id` (a position), `event` (the type) and `data` (the event as JSON, as in the list). Send Last-Event-ID to resume.',
    tag: TAG,
    headers: {
      'Last-Event-ID': Type.String({
        description:
          'The `id` of the last frame you read, which is a position in the log and not an event_id. The stream resumes after it, as far back as events are kept (`retention_days`). When absent, the stream starts now.',
      }),
    },
    answers: { 200: typed('text/event-stream') },
    errors: [errors.rate_limit_exceeded],
    handle: async (call) => {
      const { principal, signal } = call
      const body = await streams.open({ principal, signal, after: placeOf(call), admitted: admission(gate, call) })
      return raw('text/event-stream; charset=utf-8', body, { 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
    },
  })
}

function placeOf({ headers }: Pick<Call<never, never, never>, 'headers'>): LogPosition | null {
  const given = headers['last-event-id']
  if (given === undefined || given === '') return null
  const place = typeof given === 'string' ? parseLogPosition(given) : null
  if (place === null)
    throw parameterError('Last-Event-ID', 'place', 'must be the id of a frame of this stream, which is not an event_id')
  return place
}
