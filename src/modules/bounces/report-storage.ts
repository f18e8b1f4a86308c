// How much processed mail is kept with its bytes, for the operator: a gigabyte in the database. Anybody can send mail to postmaster
// and abuse, and what is kept for 65 days would fill the disk. Beyond the limit, only the outcome is kept.

import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import * as sql from './sql.ts'

export const KEPT_MOST_BYTES = 1_073_741_824
/** The sum reads the whole table. Within this time, a process adds only what it keeps itself. */
const SUM_EVERY_MS = 60_000

/** @returns whether the bytes of one more mail may be kept; if so, they count */
export function reportStorage(clock: Clock, mostBytes = KEPT_MOST_BYTES): (db: Db, bytes: number) => Promise<boolean> {
  let kept = 0
  let summedAtMs = Number.NEGATIVE_INFINITY
  return async (db, bytes) => {
    if (clock.monotonicMs() - summedAtMs >= SUM_EVERY_MS) {
      kept = (await db.one<{ bytes: number }>(sql.SUM_KEPT, []))?.bytes ?? 0
      summedAtMs = clock.monotonicMs()
    }
    if (kept + bytes > mostBytes) return false
    kept += bytes
    return true
  }
}
