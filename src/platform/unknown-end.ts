// A connection that breaks at COMMIT leaves open whether the transaction was made. What it had written tells, once the server
// answers again: there it is; or it is not, and the server's process that would still write it has gone.

import type { Clock } from './clock.ts'
import { type Database, type Db, isUnavailable, type UnknownEnd } from './db.ts'
import { commitOnce, hasBackend } from './sql-server.ts'

const ASK_AGAIN_MS = 50

/**
 * @param isThere looks for what the transaction wrote
 * @returns true when it is committed, and as safe as any commit; null when nothing was certain `withinMs` later
 */
export async function wasCommitted(
  database: Database,
  { backend }: UnknownEnd,
  isThere: (db: Db) => Promise<boolean>,
  { clock, withinMs }: { readonly clock: Clock; readonly withinMs: number },
): Promise<boolean | null> {
  const until = clock.monotonicMs() + withinMs
  const never = new AbortController().signal
  while (clock.monotonicMs() < until) {
    try {
      const known = await database.transaction(async (db) => {
        // In this order: what a process that has gone wrote is seen by the question behind.
        const isGone = backend !== null && !(await hasBackend(db, backend))
        if (!(await isThere(db))) return isGone ? false : null
        // What is seen may not have reached the standby, if the wait for it was broken off: this commit waits for both.
        await commitOnce(db)
        return true
      })
      if (known !== null) return known
    } catch (error) {
      if (!isUnavailable(error)) throw error
    }
    await clock.sleep(ASK_AGAIN_MS, never)
  }
  return null
}
