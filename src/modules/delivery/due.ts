// Makes deferred and scheduled emails ready when they are due. Also recalls emails deferred under a clock that was ahead and
// has been corrected since: they would wait for as long as the clock was wrong (ADR 0006).

import { type Clock, putBackSince } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import { type Loop, loop } from '../../platform/lifecycle.ts'
import { PROMOTE_LIMIT, promote, RECALL_LIMIT, recall } from '../outbox/index.ts'
import { putOffBounds } from './schedule.ts'

export interface Due {
  /** @returns how many became ready; PROMOTE_LIMIT means that there may be more */
  promote(): Promise<number>
  readonly looking: Loop
}

const EVERY_MS = 250

export function dueOf(
  { database, clock, ids }: { readonly database: Database; readonly clock: Clock; readonly ids: Ids },
  { onReady, onError }: { readonly onReady: () => void; readonly onError: (error: unknown) => void },
): Due {
  const isPutBack = putBackSince(clock)
  /** Some emails may be due later than the schedule allows. */
  let looksAhead = false
  const makeReady = async (): Promise<number> => {
    looksAhead ||= isPutBack()
    const now = clock.now()
    let recalled = 0
    if (looksAhead) {
      recalled = await recall(database.system, now, putOffBounds(now))
      looksAhead = recalled === RECALL_LIMIT
    }
    const count = Math.max(recalled, await database.transaction((db) => promote(db, ids, now)))
    if (count > 0) onReady()
    return count
  }
  return {
    promote: makeReady,
    looking: loop({
      name: 'delivery promote',
      turn: async () => ((await makeReady()) === PROMOTE_LIMIT ? 0 : EVERY_MS),
      onError,
    }),
  }
}
