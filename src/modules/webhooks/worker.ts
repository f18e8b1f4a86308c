// Sends pending deliveries. A claim defers a delivery to the end of its lease and marks it with the claim's id; a worker that
// dies over it delays it by LEASE_MS, and it is sent again. The shares bound what is in this process; the rest stays in the
// table. A claim looks at each endpoint once, however many deliveries it has waiting.
//
// Soon after the start, and after the clock was set back, the worker looks for deliveries due later than any delay allows:
// they would wait for as long as the clock was wrong (ADR 0006).
//
// A claim holds the endpoint's address and secret at that moment. When the owner changes the endpoint, deliveries that have
// not started are given back, and claimed again with the endpoint's new state, or dropped with it.

import { type Clock, putBackSince } from '../../platform/clock.ts'
import type { Connector } from '../../platform/connect.ts'
import { type Database, isBrokenOff } from '../../platform/db.ts'
import { groupCommit } from '../../platform/group-commit.ts'
import { FIRST_ID, type Ids } from '../../platform/ids.ts'
import { aborted, type Loop, loop } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { eventsByReference, factsOf, type KeptFacts, wireEvent } from '../events/index.ts'
import { type AttemptResult, attempt } from './attempt.ts'
import { type EndpointQueues, endpointQueues } from './endpoint-queues.ts'
import { openSecret } from './endpoints.ts'
import { type Candidate, fairShare, MAX_HELD } from './fair-share.ts'
import { HOLD_MS } from './fan-out.ts'
import { type Ended, type RecordOptions, recordEnded } from './record-results.ts'
import { logBegins, RETRY_AFTER_MS } from './schedule.ts'
import * as sql from './sql.ts'

const LEASE_MS = 60_000
const POLL_MS = 250
const LOOKED_AT_TOGETHER = 10_000
/** Upper bound of the clock difference between machines on one database. */
const SKEW_MS = 10_000
const MAX_RECORDED_TOGETHER = 200
const MAX_UNRECORDED = 4_000
const RECORD_TRIES = 5

export interface WorkerOptions extends RecordOptions {
  readonly ids: Ids
  readonly secrets: Secrets
  readonly connector: Connector
  readonly keptFacts: KeptFacts
  readonly log: Logger
  /** Called after each request about an email. */
  readonly onAttempt?: (attempt: FinishedRequest) => void
}

/** A finished request to an endpoint. */
export interface FinishedRequest {
  readonly emailId: string
  readonly accountId: string
  readonly webhookId: string
  readonly eventId: string
  readonly number: number
  readonly httpStatus: number | null
  readonly success: boolean
  readonly startedAt: Date
  readonly durationMs: number
}

interface Claimed {
  readonly id: string
  readonly account_id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly event_at: Date
  readonly event: number
  readonly email_id: string | null
  readonly attempt: number
  readonly leads: boolean
  readonly url: string
  readonly secret: Buffer
  readonly is_active: boolean
}

/** A claimed delivery, to be sent. */
interface Work {
  readonly claimed: Claimed
  readonly lease: string
  /** Null when the log no longer has the event. */
  readonly payload: object | null
}

const NOT_KEPT: AttemptResult = {
  success: false,
  gone: false,
  retryAfter: null,
  facts: { http_status: null, duration_ms: 0, response_body: null, error: 'the event is no longer kept' },
}

export function webhookWorker(options: WorkerOptions): Loop {
  const { database, clock, log } = options
  const settled = new Set<Promise<void>>()
  const track = (promise: Promise<void>): void => {
    settled.add(promise)
    void promise.finally(() => settled.delete(promise))
  }
  const results = groupCommit<Ended, null>({
    write: async (ended) => {
      await recordAgain(options, ended)
      return ended.map(() => null)
    },
    sizeOf: () => 1,
    maxItems: MAX_RECORDED_TOGETHER,
    maxBytes: MAX_RECORDED_TOGETHER,
    concurrency: 1,
    maxWaitingBytes: MAX_UNRECORDED,
    full: () => new Error('too many results wait to be written'),
  })
  let unrecorded = 0

  const record = async (ended: Ended): Promise<void> => {
    unrecorded++
    try {
      await results.add(ended)
    } catch (err) {
      log.warn({ err, webhook_id: ended.webhookId, event_id: ended.eventId }, 'a webhook attempt will be made again')
    } finally {
      unrecorded--
    }
  }

  const ask = async ({ claimed, lease, payload }: Work): Promise<boolean> => {
    const { id, webhook_id: webhookId, event_id: eventId, url, leads: leading } = claimed
    try {
      const secret = openSecret(options.secrets, webhookId, claimed.secret)
      const startedAt = clock.now()
      const result = payload === null ? NOT_KEPT : await attempt(options, { url, secret, eventId, payload, webhookId })
      const { account_id: accountId, event_at: eventAt, event, email_id: emailId, attempt: before } = claimed
      const logged = { accountId, eventAt, event, emailId }
      const ended = { id, lease, webhookId, eventId, logged, leading, attempt: before, url, startedAt, result }
      track(record({ ...ended, wasSent: payload !== null }))
      if (payload !== null && 'email_id' in payload) {
        options.onAttempt?.({
          emailId: String(payload.email_id),
          accountId,
          webhookId,
          eventId,
          number: claimed.attempt,
          httpStatus: result.facts.http_status,
          success: result.success,
          startedAt,
          durationMs: result.facts.duration_ms,
        })
      }
      log.debug({ webhook_id: webhookId, event_id: eventId, status: result.facts.http_status }, 'webhook attempted')
      return result.success || payload === null
    } catch (err) {
      log.warn({ err, webhook_id: webhookId, event_id: eventId }, 'a webhook attempt will be made again')
      return false
    }
  }

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
      const answered = ask(work)
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

  const isPutBack = putBackSince(clock)
  /** Id after which deliveries may be deferred too far; null: none are. */
  let behind: string | null = null
  /** Checks one page per turn: a million pending deliveries take less than a minute and delay nobody. */
  const recall = async (): Promise<void> => {
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

  const turn = async (): Promise<number> => {
    if (unrecorded >= MAX_UNRECORDED - MAX_HELD) return POLL_MS
    await recall()
    const candidates = await candidatesOf(database, clock, queues)
    const resting = candidates.filter(({ restMs }) => restMs > 0)
    const ready = candidates.filter(({ restMs }) => restMs === 0)
    const places = fairShare(ready, queues.held())
    if (places.size === 0) return Math.min(POLL_MS, ...resting.map(({ restMs }) => restMs))
    changed.clear()
    const lease = options.ids.next()
    const now = clock.now()
    const until = new Date(now.getTime() + LEASE_MS)
    const claimed = await database.system.query<Claimed>(sql.claim, [
      [...places.keys()],
      [...places.values()],
      now,
      lease,
      until,
    ])
    const live = claimed.filter((one) => one.is_active)
    const dead = [...new Set(claimed.filter((one) => !one.is_active).map((one) => one.webhook_id))]
    if (dead.length > 0) await database.system.execute(sql.purge, [dead, logBegins(now)])
    const payloads = await payloadsOf(options, live)
    const works = live.map((claimed): Work => ({ claimed, lease, payload: payloads.get(claimed.event_id) ?? null }))
    const isOld = ({ claimed: { webhook_id: id } }: Work): boolean => changed.has(id) || changed.has(null)
    for (const work of works) if (!isOld(work)) queues.add(work)
    await giveBack(works.filter(isOld))
    return claimed.length > 0 ? 0 : POLL_MS
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
      const over = async (): Promise<void> => {
        while (settled.size > 0) await Promise.allSettled(settled)
      }
      await Promise.race([over(), aborted(deadline)])
    },
  }
}

/** Retries when the database aborted the transaction so that another could go on: otherwise each would be sent again. */
async function recordAgain(options: RecordOptions, ended: readonly Ended[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await recordEnded(options, ended)
    } catch (error) {
      if (tries === RECORD_TRIES || !isBrokenOff(error)) throw error
    }
  }
}

/** Endpoints with deliveries due, and how they have been doing. */
async function candidatesOf(
  database: Database,
  clock: Clock,
  queues: EndpointQueues<Work>,
): Promise<readonly (Candidate & { readonly restMs: number })[]> {
  const rows = await database.system.query<{
    readonly webhook_id: string
    readonly account_id: string
    readonly consecutive_failures: number
  }>(sql.waiting, [clock.now()])
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
