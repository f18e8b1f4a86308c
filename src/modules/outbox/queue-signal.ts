// Tells delivery in other processes that mail is waiting, so that it does not wait for their next look at the queue. A signal may
// be lost: that look finds everything.

import type { Database } from '../../platform/db.ts'
import { throttled } from '../../platform/throttled.ts'
import * as sql from './sql.ts'

/** From each process, and to each worker: a look at the queue costs PostgreSQL .35 ms, and each signal makes all workers look. */
const EVERY_MS = 50

/** @returns to be called after mail was committed that may be due. Never throws. */
export function queueAnnouncer({ system }: Pick<Database, 'system'>): () => void {
  let underWay = false
  return throttled(EVERY_MS, () => {
    // A database that hangs does not collect announcements.
    if (underWay) return
    underWay = true
    const over = (): void => {
      underWay = false
    }
    system.execute(sql.announceQueued).then(over, over)
  })
}

/** Calls `heard` when another process may have queued mail. Rejects when the database cannot be reached. */
export function whenQueued(database: Pick<Database, 'listen'>, heard: () => void): Promise<void> {
  return database.listen(sql.QUEUED_CHANNEL, throttled(EVERY_MS, heard))
}
