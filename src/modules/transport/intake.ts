// TLS reports that others send us (RFC 8460), by mail to `tlsrpt@<our host>`.
//
// Each report is kept once for every account that has verified the report's domain; a repetition from the same organization
// is ignored. Reports about our own host belong to the operator. Reports about other domains are dropped. At most 200 a day
// are kept for a domain of an account, each for 90 days. A separate thread parses a mail, within 2 s and 128 MB.
//
// A report is valid only when its author's domain signed it (RFC 8460 section 3). Others are kept for display, with the reason.
// They do not count against the limit of signed reports, and a signed report replaces them. Anybody can sign for their own
// domain, so one organization may fill only 20 of the 200.

import { type DkimCheck, type DkimOutcome, OF_TLS_REPORT, organizationOf } from '../../mail/dkim-check.ts'
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
const DAILY_MOST = 200
const DAILY_MOST_OF_SIGNER = 20
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
  const outcomes = new Set<string>()
  for (const one of owned) outcomes.add(await keep(db, options, read, one))
  return ['kept', 'unverified', 'too_many'].find((outcome) => outcomes.has(outcome)) ?? 'known'
}

async function keep(db: Db, { clock, ids }: TlsIntakeOptions, { report, dkim }: Read, owned: Owned): Promise<string> {
  const { accountId, about } = owned
  const now = clock.now()
  const since = firstIdAt(new Date(now.getTime() - DAY_MS))
  const isSigned = dkim.result === 'pass'
  const signer = dkim.domain === null ? null : organizationOf(dkim.domain)
  const today = await db.one<Today>(sql.countReports, [accountId, about.domain, since, isSigned, signer])
  if ((today?.count ?? 0) >= DAILY_MOST || (today?.of_signer ?? 0) >= DAILY_MOST_OF_SIGNER) return 'too_many'
  const { organization, reportId, contact, begin, end } = report
  const figures = [about.successful, about.failed, JSON.stringify(about.policies), now]
  const keepAs = (name: string): Promise<number> => {
    const figuresOfReport = [about.domain, organization, name, contact, begin, end]
    const signed = [dkim.result, dkim.domain, dkim.reason]
    return db.execute(sql.keepReport, [accountId, ids.next(), ...figuresOfReport, ...figures, ...signed])
  }
  let kept = await keepAs(reportId)
  if (kept === 0 && isSigned) {
    const known = await db.one<Signed>(sql.signerOf, [accountId, about.domain, organization, reportId, begin])
    // Anybody can sign a report in another organization's name and with its id: such a report must not block the real one.
    if (known?.dkim_domain !== dkim.domain) kept = await keepAs(`${reportId} (${dkim.domain})`)
  }
  return kept === 0 ? 'known' : isSigned ? 'kept' : 'unverified'
}

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
