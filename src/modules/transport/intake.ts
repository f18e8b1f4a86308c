// TLS reports that others send us (RFC 8460), by mail to `tlsrpt@<our host>`.
//
// Each report is kept once for every account that has verified the report's domain. Reports about our own host belong to the
// operator. Reports about other domains are dropped. At most 200 a day are kept for a domain of an account, 20 of one
// organization, each for 90 days (report-admission.ts). A separate thread parses a mail, within 2 s and 128 MB.

import { type DkimCheck, type DkimOutcome, OF_TLS_REPORT } from '../../mail/dkim-check.ts'
import {
  type Admission,
  admissionOf,
  admitReport,
  type ReportLimits,
  type ReportShelf,
} from '../../mail/report-admission.ts'
import type { ReceivedTlsDomain, ReceivedTlsReport } from '../../mail/tls-report-mail.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { firstIdAt, type Ids } from '../../platform/ids.ts'
import { threadFor } from '../../platform/thread.ts'
import * as sql from './sql.ts'

/** Local part of the report address. */
export const TLS_REPORTS_AT = 'tlsrpt'

export interface TlsIntakeOptions {
  readonly clock: Clock
  readonly ids: Ids
  /** The accounts that have verified a domain. @param domain in lower case */
  readonly ownersOf: (domain: string) => Promise<readonly string[]>
}

export interface TlsIntake {
  /**
   * Reads a mail. The returned function stores the report in the caller's transaction and returns the outcome: kept,
   * unverified (kept, but without its author's DKIM signature), known, too_many, unmatched (no domain of ours), no_report.
   *
   * @param mayWait whether the mail can be read again later
   * @returns null when the DNS does not answer for the signature and `mayWait` is set
   * @throws when parsing exceeds its limits of time or memory
   */
  read(raw: Buffer, check: DkimCheck, mayWait: boolean): Promise<((db: Db) => Promise<string>) | null>
  close(): Promise<void>
}

const DAY_MS = 86_400_000
const LIMITS: ReportLimits = { daily: 200, dailyOfSigner: 20 }
const KEPT_DAYS = 90
const READING = { file: new URL('./intake-thread.ts', import.meta.url), withinMs: 2_000, memoryMb: 128 }

export function tlsIntake(options: TlsIntakeOptions): TlsIntake {
  const thread = threadFor<Buffer, ReceivedTlsReport | null>(READING)
  return {
    read: async (raw, check, mayWait) => {
      const report = await thread.run(raw)
      if (report === null) return async () => 'no_report'
      const owned: Owned[] = []
      for (const about of report.domains) {
        for (const accountId of await options.ownersOf(about.domain)) owned.push({ accountId, about })
      }
      if (owned.length === 0) return async () => 'unmatched'
      const dkim = await check(raw, OF_TLS_REPORT)
      return dkim.reason === 'no_answer' && mayWait ? null : (db) => keepAll(db, options, { report, dkim }, owned)
    },
    close: () => thread.close(),
  }
}

interface Owned {
  readonly accountId: string
  readonly about: ReceivedTlsDomain
}

interface Read {
  readonly report: ReceivedTlsReport
  readonly dkim: DkimOutcome
}

async function keepAll(db: Db, options: TlsIntakeOptions, read: Read, owned: readonly Owned[]): Promise<string> {
  const outcomes: Admission[] = []
  for (const one of owned) outcomes.push(await keep(db, options, read, one))
  return admissionOf(outcomes)
}

function keep(db: Db, { clock, ids }: TlsIntakeOptions, { report, dkim }: Read, owned: Owned): Promise<Admission> {
  const { accountId, about } = owned
  const now = clock.now()
  const since = firstIdAt(new Date(now.getTime() - DAY_MS))
  const { organization, reportId, contact, begin, end } = report
  const figures = [about.successful, about.failed, JSON.stringify(about.policies), now]
  const shelf: ReportShelf = {
    today: async (isSigned, signer) =>
      (await db.one<Today>(sql.countReports, [accountId, about.domain, since, isSigned, signer])) ?? NONE,
    keepAs: (name) => {
      const figuresOfReport = [about.domain, organization, name, contact, begin, end]
      const signed = [dkim.result, dkim.domain, dkim.reason]
      return db.execute(sql.keepReport, [accountId, ids.next(), ...figuresOfReport, ...figures, ...signed])
    },
    knownSigner: async () =>
      (await db.one<Signed>(sql.signerOf, [accountId, about.domain, organization, reportId, begin]))?.dkim_domain ??
      null,
  }
  return admitReport(shelf, reportId, dkim, LIMITS)
}

const NONE: Today = { count: 0, of_signer: 0 }

interface Today {
  readonly count: number
  readonly of_signer: number
}

interface Signed {
  readonly dkim_domain: string | null
}

/** Deletes reports older than 90 days, at most `limit`. @returns how many */
export function forgetTlsReports(db: Db, now: Date, limit: number): Promise<number> {
  return db.execute(sql.forgetReports, [new Date(now.getTime() - KEPT_DAYS * DAY_MS), limit])
}
