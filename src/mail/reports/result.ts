// The common result of all report formats.

import type { BounceVerdict, SmtpCommand } from '../smtp/bounce.ts'

/** What a report says about one recipient. The address is only the reporter's claim: it causes no suppression. */
export interface ReportedRecipient {
  readonly address: string | null
  /** The address is a Final-Recipient (RFC 3464), so it may be one that the address mailed leads to. */
  readonly isFinal?: boolean
  /** Where the address leads to and the mail failed: Exim names it in the text alone. */
  readonly behind?: string
  /** `delivered` includes relayed and expanded (RFC 3464 section 2.3.3). */
  readonly action: 'failed' | 'delayed' | 'delivered'
  /** 400 to 599; null when no reply is quoted. */
  readonly smtpCode: number | null
  /** RFC 3463 status, from the reply or the report. */
  readonly enhanced: string | null
  /** The receiver's words as received; null when there are none. */
  readonly diagnostic: string | null
  readonly command: SmtpCommand | null
  readonly remoteHost: string | null
  readonly remoteIp: string | null
  readonly verdict: BounceVerdict
}
