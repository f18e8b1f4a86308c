// Deferred and scheduled emails whose time has come are made ready; so are those put off under a clock that was ahead and
// has been put right since, which would wait for as long as it was wrong (ADR 0006).

import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import { type Loop, loop } from '../../platform/lifecycle.ts'
import { PROMOTE_LIMIT, promote, recall } from '../outbox/index.ts'
import { LONGEST_WAIT_MS } from './schedule.ts'

export interface Due {
  /** @returns how many became ready; PROMOTE_LIMIT means that there may be more */
  promote(): Promise<number>
  /** A clock was turned: the next `promote` looks at what lies further ahead than anything is put off. */
  clockTurned(): void
  readonly looking: Loop
}

const EVERY_MS = 250

export function dueOf(
  { database, clock, ids }: { readonly database: Database; readonly clock: Clock; readonly ids: Ids },
  { onReady, onError }: { readonly onReady: () => void; readonly onError: (error: unknown) => void },
): Due {
  // Nobody knows what was before the start.
  let turned = true
  const makeReady = async (): Promise<number> => {
    const now = clock.now()
    let recalled = 0
    if (turned) {
      turned = false
      recalled = await recall(database.system, now, new Date(now.getTime() + LONGEST_WAIT_MS)).catch((error) => {
        turned = true
        throw error
      })
      turned ||= recalled === PROMOTE_LIMIT
    }
    const count = Math.max(recalled, await database.transaction((db) => promote(db, ids, now)))
    if (count > 0) onReady()
    return count
  }
  return {
    promote: makeReady,
    clockTurned: () => {
      turned = true
    },
    looking: loop({
      name: 'delivery promote',
      turn: async () => ((await makeReady()) === PROMOTE_LIMIT ? 0 : EVERY_MS),
      onError,
    }),
  }
}
