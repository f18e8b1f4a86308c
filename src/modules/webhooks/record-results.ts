// Writes the results of attempts in batches: endpoints first, then the queue, both ordered by id. A result whose lease has
// expired is dropped, since another attempt is in progress; the receiver recognizes the repetition by its event_id. A
// result whose delivery has ended meanwhile, because its endpoint was disabled, is logged on its own. An answer from an
// address the endpoint no longer has, or from before it was re-enabled, says nothing about the endpoint: a 410 from the old
// receiver does not disable the new one.

import type { Clock } from '../../platform/clock.ts'
import { withDays } from '../../platform/db/partitions.ts'
import type { Database, Db } from '../../platform/db.ts'
import type { AttemptResult } from './attempt.ts'
import { ensureWebhookPartitions } from './partitions.ts'
import { askedMsOf, DISABLE_AFTER_MS, isSince, logBegins, nextAttempt } from './schedule.ts'
import * as sql from './sql.ts'
import type { DisabledEndpoint, DisabledReason } from './types.ts'

export interface Ended {
  readonly id: string
  readonly lease: string
  readonly webhookId: string
  readonly eventId: string
  /** Its fields for the log; null: it was never queued, and the caller writes the log. */
  readonly logged: Logged | null
  /** Attempts before this one. */
  readonly attempt: number
  /** The address the attempt went to. */
  readonly url: string
  readonly startedAt: Date
  readonly leading: boolean
  readonly result: AttemptResult
  /** False when there was nothing to send: the result says nothing about the endpoint. */
  readonly wasSent: boolean
}

export interface Logged {
  readonly accountId: string
  readonly eventAt: Date
  /** Number of the event type. */
  readonly event: number
  readonly emailId: string | null
}

export interface RecordOptions {
  readonly database: Database
  readonly clock: Clock
  /** Runs in the transaction that disables the endpoint. */
  readonly onDisabled: (db: Db, endpoint: DisabledEndpoint) => Promise<void>
}

/** @returns the endpoints that were disabled: the caller clears their queues (clearing.ts) */
export function recordEnded(
  { database, clock, onDisabled }: RecordOptions,
  ended: readonly Ended[],
): Promise<readonly string[]> {
  const now = clock.now()
  const ensure = (): Promise<void> => ensureWebhookPartitions(database.system, now)
  const write = async (db: Db): Promise<readonly string[]> => {
    const disabled = await noteEndpoints(db, ended, now)
    const off = new Set(disabled.map(({ id }) => id))
    const nexts = ended.map((one) => (off.has(one.webhookId) ? null : nextOf(one, now)))
    const over = ended.filter((_, i) => nexts[i] === null)
    const again = ended.filter((_, i) => nexts[i] !== null)
    let written = 0
    if (over.length > 0) {
      const success = over.map(({ result }) => result.success)
      written += await db.execute(sql.finish, [...keysOf(over), success, over.map(factsText), logBegins(now)])
    }
    if (again.length > 0) {
      const due = nexts.filter((next) => next !== null)
      const asked = again.map(({ result }) => askedMsOf(result.retryAfter, now))
      written += await db.execute(sql.retryLater, [...keysOf(again), due, again.map(factsText), asked])
    }
    if (written < ended.length) await logLate(db, ended, now)
    const led = [...new Set(ended.filter(({ leading }) => leading).map(({ eventId }) => eventId))]
    if (led.length > 0) await db.execute(sql.letGo, [led, now])
    for (const endpoint of disabled) await onDisabled(db, endpoint)
    return [...off]
  }
  return withDays(ensure, () => database.transaction(write))
}

/** Logs attempts for the owner whose delivery ended while they were in progress. */
async function logLate(db: Db, ended: readonly Ended[], now: Date): Promise<void> {
  const sent = ended.flatMap((one) => (one.wasSent && one.logged !== null ? [{ ...one, ...one.logged }] : []))
  if (sent.length === 0) return
  await db.execute(sql.logLate, [
    sent.map(({ id }) => id),
    sent.map(({ accountId }) => accountId),
    sent.map(({ webhookId }) => webhookId),
    sent.map(({ eventId }) => eventId),
    sent.map(({ eventAt }) => eventAt),
    sent.map(({ event }) => event),
    sent.map(({ emailId }) => emailId),
    sent.map(({ attempt }) => attempt + 1),
    sent.map(({ result }) => result.success),
    sent.map(factsText),
    logBegins(now),
  ])
}

function nextOf({ attempt, result, wasSent }: Ended, now: Date): Date | null {
  return result.success || result.gone || !wasSent
    ? null
    : nextAttempt(attempt + 1, now, askedMsOf(result.retryAfter, now))
}

function keysOf(ended: readonly Ended[]): readonly [string[], string[]] {
  return [ended.map(({ id }) => id), ended.map(({ lease }) => lease)]
}

function factsText({ result }: Ended): string {
  return JSON.stringify(result.facts)
}

interface NotedRow {
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly url: string
  readonly disabled_now: boolean
  readonly disabled_reason: DisabledReason | null
}

interface TriedRow {
  readonly id: string
  readonly url: string
  readonly active_since: Date
}

async function noteEndpoints(db: Db, ended: readonly Ended[], now: Date): Promise<readonly DisabledEndpoint[]> {
  const tried = ended.filter(({ wasSent }) => wasSent)
  if (tried.length === 0) return []
  const rows = await db.query<TriedRow>(sql.lockTried, [[...new Set(tried.map(({ webhookId }) => webhookId))]])
  const endpoints = new Map(rows.map((row) => [row.id, row]))
  const isOfNow = ({ webhookId, url, startedAt }: Ended): boolean => {
    const endpoint = endpoints.get(webhookId)
    return endpoint !== undefined && endpoint.url === url && isSince(endpoint.active_since, startedAt, now)
  }
  const sent = Map.groupBy(tried.filter(isOfNow), ({ webhookId }) => webhookId)
  if (sent.size === 0) return []
  const groups = [...sent].sort(([a], [b]) => (a < b ? -1 : 1))
  const noted = await db.query<NotedRow>(sql.noteResults, [
    groups.map(([id]) => id),
    groups.map(() => now),
    groups.map(([, results]) => (results.at(-1)?.result.success === true ? 'success' : 'failed')),
    groups.map(([, results]) => results.some(({ result }) => result.success)),
    groups.map(([, results]) => failuresAtTheEnd(results)),
    groups.map(([, results]) => results.some(({ result }) => result.gone)),
    DISABLE_AFTER_MS,
  ])
  return noted.flatMap(({ id, account_id: accountId, name, url, disabled_now: isNew, disabled_reason: reason }) =>
    isNew && reason !== null ? [{ accountId, id, name, url, reason }] : [],
  )
}

function failuresAtTheEnd(results: readonly Ended[]): number {
  const lastSuccess = results.findLastIndex(({ result }) => result.success)
  return results.length - 1 - lastSuccess
}
