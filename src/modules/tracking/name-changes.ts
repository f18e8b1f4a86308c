// When the branded names of all accounts are read again: after one of them has changed, which a trigger announces, and once a
// minute, since time alone ends certificates and holds, and what announces may be lost with its connection. With 20,000 names, one
// reading takes 200 ms of PostgreSQL and as much of this process.

import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { NAMES_CHANNEL } from './sql-tracking-domains.ts'

const READ_EVERY_MS = 60_000

export interface NameChangesOptions {
  readonly database: Pick<Database, 'listen'>
  readonly clock: Pick<Clock, 'monotonicMs'>
}

/** @returns a function that calls `refresh` when there may be something new. One that failed is called again the next time. */
export function whenNamesChanged(
  { database, clock }: NameChangesOptions,
  refresh: () => Promise<void>,
): () => Promise<void> {
  let isListening = false
  /** Null: what was read is out of date. */
  let readAtMs: number | null = null
  return async () => {
    if (!isListening) {
      await database.listen(NAMES_CHANNEL, () => {
        readAtMs = null
      })
    }
    isListening = true
    const nowMs = clock.monotonicMs()
    if (readAtMs !== null && nowMs - readAtMs < READ_EVERY_MS) return
    // Set before the reading: what is announced in between is read the next time.
    readAtMs = nowMs
    await refresh().catch((error: unknown) => {
      readAtMs = null
      throw error
    })
  }
}
