import type { Db } from '../../platform/db.ts'
import { type Loop, loop } from '../../platform/lifecycle.ts'
import { follow } from '../events/index.ts'
import { fanOut } from './fan-out.ts'
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
