// Opens and clicks go to a journal on local disk. About a tenth of a second after the answer they go from there into the
// database, in order, in batches with pauses between them, so that a burst is answered first. While the database is down they
// wait on disk. When the disk fails, hits go to the database at once. A hit whose content the database refuses is logged and
// dropped.

import path from 'node:path'
import { type Db, isUnavailable, lacksDay, sqlState } from '../../platform/db.ts'
import { platformErrors } from '../../platform/errors.ts'
import { journalIn } from '../../platform/files/journal.ts'
import { newSheet, type Sheet } from '../../platform/files/journal-lines.ts'
import { lastingFault } from '../../platform/lasting-fault.ts'
import { aborted, type Loop, loop, NEVER } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import { sharedCommit } from '../../platform/shared-commit.ts'
import { type Hit, hitOfLine, journalLine, MAX_WAITING_BYTES, MAX_WRITE_BYTES, sizeOf } from './hits.ts'
import type { JournalWatch } from './journals.ts'
import { type RecordOptions, recordAll } from './record-hits.ts'

export interface HitsIntakeOptions extends RecordOptions {
  readonly log: Logger
  readonly folder: string
}

/** One sheet is written while the next is filled. The size limit is the usual size in a burst. */
const SPARE_SHEETS = 2
const MAX_SPARE_BYTES = 262_144
/** Most hits in one sync of the disk. */
const MAX_SYNCED = 4_000
/** 1 GiB: some two million hits. */
const MAX_JOURNAL_BYTES = 1_073_741_824
/** A process that has not written for this long is dead or has nothing to write. */
const OTHERS_AFTER_MS = 5_000
/** Small enough that a batch does not block the event loop noticeably. */
const HANDED_ON_TOGETHER = 100
const HAND_ON_EVERY_MS = 100
/** The database may lag this far without a report, since the judge allows for it (hit-judging.ts). */
const BEHIND_MS = 400
const RETRY_MS = 1_000
/** Pause after a batch, as a multiple of its duration: batches take half of the time, and a fortieth of it in a burst. */
const RESTS = 1
const RESTS_IN_A_BURST = 40
const BURST_PER_SECOND = 4_000
const LONGEST_REST_MS = 1_000

export interface HitsIntake {
  /** Hits that arrive together share one promise. */
  take(hit: Hit): Promise<unknown>
  /** A burst of hits is coming in: work that can wait should. */
  isBurst(): boolean
  readonly handOn: Loop
  /** A process of the same folder has died: the hits that it left are handed on. */
  inherit(): void
  /** Hits that are not handed on by the deadline stay on disk. */
  stop(deadline: AbortSignal): Promise<void>
}

export function hitsIntake(options: HitsIntakeOptions, journals: Pick<JournalWatch, 'hitsUntil'>): HitsIntake {
  const { database, clock, ids, log } = options
  const journal = journalIn(path.join(options.folder, 'hits'), ids, {
    othersAfterMs: OTHERS_AFTER_MS,
    linesAtOnce: HANDED_ON_TOGETHER,
    maxBytes: MAX_JOURNAL_BYTES,
    keepsFile: true,
  })
  const diskFault = lastingFault({
    ...{ log, clock },
    lasts: 'the disk takes no hits, they go to the database',
    ended: 'the disk takes hits again',
  })
  const handOnFault = lastingFault({
    ...{ log, clock },
    lasts: 'hits could not be handed on',
    ended: 'hits are handed on again',
  })
  /** Written sheets, to be reused. */
  const spare: Sheet[] = []
  const group = sharedCommit<Hit, Sheet>({
    begin: () => spare.pop() ?? newSheet(),
    gather: (sheet, hit) => sheet.add(journalLine(hit)),
    write: async (sheet) => {
      try {
        await journal.append(sheet)
        diskFault.absent()
      } catch (err) {
        diskFault.met({ err, hits: sheet.lines })
        await recordAll(options, sheet.read().map(hitOfLine))
      }
      sheet.clear()
      if (spare.length < SPARE_SHEETS && sheet.roomBytes <= MAX_SPARE_BYTES) spare.push(sheet)
    },
    sizeOf,
    maxItems: MAX_SYNCED,
    maxBytes: MAX_WRITE_BYTES,
    maxWaitingBytes: MAX_WAITING_BYTES,
    full: () => platformErrors.service_unavailable({}, { retryAfter: 5 }),
  })
  const pace = { sinceMs: clock.monotonicMs(), hits: 0, perSecond: 0 }
  const isBurst = (): boolean => {
    const seconds = (clock.monotonicMs() - pace.sinceMs) / 1_000
    if (seconds >= 0.25) {
      pace.perSecond = pace.hits / seconds
      pace.hits = 0
      pace.sinceMs = clock.monotonicMs()
    }
    return pace.perSecond > BURST_PER_SECOND
  }
  let stopping = false
  let wasBehind = false
  /** Reports that all hits before `until` are in the database. */
  const reached = async (db: Db, until: Date): Promise<void> => {
    const isBehind = clock.now().getTime() - until.getTime() > BEHIND_MS
    if (isBehind || wasBehind) await journals.hitsUntil(db, isBehind ? until : null)
    wasBehind = isBehind
  }
  const take = async (lines: readonly string[]): Promise<void> => {
    const began = clock.monotonicMs()
    const hits = lines.map(hitOfLine)
    try {
      await recordAll(options, hits, (db) => reached(db, hits.at(-1)?.at ?? clock.now()))
    } catch (error) {
      if (!isRefusal(error)) throw error
      await oneByOne(options, hits, error)
    }
    if (stopping) return
    const rests = isBurst() ? RESTS_IN_A_BURST : RESTS
    await clock.sleep(Math.min((clock.monotonicMs() - began) * rests, LONGEST_REST_MS), NEVER)
  }
  const turn = async (): Promise<void> => {
    const began = clock.now()
    if (journal.waiting()) await journal.drain(take)
    await reached(database.system, began)
  }
  const handOn = loop({
    name: 'tracking hits',
    turn: async () => {
      await turn()
      handOnFault.absent()
      return HAND_ON_EVERY_MS
    },
    onError: (err) => {
      // While the database is down there is nothing to report: the journal waits for it.
      if (!isUnavailable(err)) handOnFault.met({ err })
    },
    retryMs: RETRY_MS,
  })
  return {
    take: (hit) => {
      pace.hits++
      return group.add(hit)
    },
    isBurst,
    handOn,
    inherit: () => journal.inherit(),
    stop: async (deadline) => {
      await group.idle()
      stopping = true
      const last = handOn.stop(deadline).then(turn, () => undefined)
      await Promise.race([last.catch(() => undefined), aborted(deadline)])
      await journal.close()
    },
  }
}

/** Writes hits singly, so that a refused one does not keep the others out. */
async function oneByOne(options: HitsIntakeOptions, hits: readonly Hit[], why: unknown): Promise<void> {
  options.log.warn({ err: why, hits: hits.length }, 'hits are written one by one')
  for (const hit of hits) {
    try {
      await recordAll(options, [hit])
    } catch (err) {
      if (!isRefusal(err)) throw err
      options.log.error({ err, hit: hit.id, email_id: hit.emailId }, 'a hit is refused, and lost')
    }
  }
}

/** SQLSTATE classes 22 and 23: the fault lies in the hit, not in the database or a missing day partition. */
function isRefusal(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error) ?? '') && !lacksDay(error)
}
