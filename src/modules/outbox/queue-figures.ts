// Counts of the queue: for the operator and for /metrics.

import { storedSpelling } from '../../mail/address.ts'
import { containing } from '../../platform/db/sql-pattern.ts'
import type { Db } from '../../platform/db.ts'
import { inPieces } from './queue.ts'
import * as sql from './sql.ts'
import { ATTEMPT_OUTCOMES, type AttemptOutcome } from './types.ts'

const QUEUE_STATES = ['ready', 'leased', 'waiting'] as const

export interface QueueFigure {
  readonly state: (typeof QUEUE_STATES)[number]
  readonly emails: number
  /** How long the oldest of them that is not held back by the operator is overdue, in seconds; 0 when none is. */
  readonly oldestSeconds: number
}

/**
 * One figure for each state, including those without emails.
 *
 * @param suspended accounts whose mail is held back
 */
export async function queueFigures(
  db: Db,
  now: Date,
  suspended: readonly string[] = [],
): Promise<readonly QueueFigure[]> {
  const rows = await db.query<{ state: number; emails: number; oldest: Date | null }>(sql.queueByState, [suspended])
  return QUEUE_STATES.map((state, number) => {
    const { emails = 0, oldest = null } = rows.find((one) => one.state === number) ?? {}
    return { state, emails, oldestSeconds: oldest === null ? 0 : secondsBetween(oldest, now) }
  })
}

function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, (to.getTime() - from.getTime()) / 1_000)
}

export interface QueuedDestination {
  readonly destination: string
  /** Since when the destination is paused; null: it is not. */
  readonly pausedAt: Date | null
  readonly ready: number
  readonly leased: number
  /** Deferred emails. */
  readonly waiting: number
  readonly scheduled: number
  /** How many of all these are sandbox mail: it goes to the inbox, and no receiver answers it. */
  readonly sandbox: number
  /** When the oldest was accepted, deferred to, or scheduled for; null when nothing waits. */
  readonly oldestAt: Date | null
  /** When the next deferred email is due; null when there is none. */
  readonly nextAttemptAt: Date | null
  /** In the last minute, on all machines. */
  readonly attempts: number
  readonly delivered: number
  /** The destination's last response; null when there was none. */
  readonly lastResponse: string | null
  /** Null when only a waiting email still records the response. */
  readonly lastOutcome: AttemptOutcome | null
  readonly lastAt: Date | null
}

interface DestinationRow {
  readonly name: string
  readonly paused_at: Date | null
  readonly ready: number
  readonly leased: number
  readonly waiting: number
  readonly scheduled: number
  readonly sandbox: number
  readonly oldest: Date | null
  readonly next: Date | null
  readonly attempts: number
  readonly delivered: number
  readonly last_response: string | null
  readonly last_at: Date | null
  readonly last_outcome: number | null
}

const MINUTE_MS = 60_000

export interface DestinationsAsk {
  readonly limit: number
  readonly now: Date
  /** A substring of the name; null: all. */
  readonly search?: string | null
}

/** The destinations with the most emails first; paused ones are always included. */
export async function queueByDestination(
  db: Db,
  { limit, now, search = null }: DestinationsAsk,
): Promise<readonly QueuedDestination[]> {
  const asked = search === null ? null : (storedSpelling(search) ?? search.toLowerCase())
  // A report is renewed every few seconds as long as there is something to report.
  const since = new Date(now.getTime() - MINUTE_MS / 2)
  const rows = await db.query<DestinationRow>(sql.queueByDestination, [limit, containing(asked), since])
  return rows.map((row) => ({
    destination: row.name,
    pausedAt: row.paused_at,
    ready: row.ready,
    leased: row.leased,
    waiting: row.waiting,
    scheduled: row.scheduled,
    sandbox: row.sandbox,
    oldestAt: row.oldest,
    nextAttemptAt: row.next,
    attempts: row.attempts,
    delivered: row.delivered,
    lastResponse: row.last_response,
    lastOutcome: row.last_outcome === null ? null : (ATTEMPT_OUTCOMES[row.last_outcome] ?? null),
    lastAt: row.last_at,
  }))
}

/**
 * Makes deferred emails ready now, those of one destination or all; scheduled ones keep their time.
 *
 * @returns how many it made ready
 */
export function flushQueue(db: Db, destination: string | null, now: Date): Promise<number> {
  return inPieces((after) => db.query(sql.flushQueue, [after, destination, now]))
}
