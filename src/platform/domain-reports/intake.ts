// Takes in a report that came by mail and is about domains of accounts: reads it in a thread, finds whom it concerns, has its
// signature checked, and leaves storing it to the transaction of the caller.

import type { Clock } from '../clock.ts'
import type { Db } from '../db.ts'
import type { Ids } from '../ids.ts'
import { threadFor } from '../thread.ts'
import { lockReports } from './sql.ts'

export interface ReportIntakeOptions {
  readonly clock: Clock
  readonly ids: Ids
  /** The accounts that have verified a domain. @param domain in lower case */
  readonly ownersOf: (domain: string) => Promise<readonly string[]>
}

export interface ReportIntake<Question, Signature> {
  /**
   * Reads a mail. The returned function stores the report in the caller's transaction and returns the outcome: kept,
   * unverified (kept, but without its author's signature), known, too_many, unmatched (no domain of ours), no_report.
   *
   * @param check verifies the signer
   * @param mayWait whether the mail can be read again later
   * @returns null when the DNS does not answer for the signature and `mayWait` is set
   * @throws when parsing exceeds its limits of time or memory
   */
  read(
    raw: Buffer,
    check: (raw: Buffer, question: Question) => Promise<Signature>,
    mayWait: boolean,
  ): Promise<((db: Db) => Promise<string>) | null>
  close(): Promise<void>
}

/** What one account may see of a report. */
export interface ReportPart {
  readonly accountId: string
  readonly domain: string
}

/** One kind of reports. */
export interface IntakeParts<Report, Part extends ReportPart, Question, Signature, Outcome extends string> {
  /** The thread that parses a mail; its answer is null for what is no report. */
  readonly file: URL
  readonly partsOf: (report: Report) => Promise<readonly Part[]>
  /** What is asked about the signature. */
  readonly question: Question
  /** Called while no other transaction keeps reports about the same domain of the account: how many there are decides. */
  readonly keep: (db: Db, report: Report, signature: Signature, part: Part) => Promise<Outcome>
  /** The outcome of a report that was kept, or not, for several accounts. */
  readonly outcomeOf: (outcomes: readonly Outcome[]) => string
}

const READ_WITHIN_MS = 2_000
const READING_MEMORY_MB = 128

export function reportIntake<
  Report,
  Part extends ReportPart,
  Question,
  Signature extends { readonly reason: string | null },
  Outcome extends string,
>({
  file,
  partsOf,
  question,
  keep,
  outcomeOf,
}: IntakeParts<Report, Part, Question, Signature, Outcome>): ReportIntake<Question, Signature> {
  const thread = threadFor<Buffer, Report | null>({ file, withinMs: READ_WITHIN_MS, memoryMb: READING_MEMORY_MB })
  return {
    read: async (raw, check, mayWait) => {
      const report = await thread.run(raw)
      if (report === null) return async () => 'no_report'
      const parts = await partsOf(report)
      if (parts.length === 0) return async () => 'unmatched'
      const signature = await check(raw, question)
      if (signature.reason === 'no_answer' && mayWait) return null
      return async (db) => {
        await db.query(lockReports, [parts.map(({ accountId, domain }) => `${accountId} ${domain}`).sort()])
        const outcomes: Outcome[] = []
        for (const part of parts) outcomes.push(await keep(db, report, signature, part))
        return outcomeOf(outcomes)
      }
    },
    close: () => thread.close(),
  }
}
