import type { Db } from '../../platform/db.ts'
import { type Loop, loop } from '../../platform/lifecycle.ts'
import { follow } from '../events/index.ts'
import { fanOut, fitting } from './fan-out.ts'
import * as sql from './sql.ts'
import { type WorkerOptions, webhookWorker } from './worker.ts'

const NAME = 'webhooks'
const AT_ONCE = 1_000
const POLL_MS = 200

/** The loops of the worker role: from the log to the queue, and from the queue to the receivers. */
export function webhookServices(options: WorkerOptions): readonly Loop[] {
  const { database, log } = options
  const worker = webhookWorker(options)
  const fanning = loop({
    name: 'webhook fan-out',
    turn: async () => {
      let queued = 0
      const taken = await follow(database, {
        name: NAME,
        limit: AT_ONCE,
        dataOf: [],
        fits: fitting,
        effect: async (db, events) => {
          queued = await fanOut(db, options, events)
        },
      })
      if (queued > 0) worker.wake()
      return taken === AT_ONCE ? 0 : POLL_MS
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
