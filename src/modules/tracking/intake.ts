// Taking hits in. Hits that arrive together are written together and are durable before anyone is answered: in the
// database, or, while that is away, in a journal on local disk which is handed on after it returns. A hit that was
// written to both counts once, by its id; so a write that takes too long is not waited for.
//
// After a failed write the database is left alone for a second: whoever comes then goes to the journal at once.

import type { Clock } from '../../platform/clock.ts'
import { type Database, type Db, isUnavailable } from '../../platform/db.ts'
import { platformErrors } from '../../platform/errors.ts'
import { type GroupCommit, groupCommit } from '../../platform/group-commit.ts'
import { type Ids, timeOfId } from '../../platform/ids.ts'
import { journalIn } from '../../platform/journal.ts'
import { type Loop, loop, type Service } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import { type UnsubscribeSource, unsubscribe } from '../suppression/index.ts'
import { HIT_KINDS, type Hit, hitOfLine, isUnsubscribe, journalLine } from './hits.ts'
import { type JournalWatch, journalWatch } from './journals.ts'
import { ensureHitPartitions } from './partitions.ts'
import * as sql from './sql.ts'
import type { EmailLedger } from './types.ts'

export interface IntakeOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly ledger: EmailLedger
  /** Where the journal stands. */
  readonly folder: string
}

export interface Intake {
  /** Resolves when the hit is durable. Rejects when neither the database nor the disk took it. */
  take(hit: Hit): Promise<void>
  /** Whether the database knows all unsubscribes that were acknowledged. */
  readonly journals: Pick<JournalWatch, 'knownSince' | 'doubt'>
  readonly service: Service
}

const MAX_TOGETHER = 500
/** While one group is synced the next one is written. */
const WRITES_AT_ONCE = 2
const MAX_BYTES = 4 * 1_048_576
const MAX_WAITING_BYTES = 64 * 1_048_576
const WRITE_WITHIN_MS = 2_000
const LEFT_ALONE_MS = 1_000
const DRAIN_EVERY_MS = 1_000
const HIT_BYTES = 400

export function intakeOf(options: IntakeOptions): Intake {
  const { database, clock, ids, log } = options
  const journal = journalIn(options.folder, ids)
  const journals = journalWatch({ ...options, waiting: () => journal.waiting() })
  let awayUntilMs = -1
  const write = async (hits: readonly Hit[]): Promise<readonly null[]> => {
    try {
      if (clock.monotonicMs() < awayUntilMs) throw platformErrors.service_unavailable()
      await within(
        WRITE_WITHIN_MS,
        database.transaction((db) => record(db, options, hits)),
      )
    } catch (err) {
      if (clock.monotonicMs() >= awayUntilMs) log.warn({ err, hits: hits.length }, 'hits go to the journal')
      awayUntilMs = clock.monotonicMs() + LEFT_ALONE_MS
      journals.doubt()
      await journal.append(hits.map(journalLine))
    }
    return hits.map(() => null)
  }
  const group: GroupCommit<Hit, null> = groupCommit({
    write,
    sizeOf: ({ url, userAgent }) => HIT_BYTES + (url?.length ?? 0) + userAgent.length,
    maxItems: MAX_TOGETHER,
    maxBytes: MAX_BYTES,
    concurrency: WRITES_AT_ONCE,
    maxWaitingBytes: MAX_WAITING_BYTES,
    full: () => platformErrors.service_unavailable({}, { retryAfter: 5 }),
  })
  const drain: Loop = loop({
    name: 'tracking journal',
    turn: async () => {
      if (journal.waiting()) {
        journals.doubt()
        await journal.drain((lines) => replay(options, lines.map(hitOfLine)))
      }
      await journals.look()
      return DRAIN_EVERY_MS
    },
    onError: (err) => {
      // While the database is away there is nothing to tell: the journal waits for it.
      if (!isUnavailable(err)) log.error({ err }, 'the tracking journal could not be handed on')
    },
    retryMs: DRAIN_EVERY_MS,
  })
  return {
    take: async (hit) => {
      await group.add(hit)
    },
    journals,
    service: {
      ...drain,
      stop: async (deadline) => {
        await group.idle()
        await drain.stop(deadline)
        if (!journal.waiting()) await journals.leave().catch(() => undefined)
        await journal.close()
      },
    },
  }
}

async function replay(options: IntakeOptions, hits: readonly Hit[]): Promise<void> {
  const { database } = options
  const first = Math.min(...hits.map(({ id }) => timeOfId(id).getTime()))
  await ensureHitPartitions(database.system, new Date(first))
  await database.transaction((db) => record(db, options, hits))
}

/** Writes hits, and carries out the unsubscribes among those that were not known yet. */
async function record(db: Db, { ids, clock, ledger }: IntakeOptions, hits: readonly Hit[]): Promise<void> {
  const rows = await db.query<{ id: string }>(sql.addHits, columns(hits))
  const asked = hits.filter(isUnsubscribe)
  if (asked.length === 0) return
  const news = new Set(rows.map(({ id }) => id))
  // In one order, so that two transactions wait for one another instead of locking up.
  const fresh = asked.filter(({ id }) => news.has(id)).sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  const emails = await ledger.facts(
    db,
    fresh.map(({ accountId, emailId }) => ({ accountId, id: emailId })),
  )
  for (const { accountId, emailId, recipient, sandbox, kind } of fresh) {
    if (recipient === null) continue
    const { domainId = null, stream = 'transactional', tag = null } = emails.get(emailId) ?? {}
    await unsubscribe(
      db,
      { ids, clock },
      {
        accountId,
        recipient,
        sandbox,
        source: kind as UnsubscribeSource,
        reason: null,
        mail: { emailId, domainId, stream, tag },
      },
    )
  }
}

function orderOf({ accountId, recipient }: Hit): string {
  return `${accountId} ${recipient}`
}

function columns(hits: readonly Hit[]): unknown[] {
  return [
    hits.map((hit) => hit.id),
    hits.map((hit) => hit.accountId),
    hits.map((hit) => hit.emailId),
    hits.map((hit) => HIT_KINDS[hit.kind]),
    hits.map((hit) => hit.at),
    hits.map((hit) => (hit.linkIndex === null ? null : Math.min(hit.linkIndex, 32_767))),
    hits.map((hit) => hit.url),
    hits.map((hit) => hit.hidden),
    hits.map((hit) => hit.head),
    hits.map((hit) => hit.userAgent),
    hits.map((hit) => hit.ip),
    hits.map((hit) => !isUnsubscribe(hit)),
  ]
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
