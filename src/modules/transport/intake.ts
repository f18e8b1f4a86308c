// Reports about TLS that others send us (RFC 8460), by mail to `tlsrpt@<our host>`.
//
// Each is kept for the accounts that have verified the domain it is about, once: the same one from the same organization is
// known. What is about our own host is the operator's. Of other domains nothing is kept. At most 200 a day of a domain, each
// for 90 days. A mail is read in a thread of its own, within 2 s and 128 MB.

import type { ToldTls, ToldTlsDomain } from '../../mail/tls-report-mail.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { firstIdAt, type Ids } from '../../platform/ids.ts'
import { threadFor } from '../../platform/thread.ts'
import * as sql from './sql.ts'

/** What stands before the `@` of the address. */
export const TLS_REPORTS_AT = 'tlsrpt'

export interface TlsIntakeOptions {
  readonly clock: Clock
  readonly ids: Ids
  /** The accounts that have shown that a domain is theirs. @param domain in lower case */
  readonly ownersOf: (domain: string) => Promise<readonly string[]>
}

export interface TlsIntake {
  /**
   * Reads a mail. What it answers keeps the report in the caller's transaction and tells what became of it: kept, known,
   * too_many, unmatched (no domain of ours), no_report.
   *
   * @throws when the mail costs more than it may
   */
  read(raw: Buffer): Promise<(db: Db) => Promise<string>>
  close(): Promise<void>
}

const DAY_MS = 86_400_000
const DAILY_MOST = 200
const KEPT_DAYS = 90
const READING = { file: new URL('./intake-thread.ts', import.meta.url), withinMs: 2_000, memoryMb: 128 }

export function tlsIntake(options: TlsIntakeOptions): TlsIntake {
  const thread = threadFor<Buffer, ToldTls | null>(READING)
  return {
    read: async (raw) => {
      const report = await thread.run(raw)
      if (report === null) return async () => 'no_report'
      const owned: Owned[] = []
      for (const about of report.domains) {
        for (const accountId of await options.ownersOf(about.domain)) owned.push({ accountId, about })
      }
      return (db) => keepAll(db, options, report, owned)
    },
    close: () => thread.close(),
  }
}

interface Owned {
  readonly accountId: string
  readonly about: ToldTlsDomain
}

async function keepAll(db: Db, options: TlsIntakeOptions, report: ToldTls, owned: readonly Owned[]): Promise<string> {
  const outcomes = new Set<string>()
  for (const one of owned) outcomes.add(await keep(db, options, report, one))
  return ['kept', 'too_many', 'known'].find((outcome) => outcomes.has(outcome)) ?? 'unmatched'
}

async function keep(db: Db, { clock, ids }: TlsIntakeOptions, report: ToldTls, owned: Owned): Promise<string> {
  const { accountId, about } = owned
  const now = clock.now()
  const since = firstIdAt(new Date(now.getTime() - DAY_MS))
  const today = await db.one<{ count: number }>(sql.countReports, [accountId, about.domain, since])
  if ((today?.count ?? 0) >= DAILY_MOST) return 'too_many'
  const { organization, reportId, contact, begin, end } = report
  const told = [about.domain, organization, reportId, contact, begin, end]
  const figures = [about.successful, about.failed, JSON.stringify(about.policies), now]
  const kept = await db.execute(sql.keepReport, [accountId, ids.next(), ...told, ...figures])
  return kept === 0 ? 'known' : 'kept'
}

/** @returns how many were too old and are gone */
export function forgetTlsReports(db: Db, now: Date, limit: number): Promise<number> {
  return db.execute(sql.forgetReports, [new Date(now.getTime() - KEPT_DAYS * DAY_MS), limit])
}
