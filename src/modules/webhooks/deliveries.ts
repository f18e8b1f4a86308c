// The delivery log, and replays. A replay is a new delivery of the same event, with the same event_id.

import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import { type ListPage, listPage } from '../../platform/http/list-page.ts'
import { firstIdAt, type Ids, LAST_ID } from '../../platform/ids.ts'
import { EVENT_TYPES, type EventReference, type EventType, eventsOfPeriod, eventType } from '../events/index.ts'
import { type Asker, readEndpoint } from './endpoints.ts'
import { errors } from './errors.ts'
import { enqueue, wants } from './fan-out.ts'
import { KEPT_DAYS } from './schedule.ts'
import * as sql from './sql.ts'
import { type AttemptFacts, type Endpoint, TEST_EVENT } from './types.ts'

const MAX_REPLAYED = 100_000
/** Deliveries to an endpoint beyond which no period is replayed to it: what replays queue would have no bound otherwise. */
const MAX_WAITING = 100_000
const TOO_MANY_WAIT = 'Very many deliveries to the endpoint wait: replay the period once they are through'
const PAGE = 1_000
const COUNT_LIMIT = 100_000
const DAY_MS = 86_400_000

export interface DeliveryRow {
  readonly id: string
  readonly account_id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly event_at: Date
  readonly event: number
  readonly email_id: string | null
  readonly attempt: number
  readonly status: 'pending' | 'success' | 'failed'
  readonly last: AttemptFacts | null
  /** Null once the delivery has ended. */
  readonly due: Date | null
  /** Set while an attempt is in progress. */
  readonly lease: string | null
}

export interface DeliveryContext {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
}

export interface DeliveryFilter {
  readonly status: string | null
  /** Number of the event type. */
  readonly event: number | null
  readonly emailId: string | null
  readonly from: Date | null
  readonly to: Date | null
  readonly cursor: string | null
  readonly limit: number
  readonly offset: number
}

/** Newest first. @throws ApiError not_found */
export function listDeliveries(
  { database, clock }: DeliveryContext,
  requester: Asker,
  webhookId: string,
  filter: DeliveryFilter,
): Promise<ListPage<DeliveryRow>> {
  const { accountId } = requester
  const oldest = new Date(clock.now().getTime() - KEPT_DAYS * DAY_MS)
  const from = filter.from === null || filter.from < oldest ? oldest : filter.from
  const where = [
    accountId,
    webhookId,
    filter.status,
    filter.event,
    firstIdAt(from),
    filter.to === null ? LAST_ID : firstIdAt(filter.to),
  ]
  return database.tenant(accountId, async (db) => {
    await readEndpoint(db, requester, webhookId)
    const offset = filter.cursor === null ? filter.offset : 0
    const { emailId } = filter
    const of = emailId === null ? [] : [emailId]
    const [rows, counted] = await Promise.all([
      db.query<DeliveryRow>(emailId === null ? sql.deliveries : sql.deliveriesOf, [
        ...where,
        filter.cursor,
        filter.limit + 1,
        offset,
        ...of,
      ]),
      db.one<{ total: number }>(emailId === null ? sql.countDeliveries : sql.countDeliveriesOf, [
        ...where,
        COUNT_LIMIT,
        ...of,
      ]),
    ])
    return listPage(rows, filter, counted?.total ?? 0, ({ id }) => id)
  })
}

/**
 * Replays a delivery; one that is still pending is attempted at once instead.
 *
 * @throws ApiError not_found, invalid_state when the endpoint is switched off or the delivery was a test
 */
export function replayDelivery(
  { database, clock, ids }: DeliveryContext,
  requester: Asker,
  id: string,
): Promise<number> {
  const { accountId } = requester
  return database.tenant(accountId, async (db) => {
    const row = await db.one<DeliveryRow>(sql.oneDelivery, [accountId, id])
    if (row === null) throw errors.not_found()
    await lockActive(db, requester, row.webhook_id)
    if (row.event === TEST_EVENT) throw errors.invalid_state({}, { message: 'A test is not delivered again' })
    const now = clock.now()
    if (row.status === 'pending') {
      await db.execute(sql.hurry, [accountId, id, now])
      return 1
    }
    const { event_id: eventId, event_at: at, email_id: emailId, webhook_id: webhookId } = row
    const event = { eventId, at, accountId, domainId: null, emailId, type: eventType(row.event) }
    await enqueue(db, [{ id: ids.next(), accountId, webhookId, event, due: now, leading: false, held: false }])
    return 1
  })
}

/**
 * Replays to an endpoint the events of a period that it subscribes to, up to the first 100,000. Each page is a transaction:
 * followers of the log, webhooks of every account among them, do not pass one that is open. What was queued before the service
 * dies stays, and is delivered again when the call is repeated.
 *
 * @param types null: all the endpoint subscribes to
 * @throws ApiError not_found, invalid_state when the endpoint is switched off or MAX_WAITING deliveries to it wait
 */
export async function replayPeriod(
  context: DeliveryContext,
  requester: Asker,
  webhookId: string,
  period: ReplayedPeriod,
): Promise<number> {
  let queued = 0
  let after: EventReference | null = null
  while (queued < MAX_REPLAYED) {
    const events: readonly EventReference[] = await replayPage(context, requester, webhookId, { ...period, after })
    queued += events.length
    after = events.at(-1) ?? null
    if (events.length < PAGE) break
  }
  return queued
}

interface ReplayedPeriod {
  readonly from: Date
  readonly to: Date
  readonly types: readonly EventType[] | null
}

/** @param after the last event of the page before; null: this is the first page */
function replayPage(
  { database, clock, ids }: DeliveryContext,
  requester: Asker,
  webhookId: string,
  { types, after, ...period }: ReplayedPeriod & { readonly after: EventReference | null },
): Promise<readonly EventReference[]> {
  const { accountId } = requester
  return database.tenant(accountId, async (db) => {
    const { events: wanted, domain_ids: domainIds } = await lockActive(db, requester, webhookId)
    if (after === null) await refuseFull(db, accountId, webhookId)
    const known = Object.keys(EVENT_TYPES) as EventType[]
    const wantedTypes = (types ?? known).filter((type) => wants(wanted, type))
    if (wantedTypes.length === 0) return []
    const events = await eventsOfPeriod(db, accountId, { ...period, types: wantedTypes, domainIds, after, limit: PAGE })
    const due = clock.now()
    await enqueue(
      db,
      events.map((event) => ({ id: ids.next(), accountId, webhookId, event, due, leading: false, held: false })),
    )
    return events
  })
}

async function refuseFull(db: Db, accountId: string, webhookId: string): Promise<void> {
  const found = await db.one<{ waiting: number }>(sql.countWaiting, [accountId, webhookId, MAX_WAITING])
  if (found?.waiting === MAX_WAITING) throw errors.invalid_state({ limit: MAX_WAITING }, { message: TOO_MANY_WAIT })
}

async function lockActive(db: Db, requester: Asker, webhookId: string): Promise<Endpoint> {
  const endpoint = await db.one<Endpoint>(sql.lockShared, [requester.accountId, requester.domainIds, webhookId])
  if (endpoint === null) throw errors.not_found()
  if (!endpoint.is_active) throw errors.invalid_state()
  return endpoint
}
