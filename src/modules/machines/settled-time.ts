// The time by which data is deleted for its age. A clock set years ahead, if only for an hour, would otherwise delete everything
// that is kept for less.
//
// A time of day that has jumped ahead by more than a day counts only once it has stood for a day: until then, deletions count
// from the time before the jump. A service that was stopped for days waits a day too, since nothing tells the two apart. The
// state is in the database, so that a restart neither ends the wait nor begins it anew. A clock that is put back counts at once.

import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import * as sql from './sql.ts'

export const STANDS_MS = 86_400_000

/** @param before null: nobody has asked yet */
export function settledAfter(before: sql.SettledTime | null, now: Date): sql.SettledTime {
  const settled = { settledAt: now, seenAt: now, doubtedSince: null }
  if (before === null || now.getTime() - before.settledAt.getTime() <= STANDS_MS) return settled
  const { settledAt, seenAt, doubtedSince } = before
  const goesOn = doubtedSince !== null && now >= doubtedSince && now.getTime() - seenAt.getTime() <= STANDS_MS
  const since = goesOn ? doubtedSince : now
  return now.getTime() - since.getTime() >= STANDS_MS ? settled : { settledAt, seenAt: now, doubtedSince: since }
}

export interface SettledTimeOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
}

/** @returns the clock whose time of day is the one to delete by; ask anew at each turn */
export function settledClock({ database, clock, log }: SettledTimeOptions): Promise<Clock> {
  return database.transaction(async (db) => {
    const now = clock.now()
    const before = await sql.lockSettledTime(db)
    const { settledAt, seenAt, doubtedSince } = settledAfter(before, now)
    await sql.setSettledTime(db, { settledAt, seenAt, doubtedSince })
    if (doubtedSince === now)
      log.error(
        { settled_at: settledAt, now },
        'the time of day is days ahead: until it has stood for a day, nothing is deleted for its age',
      )
    return { ...clock, now: () => settledAt }
  })
}
