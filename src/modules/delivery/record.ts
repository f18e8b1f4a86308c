// What became of emails, written in groups: results, attempts, events, lists and inbox in one transaction, fenced by the
// epoch and the number of each claim. What the fence holds back is forgotten: another node has the email now.
//
// While the database is away results wait in memory and are tried again; nothing new is claimed meanwhile, so what waits
// is bounded by what was held. A group that the database refuses for itself is written one by one, and of an email that
// is refused alone only the state is written: it must not go out a second time for a fault in its history.

import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import { isUnavailable } from '../../platform/db.ts'
import { groupCommit } from '../../platform/group-commit.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Logger } from '../../platform/log.ts'
import { append, type NewEvent } from '../events/index.ts'
import { complete } from '../outbox/index.ts'
import {
  BAD_DOMAIN_DAYS,
  type NewSuppression,
  noteDelivery,
  noteSoftBounce,
  type Suppressed,
  suppress,
} from '../suppression/index.ts'
import { addToInbox, type NewInboxMail } from './inbox.ts'
import { type BounceFacts, bounceData, type Conclusion } from './results.ts'

export interface Recorded extends Conclusion {
  readonly epoch: number
  readonly inbox: NewInboxMail | null
}

/** The bounce room's part: its history, in the same transaction. */
export type NoteBounces = (
  db: Db,
  bounces: readonly { readonly facts: BounceFacts; readonly suppressionId: string | null }[],
) => Promise<void>

export interface RecorderOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly noteBounces: NoteBounces | null
}

export interface Recorder {
  /** Resolves when it is durable, or when the fence has held it back. */
  add(item: Recorded): Promise<void>
  /** Gives up trying: what waits is left to the leases. */
  abandon(): void
}

const MAX_GROUP = 300
const MAX_GROUP_BYTES = 32 * 1_048_576
const RETRY_MS = 500
const DAY_MS = 86_400_000

export function recorderOf(options: RecorderOptions): Recorder {
  const { database, clock, log } = options
  const giveUp = new AbortController()

  const write = async (items: readonly Recorded[]): Promise<readonly void[]> => {
    for (;;) {
      try {
        await database.transaction((db) => writeAll(db, items, options))
        return items.map(() => undefined)
      } catch (error) {
        if (giveUp.signal.aborted) throw error
        if (isUnavailable(error)) await clock.sleep(RETRY_MS, giveUp.signal)
        else {
          await oneByOne(items, error)
          return items.map(() => undefined)
        }
      }
    }
  }

  const oneByOne = async (items: readonly Recorded[], cause: unknown): Promise<void> => {
    const [only] = items
    if (items.length > 1) {
      for (const item of items) await write([item])
      return
    }
    if (only === undefined) return
    log.error({ email_id: only.result.id, error: String(cause) }, 'the result of an email could not be recorded whole')
    try {
      const result = { ...only.result, attempt: null, response: null }
      await database.transaction((db) => complete(db, only.epoch, [result]))
    } catch (error) {
      log.error({ email_id: only.result.id, error: String(error) }, 'the state of an email could not be recorded')
    }
  }

  const group = groupCommit<Recorded, void>({
    write,
    sizeOf: ({ inbox }) => 1_000 + (inbox?.raw.length ?? 0),
    maxItems: MAX_GROUP,
    maxBytes: MAX_GROUP_BYTES,
    concurrency: 2,
    // What may wait is bounded by what is held.
    maxWaitingBytes: Number.POSITIVE_INFINITY,
    full: () => new Error('too many results wait'),
  })
  return {
    add: (item) => group.add(item),
    abandon: () => giveUp.abort(new Error('delivery stops')),
  }
}

async function writeAll(db: Db, items: readonly Recorded[], options: RecorderOptions): Promise<void> {
  const { ids, clock, noteBounces } = options
  const passed = new Set<Recorded>()
  for (const [epoch, group] of Map.groupBy(items, (item) => item.epoch)) {
    const through = await complete(
      db,
      epoch,
      group.map((item) => item.result),
    )
    for (const item of group) if (through.has(item.result.id)) passed.add(item)
  }
  if (passed.size === 0) return
  const kept = [...passed]
  const listed = await writeLists(db, kept, { ids, clock })
  const bounces = kept.flatMap(({ bounce }) =>
    bounce === null ? [] : [{ facts: bounce.facts, suppressionId: listed.get(bounce.facts.emailId) ?? null }],
  )
  await Promise.all([
    append(
      db,
      kept.flatMap((item) => eventsOf(item, listed.get(item.result.id) ?? null)),
    ),
    addToInbox(
      db,
      kept.flatMap(({ inbox }) => (inbox === null ? [] : [inbox])),
    ),
    noteDelivery(db, kept.flatMap(deliveryOf)),
    bounces.length === 0 ? null : noteBounces?.(db, bounces),
  ])
}

function deliveryOf({ letter, result, sandbox }: Recorded): Parameters<typeof noteDelivery>[1] {
  if (letter === null || result.status !== 'delivered') return []
  return [{ accountId: letter.accountId, recipient: letter.recipientKey, sandbox }]
}

function eventsOf({ events, bounce, complaint, result }: Recorded, suppressionId: string | null): readonly NewEvent[] {
  if (bounce?.event != null) return [...events, { ...bounce.event, data: bounceData(bounce.facts, suppressionId) }]
  if (complaint === null) return events
  const data = {
    feedback_type: 'abuse',
    reporting_mta: null,
    arrival_date: result.at.toISOString(),
    suppressed: suppressionId !== null,
  }
  return [...events, { ...complaint, data }]
}

/** @returns by email id, the suppression that its bounce or complaint led to or met */
async function writeLists(
  db: Db,
  items: readonly Recorded[],
  context: { readonly ids: Ids; readonly clock: Clock },
): Promise<ReadonlyMap<string, string>> {
  const listed = new Map<string, string>()
  const entries = items.flatMap(suppressionOf)
  const suppressed = entries.length === 0 ? [] : await suppress(db, context, entries)
  entries.forEach(({ emailId }, index) => {
    const made = suppressed[index]
    if (emailId !== null && made !== undefined) listed.set(emailId, made.suppression.id)
  })
  for (const { bounce, letter } of items) {
    if (bounce?.facts.type !== 'soft' || letter === null) continue
    const made: Suppressed | null = await noteSoftBounce(db, context, softBounceOf(bounce.facts))
    if (made !== null) listed.set(bounce.facts.emailId, made.suppression.id)
  }
  return listed
}

function softBounceOf(facts: BounceFacts): Parameters<typeof noteSoftBounce>[2] {
  return { ...entryOf(facts), bouncedAt: facts.at }
}

function entryOf(facts: BounceFacts) {
  return {
    accountId: facts.accountId,
    recipient: facts.recipientKey,
    sandbox: facts.sandbox,
    source: 'smtp' as const,
    domainId: facts.domainId,
    emailId: facts.emailId,
    bounceId: facts.id,
    details: facts.said.text,
  }
}

function suppressionOf({ bounce, complaint, letter, sandbox, result }: Recorded): readonly NewSuppression[] {
  if (bounce?.facts.type === 'hard') {
    const ends = bounce.facts.category === 'bad_domain'
    const expiresAt = ends ? new Date(result.at.getTime() + BAD_DOMAIN_DAYS * DAY_MS) : null
    return [{ ...entryOf(bounce.facts), reason: 'hard_bounce', expiresAt }]
  }
  if (complaint === null || letter === null) return []
  return [
    {
      accountId: letter.accountId,
      recipient: letter.recipientKey,
      sandbox,
      reason: 'complaint',
      source: 'arf',
      domainId: letter.domainId,
      emailId: letter.id,
      bounceId: null,
      details: null,
      expiresAt: null,
    },
  ]
}
