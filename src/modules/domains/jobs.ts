import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import { type Loop, loop } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import type { Domains } from './domains.ts'
import * as sql from './sql.ts'
import { latestChecks, oftenSince } from './states.ts'
import { domainOf } from './types.ts'

/** Number of concurrent rechecks. */
const BATCH = 20
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
  return loop({
    name: 'domain rechecks',
    turn: (signal) => recheckDue(options, signal),
    onError: (err) => options.log.warn({ err }, 'domain rechecks will be tried again'),
  })
}

/** Makes due what a clock that was ahead has put off further than the schedule allows. */
export async function recallRechecks(db: Db, now: Date): Promise<void> {
  const { often, hourly, daily } = latestChecks(now)
  await db.execute(sql.recallChecks, [now, often, hourly, daily, oftenSince(now)])
}

/** @returns how long to wait before the next turn, in milliseconds */
export async function recheckDue(
  { database, clock, domains, log }: RecheckOptions,
  signal: AbortSignal,
): Promise<number> {
  const now = clock.now()
  const leased = new Date(now.getTime() + LEASE_MS)
  const due = await database.system.query<sql.DomainRow>(sql.claimDue, [now, leased, BATCH])
  await Promise.all(
    due.map(domainOf).map(async (domain) => {
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
    }),
  )
  if (due.length === BATCH) return 0
  const next = await database.system.one<{ at: Date }>(sql.nextDue)
  const waitMs = next === null ? MAX_WAIT_MS : next.at.getTime() - clock.now().getTime()
  return Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, waitMs))
}
