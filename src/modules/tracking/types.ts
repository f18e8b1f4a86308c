// What tracking needs from the rooms above it, in their own shapes. The composition root passes it in.

import type { Db } from '../../platform/db.ts'

export interface EmailKey {
  readonly accountId: string
  readonly id: string
}

/** The facts of an email that its events carry, and how often people opened and clicked it. */
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

/** The store of the emails. */
export interface EmailLedger {
  /** By id; emails that no longer exist are missing. */
  facts(db: Db, keys: readonly EmailKey[]): Promise<ReadonlyMap<string, EngagedEmail>>
  /** Like `facts`, and locks the rows; emails that another transaction has locked are missing too. */
  lock(db: Db, keys: readonly EmailKey[]): Promise<ReadonlyMap<string, EngagedEmail>>
  /** Finds the email by the content of one of our unsubscribe addresses; null: it no longer exists. */
  byToken(
    db: Db,
    key: { readonly emailId: string; readonly firstAccountId: string; readonly lastAccountId: string },
  ): Promise<MailedEmail | null>
  count(db: Db, counts: readonly (EmailKey & { readonly opens: number; readonly clicks: number })[]): Promise<void>
}

/** The facts of an outgoing email that its tracking links are made from. */
export interface TrackedEmail {
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
