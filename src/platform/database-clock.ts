// Every process, whatever its roles, takes its time of day from the database (docs/adr/0006): once when its store is
// opened, before anything is served, and then every few seconds.

import { type CorrectableClock, TURNED_MS } from './clock.ts'
import { databaseNow } from './db/sql-server.ts'
import type { Db } from './db.ts'
import { loop, type Service } from './lifecycle.ts'
import type { Logger } from './log.ts'

export interface FollowOptions {
  readonly db: Db
  readonly clock: CorrectableClock
  readonly log: Logger
}

const ASK_EVERY_MS = 5_000
/** A smaller difference may be network latency. */
const CLOCK_STEP_MS = 250

/** Asks once and corrects the clock by the answer. */
export async function followDatabase({ db, clock, log }: FollowOptions): Promise<void> {
  const askedMs = clock.monotonicMs()
  const now = await databaseNow(db)
  // The database answered at some point between the question and now; for a slow answer that point is unknown.
  const halfMs = (clock.monotonicMs() - askedMs) / 2
  const behindMs = now.getTime() - (clock.now().getTime() - halfMs)
  if (Math.abs(behindMs) < CLOCK_STEP_MS + halfMs) return
  clock.correct(behindMs)
  if (Math.abs(behindMs) >= TURNED_MS)
    log.warn({ behind_ms: Math.round(behindMs) }, "this machine's clock is not the database's, which is followed")
}

/** Ready once the clock has been corrected. While the database is unavailable the clock runs on uncorrected. */
export function databaseClock(options: FollowOptions): Service {
  const following = loop({
    name: "the database's clock",
    turn: async () => {
      await followDatabase(options)
      return ASK_EVERY_MS
    },
    onError: () => undefined,
    retryMs: ASK_EVERY_MS,
  })
  return {
    ...following,
    start: async () => {
      await followDatabase(options)
      await following.start()
    },
  }
}
