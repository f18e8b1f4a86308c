// Retention: data is deleted when it is older than its account's `retention_days` (default 90), by whole days in UTC. A part of
// the composition root.
//
// - Events, contents, attempts and bounces go then. The email's own row stays at least 60 days, because unsubscribes by mail and
//   complaints are matched with it. Figures stay for ever, and so do the lists of recipients who must not be mailed. Hits go
//   after two weeks and webhook deliveries after a month, for every account.
// - Days that no account needs any longer are dropped by partition. For an account with a shorter retention, rows are deleted in
//   batches of some hundred, each followed by a rest three times as long as the batch took, so that this uses at most a quarter
//   of a connection.
// - Nothing is deleted that is still to be sent, to be delivered to a webhook, or to be read by a follower of the log; data of the
//   day of the oldest such item of its account, and newer data, waits with it. A day deleted in part would be counted in part.
// - A clock that has jumped ahead deletes nothing before it has stood for a day (machines/settled-time.ts).
// - The start of a deletion is recorded before anything is deleted, so that a recount of the statistics never takes a partly
//   deleted day for a complete one. After a crash the next turn deletes the rest.

import {
  beginForgetting,
  endForgetting,
  type Keeping,
  keepings,
  longestRetentionDays,
} from '../modules/accounts/index.ts'
import { forgetBounces } from '../modules/bounces/index.ts'
import { dropEvents, forgetEvents, readUpTo } from '../modules/events/index.ts'
import { settledClock } from '../modules/machines/index.ts'
import { dropOutboxDays, forgetContents, forgetEmails, oldestUnended } from '../modules/outbox/index.ts'
import { forgetFirsts } from '../modules/statistics/index.ts'
import { dropHits } from '../modules/tracking/index.ts'
import { dropDeliveries, oldestUntold } from '../modules/webhooks/index.ts'
import type { Clock } from '../platform/clock.ts'
import { type Database, isUnavailable } from '../platform/db.ts'
import { FIRST_ID } from '../platform/ids.ts'
import { type Loop, loop } from '../platform/lifecycle.ts'
import type { Ground } from './ground.ts'
import { paced } from './paced.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const EMAILS_KEPT_DAYS = 60
const AT_ONCE = 500
const ACCOUNTS_AT_ONCE = 500

export interface RetentionOptions {
  readonly database: Database
  readonly ground: { readonly clock: Clock } & Pick<Ground, 'log'>
}

export function retentionLoop({ database, ground }: RetentionOptions): Loop {
  return loop({
    name: 'retention',
    turn: async (signal) => {
      const clock = await settledClock({ database, ...ground })
      await forgetWhatIsOld({ database, ground: { ...ground, clock } }, signal)
      return HOUR_MS
    },
    onError: (err) => ground.log.warn({ err }, 'old data will be taken away later'),
    retryMs: 60_000,
  })
}

/**
 * One turn: resolves when nothing is left to delete today. An account whose data cannot be deleted does not keep the others': the
 * turn rejects once it has been through all. Rejects at once when `signal` aborts.
 */
export async function forgetWhatIsOld({ database, ground }: RetentionOptions, signal: AbortSignal): Promise<void> {
  const { system } = database
  const now = ground.clock.now()
  const yesterday = daysBefore(now, 1)
  const [unended, untold, read] = await Promise.all([
    oldestUnended(system, yesterday),
    oldestUntold(system, yesterday),
    readUpTo(system, now),
  ])
  /** The margin: an email is accepted shortly before its event is written, and the ids of its recipients are slightly apart. */
  const waiting = (accountId: string): Date =>
    startOfDay(earliest([unended.get(accountId), untold.get(accountId), read], HOUR_MS))
  const days = await longestRetentionDays(system)
  const all = earliest([...unended.values(), ...untold.values(), read], HOUR_MS)
  const before = earliest([daysBefore(now, days), all])
  await dropHits(database, now)
  await dropDeliveries(database, now)
  await dropEvents(database, { before, now })
  await dropOutboxDays(database, 'contents', before)
  await dropOutboxDays(database, 'emails', earliest([daysBefore(now, Math.max(days, EMAILS_KEPT_DAYS)), all]))
  const failures: unknown[] = []
  for (let after = FIRST_ID; ; ) {
    const some = await keepings(system, after, ACCOUNTS_AT_ONCE)
    for (const keeping of some) {
      const until = whenOf(keeping, now, waiting(keeping.accountId))
      await forgetOf({ database, ground }, keeping, until, signal).catch((error: unknown) => {
        signal.throwIfAborted()
        if (isUnavailable(error)) throw error
        failures.push(error)
      })
    }
    const last = some.at(-1)
    if (last === undefined || some.length < ACCOUNTS_AT_ONCE) break
    after = last.accountId
  }
  if (failures.length > 0) throw failures[0]
}

type Until = Pick<Keeping, 'doneBefore' | 'emailsBefore'>

function whenOf({ days }: Keeping, now: Date, waiting: Date): Until {
  return {
    doneBefore: earliest([daysBefore(now, days), waiting]),
    emailsBefore: earliest([daysBefore(now, Math.max(days, EMAILS_KEPT_DAYS)), waiting]),
  }
}

/** The first moment of the day `days` days before today. */
function daysBefore(now: Date, days: number): Date {
  return startOfDay(new Date(now.getTime() - days * DAY_MS))
}

function startOfDay(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS)
}

function earliest(dates: readonly (Date | undefined)[], lessMs = 0): Date {
  const times = dates.map((date) => date?.getTime() ?? Number.POSITIVE_INFINITY)
  // There may be as many dates as accounts, more than one call can take as arguments.
  return new Date(times.reduce((first, time) => Math.min(first, time), Number.POSITIVE_INFINITY) - lessMs)
}

async function forgetOf(
  { database, ground }: RetentionOptions,
  { accountId, days, ...since }: Keeping,
  until: Until,
  signal: AbortSignal,
): Promise<void> {
  const { system } = database
  const hasOld = since.doneBefore < until.doneBefore
  const hasEmails = since.emailsBefore < until.emailsBefore
  if (!hasOld && !hasEmails) return
  await beginForgetting(system, accountId, until.doneBefore)
  const inSteps = (step: () => Promise<boolean>): Promise<void> => paced(ground.clock, signal, step)
  const swept = (forget: typeof forgetEvents, from: Date, before: Date): Promise<void> => {
    let at: Date | null = from
    return inSteps(async () => {
      at = at === null || at >= before ? null : await forget(database, accountId, { from: at, before })
      return at !== null
    })
  }
  if (hasOld) {
    const { doneBefore } = until
    await swept(forgetContents, since.doneBefore, doneBefore)
    await inSteps(async () => (await forgetBounces(system, accountId, doneBefore, AT_ONCE)) === AT_ONCE)
    await swept(forgetEvents, since.doneBefore, doneBefore)
  }
  if (hasEmails) {
    const { emailsBefore } = until
    // Firsts are needed while the log may contain a later event of the email.
    const unasked = new Date(emailsBefore.getTime() - (days + 1) * DAY_MS)
    await swept(forgetEmails, since.emailsBefore, emailsBefore)
    await inSteps(async () => (await forgetFirsts(system, accountId, unasked, AT_ONCE)) === AT_ONCE)
  }
  await endForgetting(system, accountId, until)
}
