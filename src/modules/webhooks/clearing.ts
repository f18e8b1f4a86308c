// Ends what waits for an endpoint that was disabled or is being removed. Its queue may hold millions of deliveries after an outage:
// one statement over them all would not end within the database's time limit, then or at any later try, and the fan-out and
// the results of every endpoint would wait for it. So what leaves no trace in the log is deleted in short transactions.
//
// A process that stops in between leaves the rest. The worker clears an endpoint's rest when some of it is due, and enabling
// the endpoint clears it first.

import type { Db } from '../../platform/db.ts'
import { FIRST_ID } from '../../platform/ids.ts'
import { logBegins } from './schedule.ts'
import * as sql from './sql.ts'

/** Deliveries that are looked at in one transaction. */
export const CLEARED_AT_ONCE = 5_000

/** Runs a statement in a transaction of its own. */
type Each = <T>(work: (db: Db) => Promise<T>) => Promise<T>

/** Does nothing to an endpoint that is enabled, or is enabled meanwhile. */
export async function clearDisabled(each: Each, webhookId: string, now: Date): Promise<void> {
  const oldest = await each((db) => db.one<{ id: string }>(sql.oldestLogged, [webhookId]))
  await thinOut(each, webhookId, { before: oldest?.id ?? null, isRemoved: false })
  await each((db) => db.execute(sql.purge, [webhookId, logBegins(now)]))
}

/** Leaves what is queued or sent meanwhile. */
export function clearRemoved(each: Each, webhookId: string): Promise<void> {
  return thinOut(each, webhookId, { before: null, isRemoved: true })
}

interface Thinned {
  /** Of a disabled endpoint, deliveries that were attempted go too if they are older than this id; null: none of them. */
  readonly before: string | null
  /** Everything goes. False: stops when the endpoint is enabled. */
  readonly isRemoved: boolean
}

async function thinOut(each: Each, webhookId: string, { before, isRemoved }: Thinned): Promise<void> {
  // The time as text: a Date has no microseconds.
  let last = { due: '-infinity', id: FIRST_ID }
  for (;;) {
    const from = last
    const page = await each((db) =>
      db.one<{ due: string; id: string; looked_at: number }>(sql.thinOut, [
        webhookId,
        before,
        from.due,
        from.id,
        CLEARED_AT_ONCE,
        isRemoved,
      ]),
    )
    if (page === null || page.looked_at < CLEARED_AT_ONCE) return
    last = page
  }
}
