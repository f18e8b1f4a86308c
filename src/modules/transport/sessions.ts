// Counts TLS sessions by day, domain, policy and result, for the reports of RFC 8460. Counts only domains that publish a report
// address. Counts stay in memory for up to 15 s, and a killed process loses them: a report that misses a few sessions does no
// harm, but a write for each connection would.

import { tlsReportAddresses } from '../../mail/aggregate-reports/tls.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Resolver } from '../../platform/dns.ts'
import { freshCache } from '../../platform/fresh-cache.ts'
import { loop, type Service } from '../../platform/lifecycle.ts'
import * as sql from './sql.ts'
import type { Session } from './types.ts'

export interface SessionsOptions {
  readonly db: Db
  readonly clock: Clock
  readonly resolver: Resolver
  readonly onError: (error: unknown) => void
}

export interface Sessions {
  note(session: Session): void
  readonly service: Service
}

const FLUSH_MS = 15_000
const WANTED_MS = 3_600_000
const MAX_WANTED = 20_000
/** Beyond this, sessions of new kinds are not counted until the next write. */
const MAX_COUNTED = 20_000

interface Counted {
  readonly day: string
  readonly session: Session
  count: number
}

export function sessionCounts({ db, clock, resolver, onError }: SessionsOptions): Sessions {
  const wanted = freshCache<Promise<boolean>>({ clock, maxAgeMs: WANTED_MS, maxEntries: MAX_WANTED })
  let counts = new Map<string, Counted>()

  const wants = (site: string): Promise<boolean> => {
    const known = wanted.get(site)
    if (known !== undefined) return known
    const asOfMs = clock.monotonicMs()
    const asked = resolver
      .txt(`_smtp._tls.${site}`)
      .then((answer) => answer.kind === 'found' && tlsReportAddresses(answer.records).length > 0)
    wanted.set(site, asked, asOfMs)
    return asked
  }

  const add = (day: string, session: Session, count: number): void => {
    const { site, policy, fault, host, ip, sourceIp } = session
    const key = JSON.stringify([day, site, policy, fault, host, ip, sourceIp])
    const one = counts.get(key)
    if (one !== undefined) one.count += count
    else if (counts.size < MAX_COUNTED) counts.set(key, { day, session, count })
  }

  const flush = async (): Promise<void> => {
    if (counts.size === 0) return
    const taken = [...counts.values()]
    counts = new Map()
    try {
      await db.execute(sql.addSessions, [
        taken.map(({ day }) => day),
        taken.map(({ session }) => session.site),
        taken.map(({ session }) => JSON.stringify(session.policy)),
        taken.map(({ session }) => session.fault ?? ''),
        taken.map(({ session }) => session.host),
        taken.map(({ session }) => session.ip),
        taken.map(({ session }) => session.sourceIp ?? ''),
        taken.map(({ count }) => count),
      ])
    } catch (error) {
      onError(error)
      for (const { day, session, count } of taken) add(day, session, count)
    }
  }
  const looped = loop({
    name: 'tls sessions',
    turn: async () => {
      await flush()
      return FLUSH_MS
    },
    onError,
  })
  return {
    note: (session) => {
      wants(session.site).then((yes) => {
        if (yes) add(clock.now().toISOString().slice(0, 10), session, 1)
      }, onError)
    },
    service: {
      ...looped,
      stop: async (deadline) => {
        await looped.stop(deadline)
        await flush()
      },
    },
  }
}
