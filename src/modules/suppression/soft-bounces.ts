// The rule of three: a recipient is suppressed when three emails to it soft-bounce within 14 days with no delivery in
// between. An email counts once, however many reports arrive for it. An email that was accepted and then bounced is not a
// delivery. The count is one row per recipient, so two bounces that arrive at once are counted one after the other.

import type { Db } from '../../platform/db.ts'
import { type Context, type NewSuppression, type Suppressed, suppress } from './entries.ts'
import * as sql from './sql.ts'

const SOFT_BOUNCES = 3
const WINDOW_DAYS = 14
const DAY_MS = 86_400_000
/** The newest deliveries kept per recipient with soft bounces. If all of them bounce later, the count continues. */
const DELIVERIES_KEPT = 16

/** The fields of the suppression it may lead to, whose reason is `repeated_soft_bounce` and which has no end. */
export type SoftBounce = Omit<NewSuppression, 'reason' | 'expiresAt' | 'emailId'> & {
  readonly emailId: string
  readonly bouncedAt: Date
}

/** @returns the suppression when this was the third soft bounce, else null */
export async function noteSoftBounce(db: Db, context: Context, bounce: SoftBounce): Promise<Suppressed | null> {
  const { bouncedAt, ...evidence } = bounce
  const { accountId, recipient, sandbox, emailId } = bounce
  const counted = await db.one<{ emails: number }>(sql.COUNT_SOFT_BOUNCE, [
    accountId,
    recipient,
    sandbox,
    emailId,
    bouncedAt,
    WINDOW_DAYS,
  ])
  if ((counted?.emails ?? 0) < SOFT_BOUNCES) return null
  await db.execute(sql.FORGET_SOFT_BOUNCES, [[accountId], [recipient], [sandbox]])
  const [suppressed] = await suppress(db, context, [{ ...evidence, reason: 'repeated_soft_bounce', expiresAt: null }])
  return suppressed ?? null
}

export interface Delivered {
  readonly accountId: string
  /** The suppression key of the recipient. */
  readonly recipient: string
  readonly sandbox: boolean
  readonly emailId: string
}

/**
 * A delivery resets the soft bounce count, unless a later report says that it bounced. A delivery of live mail also
 * deletes the record of past hard bounces. Runs one statement for any number of deliveries, with two look-ups each.
 */
export async function noteDelivery(db: Db, delivered: readonly Delivered[]): Promise<void> {
  if (delivered.length === 0) return
  const sorted = delivered.toSorted((a, b) => (a.recipient < b.recipient ? -1 : 1))
  await db.execute(sql.NOTE_DELIVERY, [
    sorted.map(({ accountId }) => accountId),
    sorted.map(({ recipient }) => recipient),
    sorted.map(({ sandbox }) => sandbox),
    sorted.map(({ emailId }) => emailId),
    DELIVERIES_KEPT,
  ])
}

/** @returns how many counts were too old to matter and were deleted; `limit` means that there may be more */
export async function forgetOldSoftBounces(db: Db, { clock }: Context, limit: number): Promise<number> {
  return db.execute(sql.FORGET_OLD_SOFT_BOUNCES, [new Date(clock.now().getTime() - WINDOW_DAYS * DAY_MS), limit])
}
