// A delivering process is a node: one row that it renews. Its leases on queue rows hold as long as that row does. This costs one
// narrow update every few seconds instead of one per message in flight.

import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import * as sql from './sql.ts'

export const LEASE_SECONDS = 30
export const RENEW_EVERY_MS = 5_000
const MARGIN_MS = 10_000

export interface NodeLease {
  readonly epoch: number
  /** The database's clock at the renewal, next to our own: several machines follow it. */
  readonly databaseNow: Date
  /** On the monotonic clock: after this nothing may be sent, since another node may have taken over. */
  readonly safeUntilMs: number
}

/** Registers this process. Every start is a new epoch; it inherits nothing from an earlier one. */
export async function joinAsNode(db: Db, clock: Clock, name: string): Promise<NodeLease> {
  const askedMs = clock.monotonicMs()
  const row = await db.one<{ epoch: number; now: Date }>(sql.joinNode, [name, LEASE_SECONDS])
  if (row === null) throw new Error('the database gave this node no epoch')
  return { epoch: row.epoch, databaseNow: row.now, safeUntilMs: safeUntil(askedMs) }
}

/** @returns null when the epoch has been declared dead: stop at once, and rejoin under a new one */
export async function renewLease(db: Db, clock: Clock, { epoch }: NodeLease): Promise<NodeLease | null> {
  const askedMs = clock.monotonicMs()
  const row = await db.one<{ now: Date }>(sql.renewNode, [epoch, LEASE_SECONDS])
  return row === null ? null : { epoch, databaseNow: row.now, safeUntilMs: safeUntil(askedMs) }
}

/** The database's time, provided that nobody has changed its clock since the lease was renewed. */
export function databaseTime({ databaseNow, safeUntilMs }: NodeLease, clock: Clock): Date {
  return new Date(databaseNow.getTime() + clock.monotonicMs() - safeUntilMs + LEASE_SECONDS * 1_000 - MARGIN_MS)
}

// Counted from before the query: its answer may have taken long.
function safeUntil(askedMs: number): number {
  return askedMs + LEASE_SECONDS * 1_000 - MARGIN_MS
}

/** Returns every lease and ends the epoch: a graceful shutdown. */
export async function leaveAsNode(db: Db, { epoch }: NodeLease): Promise<void> {
  await db.execute(sql.leaveNode, [epoch])
}

/**
 * Declares nodes dead that have not renewed, and makes their leased rows ready again. Every node does this every 5 seconds. A
 * node has not renewed when its lease has expired, or ends further ahead than leases are granted: the database's clock was
 * set back since.
 *
 * @param databaseNow the database's time by the last renewal and our monotonic clock, not its present clock: that may have
 *   been changed between two renewals, and then all nodes would look dead. It may be long past, since the monotonic clock of a
 *   suspended virtual machine stands still: a lease must also be ahead of the present clock to be too far ahead
 */
export async function takeOver(db: Db, databaseNow: Date): Promise<number> {
  await db.execute(sql.markDead, [databaseNow, LEASE_SECONDS * 2])
  const dead = await db.one<{ count: number }>(sql.deadNodes)
  if (dead === null || dead.count === 0) return 0
  const taken = await db.execute(sql.sweepDead)
  await db.execute(sql.forgetDead)
  return taken
}
