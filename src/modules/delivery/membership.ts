// This process as a node of the outbox: the epochs under which it has leased rows.
//
// Normally there is one epoch, renewed every few seconds. When the process may have leased rows that it does not know of (the
// answer to a claim was lost, a row could not be handed back), it joins under a new epoch and ends the old one as soon as no
// known row is under way there. Ending an epoch makes all its rows ready again, so no row stays leased to a live process that
// has forgotten it.
//
// After a database outage longer than a lease all nodes look dead although they are alive. So a node declares others dead only
// after it has reached the database for a while without a break: by then live nodes have renewed. A change of the database's
// clock also counts as a break.

import { type Clock, TURNED_MS } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { databaseTime, joinAsNode, leaveAsNode, type NodeLease, renewLease } from '../outbox/index.ts'

export interface MembershipOptions {
  readonly database: Database
  readonly clock: Clock
  readonly nodeName: string
  /** The epoch was declared dead: other nodes may claim everything under way in it. */
  readonly onLost: (epoch: number) => void
  /** `keep` has work before its next turn: until then nothing is claimed, or rows wait. */
  readonly onDue: () => void
}

export interface Membership {
  /** The epoch to claim under; null while the lease is not safe. */
  epoch(): number | null
  /** Whether mail claimed under `epoch` may be sent. */
  safe(epoch: number): boolean
  /** Joins, renews, and ends retired epochs; to be called every few seconds. */
  keep(): Promise<void>
  /** Whether every live node has had time to renew: only then is a node without a renewal dead. */
  mayTakeOver(): boolean
  /** The database's clock according to the last renewal. @throws while there is no lease */
  databaseNow(): Date
  /** Rows may be leased under the present epoch without this process knowing. */
  suspectUnknownLeases(): void
  /** Adds `rows`, which may be negative, to the number of the epoch's rows under way here. */
  count(epoch: number, rows: number): void
  /** Ends all epochs, which makes their rows ready again. */
  leave(): Promise<void>
}

/** Time that other nodes need to renew: their next turn, a connection to the new primary and a second try. */
const ALL_RENEW_WITHIN_MS = 10_000
/** A longer pause between two renewals counts as an outage, whatever its cause. */
const BREAK_MS = 15_000

export function membershipOf({ database, clock, nodeName, onLost, onDue }: MembershipOptions): Membership {
  const db = database.system
  const underWay = new Map<number, number>()
  let current: NodeLease | null = null
  let retired: NodeLease[] = []
  /** The lease whose lapse `onDue` has been told. */
  let lapsed: NodeLease | null = null
  let doubtful = false
  /** The first and last contact with the database since the last break. */
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
    suspectUnknownLeases: () => {
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
