// The volume of an account compared with its own past.
//
//   window      the current clock hour and the current day in UTC, up to now
//   past        the busiest hour and the busiest day of the 28 days before today
//   spike       more than 3 times the busiest of its kind, and more than the allowance: 500 in an hour, 2,000 in a day
//   unit        live emails accepted, one per recipient; sandbox mail, previews and refused recipients do not count
//
// The busiest rather than the mean, so that a newsletter on Tuesdays is no spike between quiet days. An account without a past
// has only the allowance: a small volume is never a spike, however new the account, and a larger start is reported. The
// message being judged does not count itself. An account with no accepted live email yet is sending for the first time.

import type { Writer } from '../../platform/db.ts'
import * as sql from './sql.ts'

export const PAST_DAYS = 28
const FACTOR = 3
const HOUR_ALLOWANCE = 500
const DAY_ALLOWANCE = 2_000
const DAY_MS = 86_400_000

export interface Volume {
  readonly today: number
  readonly thisHour: number
  readonly busiestDay: number
  readonly busiestHour: number
  /** A live email has ever been accepted. */
  readonly hasSent: boolean
}

export const NO_VOLUME: Volume = { today: 0, thisHour: 0, busiestDay: 0, busiestHour: 0, hasSent: false }

/** Pure. */
export function isSpike({ today, thisHour, busiestDay, busiestHour }: Volume): boolean {
  return (
    thisHour > Math.max(HOUR_ALLOWANCE, FACTOR * busiestHour) || today > Math.max(DAY_ALLOWANCE, FACTOR * busiestDay)
  )
}

/** The window at a moment, as the statements take it. */
export function windowOf(now: Date): { readonly day: string; readonly firstDay: string; readonly hour: number } {
  const dayOf = (at: Date): string => at.toISOString().slice(0, 10)
  return {
    day: dayOf(now),
    firstDay: dayOf(new Date(now.getTime() - PAST_DAYS * DAY_MS)),
    hour: now.getUTCHours(),
  }
}

/** Counts live emails, in the transaction that accepts them. */
export async function countSent(
  db: Writer,
  accepted: readonly { readonly accountId: string; readonly count: number }[],
  now: Date,
): Promise<void> {
  const totals = new Map<string, number>()
  for (const { accountId, count } of accepted)
    if (count > 0) totals.set(accountId, (totals.get(accountId) ?? 0) + count)
  if (totals.size === 0) return
  const { day, hour } = windowOf(now)
  await db.execute(sql.COUNT_SENT, [[...totals.keys()], [...totals.values()], day, hour])
}
