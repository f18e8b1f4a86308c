// What stands in the queue, counted: for the operator and for /metrics.

import type { Db } from '../../platform/db.ts'
import * as sql from './sql.ts'

const QUEUE_STATES = ['ready', 'leased', 'waiting'] as const

export interface QueueFigure {
  readonly state: (typeof QUEUE_STATES)[number]
  readonly emails: number
  /** For how long the first of them is overdue, seconds; 0 when none is. */
  readonly oldestSeconds: number
}

/** One figure for each state, those without emails too. */
export async function queueFigures(db: Db, now: Date): Promise<readonly QueueFigure[]> {
  const rows = await db.query<{ state: number; emails: number; oldest: Date }>(sql.queueByState)
  return QUEUE_STATES.map((state, number) => {
    const row = rows.find((one) => one.state === number)
    return { state, emails: row?.emails ?? 0, oldestSeconds: row === undefined ? 0 : secondsBetween(row.oldest, now) }
  })
}

function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, (to.getTime() - from.getTime()) / 1_000)
}

export interface QueuedDestination {
  readonly destination: string
  readonly ready: number
  readonly leased: number
  /** Deferred ones. */
  readonly waiting: number
  readonly scheduled: number
  /** When the first of them was accepted, put off to, or scheduled for. */
  readonly oldestAt: Date
  /** When the next of the waiting ones is tried; null when none waits. */
  readonly nextAttemptAt: Date | null
  /** What the destination said last to one of its waiting emails; null when it has said nothing. */
  readonly lastResponse: string | null
}

/** The destinations with the most emails first. */
export async function queueByDestination(db: Db, limit: number): Promise<readonly QueuedDestination[]> {
  const rows = await db.query<{
    name: string
    ready: number
    leased: number
    waiting: number
    scheduled: number
    oldest: Date
    next: Date | null
    last_response: string | null
  }>(sql.queueByDestination, [limit])
  return rows.map((row) => ({
    destination: row.name,
    ready: row.ready,
    leased: row.leased,
    waiting: row.waiting,
    scheduled: row.scheduled,
    oldestAt: row.oldest,
    nextAttemptAt: row.next,
    lastResponse: row.last_response,
  }))
}

/**
 * Makes deferred emails ready now, those of one destination or all; scheduled ones keep their time.
 *
 * @returns how many
 */
export function flushQueue(db: Db, destination: string | null, now: Date): Promise<number> {
  return db.execute(sql.flushQueue, [destination, now])
}
