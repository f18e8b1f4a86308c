// From the log to the queue: decides which endpoints get an event, and in what order they start. It is a follower's effect,
// so each event is queued once per endpoint, whatever is killed.
//
// The first attempts of domain and group endpoints lead: customer-level endpoints are held until these have ended, at most
// HOLD_MS. Nobody waits for an endpoint whose last attempt failed or that has a backlog.

import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import { inPieces } from '../../platform/time-slices.ts'
import { EVENT_TYPES, type EventType, type FollowedEvent, type Share } from '../events/index.ts'
import { isSince } from './schedule.ts'
import * as sql from './sql.ts'
import type { Endpoint } from './types.ts'

export const HOLD_MS = 2_000
const BACKLOG_MS = 1_000
/** About as many go in one statement: 100,000, of 1,000 events for 100 endpoints, stopped the process for 1.2 s. */
const QUEUED_TOGETHER = 2_000
/** Most deliveries of a transaction, but for a single event: while 50,000 were queued, no follower read what others wrote. */
export const MOST_QUEUED = 5_000
/** An account with more deliveries in a stretch of the log that does not fit is followed apart, or it would hold up the others. */
export const WIDE = MOST_QUEUED / 5

type QueuedEvent = Pick<FollowedEvent, 'eventId' | 'at' | 'accountId' | 'domainId' | 'emailId' | 'type'>

export interface Queued {
  readonly id: string
  readonly accountId: string
  readonly webhookId: string
  readonly event: QueuedEvent
  readonly due: Date
  readonly leading: boolean
  readonly held: boolean
}

/** What of the events is queued in one transaction. */
export async function shareOf(db: Db, events: readonly FollowedEvent[]): Promise<Share> {
  const endpoints = await endpointsOf(db, [...new Set(events.map(({ accountId }) => accountId))])
  const deliveries = new Map<string, number>()
  for (const { accountId } of events)
    deliveries.set(accountId, (deliveries.get(accountId) ?? 0) + (endpoints.get(accountId) ?? 0))
  const all = [...deliveries.values()].reduce((sum, count) => sum + count, 0)
  if (all <= MOST_QUEUED) return { apart: new Set(), fits: events.length }
  const apart = new Set([...deliveries].filter(([, count]) => count > WIDE).map(([accountId]) => accountId))
  const others = events.filter(({ accountId }) => !apart.has(accountId))
  let queued = 0
  const first = others.findIndex(({ accountId }) => {
    queued += endpoints.get(accountId) ?? 0
    return queued > MOST_QUEUED
  })
  return { apart, fits: first === -1 ? others.length : Math.max(1, first) }
}

/** @returns how many events of an account that is followed apart are queued in one transaction: others wait for it */
export async function mostEvents(db: Db, accountId: string): Promise<number> {
  const endpoints = (await endpointsOf(db, [accountId])).get(accountId) ?? 1
  return Math.max(1, Math.floor(QUEUED_TOGETHER / endpoints))
}

async function endpointsOf(db: Db, accounts: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ account_id: string; endpoints: number }>(sql.countListeners, [accounts])
  return new Map(rows.map((row) => [row.account_id, row.endpoints]))
}

/** @returns how many deliveries were queued */
export async function fanOut(
  db: Db,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  events: readonly FollowedEvent[],
): Promise<number> {
  const accounts = [...new Set(events.map(({ accountId }) => accountId))].sort()
  const endpoints = await db.query<Endpoint>(sql.listeners, [accounts])
  if (endpoints.length === 0) return 0
  const now = clock.now()
  const byAccount = Map.groupBy(endpoints, (endpoint) => endpoint.account_id)
  const leaders = await leadersOf(db, endpoints, now)
  const queuedFor = (event: QueuedEvent): readonly Queued[] => {
    const listeners = (byAccount.get(event.accountId) ?? []).filter((endpoint) => listens(endpoint, event, now))
    const isLed = listeners.some(({ id }) => leaders.has(id))
    return listeners.map(({ id: webhookId, domain_ids: domains }) => {
      const held = isLed && domains === null
      return {
        id: ids.next(),
        accountId: event.accountId,
        webhookId,
        event,
        due: held ? new Date(now.getTime() + HOLD_MS) : now,
        leading: isLed && leaders.has(webhookId),
        held,
      }
    })
  }
  const shareOf = ({ accountId }: QueuedEvent): number => (byAccount.get(accountId)?.length ?? 0) / QUEUED_TOGETHER
  let count = 0
  for await (const piece of inPieces(events, shareOf)) {
    const queued = piece.flatMap(queuedFor)
    await enqueue(db, queued)
    count += queued.length
  }
  return count
}

async function leadersOf(db: Db, endpoints: readonly Endpoint[], now: Date): Promise<ReadonlySet<string>> {
  const narrow = endpoints
    .filter((endpoint) => endpoint.domain_ids !== null && endpoint.consecutive_failures === 0)
    .map(({ id }) => id)
  if (narrow.length === 0) return new Set()
  const busy = await db.query<{ id: string }>(sql.backlogged, [narrow, new Date(now.getTime() - BACKLOG_MS)])
  const slow = new Set(busy.map(({ id }) => id))
  return new Set(narrow.filter((id) => !slow.has(id)))
}

/** Events from before an endpoint was created or re-enabled are not for it. */
function listens(endpoint: Endpoint, { type, domainId, at }: QueuedEvent, now: Date): boolean {
  const { events, domain_ids: domains } = endpoint
  if (!isSince(endpoint.active_since, at, now)) return false
  return wants(events, type) && (domains === null || (domainId !== null && domains.includes(domainId)))
}

export function wants(events: readonly string[], type: EventType): boolean {
  return events.includes('*') || events.includes(type)
}

export async function enqueue(db: Db, queued: readonly Queued[]): Promise<void> {
  if (queued.length === 0) return
  await db.execute(sql.enqueue, [
    queued.map(({ id }) => id),
    queued.map(({ accountId }) => accountId),
    queued.map(({ webhookId }) => webhookId),
    queued.map(({ event }) => event.eventId),
    queued.map(({ event }) => event.at),
    queued.map(({ event }) => EVENT_TYPES[event.type]),
    queued.map(({ event }) => event.emailId),
    queued.map(({ due }) => due),
    queued.map(({ leading }) => leading),
    queued.map(({ held }) => held),
  ])
}
