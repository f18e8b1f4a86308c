// Hands the results of attempts over to be written, several in one transaction.

import { isBrokenOff } from '../../platform/db.ts'
import { groupCommit } from '../../platform/group-commit.ts'
import type { Logger } from '../../platform/log.ts'
import { clearDisabled } from './clearing.ts'
import { type Ended, type RecordOptions, recordEnded } from './record-results.ts'

const MAX_RECORDED_TOGETHER = 200
const MAX_UNRECORDED = 4_000
const RECORD_TRIES = 5

export interface Results {
  /**
   * Resolves when it is written or given up: the attempt is made again then. Where it disabled the endpoint, the rest of its
   * queue is cleared first. Never rejects.
   */
  record(ended: Ended): Promise<void>
  /** Clears the queue of a disabled endpoint, unless that is being done. Never rejects. */
  clear(webhookId: string): Promise<void>
  /** Whether `more` further results can be taken. */
  hasRoomFor(more: number): boolean
}

export function resultsOf(options: RecordOptions & { readonly log: Logger }): Results {
  const written = groupCommit<Ended, boolean>({
    write: async (ended) => {
      const disabled = await recordAgain(options, ended)
      return ended.map(({ webhookId }) => disabled.includes(webhookId))
    },
    sizeOf: () => 1,
    maxItems: MAX_RECORDED_TOGETHER,
    maxBytes: MAX_RECORDED_TOGETHER,
    concurrency: 1,
    maxWaitingBytes: MAX_UNRECORDED,
    full: () => new Error('too many results wait to be written'),
  })
  const clearing = new Set<string>()
  // Apart from the results, which others wait for.
  const clear = async (webhookId: string): Promise<void> => {
    if (clearing.has(webhookId)) return
    clearing.add(webhookId)
    try {
      await clearDisabled((work) => work(options.database.system), webhookId, options.clock.now())
    } catch (err) {
      options.log.warn(
        { err, webhook_id: webhookId },
        'what waits for a disabled endpoint will be dropped when it is due',
      )
    } finally {
      clearing.delete(webhookId)
    }
  }
  let unrecorded = 0
  return {
    clear,
    hasRoomFor: (more) => unrecorded < MAX_UNRECORDED - more,
    record: async (ended) => {
      unrecorded++
      let disabled = false
      try {
        disabled = await written.add(ended)
      } catch (err) {
        const { webhookId, eventId } = ended
        options.log.warn({ err, webhook_id: webhookId, event_id: eventId }, 'a webhook attempt will be made again')
      } finally {
        unrecorded--
      }
      if (disabled) await clear(ended.webhookId)
    },
  }
}

/** Retries when the database aborted the transaction so that another could go on: otherwise each would be sent again. */
async function recordAgain(options: RecordOptions, ended: readonly Ended[]): Promise<readonly string[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await recordEnded(options, ended)
    } catch (error) {
      if (tries === RECORD_TRIES || !isBrokenOff(error)) throw error
    }
  }
}
