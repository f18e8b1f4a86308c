// What tracking needs of the rooms above it, in the shapes that they have. The composition root hands these in.

import type { Db } from '../../platform/db.ts'

export interface EmailKey {
  readonly accountId: string
  readonly id: string
}

/** The facts of an email that its events carry, and its counters of what people did. */
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

/** The keeper of the emails. */
export interface EmailLedger {
  /** By id; emails that are not there any more are missing. */
  facts(db: Db, keys: readonly EmailKey[]): Promise<ReadonlyMap<string, EngagedEmail>>
  /** The same, locked; what another transaction holds is missing too. */
  lock(db: Db, keys: readonly EmailKey[]): Promise<ReadonlyMap<string, EngagedEmail>>
  /** By what an unsubscribe address of ours holds; null: there is no such email any more. */
  byToken(
    db: Db,
    key: { readonly emailId: string; readonly firstAccountId: string; readonly lastAccountId: string },
  ): Promise<MailedEmail | null>
  count(db: Db, counts: readonly (EmailKey & { readonly opens: number; readonly clicks: number })[]): Promise<void>
}

/** The part of an email that is treated on its way out. */
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
