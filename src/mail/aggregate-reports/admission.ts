// Which of the aggregate reports that arrive by mail are kept.
//
// A report is valid only when its author's domain signed it. Others are kept for display, with the reason. They do not count
// against the limit of signed reports, and a signed report replaces them. Anybody can sign for their own domain, so one
// organization may fill only a part of the limit. A repetition from the same organization is ignored.

import { type DkimOutcome, organizationOf } from '../authentication/dkim-check.ts'

export interface ReportsToday {
  readonly count: number
  /** How many of these a given organization signed. */
  readonly of_signer: number
}

export interface KnownReport {
  readonly dkim_domain: string | null
}

/** Where reports about one domain of one account are kept. */
export interface ReportShelf {
  /** Those of the last day, signed or not. */
  today(isSigned: boolean, signer: string | null): Promise<ReportsToday | null>
  /** Keeps the report, or replaces an unsigned one by it. @returns 0 when it is known */
  keepAs(reportId: string): Promise<number>
  /** The report with this one's id and day. */
  known(): Promise<KnownReport | null>
}

export interface ReportLimits {
  /** Most reports of a day about a domain of an account: signed ones, and as many others. */
  readonly daily: number
  readonly dailyOfSigner: number
}

/** unverified: kept, but without its author's signature. */
export type Admission = 'kept' | 'unverified' | 'too_many' | 'known'

export async function admitReport(
  shelf: ReportShelf,
  reportId: string,
  dkim: DkimOutcome,
  limits: ReportLimits,
): Promise<Admission> {
  const isSigned = dkim.result === 'pass'
  const signer = dkim.domain === null ? null : organizationOf(dkim.domain)
  const today = (await shelf.today(isSigned, signer)) ?? { count: 0, of_signer: 0 }
  if (today.count >= limits.daily || today.of_signer >= limits.dailyOfSigner) return 'too_many'
  let kept = await shelf.keepAs(reportId)
  // Anybody can sign a report in another organization's name and with its id: such a report must not block the real one.
  if (kept === 0 && isSigned && (await shelf.known())?.dkim_domain !== dkim.domain)
    kept = await shelf.keepAs(`${reportId} (${dkim.domain})`)
  return kept === 0 ? 'known' : isSigned ? 'kept' : 'unverified'
}

/** The outcome of a report that was offered to several shelves. */
export function admissionOf(outcomes: readonly Admission[]): Admission {
  return (['kept', 'unverified', 'too_many'] as const).find((outcome) => outcomes.includes(outcome)) ?? 'known'
}
