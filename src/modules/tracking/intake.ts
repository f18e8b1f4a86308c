// The intake of hits. Hits that arrive together are written together and are durable before any of them is answered. A hit
// that is written more than once counts once, by its id.
//
// Opens and clicks go to a journal on local disk, and after the answer from there into the database (hits-intake.ts).
//
// Unsubscribes go to the database at once, since they bind the very next send. While it is down they go to a journal of their
// own, and delivery waits for that journal (journals.ts). A write that takes too long counts as failed. After a failure the
// database is left alone for a second, during which hits go straight to the journal.

import { isUnavailable } from '../../platform/db.ts'
import { platformErrors } from '../../platform/errors.ts'
import { journalIn } from '../../platform/files/journal.ts'
import { type GroupCommit, groupCommit } from '../../platform/group-commit.ts'
import { lastingFault } from '../../platform/lasting-fault.ts'
import { type Loop, loop, type Service } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import { type Hit, hitOfLine, isUnsubscribe, journalLine, MAX_WAITING_BYTES, MAX_WRITE_BYTES, sizeOf } from './hits.ts'
import { hitsIntake } from './hits-intake.ts'
import { type JournalWatch, journalWatch } from './journals.ts'
import { type RecordOptions, recordAll } from './record-hits.ts'

export interface IntakeOptions extends RecordOptions {
  readonly log: Logger
  /** The folder of the journals. */
  readonly folder: string
}

export interface Intake {
  /**
   * Resolves when the hit is durable. Rejects when neither the database nor the disk took it. Opens and clicks that arrive
   * together share one promise.
   */
  take(hit: Hit): Promise<unknown>
  /** Whether the database holds all acknowledged unsubscribes. */
  readonly journals: Pick<JournalWatch, 'knownSince' | 'databaseWasAway'>
  /** This process is receiving a burst of hits: work that can wait should. */
  isBurst(): boolean
  readonly service: Service
}

const MAX_TOGETHER = 500
/** One group is written while the previous one is synced. */
const WRITES_AT_ONCE = 2
const WRITE_WITHIN_MS = 2_000
const LEFT_ALONE_MS = 1_000
const RETRY_AFTER_SECONDS = 5
const DRAIN_EVERY_MS = 1_000
/** Small enough to be handed on in much less time than other processes wait for a silent one. */
const LINES_AT_ONCE = 200

export function intakeOf(options: IntakeOptions): Intake {
  const { clock, ids, log } = options
  const journal = journalIn(options.folder, ids, { linesAtOnce: LINES_AT_ONCE })
  const journals = journalWatch({
    ...options,
    waiting: () => journal.waiting(),
    inherit: () => {
      journal.inherit()
      hits.inherit()
    },
  })
  let awayUntilMs = -1
  const write = async (hits: readonly Hit[]): Promise<readonly null[]> => {
    try {
      if (clock.monotonicMs() < awayUntilMs) throw platformErrors.service_unavailable()
      await within(WRITE_WITHIN_MS, recordAll(options, hits))
    } catch (err) {
      if (clock.monotonicMs() >= awayUntilMs) log.warn({ err, hits: hits.length }, 'hits go to the journal')
      awayUntilMs = clock.monotonicMs() + LEFT_ALONE_MS
      journals.databaseWasAway()
      await journal.append(hits.map(journalLine)).catch((cause: unknown) => {
        throw platformErrors.service_unavailable({}, { cause, retryAfter: RETRY_AFTER_SECONDS })
      })
    }
    return hits.map(() => null)
  }
  const group: GroupCommit<Hit, null> = groupCommit({
    write,
    sizeOf,
    maxItems: MAX_TOGETHER,
    maxBytes: MAX_WRITE_BYTES,
    concurrency: WRITES_AT_ONCE,
    maxWaitingBytes: MAX_WAITING_BYTES,
    full: () => platformErrors.service_unavailable({}, { retryAfter: RETRY_AFTER_SECONDS }),
  })
  const drainFault = lastingFault({
    ...{ log, clock },
    lasts: 'the tracking journal could not be handed on',
    ended: 'the tracking journal is handed on again',
  })
  const drain: Loop = loop({
    name: 'tracking journal',
    turn: async () => {
      if (journal.waiting()) {
        journals.databaseWasAway()
        await journal.drain(async (lines) => {
          await journals.busy()
          await recordAll(options, lines.map(hitOfLine))
        })
      }
      await journals.look()
      drainFault.absent()
      return journal.waiting() ? 0 : DRAIN_EVERY_MS
    },
    onError: (err) => {
      // While the database is down there is nothing to report: the journal waits for it.
      if (!isUnavailable(err)) drainFault.met({ err })
    },
    retryMs: DRAIN_EVERY_MS,
  })
  const hits = hitsIntake(options, journals)
  return {
    take: (hit) => (isUnsubscribe(hit) ? group.add(hit) : hits.take(hit)),
    journals,
    isBurst: hits.isBurst,
    service: {
      ...drain,
      start: async () => {
        await drain.start()
        await hits.handOn.start()
      },
      stop: async (deadline) => {
        await group.idle()
        await hits.stop(deadline)
        await drain.stop(deadline)
        if (!journal.waiting()) await journals.leave().catch(() => undefined)
        await journal.close()
      },
    },
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`the database took longer than ${ms} ms`)), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
