// TLS reports that others send us (RFC 8460), by mail to `tlsrpt@<our host>`.
//
// Each report is kept once for every account that has verified the report's domain. Reports about our own host belong to the
// operator. Reports about other domains are dropped. At most 200 a day are kept for a domain of an account, 20 of one
// organization, each for 90 days (aggregate-reports/admission.ts). A separate thread parses a mail.

import {
  type Admission,
  admissionOf,
  admitReport,
  type KnownReport,
  type ReportLimits,
  type ReportShelf,
  type ReportsToday,
} from '../../mail/aggregate-reports/admission.ts'
import type { ReceivedTlsDomain, ReceivedTlsReport } from '../../mail/aggregate-reports/tls-mail.ts'
import { type DkimOutcome, type DkimQuestion, OF_TLS_REPORT } from '../../mail/authentication/dkim-check.ts'
import type { Db } from '../../platform/db.ts'
import { type ReportIntake, type ReportIntakeOptions, reportIntake } from '../../platform/domain-reports/intake.ts'
import { firstIdAt } from '../../platform/ids.ts'
import * as sql from './sql.ts'

/** Local part of the report address. */
export const TLS_REPORTS_AT = 'tlsrpt'

export type TlsIntake = ReportIntake<DkimQuestion, DkimOutcome>

const DAY_MS = 86_400_000
const LIMITS: ReportLimits = { daily: 200, dailyOfSigner: 20 }
const KEPT_DAYS = 90
const READER = new URL('./intake-thread.ts', import.meta.url)

export function tlsIntake(options: ReportIntakeOptions): TlsIntake {
  return reportIntake({
    file: READER,
    question: OF_TLS_REPORT,
    partsOf: (report: ReceivedTlsReport) => ownedParts(report, options.ownersOf),
    keep: (db, report, dkim: DkimOutcome, part) => keep(db, options, { report, dkim, ...part }),
    outcomeOf: admissionOf,
  })
}

/** What an account may see of a report. */
interface Owned {
  readonly accountId: string
  readonly domain: string
  readonly about: ReceivedTlsDomain
}

async function ownedParts(
  { domains }: ReceivedTlsReport,
  ownersOf: ReportIntakeOptions['ownersOf'],
): Promise<readonly Owned[]> {
  const owned: Owned[] = []
  for (const about of domains) {
    const { domain } = about
    for (const accountId of await ownersOf(domain)) owned.push({ accountId, domain, about })
  }
  return owned
}

interface Arrived extends Owned {
  readonly report: ReceivedTlsReport
  readonly dkim: DkimOutcome
}

function keep(
  db: Db,
  { clock, ids }: ReportIntakeOptions,
  { report, dkim, accountId, domain, about }: Arrived,
): Promise<Admission> {
  const now = clock.now()
  const since = firstIdAt(new Date(now.getTime() - DAY_MS))
  const { organization, reportId, contact, begin, end } = report
  const figures = [about.successful, about.failed, JSON.stringify(about.policies), now]
  const shelf: ReportShelf = {
    today: (isSigned, signer) => db.one<ReportsToday>(sql.countReports, [accountId, domain, since, isSigned, signer]),
    keepAs: (name) => {
      const figuresOfReport = [domain, organization, name, contact, begin, end]
      const signed = [dkim.result, dkim.domain, dkim.reason]
      return db.execute(sql.keepReport, [accountId, ids.next(), ...figuresOfReport, ...figures, ...signed])
    },
    known: () => db.one<KnownReport>(sql.signerOf, [accountId, domain, organization, reportId, begin]),
  }
  return admitReport(shelf, reportId, dkim, LIMITS)
}

/** Deletes reports older than 90 days, at most `limit`. @returns how many */
export function forgetTlsReports(db: Db, now: Date, limit: number): Promise<number> {
  return db.execute(sql.forgetReports, [new Date(now.getTime() - KEPT_DAYS * DAY_MS), limit])
}
