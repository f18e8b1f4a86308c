// A connection that breaks at COMMIT leaves open whether the transaction was committed. Its rows decide once the server
// answers again: they are there; or they are not, and the server process that could still write them is gone.

import type { Clock } from '../clock.ts'
import { type Database, type Db, isUnavailable, type UnknownCommitOutcome } from '../db.ts'
import { commitOnce, hasBackend } from './sql-server.ts'

const ASK_AGAIN_MS = 50

/**
 * @param isThere looks for what the transaction wrote
 * @returns true when it is committed, and as durable as any commit; null when the outcome is still unknown after `withinMs`
 */
export async function wasCommitted(
  database: Database,
  { backend }: UnknownCommitOutcome,
  isThere: (db: Db) => Promise<boolean>,
  { clock, withinMs }: { readonly clock: Clock; readonly withinMs: number },
): Promise<boolean | null> {
  const until = clock.monotonicMs() + withinMs
  const never = new AbortController().signal
  while (clock.monotonicMs() < until) {
    try {
      const known = await database.transaction(async (db) => {
        // In this order: whatever a process wrote before it ended is visible to the next query.
        const isGone = backend !== null && !(await hasBackend(db, backend))
        if (!(await isThere(db))) return isGone ? false : null
        // What we see may not have reached the standby, if the wait for it was cancelled: this commit waits for both.
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
