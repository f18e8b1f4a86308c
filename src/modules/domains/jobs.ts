import { accountPlaces } from '../../platform/account-places.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import { type Loop, loop, withWork } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import type { Domains } from './domains.ts'
import * as sql from './sql.ts'
import { latestChecks, oftenSince } from './states.ts'
import { type Domain, domainOf } from './types.ts'

/** Number of concurrent rechecks of a process. */
const AT_ONCE = 20
/** Of these, kept for accounts that have none under way: a check takes ten seconds where the DNS is silent. */
const KEPT = 5
/** After an outage all domains are due at once. A recheck takes some 8 ms of the thread that also answers requests. */
const PACE_MS = 50
const CLAIMED_TOGETHER = 5
/** Longer than any recheck takes; a recheck whose worker dies is due again after this. */
const LEASE_MS = 120_000
const MAX_WAIT_MS = 15_000
const MIN_WAIT_MS = 250

export interface RecheckOptions {
  readonly database: Database
  readonly clock: Clock
  readonly domains: Domains
  readonly log: Logger
}

/** Rechecks the domains that are due. Runs on any number of machines: each due domain is leased to one of them. */
export function recheckLoop(options: RecheckOptions): Loop {
  const rechecks = rechecksOf(options, { paceMs: PACE_MS, onRoom: () => looking.wake() })
  const looking = loop({
    name: 'domain rechecks',
    turn: (signal) => rechecks.begin(signal),
    onError: (err) => options.log.warn({ err }, 'domain rechecks will be tried again'),
  })
  return withWork(looking, () => rechecks.over())
}

/** Rechecks all domains that are due, and resolves when none is. */
export async function recheckDue(options: RecheckOptions, signal: AbortSignal): Promise<void> {
  const rechecks = rechecksOf(options, { paceMs: 0, onRoom: () => undefined })
  for (let waitMs = 0; waitMs === 0; await rechecks.over()) waitMs = await rechecks.begin(signal)
}

/** Makes due what a clock that was ahead has put off further than the schedule allows. */
export async function recallRechecks(db: Db, now: Date): Promise<void> {
  const { often, hourly, daily } = latestChecks(now)
  await db.execute(sql.recallChecks, [now, often, hourly, daily, oftenSince(now)])
}

interface Rechecks {
  /** Begins some of those for which there is room. @returns how long to wait before the next call, in ms */
  begin(signal: AbortSignal): Promise<number>
  /** Resolves when those under way have ended. */
  over(): Promise<void>
}

function rechecksOf(
  options: RecheckOptions,
  { paceMs, onRoom }: { readonly paceMs: number; readonly onRoom: () => void },
): Rechecks {
  const { database, clock } = options
  const places = accountPlaces({ places: AT_ONCE, kept: KEPT, together: CLAIMED_TOGETHER, onFree: onRoom })
  let notBeforeMs = Number.NEGATIVE_INFINITY
  return {
    begin: async (signal) => {
      const restMs = notBeforeMs - clock.monotonicMs()
      if (restMs > 0) return restMs
      const { count, except } = places.free()
      if (count === 0) return MAX_WAIT_MS
      const now = clock.now()
      const leased = new Date(now.getTime() + LEASE_MS)
      const due = await database.system.query<sql.DomainRow>(sql.claimDue, [now, leased, count, except])
      for (const domain of due.map(domainOf)) places.take(domain.accountId, recheck(options, domain, signal))
      if (due.length > 0) {
        notBeforeMs = clock.monotonicMs() + due.length * paceMs
        return due.length * paceMs
      }
      const next = await database.system.one<{ at: Date }>(sql.nextDue, [except])
      const waitMs = next === null ? MAX_WAIT_MS : next.at.getTime() - clock.now().getTime()
      return Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, waitMs))
    },
    over: () => places.over(),
  }
}

/** Never rejects. */
async function recheck({ domains, log }: RecheckOptions, domain: Domain, signal: AbortSignal): Promise<void> {
  try {
    const after = await domains.recheck(domain, signal)
    if (after === null) return
    const of = { account_id: domain.accountId, domain_id: domain.id }
    if (after.dkimSelector !== domain.dkimSelector) {
      log.info({ ...of, from: domain.dkimSelector, to: after.dkimSelector }, 'DKIM keys of a domain were replaced')
    }
    if (after.status !== domain.status) {
      log.info({ ...of, from: domain.status, to: after.status }, 'domain changed its state')
    }
  } catch (err) {
    if (signal.aborted) return
    log.warn({ err, domain_id: domain.id }, 'domain recheck failed and will be tried again')
  }
}
