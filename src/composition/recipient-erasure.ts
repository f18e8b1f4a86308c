// Erases what was sent to recipients who are to be forgotten. A part of the composition root.
//
// - The emails to the address go, with their contents, attempts, bounces, inbox copies, overrides, webhook deliveries, opens and
//   clicks. Their events stay without the person, so that figures stay true and can be counted anew.
// - A content that other recipients of the same message share stays as long as theirs.
// - What transactions under way at the request, and bounces of mail that was being sent, wrote of the person since is erased too.
// - What is still to be sent, to be read by a follower of the log or to be delivered to a webhook is left until it is through.
// - A batch is one transaction. A worker that dies over a request is followed by another, which goes on with what is left.

import { eraseBounces } from '../modules/bounces/index.ts'
import { forgetContact } from '../modules/contacts/index.ts'
import { eraseInbox } from '../modules/delivery/index.ts'
import { eventsAboutEmails, eventsAboutPerson, type PersonalEvent, redactEvents } from '../modules/events/index.ts'
import { cancelWaiting, eraseEmails, lockEmailsTo } from '../modules/outbox/index.ts'
import { eraseOverrides } from '../modules/risk/index.ts'
import {
  claimErasure,
  countCanceled,
  countErased,
  type Erasing,
  eraseLate,
  noteErasure,
  type OpenErasure,
} from '../modules/suppression/index.ts'
import { eraseHits } from '../modules/tracking/index.ts'
import { eraseValidations } from '../modules/validation/index.ts'
import { eraseDeliveries, untoldOf } from '../modules/webhooks/index.ts'
import type { Database, Db } from '../platform/db.ts'
import { FIRST_ID } from '../platform/ids.ts'
import { type Loop, loop } from '../platform/lifecycle.ts'
import type { Ground } from './ground.ts'
import { paced } from './paced.ts'

const LOOK_EVERY_MS = 10_000
const EMAILS_AT_ONCE = 100
const EVENTS_AT_ONCE = 500
/** Less than the lease of a request. */
const TURN_MS = 300_000

export interface RecipientErasureOptions {
  readonly database: Database
  readonly ground: Pick<Ground, 'clock' | 'ids' | 'log'>
}

/** What a request does at once. */
export function recipientErasing({ database, ground: { clock, ids } }: RecipientErasureOptions): Erasing {
  return {
    database,
    clock,
    ids,
    cancelWaiting: (accountId, recipient) => cancelWaiting({ database, clock, ids }, accountId, recipient, null),
    forgetPerson: async (db, accountId, recipient) => {
      await forgetContact(db, accountId, recipient)
      await eraseValidations(db, accountId, recipient)
    },
  }
}

export function recipientErasureLoop(options: RecipientErasureOptions): Loop {
  return loop({
    name: 'erasures of recipients',
    turn: async (signal) => ((await eraseNextRecipient(options, signal)) ? 0 : LOOK_EVERY_MS),
    onError: (err) => options.ground.log.warn({ err }, 'what was sent to a recipient will be erased later'),
    retryMs: LOOK_EVERY_MS,
  })
}

/** Works on the request that is due first. @returns false when none is due. Rejects when `signal` aborts. */
export async function eraseNextRecipient(options: RecipientErasureOptions, signal: AbortSignal): Promise<boolean> {
  const { database, ground } = options
  const request = await claimErasure(database.system, ground.clock.now())
  if (request === null) return false
  await cancelLatecomers(options, request)
  const { erased, isDone } = await eraseWhatWasSent(options, request, signal)
  const isNoted = await noteErasure(database.system, request, isDone, ground.clock.now())
  const { id, accountId } = request
  if (isDone && isNoted)
    ground.log.info({ account_id: accountId, erasure_id: id, emails: erased }, 'a recipient was erased')
  return true
}

/** Mail that was in acceptance when the request was made: one scheduled for later would keep the request open until then. */
async function cancelLatecomers(
  { database, ground: { clock, ids } }: RecipientErasureOptions,
  request: OpenErasure,
): Promise<void> {
  const { accountId, recipient, coversUntil } = request
  const canceled = await cancelWaiting({ database, clock, ids }, accountId, recipient, coversUntil)
  if (canceled > 0) await countCanceled(database.system, request, canceled)
}

interface Erased {
  /** Emails. */
  readonly erased: number
  readonly isDone: boolean
}

/** Works for five minutes at most. */
async function eraseWhatWasSent(
  { database, ground: { clock } }: RecipientErasureOptions,
  request: OpenErasure,
  signal: AbortSignal,
): Promise<Erased> {
  const untilMs = clock.monotonicMs() + TURN_MS
  const inSteps = (step: () => Promise<boolean>): Promise<void> => paced(clock, signal, step, untilMs)
  let after: string | null = FIRST_ID
  let erased = 0
  let left = 0
  await inSteps(async () => {
    const step = await database.transaction((db) => eraseSomeEmails(db, request, after ?? FIRST_ID))
    after = step.next
    erased += step.erased
    left += step.left
    return after !== null
  })
  const bounces = await database.transaction((db) => eraseLateFacts(db, request))
  let more = true
  await inSteps(async () => {
    const step = await database.transaction((db) => redactSome(db, request, bounces))
    left += step.more ? 0 : step.left
    more = step.more
    return more
  })
  return { erased, isDone: after === null && !more && left === 0 }
}

/** @returns whether the address is still refused, so that bounces are of mail that is to be erased */
async function eraseLateFacts(db: Db, { accountId, recipient, coversUntil: before }: OpenErasure): Promise<boolean> {
  await eraseBounces(db, accountId, recipient)
  await eraseValidations(db, accountId, recipient)
  return eraseLate(db, { accountId, recipient, before })
}

interface EmailStep {
  readonly erased: number
  /** Emails that cannot be erased yet. */
  readonly left: number
  /** Id after which to continue; null: these were the last. */
  readonly next: string | null
}

async function eraseSomeEmails(db: Db, request: OpenErasure, after: string): Promise<EmailStep> {
  const { accountId, recipient, coversUntil: before } = request
  const emails = await lockEmailsTo(db, accountId, recipient, { after, before, limit: EMAILS_AT_ONCE })
  const all = emails.map(({ id }) => id)
  const events = await eventsAboutEmails(db, accountId, all)
  const waiting = await thatWait(db, accountId, events)
  const busy = new Set([
    ...emails.flatMap(({ id, waits }) => (waits ? [id] : [])),
    ...events.flatMap(({ event_id: eventId, email_id: id }) => (id !== null && waiting.has(eventId) ? [id] : [])),
  ])
  const ids = all.filter((id) => !busy.has(id))
  if (ids.length > 0) {
    await redactEvents(
      db,
      accountId,
      events.filter(({ email_id: id }) => id !== null && !busy.has(id)),
    )
    for (const erase of [eraseDeliveries, eraseInbox, eraseHits, eraseOverrides, eraseEmails])
      await erase(db, accountId, ids)
    await countErased(db, request, ids.length)
  }
  const next = emails.length < EMAILS_AT_ONCE ? null : (all.at(-1) ?? null)
  return { erased: ids.length, left: busy.size, next }
}

/** Events that name the address: `more` while a step has achieved something and may not have been the last. */
async function redactSome(
  db: Db,
  { accountId, recipient, coversUntil: before }: OpenErasure,
  bounces: boolean,
): Promise<{ readonly more: boolean; readonly left: number }> {
  const events = await eventsAboutPerson(db, accountId, recipient, { before, bounces, limit: EVENTS_AT_ONCE })
  const waiting = await thatWait(db, accountId, events)
  const due = events.filter(({ event_id: id }) => !waiting.has(id))
  await redactEvents(db, accountId, due)
  return { more: due.length > 0 && events.length === EVENTS_AT_ONCE, left: waiting.size }
}

/** The events that a follower of the log is still to read, or that are still to be delivered to a webhook. */
async function thatWait(db: Db, accountId: string, events: readonly PersonalEvent[]): Promise<ReadonlySet<string>> {
  const ids = events.map(({ event_id: id }) => id)
  const untold = ids.length === 0 ? [] : await untoldOf(db, accountId, ids)
  return new Set([...untold, ...events.flatMap(({ event_id: id, read }) => (read ? [] : [id]))])
}
