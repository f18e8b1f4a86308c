// How the days of a table go that is partitioned by day, and what is done where one is wanting.

import { type Database, mayLackPartition, type Statement, statement } from './db.ts'

const WAIT_SHORTLY = statement('platform_wait_shortly', `set local lock_timeout = '500ms'`)

/**
 * Drops the days of a table that lie wholly before `before`, the oldest first, one a transaction. Whoever uses the table is
 * waited for half a second, since all others wait behind a drop that waits; then it rejects, and it is for the next time.
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

/** Does the work once more where a day may be wanting: days are made a week ahead, and a clock may be turned by more. */
export async function withDays<T>(ensure: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!mayLackPartition(error)) throw error
    await ensure()
    return work()
  }
}
