// DMARC aggregate reports that receivers send us (RFC 9990), by mail to `dmarc@<our host>`.
//
// A report is kept once for every account that has verified the domain of the policy. A policy also applies to the names below
// its domain: an account that has verified only such a name gets the records of its own mail. Reports about other domains are
// dropped. At most 1,000 a day are kept for a domain of an account, 50 of one organization, each for 90 days
// (report-admission.ts). A separate thread parses a mail, within 2 s and 128 MB.

import { type DkimCheck, type DkimOutcome, OF_DMARC_REPORT } from '../../mail/dkim-check.ts'
import { type DmarcRecord, type DmarcReport, totalsOf } from '../../mail/dmarc-report.ts'
import {
  type Admission,
  admissionOf,
  admitReport,
  type ReportLimits,
  type ReportShelf,
} from '../../mail/report-admission.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { firstIdAt, type Ids } from '../../platform/ids.ts'
import { threadFor } from '../../platform/thread.ts'
import * as sql from './sql.ts'

/** Local part of the report address. */
export const DMARC_REPORTS_AT = 'dmarc'

export interface DmarcIntakeOptions {
  readonly clock: Clock
  readonly ids: Ids
  /** The accounts that have verified a domain. @param domain in lower case */
  readonly ownersOf: (domain: string) => Promise<readonly string[]>
}

export interface DmarcIntake {
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
const LIMITS: ReportLimits = { daily: 1_000, dailyOfSigner: 50 }
/** Names below the policy's domain that are looked up for one report. */
const NAMES_MOST = 20
const KEPT_DAYS = 90
const READING = { file: new URL('./intake-thread.ts', import.meta.url), withinMs: 2_000, memoryMb: 128 }

export function dmarcIntake(options: DmarcIntakeOptions): DmarcIntake {
  const thread = threadFor<Buffer, DmarcReport | null>(READING)
  return {
    read: async (raw, check, mayWait) => {
      const report = await thread.run(raw)
      if (report === null) return async () => 'no_report'
      const owned = await ownedParts(report, options.ownersOf)
      if (owned.length === 0) return async () => 'unmatched'
      const dkim = await check(raw, OF_DMARC_REPORT)
      return dkim.result === 'unknown' && dkim.reason === 'no_answer' && mayWait
        ? null
        : (db) => keepAll(db, options, { report, dkim }, owned)
    },
    close: () => thread.close(),
  }
}

/** What an account may see of a report. */
interface Owned {
  readonly accountId: string
  readonly domain: string
  /** Null: all of it. */
  readonly records: readonly DmarcRecord[] | null
}

async function ownedParts(report: DmarcReport, ownersOf: DmarcIntakeOptions['ownersOf']): Promise<readonly Owned[]> {
  const whole = (await ownersOf(report.domain)).map(
    (accountId): Owned => ({ accountId, domain: report.domain, records: null }),
  )
  const below = Map.groupBy(report.records, ({ header_from }) => header_from)
  const names = [...below].filter(([name]) => name.endsWith(`.${report.domain}`)).slice(0, NAMES_MOST)
  const parts: Owned[] = []
  for (const [domain, records] of names) {
    for (const accountId of await ownersOf(domain)) parts.push({ accountId, domain, records })
  }
  return [...whole, ...parts]
}

interface Read {
  readonly report: DmarcReport
  readonly dkim: DkimOutcome
}

async function keepAll(db: Db, options: DmarcIntakeOptions, read: Read, owned: readonly Owned[]): Promise<string> {
  const outcomes: Admission[] = []
  for (const one of owned) outcomes.push(await keep(db, options, read, one))
  return admissionOf(outcomes)
}

function keep(db: Db, { clock, ids }: DmarcIntakeOptions, { report, dkim }: Read, owned: Owned): Promise<Admission> {
  const { accountId, domain } = owned
  const now = clock.now()
  const since = firstIdAt(new Date(now.getTime() - DAY_MS))
  const { organization, reportId, contact, begin, end, policy } = report
  const records = owned.records ?? report.records
  const { messages, passed, quarantined, rejected } = owned.records === null ? report.totals : totalsOf(records)
  const shelf: ReportShelf = {
    today: async (isSigned, signer) =>
      (await db.one<Today>(sql.countReports, [accountId, domain, since, isSigned, signer])) ?? NONE,
    keepAs: (name) =>
      db.execute(sql.keepReport, [
        ...[accountId, ids.next(), domain, organization, name, contact, begin, end],
        ...[report.domain, JSON.stringify(policy), messages, passed, quarantined, rejected, JSON.stringify(records)],
        ...[now, dkim.result, dkim.domain, dkim.reason],
      ]),
    knownSigner: async () =>
      (await db.one<Signed>(sql.signerOf, [accountId, domain, organization, reportId, begin]))?.dkim_domain ?? null,
  }
  return admitReport(shelf, reportId, dkim, LIMITS)
}

interface Today {
  readonly count: number
  readonly of_signer: number
}

const NONE: Today = { count: 0, of_signer: 0 }

interface Signed {
  readonly dkim_domain: string | null
}

/** Deletes reports older than 90 days, at most `limit`. @returns how many */
export function forgetDmarcReports(db: Db, now: Date, limit: number): Promise<number> {
  return db.execute(sql.forgetReports, [new Date(now.getTime() - KEPT_DAYS * DAY_MS), limit])
}
