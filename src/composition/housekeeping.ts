// Periodic work: making partitions ahead of time, deleting expired data, and correcting what a clock that was ahead has put off.
// A part of the composition root.

import { forgetOperatorActions } from '../modules/accounts/index.ts'
import { recallReports } from '../modules/bounces/index.ts'
import { forgetConfirmationMails } from '../modules/contacts/index.ts'
import { forgetInbox } from '../modules/delivery/index.ts'
import { forgetDmarcReports } from '../modules/dmarc/index.ts'
import { recallRechecks } from '../modules/domains/index.ts'
import { ensureEventPartitions } from '../modules/events/index.ts'
import { forgetHostnames, settledClock } from '../modules/machines/index.ts'
import { forgetNotices } from '../modules/notices/index.ts'
import { ensureOutboxPartitions } from '../modules/outbox/index.ts'
import { forgetContentBlocks, forgetKeys } from '../modules/sending/index.ts'
import { expireSuppressions, forgetOldSoftBounces } from '../modules/suppression/index.ts'
import { ensureHitPartitions, recallTracking } from '../modules/tracking/index.ts'
import { forgetStsPolicies, forgetTlsReports, recallTransport } from '../modules/transport/index.ts'
import { forgetValidations, recallValidations } from '../modules/validation/index.ts'
import { ensureWebhookPartitions } from '../modules/webhooks/index.ts'
import { type Clock, putBackSince } from '../platform/clock.ts'
import type { Database, Db } from '../platform/db.ts'
import type { Ids } from '../platform/ids.ts'
import { loop, type Service } from '../platform/lifecycle.ts'
import type { Ground } from './ground.ts'

const LOOK_EVERY_MS = 1_000
const PARTITIONS_EVERY_MS = 3_600_000
const DAY_MS = 86_400_000
const CLEAN_EVERY_MS = 600_000
const EXPIRE_EVERY_MS = 30_000
const CLEAN_AT_ONCE = 1_000
const INBOX_KEPT_MS = 30 * 86_400_000

/**
 * Partitions must exist before anything is accepted, so the first turn is part of the start. They are made a week ahead, every
 * hour, and at once when the date has changed, because a clock may jump by more than a week.
 */
export function partitionsLoop(database: Database, { clock, log }: Ground): Service {
  let madeOn = Number.NaN
  let madeAtMs = 0
  const ensure = async (): Promise<number> => {
    const now = clock.now()
    const today = Math.floor(now.getTime() / DAY_MS)
    const elapsedMs = clock.monotonicMs()
    if (today === madeOn && elapsedMs - madeAtMs < PARTITIONS_EVERY_MS) return LOOK_EVERY_MS
    await ensurePartitions(database.system, now)
    madeOn = today
    madeAtMs = elapsedMs
    return LOOK_EVERY_MS
  }
  const looking = loop({
    name: 'partitions',
    turn: ensure,
    onError: (err) => log.warn({ err }, 'partitions will be tried again'),
  })
  return {
    ...looking,
    start: async () => {
      await ensure()
      await looking.start()
    },
  }
}

/** For every table with daily partitions: those around `now`, and a week ahead. */
export async function ensurePartitions(db: Db, now: Date): Promise<void> {
  await ensureOutboxPartitions(db, now)
  await ensureEventPartitions(db, now)
  await ensureHitPartitions(db, now)
  await ensureWebhookPartitions(db, now)
}

/**
 * After the clock was put back, and after each start: makes due what would otherwise wait for as long as the clock was ahead.
 * Deferred mail and webhooks have such checks of their own, because there may be a million of them.
 */
export function recallLoop(database: Database, { clock, log }: Ground): Service {
  const isPutBack = putBackSince(clock)
  let isDue = false
  return loop({
    name: 'recalls after a clock was put back',
    turn: async () => {
      isDue ||= isPutBack()
      if (isDue) await recallAll(database.system, clock.now())
      isDue = false
      return LOOK_EVERY_MS
    },
    onError: (err) => log.warn({ err }, 'what a clock that was ahead has put off will be recalled later'),
  })
}

async function recallAll(db: Db, now: Date): Promise<void> {
  await recallTracking(db, now)
  await recallReports(db, now)
  await recallRechecks(db, now)
  await recallValidations(db, now)
  await recallTransport(db, now)
}

type CleaningGround = Pick<Ground, 'clock' | 'ids' | 'log'>

export function cleaningLoops(database: Database, ground: CleaningGround): readonly Service[] {
  return [cleaningLoop(database, ground), expiryLoop(database, ground)]
}

/**
 * Reports ended suppressions soon after their end. An entry and its event go in one transaction, and entries locked by another
 * process are skipped, so an end is reported once even after a crash or when run twice.
 */
function expiryLoop(database: Database, { clock, ids, log }: CleaningGround): Service {
  return loop({
    name: 'ends of suppressions',
    turn: async () => {
      const ended = await database.transaction((db) => expireSuppressions(db, { ids, clock }, CLEAN_AT_ONCE))
      return ended === CLEAN_AT_ONCE ? 0 : EXPIRE_EVERY_MS
    },
    onError: (err) => log.warn({ err }, 'suppressions that have ended will be taken away later'),
  })
}

type Cleaning = (db: Db, context: { readonly clock: Clock; readonly ids: Ids }, atOnce: number) => Promise<number>

const since = (forget: (db: Db, now: Date, atOnce: number) => Promise<number>): Cleaning => {
  return (db, { clock }, atOnce) => forget(db, clock.now(), atOnce)
}

const CLEANINGS: readonly Cleaning[] = [
  since(forgetKeys),
  forgetOldSoftBounces,
  since((db, now, atOnce) => forgetInbox(db, new Date(now.getTime() - INBOX_KEPT_MS), atOnce)),
  since(forgetValidations),
  since(forgetStsPolicies),
  since(forgetTlsReports),
  since(forgetDmarcReports),
  since(forgetNotices),
  since(forgetConfirmationMails),
  since(forgetContentBlocks),
  since(forgetOperatorActions),
  since(forgetHostnames),
]

/**
 * Deletes expired data, by the time that retention goes by. Nothing waits for it, so its pace does not matter. One kind that
 * cannot be deleted does not keep the others.
 */
function cleaningLoop(database: Database, { clock: ticking, ids, log }: CleaningGround): Service {
  const onError = (err: unknown): void => log.warn({ err }, 'cleaning will be tried again')
  return loop({
    name: 'cleaning',
    turn: async () => {
      const clock = await settledClock({ database, clock: ticking, log })
      let isMore = false
      for (const clean of CLEANINGS) {
        const cleaned = await clean(database.system, { clock, ids }, CLEAN_AT_ONCE).catch(onError)
        if (cleaned === CLEAN_AT_ONCE) isMore = true
      }
      return isMore ? 0 : CLEAN_EVERY_MS
    },
    onError,
  })
}
