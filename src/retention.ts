// Retention: data goes when it is older than its account's `retention_days` (default 90), by whole days of UTC. A part of the
// composition root.
//
// - Events, contents, attempts and bounces go then; the email's own row not before 60 days, since whoever unsubscribes by
//   mail or complains is found by it. Figures stay for ever, and so do the lists of who must not be mailed.
//   Hits go after two weeks and what webhooks were told after a month, whoever they are of.
// - Days that no account wants any longer go by partition. An account that keeps less than another is deleted from in lots of
//   some hundred rows, with a rest three times as long as the lot took: it takes a quarter of a connection at most.
// - Nothing goes that is still to be sent, to be told to a webhook, or to be read by a follower of the log: what is older
//   than the oldest such thing of its account waits with it.
// - What was begun is noted before anything is deleted, so a recount of the statistics never takes a half-forgotten day for
//   a whole one. A crash leaves the rest for the next turn.

import type { Ground } from './ground.ts'
import {
  beginForgetting,
  endForgetting,
  type Keeping,
  keepings,
  longestRetentionDays,
} from './modules/accounts/index.ts'
import { forgetBounces } from './modules/bounces/index.ts'
import { dropEvents, forgetEvents, readUpTo } from './modules/events/index.ts'
import { dropOutboxDays, forgetContents, forgetEmails, oldestUnended } from './modules/outbox/index.ts'
import { forgetFirsts } from './modules/statistics/index.ts'
import { dropHits } from './modules/tracking/index.ts'
import { dropDeliveries, oldestUntold } from './modules/webhooks/index.ts'
import type { Database } from './platform/db.ts'
import { FIRST_ID } from './platform/ids.ts'
import { type Loop, loop } from './platform/lifecycle.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const EMAILS_KEPT_DAYS = 60
const RESTS = 3
const AT_ONCE = 500
const ACCOUNTS_AT_ONCE = 500

export interface RetentionOptions {
  readonly database: Database
  readonly ground: Pick<Ground, 'clock' | 'log'>
}

export function retentionLoop({ database, ground }: RetentionOptions): Loop {
  return loop({
    name: 'retention',
    turn: async (signal) => {
      await forgetWhatIsOld({ database, ground }, signal)
      return HOUR_MS
    },
    onError: (err) => ground.log.warn({ err }, 'old data will be taken away later'),
    retryMs: 60_000,
  })
}

/** One turn: resolves when nothing is left that may go today. Rejects when `signal` aborts. */
export async function forgetWhatIsOld({ database, ground }: RetentionOptions, signal: AbortSignal): Promise<void> {
  const { system } = database
  const now = ground.clock.now()
  const yesterday = daysBefore(now, 1)
  const [unended, untold, read] = await Promise.all([
    oldestUnended(system, yesterday),
    oldestUntold(system, yesterday),
    readUpTo(system, now),
  ])
  /** An email is accepted some moments before its event is written, its recipients' ids some apart. */
  const waiting = (accountId: string): Date => earliest([unended.get(accountId), untold.get(accountId), read], HOUR_MS)
  const days = await longestRetentionDays(system)
  const all = earliest([...unended.values(), ...untold.values(), read], HOUR_MS)
  const before = earliest([daysBefore(now, days), all])
  await dropHits(database, now)
  await dropDeliveries(database, now)
  await dropEvents(database, { before, now })
  await dropOutboxDays(database, 'contents', before)
  await dropOutboxDays(database, 'emails', earliest([daysBefore(now, Math.max(days, EMAILS_KEPT_DAYS)), all]))
  for (let after = FIRST_ID; ; ) {
    const some = await keepings(system, after, ACCOUNTS_AT_ONCE)
    for (const keeping of some) {
      const until = whenOf(keeping, now, waiting(keeping.accountId))
      await forgetOf({ database, ground }, keeping, until, signal)
    }
    const last = some.at(-1)
    if (last === undefined || some.length < ACCOUNTS_AT_ONCE) break
    after = last.accountId
  }
}

type Until = Pick<Keeping, 'doneBefore' | 'emailsBefore'>

function whenOf({ days }: Keeping, now: Date, waiting: Date): Until {
  return {
    doneBefore: earliest([daysBefore(now, days), waiting]),
    emailsBefore: earliest([daysBefore(now, Math.max(days, EMAILS_KEPT_DAYS)), waiting]),
  }
}

/** The first moment of the day that lies `days` days before today. */
function daysBefore(now: Date, days: number): Date {
  return new Date(Math.floor(now.getTime() / DAY_MS - days) * DAY_MS)
}

function earliest(dates: readonly (Date | undefined)[], lessMs = 0): Date {
  const times = dates.map((date) => date?.getTime() ?? Number.POSITIVE_INFINITY)
  // There may be as many as accounts: more than a call takes arguments.
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
  const paced = async (step: () => Promise<boolean>): Promise<void> => {
    for (let more = true; more; ) {
      const began = ground.clock.monotonicMs()
      more = await step()
      if (more) await ground.clock.sleep((ground.clock.monotonicMs() - began) * RESTS, signal)
      signal.throwIfAborted()
    }
  }
  const swept = (forget: typeof forgetEvents, from: Date, before: Date): Promise<void> => {
    let at: Date | null = from
    return paced(async () => {
      at = at === null || at >= before ? null : await forget(database, accountId, { from: at, before })
      return at !== null
    })
  }
  if (hasOld) {
    const { doneBefore } = until
    await swept(forgetContents, since.doneBefore, doneBefore)
    await paced(async () => (await forgetBounces(system, accountId, doneBefore, AT_ONCE)) === AT_ONCE)
    await swept(forgetEvents, since.doneBefore, doneBefore)
  }
  if (hasEmails) {
    const { emailsBefore } = until
    // What was first is asked as long as the log may hold a later event of the email.
    const unasked = new Date(emailsBefore.getTime() - (days + 1) * DAY_MS)
    await swept(forgetEmails, since.emailsBefore, emailsBefore)
    await paced(async () => (await forgetFirsts(system, accountId, unasked, AT_ONCE)) === AT_ONCE)
  }
  await endForgetting(system, accountId, until)
}
