// Transactions stepped by hand: a test continues once a given number of others wait for a lock in its database.

import { type Database, statement } from '../../src/platform/db.ts'

const BLOCKED = statement(
  'test_blocked_here',
  `select count(distinct l.pid)::int as count from pg_locks l join pg_stat_activity a on a.pid = l.pid
   where not l.granted and a.datname = current_database()`,
)
const WITHIN_MS = 20_000

/** Resolves once `count` connections or more wait for a lock; 0: once none does. Rejects after 20 s. */
export async function untilBlocked({ system }: Pick<Database, 'system'>, count: number): Promise<void> {
  for (const end = performance.now() + WITHIN_MS; performance.now() < end; ) {
    const blocked = (await system.one<{ count: number }>(BLOCKED))?.count ?? 0
    if (count === 0 ? blocked === 0 : blocked >= count) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`there never were ${count} connections that wait`)
}
