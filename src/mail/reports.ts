// What reports are made of, whichever way they come.

import type { BounceVerdict, SmtpCommand } from './smtp-bounce.ts'

/** What a report says of one recipient. The address is the reporter's word: nothing is suppressed for it. */
export interface ReportedRecipient {
  readonly address: string | null
  /** The address is a Final-Recipient that no Original-Recipient stands beside (RFC 3464): perhaps another's than the mail's. */
  readonly isFinalAlone?: boolean
  /** `delivered` also for relayed and expanded (RFC 3464 section 2.3.3). */
  readonly action: 'failed' | 'delayed' | 'delivered'
  /** 400 to 599; null when no reply is quoted. */
  readonly smtpCode: number | null
  /** RFC 3463 status, from the reply or the report. */
  readonly enhanced: string | null
  /** The receiver's words as they came; null when there are none. */
  readonly diagnostic: string | null
  readonly command: SmtpCommand | null
  readonly remoteHost: string | null
  readonly remoteIp: string | null
  readonly verdict: BounceVerdict
}
