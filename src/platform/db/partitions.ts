// Drops old days of tables that are partitioned by day, and handles a missing day.

import { type Database, mayLackPartition, type Statement, statement } from '../db.ts'

const WAIT_SHORTLY = statement('platform_wait_shortly', `set local lock_timeout = '500ms'`)

/**
 * Drops the days of a table that lie wholly before `before`, oldest first, one per transaction. It waits half a second for
 * users of the table, since everybody else queues behind a waiting drop; then it rejects, and the next run tries again.
 *
 * @param drop `select drop_partition('a table', $1::date) as day`
 */
export async function dropDays(database: Database, drop: Statement, before: Date): Promise<void> {
  for (let day: unknown = ''; day !== null; ) {
    day = await database.transaction(async (db) => {
      await db.execute(WAIT_SHORTLY)
      return (await db.one<{ day: unknown }>(drop, [before]))?.day ?? null
    })
  }
}

/** Retries the work once when a day may be missing: days are made a week ahead, and a clock may be changed by more. */
export async function withDays<T>(ensure: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!mayLackPartition(error)) throw error
    await ensure()
    return work()
  }
}
