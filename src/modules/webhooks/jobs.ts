import type { Db } from '../../platform/db.ts'
import { type Loop, loop } from '../../platform/lifecycle.ts'
import { type FollowedEvent, follow, followApart } from '../events/index.ts'
import { fanOut, mostEvents, shareOf } from './fan-out.ts'
import * as sql from './sql.ts'
import { type WorkerOptions, webhookWorker } from './worker.ts'

const NAME = 'webhooks'
const AT_ONCE = 1_000
const POLL_MS = 200
/** While more of the log is to be read, accounts that are followed apart have every tenth turn: they hold up nobody else. */
const APART_WAITS = 10

/** The loops of the worker role: from the log to the queue, and from the queue to the receivers. */
export function webhookServices(options: WorkerOptions): readonly Loop[] {
  const { database, log } = options
  const worker = webhookWorker(options)
  let before: string | null = null
  let waited = 0
  const fanning = loop({
    name: 'webhook fan-out',
    turn: async () => {
      let queued = 0
      const effect = async (db: Db, events: readonly FollowedEvent[]): Promise<void> => {
        queued += await fanOut(db, options, events)
      }
      const taken = await follow(database, { name: NAME, limit: AT_ONCE, dataOf: [], share: shareOf, effect })
      const isBehind = taken === AT_ONCE
      if (!isBehind || ++waited === APART_WAITS) {
        waited = 0
        before = await followApart(database, { name: NAME, before, limit: AT_ONCE, most: mostEvents, effect })
      }
      if (queued > 0) worker.wake()
      return isBehind || before !== null ? 0 : POLL_MS
    },
    onError: (err) => log.warn({ err }, 'webhook fan-out will be tried again'),
  })
  return [worker, fanning]
}

/** The oldest event from before `before` that some endpoint has yet to get: its time, by account. */
export async function oldestUntold(db: Db, before: Date): Promise<ReadonlyMap<string, Date>> {
  const rows = await db.query<{ account_id: string; at: Date }>(sql.oldestUntold, [before])
  return new Map(rows.map(({ account_id: accountId, at }) => [accountId, at]))
}

/** @returns those of an account's events that are still to be delivered to an endpoint */
export async function untoldOf(db: Db, accountId: string, eventIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ event_id: string }>(sql.untoldOf, [accountId, eventIds])
  return new Set(rows.map(({ event_id: id }) => id))
}

/** Deletes the log of deliveries about these emails. */
export async function eraseDeliveries(db: Db, accountId: string, emailIds: readonly string[]): Promise<void> {
  await db.execute(sql.eraseDeliveries, [accountId, emailIds])
}
