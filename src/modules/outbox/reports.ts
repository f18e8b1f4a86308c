// Emails that reports refer to, and the status changes they cause: delivered may become bounced or complained, and each other end
// after an attempt may become complained, so a repeated report has no effect. A bounce is also the end of the email and the
// receiver's last word on it: "250 taken" beside `bounced` would say the opposite.

import type { Db } from '../../platform/db.ts'
import { firstIdAt } from '../../platform/ids.ts'
import type { EmailFacts, Stream } from '../events/index.ts'
import { statusName } from './control.ts'
import { type EmailRow, emailFacts } from './emails.ts'
import { storedResponse } from './responses.ts'
import * as sql from './sql.ts'
import { type EmailStatus, STATUS } from './types.ts'

export interface ReportedEmail {
  readonly accountId: string
  readonly emailId: string
  readonly domainId: string | null
  readonly recipient: string
  readonly recipientKey: string
  readonly stream: Stream
  readonly sandbox: boolean
  readonly tag: string | null
  readonly status: EmailStatus
  /** Null: no receiver has taken it. */
  readonly deliveredAt: Date | null
  /** Whether there was an attempt. */
  readonly tried: boolean
  readonly facts: EmailFacts
}

/** Which email: by its id, in a range of accounts taken from a signed token, or by message id in the asking account. */
export type ReportKey =
  | { readonly emailId: string; readonly firstAccountId: string; readonly lastAccountId: string }
  | {
      readonly accountId: string
      readonly messageId: string
      readonly recipientKey: string | null
      readonly since: Date
    }

type Facts = Pick<EmailRow, 'recipient' | 'sender' | 'sender_name' | 'subject' | 'message_id' | 'metadata'>

interface Row extends Facts {
  readonly id: string
  readonly account_id: string
  readonly domain_id: string | null
  readonly recipient_key: string
  readonly stream: number
  readonly sandbox: boolean
  readonly tag: string | null
  readonly status: number
  readonly delivered_at: Date | null
  readonly tried: boolean
}

/** Finds and locks it. @returns null when there is none, or when a message id has several recipients and none is named */
export async function lockReportedEmail(db: Db, key: ReportKey): Promise<ReportedEmail | null> {
  const rows =
    'emailId' in key
      ? await db.query<Row>(sql.lockByToken, [key.emailId, key.firstAccountId, key.lastAccountId])
      : await db.query<Row>(sql.lockByMessageId, [key.accountId, key.messageId, key.recipientKey, firstIdAt(key.since)])
  const [row] = rows
  if (row === undefined || rows.length > 1) return null
  return {
    accountId: row.account_id,
    emailId: row.id,
    domainId: row.domain_id,
    recipient: row.recipient,
    recipientKey: row.recipient_key,
    stream: row.stream === 1 ? 'broadcast' : 'transactional',
    sandbox: row.sandbox,
    tag: row.tag,
    status: statusName(row.status),
    deliveredAt: row.delivered_at,
    tried: row.tried,
    facts: emailFacts(row),
  }
}

/** What a report of a bounce says of the receiver; null where it says nothing. */
export interface ReportedRefusal {
  readonly at: Date
  readonly smtpCode: number | null
  readonly response: string | null
}

/** Both marks run in the transaction that locked the email. The caller has checked the previous status. */
export async function markBounced(
  db: Db,
  { accountId, emailId }: ReportedEmail,
  { at, smtpCode, response }: ReportedRefusal,
): Promise<void> {
  const shown = response === null ? null : storedResponse(response)
  await db.execute(sql.markReportedBounce, [accountId, emailId, STATUS.bounced, at, smtpCode, shown])
}

export async function markComplained(db: Db, { accountId, emailId }: ReportedEmail): Promise<void> {
  await db.execute(sql.markReported, [accountId, emailId, STATUS.complained])
}
