// Queues the display of large emails, so that they are loaded within the 40 MB of body-spool.ts: a queue separate from that of
// incoming mail, since parsing takes seconds. A waiting request holds no memory, and the queue is bounded. Where memory is
// limited, an email that finds no room for all that is made of it within ten seconds is refused: the kernel would kill the service.

import { platformErrors } from '../../platform/errors.ts'
import { largeTurns, NO_MEMORY } from '../../platform/files/body-spool.ts'
import { type Memory, systemMemory } from '../../platform/memory.ts'
import { INLINE_BYTES } from './message-reader.ts'

/**
 * Runs `work`, which loads and parses an email of this many bytes, in its turn; emails parsed inline do not wait.
 *
 * @param signal aborted when the caller has gone away: nothing is loaded then
 * @throws service_unavailable when MAX_WAITING requests are already waiting, or there is not enough memory
 */
export type InTurn = <T>(bytes: number, signal: AbortSignal, work: () => Promise<T>) => Promise<T>

const MAX_WAITING = 100
const RETRY_AFTER_SECONDS = 5
/** Measured with 25 MB of text, the worst: 250 MB for its rows, the parser's copies, the text and the answer. */
const NEEDED_PER_BYTE = 12

export function readingTurns(memory: Memory = systemMemory()): InTurn {
  const turns = largeTurns(memory, NEEDED_PER_BYTE)
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
      turns.collect()
    }
  }
}
