// DMARC aggregate reports that receivers send us (RFC 9990), by mail to `dmarc@<our host>`.
//
// A report is kept once for every account that has verified the domain of the policy. A policy also applies to the names below
// its domain: an account that has verified only such a name gets the records of its own mail. Reports about other domains are
// dropped. At most 1,000 a day are kept for a domain of an account, 50 of one organization, each for 90 days
// (aggregate-reports/admission.ts). A separate thread parses a mail.

import {
  type Admission,
  admissionOf,
  admitReport,
  type KnownReport,
  type ReportLimits,
  type ReportShelf,
  type ReportsToday,
} from '../../mail/aggregate-reports/admission.ts'
import { type DmarcRecord, type DmarcReport, totalsOf } from '../../mail/aggregate-reports/dmarc.ts'
import { type DkimOutcome, type DkimQuestion, OF_DMARC_REPORT } from '../../mail/authentication/dkim-check.ts'
import type { Db } from '../../platform/db.ts'
import { type ReportIntake, type ReportIntakeOptions, reportIntake } from '../../platform/domain-reports/intake.ts'
import { firstIdAt } from '../../platform/ids.ts'
import * as sql from './sql.ts'

/** Local part of the report address. */
export const DMARC_REPORTS_AT = 'dmarc'

export type DmarcIntake = ReportIntake<DkimQuestion, DkimOutcome>

const DAY_MS = 86_400_000
const LIMITS: ReportLimits = { daily: 1_000, dailyOfSigner: 50 }
/** Names below the policy's domain that are looked up for one report. */
const NAMES_MOST = 20
const KEPT_DAYS = 90
const READER = new URL('./intake-thread.ts', import.meta.url)

export function dmarcIntake(options: ReportIntakeOptions): DmarcIntake {
  return reportIntake({
    file: READER,
    question: OF_DMARC_REPORT,
    partsOf: (report: DmarcReport) => ownedParts(report, options.ownersOf),
    keep: (db, report, dkim: DkimOutcome, part) => keep(db, options, { report, dkim, ...part }),
    outcomeOf: admissionOf,
  })
}

/** What an account may see of a report. */
interface Owned {
  readonly accountId: string
  readonly domain: string
  /** Null: all of it. */
  readonly records: readonly DmarcRecord[] | null
}

async function ownedParts(report: DmarcReport, ownersOf: ReportIntakeOptions['ownersOf']): Promise<readonly Owned[]> {
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

interface Arrived extends Owned {
  readonly report: DmarcReport
  readonly dkim: DkimOutcome
}

function keep(db: Db, { clock, ids }: ReportIntakeOptions, arrived: Arrived): Promise<Admission> {
  const { report, dkim, accountId, domain } = arrived
  const now = clock.now()
  const since = firstIdAt(new Date(now.getTime() - DAY_MS))
  const { organization, reportId, contact, begin, end, policy } = report
  const records = arrived.records ?? report.records
  const { messages, passed, quarantined, rejected } = arrived.records === null ? report.totals : totalsOf(records)
  const shelf: ReportShelf = {
    today: (isSigned, signer) => db.one<ReportsToday>(sql.countReports, [accountId, domain, since, isSigned, signer]),
    keepAs: (name) =>
      db.execute(sql.keepReport, [
        ...[accountId, ids.next(), domain, organization, name, contact, begin, end],
        ...[report.domain, JSON.stringify(policy), messages, passed, quarantined, rejected, JSON.stringify(records)],
        ...[now, dkim.result, dkim.domain, dkim.reason],
      ]),
    known: () => db.one<KnownReport>(sql.signerOf, [accountId, domain, organization, reportId, begin]),
  }
  return admitReport(shelf, reportId, dkim, LIMITS)
}

/** Deletes reports older than 90 days, at most `limit`. @returns how many */
export function forgetDmarcReports(db: Db, now: Date, limit: number): Promise<number> {
  return db.execute(sql.forgetReports, [new Date(now.getTime() - KEPT_DAYS * DAY_MS), limit])
}
