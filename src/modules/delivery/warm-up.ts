// The warm-up of new source addresses. A new address has no reputation, and a receiver that suddenly gets much mail from one
// defers or refuses it. So on its first day it carries 200 mails to one receiver, and twice as many every three days, spread over
// the hours of the day (UTC). What it may not carry goes from the other addresses of its list; nothing waits for it. After thirty
// days it is like the others.
//
// A receiver is a provider (providers.ts) or the registrable domain of the host. The counts are in the database, so that a
// restart does not begin the day again. A kill loses those of the last ten seconds.

import { providerOf } from '../../mail/dns/providers.ts'
import { registrableDomain } from '../../mail/dns/records.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { loop, type Service } from '../../platform/lifecycle.ts'
import * as sql from './sql-warm-up.ts'

/** Which source addresses a mail may have. */
export interface SourceChoice {
  /** @returns those of `among` that may carry one more mail to `host`; empty only if `among` is */
  able(among: readonly string[], host: string): readonly string[]
  /** @param source null: the system's choice */
  mayCarry(source: string | null, host: string): boolean
  /** A mail goes to `host` from there. */
  note(source: string | null, host: string): void
}

export const ANY_SOURCE: SourceChoice = {
  able: (among) => among,
  mayCarry: () => true,
  note: () => undefined,
}

export interface WarmUp extends Service, SourceChoice {
  /** Writes what has been counted, and learns what other processes have. */
  flush(): Promise<void>
}

export const FIRST_DAY_MAILS = 200
export const DOUBLED_EVERY_DAYS = 3
export const WARM_UP_DAYS = 30
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const FLUSH_MS = 10_000
/** Beyond so many receivers in a day, further ones get their mail from the other addresses, and are not counted if there are none. */
const MAX_RECEIVERS = 20_000

/**
 * Mails to one receiver on a day of the warm-up.
 *
 * @param since the first day, `YYYY-MM-DD`; before it, the same holds as on it
 * @returns Infinity when the warm-up is over
 */
export function dailyAllowance(since: string, now: Date): number {
  const day = Math.max(0, Math.floor((now.getTime() - Date.parse(since)) / DAY_MS))
  return day < WARM_UP_DAYS ? Math.floor(FIRST_DAY_MAILS * 2 ** (day / DOUBLED_EVERY_DAYS)) : Number.POSITIVE_INFINITY
}

/** What each new address may carry today, in a sentence. */
export function warmUpFindings(since: ReadonlyMap<string, string>, now: Date): readonly string[] {
  return [...since].map(([address, first]) => {
    const mails = dailyAllowance(first, now)
    return mails === Number.POSITIVE_INFINITY
      ? `the warm-up of ${address} is over: take it out of POSTHORN_WARM_UP_IPS`
      : `${address} is new since ${first} and carries ${mails} mails to each receiver today`
  })
}

interface Counted {
  readonly address: string
  readonly day: string
  readonly receiver: string
}

interface Count extends Counted {
  /** In the database, of all processes. */
  stored: number
  /** Not there yet. */
  fresh: number
}

interface Row extends Counted {
  readonly mails: number
}

export interface WarmUpOptions {
  readonly db: Db
  readonly clock: Clock
  /** The first day (`YYYY-MM-DD`) of each new address, which is spelled as in the lists of source addresses. */
  readonly since: ReadonlyMap<string, string>
  readonly onError: (error: unknown) => void
}

export function warmUpOf({ db, clock, since, onError }: WarmUpOptions): WarmUp {
  const counts = new Map<string, Count>()
  const keyOf = ({ address, day, receiver }: Counted): string => `${address} ${day} ${receiver}`
  const countOf = (named: Counted): Count => {
    const key = keyOf(named)
    const known = counts.get(key) ?? { ...named, stored: 0, fresh: 0 }
    counts.set(key, known)
    return known
  }
  const today = (): string => clock.now().toISOString().slice(0, 10)
  /** Mails to one receiver from the start of the day to the end of this hour; Infinity when the address is not new. */
  const allowed = (source: string): number => {
    const first = since.get(source)
    if (first === undefined) return Number.POSITIVE_INFINITY
    const now = clock.now()
    const hours = Math.floor((now.getTime() % DAY_MS) / HOUR_MS) + 1
    return Math.ceil((dailyAllowance(first, now) * hours) / 24)
  }
  const has = (source: string, host: string): boolean => {
    const most = allowed(source)
    if (most === Number.POSITIVE_INFINITY) return true
    const known = counts.get(keyOf({ address: source, day: today(), receiver: receiverOf(host) }))
    return known === undefined ? counts.size < MAX_RECEIVERS : known.stored + known.fresh < most
  }
  const learn = (rows: readonly Row[]): void => {
    for (const row of rows) countOf(row).stored = row.mails
  }
  const load = async (): Promise<void> => {
    await db.execute(sql.forgetWarmUp, [today()])
    learn(await db.query<Row>(sql.findWarmUp, [[...since.keys()], today(), MAX_RECEIVERS]))
  }
  const flush = async (): Promise<void> => {
    const written = [...counts.values()].flatMap((count) => (count.fresh > 0 ? [{ count, mails: count.fresh }] : []))
    if (written.length > 0) {
      const each = <T>(of: (count: Count) => T): T[] => written.map(({ count }) => of(count))
      const mails = written.map((one) => one.mails)
      const rows = await db.query<Row>(sql.addWarmUp, [
        each(({ address }) => address),
        each(({ day }) => day),
        each(({ receiver }) => receiver),
        mails,
      ])
      for (const one of written) one.count.fresh -= one.mails
      learn(rows)
    }
    const day = today()
    const isOver = (count: Count): boolean => count.day !== day && count.fresh === 0
    const over = [...counts].filter(([, count]) => isOver(count))
    for (const [key] of over) counts.delete(key)
    if (over.length > 0) await db.execute(sql.forgetWarmUp, [day])
  }
  const flushing = loop({
    name: 'warm-up of source addresses',
    turn: async () => {
      await flush()
      return FLUSH_MS
    },
    onError,
  })
  return {
    name: 'warm-up of source addresses',
    start: async () => {
      await load()
      await flushing.start()
    },
    stop: async (deadline) => {
      await flushing.stop(deadline)
      await flush().catch(onError)
    },
    flush,
    able: (among, host) => {
      const able = among.filter((source) => has(source, host))
      return able.length > 0 ? able : among
    },
    mayCarry: (source, host) => source === null || has(source, host),
    note: (source, host) => {
      if (source === null || allowed(source) === Number.POSITIVE_INFINITY) return
      const named = { address: source, day: today(), receiver: receiverOf(host) }
      if (counts.size < MAX_RECEIVERS || counts.has(keyOf(named))) countOf(named).fresh++
    },
  }
}

/** The provider that receives at a host: its name, or the registrable domain of the host. */
function receiverOf(host: string): string {
  const { name, tier } = providerOf(host, [host])
  return tier === 'tier_1' || tier === 'tier_2' ? name : registrableDomain(host)
}
