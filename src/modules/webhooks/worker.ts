// Sends pending deliveries. A claim defers a delivery to the end of its lease and marks it with the claim's id; a worker that
// dies over it delays it by LEASE_MS, and it is sent again. The shares bound what is in this process; the rest stays in the
// table. A claim looks at the deliveries that are due. Where these are many, they may all be of one endpoint: then it looks at
// each endpoint once, however many deliveries it has waiting. A share of an endpoint's places is for its newest deliveries: what
// happens now does not wait behind a replayed period, or behind what an outage has left (ADR 0018).
//
// Soon after the start, and after the clock was set back, the worker looks for deliveries due later than any delay allows:
// they would wait for as long as the clock was wrong (ADR 0006).
//
// A claim holds the endpoint's address and secret at that moment. When the owner changes the endpoint, deliveries that have
// not started are given back, and claimed again with the endpoint's new state, or dropped with it.

import { type Clock, putBackSince } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { FIRST_ID, type Ids } from '../../platform/ids.ts'
import { aborted, type Loop, loop } from '../../platform/lifecycle.ts'
import { eventsByReference, factsOf, type KeptFacts, wireEvent } from '../events/index.ts'
import { type EndpointQueues, endpointQueues } from './endpoint-queues.ts'
import { type Candidate, fairShare, MAX_HELD } from './fair-share.ts'
import { HOLD_MS } from './fan-out.ts'
import type { RecordOptions } from './record-results.ts'
import { type Claimed, type RequestOptions, request, type Work } from './requests.ts'
import { resultsOf } from './results.ts'
import { RETRY_AFTER_MS } from './schedule.ts'
import * as sql from './sql.ts'

const LEASE_MS = 60_000
const POLL_MS = 250
const LOOKED_AT_TOGETHER = 10_000
/** Of an endpoint's places; which of them it is, is drawn. */
const NEWEST_SHARE = 0.25
/** Due deliveries that are read to find their endpoints. */
const MANY_DUE = 1_000
/** Upper bound of the clock difference between machines on one database. */
const SKEW_MS = 10_000

export interface WorkerOptions extends RecordOptions, RequestOptions {
  readonly ids: Ids
  readonly keptFacts: KeptFacts
}

export function webhookWorker(options: WorkerOptions): Loop {
  const { database, clock, log } = options
  const results = resultsOf(options)
  const { track, over } = unfinishedWork()

  const giveBack = async (some: readonly Work[]): Promise<void> => {
    try {
      const now = clock.now()
      for (const [lease, own] of Map.groupBy(some, (work) => work.lease)) {
        await database.system.execute(sql.release, [own.map(({ claimed }) => claimed.id), lease, now])
      }
    } catch (err) {
      log.warn({ err }, 'webhooks that were not tried will be when their lease ends')
    }
  }

  const queues: EndpointQueues<Work> = endpointQueues<Work>({
    nowMs: () => clock.monotonicMs(),
    keyOf: ({ claimed }) => ({ id: claimed.id, webhookId: claimed.webhook_id, accountId: claimed.account_id }),
    ask: (work) => {
      const answered = request(options, work, (ended) => track(results.record(ended)))
      track(answered.then(() => undefined))
      return answered
    },
    onRoom: () => worker.wake(),
    onFailing: (withdrawn) => track(giveBack(withdrawn)),
  })

  /** Endpoints changed since the last claim; a null entry: any may have changed. */
  const changed = new Set<string | null>()
  const endpointChanged = (webhookId: string | null): void => {
    changed.add(webhookId)
    const withdrawn = queues.withdraw(webhookId)
    if (withdrawn.length > 0) track(giveBack(withdrawn).then(() => worker.wake()))
  }

  const recall = recallOf(database, clock)
  const turn = async (): Promise<number> => {
    if (!results.hasRoomFor(MAX_HELD)) return POLL_MS
    await recall()
    const candidates = await candidatesOf(database, clock, queues)
    const resting = candidates.filter(({ restMs }) => restMs > 0)
    const ready = candidates.filter(({ restMs }) => restMs === 0)
    const places = fairShare(ready, queues.held(), () => options.ids.chance())
    if (places.size === 0) return Math.min(POLL_MS, ...resting.map(({ restMs }) => restMs))
    changed.clear()
    const works = await claim(options, places)
    const isOld = ({ claimed: { webhook_id: id } }: Work): boolean => changed.has(id) || changed.has(null)
    for (const work of works.live) if (!isOld(work)) queues.add(work)
    for (const id of works.dead) track(results.clear(id))
    await giveBack(works.live.filter(isOld))
    return works.claimed > 0 ? 0 : POLL_MS
  }

  const worker = loop({
    name: 'webhooks',
    turn,
    onError: (err) => log.warn({ err }, 'webhooks will be tried again'),
  })
  return {
    ...worker,
    start: async () => {
      await database.listen(sql.CHANGED_CHANNEL, endpointChanged)
      await worker.start()
    },
    stop: async (deadline) => {
      await worker.stop(deadline)
      track(giveBack(queues.withdraw(null)))
      await Promise.race([over(), aborted(deadline)])
    },
  }
}

/** Requests and writes that a stop waits for. */
function unfinishedWork(): { readonly track: (promise: Promise<void>) => void; readonly over: () => Promise<void> } {
  const unfinished = new Set<Promise<void>>()
  return {
    track: (promise) => {
      unfinished.add(promise)
      void promise.finally(() => unfinished.delete(promise))
    },
    over: async () => {
      while (unfinished.size > 0) await Promise.allSettled(unfinished)
    },
  }
}

/**
 * Claims deliveries. `dead`: the disabled endpoints among theirs, whose queues are to be cleared.
 *
 * @param places how many for each endpoint, by its id
 */
async function claim(
  options: WorkerOptions,
  places: ReadonlyMap<string, number>,
): Promise<{ readonly claimed: number; readonly live: readonly Work[]; readonly dead: ReadonlySet<string> }> {
  const { database, clock, ids } = options
  const lease = ids.next()
  const now = clock.now()
  const until = new Date(now.getTime() + LEASE_MS)
  const newest = [...places.values()].map((count) => Math.floor(count * NEWEST_SHARE + ids.chance()))
  const claimed = await database.system.query<Claimed>(sql.claim, [
    [...places.keys()],
    [...places.values()].map((count, i) => count - (newest[i] ?? 0)),
    newest,
    now,
    lease,
    until,
  ])
  const live = claimed.filter((one) => one.is_active)
  const dead = new Set(claimed.filter((one) => !one.is_active).map((one) => one.webhook_id))
  const payloads = await payloadsOf(options, live)
  const works = live.map((one): Work => ({ claimed: one, lease, payload: payloads.get(one.event_id) ?? null }))
  return { claimed: claimed.length, live: works, dead }
}

/** Makes due what a clock that was ahead has deferred too far, one page a call: a million take a minute and delay nobody. */
function recallOf(database: Database, clock: Clock): () => Promise<void> {
  const isPutBack = putBackSince(clock)
  /** Id after which deliveries may be deferred too far; null: none are. */
  let behind: string | null = null
  return async () => {
    if (isPutBack()) behind = FIRST_ID
    if (behind === null) return
    const now = clock.now().getTime()
    const latest = (waitMs: number): Date => new Date(now + waitMs + SKEW_MS)
    const row = await database.system.one<{ last: string }>(sql.recall, [
      behind,
      new Date(now),
      new Date(now + LEASE_MS),
      latest(0),
      latest(LEASE_MS),
      latest(HOLD_MS),
      RETRY_AFTER_MS.map(latest),
      LOOKED_AT_TOGETHER,
    ])
    behind = row?.last ?? null
  }
}

interface DueRow {
  readonly webhook_id: string
  readonly account_id: string
  readonly consecutive_failures: number
}

/** Endpoints with deliveries due, and how they have been doing. */
async function candidatesOf(
  database: Database,
  clock: Clock,
  queues: EndpointQueues<Work>,
): Promise<readonly (Candidate & { readonly restMs: number })[]> {
  const now = clock.now()
  const first = await database.system.query<DueRow & { readonly looked_at: number }>(sql.firstDue, [now, MANY_DUE])
  const isAll = (first[0]?.looked_at ?? 0) < MANY_DUE
  const rows = isAll ? first : await database.system.query<DueRow>(sql.allDue, [now])
  return rows.map(({ webhook_id: webhookId, account_id: accountId, consecutive_failures: failures }) => {
    const { window, pace, restMs } = queues.of(webhookId)
    return { webhookId, accountId, window, pace: failures > 0 ? 'failing' : pace, restMs }
  })
}

/** Bodies by event id, from the log; facts about the mail come from its first event or from `keptFacts`. */
async function payloadsOf(
  { database, keptFacts }: Pick<WorkerOptions, 'database' | 'keptFacts'>,
  claimed: readonly Claimed[],
): Promise<ReadonlyMap<string, object>> {
  const events = await eventsByReference(
    database.system,
    claimed.map((one) => ({ accountId: one.account_id, at: one.event_at, eventId: one.event_id })),
  )
  const facts = await factsOf(database.system, [...events.values()], keptFacts)
  return new Map([...events].map(([id, event]) => [id, wireEvent(event, facts.get(event.emailId ?? '') ?? null)]))
}
