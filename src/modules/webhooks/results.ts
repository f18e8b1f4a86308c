// Hands the results of attempts over to be written, several in one transaction.

import { isBrokenOff } from '../../platform/db.ts'
import { groupCommit } from '../../platform/group-commit.ts'
import type { Logger } from '../../platform/log.ts'
import { type Ended, type RecordOptions, recordEnded } from './record-results.ts'

const MAX_RECORDED_TOGETHER = 200
const MAX_UNRECORDED = 4_000
const RECORD_TRIES = 5

export interface Results {
  /** Resolves when it is written or given up: the attempt is made again then. Never rejects. */
  record(ended: Ended): Promise<void>
  /** Whether `more` further results can be taken. */
  hasRoomFor(more: number): boolean
}

export function resultsOf(options: RecordOptions & { readonly log: Logger }): Results {
  const written = groupCommit<Ended, null>({
    write: async (ended) => {
      await recordAgain(options, ended)
      return ended.map(() => null)
    },
    sizeOf: () => 1,
    maxItems: MAX_RECORDED_TOGETHER,
    maxBytes: MAX_RECORDED_TOGETHER,
    concurrency: 1,
    maxWaitingBytes: MAX_UNRECORDED,
    full: () => new Error('too many results wait to be written'),
  })
  let unrecorded = 0
  return {
    hasRoomFor: (more) => unrecorded < MAX_UNRECORDED - more,
    record: async (ended) => {
      unrecorded++
      try {
        await written.add(ended)
      } catch (err) {
        const { webhookId, eventId } = ended
        options.log.warn({ err, webhook_id: webhookId, event_id: eventId }, 'a webhook attempt will be made again')
      } finally {
        unrecorded--
      }
    },
  }
}

/** Retries when the database aborted the transaction so that another could go on: otherwise each would be sent again. */
async function recordAgain(options: RecordOptions, ended: readonly Ended[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await recordEnded(options, ended)
    } catch (error) {
      if (tries === RECORD_TRIES || !isBrokenOff(error)) throw error
    }
  }
}
