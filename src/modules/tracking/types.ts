// What tracking needs from the rooms above it. The composition root provides it.

import type { Db } from '../../platform/db.ts'

export interface EmailKey {
  readonly accountId: string
  readonly id: string
}

/** An email's facts for its events, and its counters of people's opens and clicks. */
export interface EngagedEmail {
  readonly id: string
  readonly domainId: string | null
  readonly stream: 'transactional' | 'broadcast'
  readonly sandbox: boolean
  readonly tag: string | null
  readonly deliveredAt: Date | null
  readonly openCount: number
  readonly clickCount: number
}

export interface MailedEmail {
  readonly accountId: string
  readonly emailId: string
  readonly domainId: string | null
  readonly recipientKey: string
  readonly stream: 'transactional' | 'broadcast'
  readonly sandbox: boolean
  readonly tag: string | null
}

/** The room that stores emails. */
export interface EmailLedger {
  /** By id; deleted emails are missing. */
  facts(db: Db, keys: readonly EmailKey[]): Promise<ReadonlyMap<string, EngagedEmail>>
  /** The same, locked; emails locked by another transaction are missing too. */
  lock(db: Db, keys: readonly EmailKey[]): Promise<ReadonlyMap<string, EngagedEmail>>
  /** By the content of one of our unsubscribe addresses; null when the email is deleted. */
  byToken(
    db: Db,
    key: { readonly emailId: string; readonly firstAccountId: string; readonly lastAccountId: string },
  ): Promise<MailedEmail | null>
  count(db: Db, counts: readonly (EmailKey & { readonly opens: number; readonly clicks: number })[]): Promise<void>
}

/** The part of an email that is rewritten before delivery. */
export interface TrackedLetter {
  readonly id: string
  readonly accountId: string
  readonly domainId: string | null
  readonly createdAt: Date
  readonly recipientKey: string
  readonly stream: 'transactional' | 'broadcast'
  readonly sandbox: boolean
}

export interface Treatment {
  readonly trackOpens: boolean
  readonly trackClicks: boolean
}
