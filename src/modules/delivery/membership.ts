// This process as a node of the outbox: the epochs under which it has leased rows.
//
// Normally there is one, renewed every few seconds. When it may have leased rows that it does not know of (a claim whose
// answer was lost, a row that could not be handed back), it goes on under a new epoch and ends the old one as soon as
// nothing that it knows of is under way there: ending an epoch makes all its rows ready again. So no row stays leased to a
// process that lives and has forgotten it.
//
// After an outage of the database that was longer than a lease all nodes look dead, though all of them live. So a node
// declares others dead only after it has reached the database for a while without a break: by then they have renewed. A
// database's clock that was turned is such a break.

import { type Clock, TURNED_MS } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { databaseTime, joinAsNode, leaveAsNode, type NodeLease, renewLease } from '../outbox/index.ts'

export interface MembershipOptions {
  readonly database: Database
  readonly clock: Clock
  readonly nodeName: string
  /** The epoch was declared dead: whatever is under way under it is somebody else's now. */
  readonly onLost: (epoch: number) => void
  /** There is something for `keep` to do before its time: nothing is claimed, or rows wait, until it is done. */
  readonly onDue: () => void
}

export interface Membership {
  /** To claim under; null while the lease is not safe. */
  epoch(): number | null
  /** Whether something may be sent that was claimed under `epoch`. */
  safe(epoch: number): boolean
  /** Joins, renews, ends what is to be ended; every few seconds. */
  keep(): Promise<void>
  /** Whether every node that lives has had its time to renew: only then one that has not is dead. */
  mayTakeOver(): boolean
  /** The database's clock by the last renewal. @throws while there is no lease */
  databaseNow(): Date
  /** Something may be leased under the present epoch that nobody here knows of. */
  doubt(): void
  /** How many rows under an epoch are under way here: more, or with a negative number fewer. */
  count(epoch: number, rows: number): void
  /** Ends every epoch: all rows are ready again. */
  leave(): Promise<void>
}

/** So long others may take to renew: their next turn, a connection to the new primary and a second try. */
const ALL_RENEW_WITHIN_MS = 10_000
/** A longer pause between two renewals is an outage, whoever had it. */
const BREAK_MS = 15_000

export function membershipOf({ database, clock, nodeName, onLost, onDue }: MembershipOptions): Membership {
  const db = database.system
  const underWay = new Map<number, number>()
  let current: NodeLease | null = null
  let retired: NodeLease[] = []
  /** The lease whose lapse has been told. */
  let lapsed: NodeLease | null = null
  let doubtful = false
  /** When the database was reached first and last since the last break. */
  let reached: { readonly sinceMs: number; readonly lastMs: number } | null = null

  const isSafe = (lease: NodeLease): boolean => clock.monotonicMs() < lease.safeUntilMs

  const renew = async (lease: NodeLease): Promise<NodeLease | null> => {
    const renewed = await renewLease(db, clock, lease)
    if (renewed === null) onLost(lease.epoch)
    return renewed
  }

  const join = (): Promise<NodeLease> => joinAsNode(db, clock, nodeName)

  const keepRetired = async (): Promise<void> => {
    for (const lease of retired) {
      const busy = (underWay.get(lease.epoch) ?? 0) > 0
      const kept = busy ? await renew(lease) : await leaveAsNode(db, lease).then(() => null)
      retired = retired.flatMap((one) => (one.epoch !== lease.epoch ? [one] : kept === null ? [] : [kept]))
    }
  }

  const keepAll = async (): Promise<void> => {
    const lease = current
    if (lease !== null && doubtful) {
      const next = await join()
      retired.push(lease)
      current = next
      doubtful = false
    } else if (lease !== null) {
      const askedMs = clock.monotonicMs()
      const expected = databaseTime(lease, clock).getTime()
      current = await renew(lease)
      if (current !== null) {
        const lateMs = clock.monotonicMs() - askedMs
        if (Math.abs(current.databaseNow.getTime() - expected) > TURNED_MS + lateMs) reached = null
      }
    }
    if (current === null) {
      current = await join()
      doubtful = false
    }
    await keepRetired()
  }

  return {
    epoch: () => {
      if (current === null || doubtful) return null
      if (isSafe(current)) return current.epoch
      if (lapsed !== current) onDue()
      lapsed = current
      return null
    },
    safe: (epoch) => [current, ...retired].some((lease) => lease?.epoch === epoch && isSafe(lease)),
    mayTakeOver: () => {
      const nowMs = clock.monotonicMs()
      if (current === null || reached === null || nowMs - reached.lastMs >= BREAK_MS) return false
      return nowMs - reached.sinceMs >= ALL_RENEW_WITHIN_MS
    },
    databaseNow: () => {
      if (current === null) throw new Error('this node has no lease')
      return databaseTime(current, clock)
    },
    keep: async () => {
      try {
        await keepAll()
      } catch (error) {
        reached = null
        throw error
      }
      const nowMs = clock.monotonicMs()
      const sinceMs = reached !== null && nowMs - reached.lastMs < BREAK_MS ? reached.sinceMs : nowMs
      reached = { sinceMs, lastMs: nowMs }
    },
    doubt: () => {
      if (doubtful || current === null) return
      doubtful = true
      onDue()
    },
    count: (epoch, rows) => {
      const left = (underWay.get(epoch) ?? 0) + rows
      if (left !== 0) underWay.set(epoch, left)
      else {
        underWay.delete(epoch)
        if (retired.some((lease) => lease.epoch === epoch)) onDue()
      }
    },
    leave: async () => {
      const all = [current, ...retired].filter((lease) => lease !== null)
      current = null
      retired = []
      for (const lease of all) await leaveAsNode(db, lease)
    },
  }
}
