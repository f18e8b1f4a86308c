// Large mails that somebody wants to see come into memory when their turn has come, within the 40 MB of intake.ts: a second
// line beside that of what comes in, since reading takes seconds. Whoever waits holds nothing yet, and there is an end to
// the line.

import { platformErrors } from '../../platform/errors.ts'
import { largeTurns, NO_MEMORY } from '../../platform/intake.ts'
import { INLINE_BYTES } from './message-reader.ts'

/**
 * Does `work`, which loads and reads a mail of so many bytes, in its turn; what is read at once waits for nobody.
 *
 * @param signal whoever asked went away: nothing is loaded for them
 * @throws service_unavailable when MAX_WAITING are before it
 */
export type InTurn = <T>(bytes: number, signal: AbortSignal, work: () => Promise<T>) => Promise<T>

const MAX_WAITING = 100
const RETRY_AFTER_SECONDS = 5

export function readingTurns(): InTurn {
  const turns = largeTurns()
  let waiting = 0
  const refused = (): Error => platformErrors.service_unavailable({}, { retryAfter: RETRY_AFTER_SECONDS })
  return async (bytes, signal, work) => {
    if (bytes <= INLINE_BYTES) return work()
    if (waiting >= MAX_WAITING) throw refused()
    waiting++
    try {
      const done = await turns.take(bytes, async () => {
        if (signal.aborted) throw refused()
        return work()
      })
      if (done === NO_MEMORY) throw refused()
      return done
    } finally {
      waiting--
    }
  }
}
