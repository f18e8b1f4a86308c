// What the delivery worker is told, and the bounds it keeps.

import type { Timeouts } from '../../mail/smtp-client.ts'
import type { VerpMac } from '../../mail/verp.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import type { Resolver } from '../../platform/dns.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Turns } from '../../platform/intake.ts'
import type { Logger } from '../../platform/log.ts'
import { type AttemptRecord, type FreshLetters, type Letter, RENEW_EVERY_MS } from '../outbox/index.ts'
import type { Transport } from '../transport/index.ts'
import type { HtmlReader } from './html-reader.ts'
import type { Relay } from './relay.ts'
import type { SigningKeys, Tracking } from './types.ts'

export interface Limits {
  readonly maxEmails: number
  /** Emails of one claim. */
  readonly maxClaim: number
  readonly maxBytes: number
  readonly maxLargeBytes: number
  readonly maxSockets: number
  readonly maxUnrecorded: number
  readonly renewEveryMs: number
}

export const LIMITS: Limits = {
  maxEmails: 4_000,
  // A claim is .35 ms of the server's CPU and 10 us for each email: one of 100 waits for a core twice as often as one of 50.
  maxClaim: 50,
  maxBytes: 64 * 1_048_576,
  maxLargeBytes: 96 * 1_048_576,
  maxSockets: 1_000,
  maxUnrecorded: 64,
  renewEveryMs: RENEW_EVERY_MS,
}

/** What was promised to readers while the database was away. */
export interface Journals {
  /** Since when the database knows of all unsubscribes that were acknowledged, in monotonic milliseconds; null: it may not. */
  knownSince(): number | null
  /** The database was away just now. */
  doubt(): void
}

/** One attempt whose result is durable. */
export interface TriedEmail {
  readonly emailId: string
  readonly accountId: string
  readonly recipientDomain: string
  /** Who answered; null when none was reached. */
  readonly host: string | null
  readonly smtpCode: number | null
  /** Nobody was asked: it stayed in the house. */
  readonly sandbox: boolean
  readonly attempt: AttemptRecord
}

export interface DeliveryOptions {
  readonly database: Database
  /** Corrected by the database's, so that all nodes agree on what is due. */
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  /** Of this process, for people. */
  readonly nodeName: string
  readonly mode: 'sandbox' | 'direct' | 'relay'
  /** In relay mode. */
  readonly relay: Relay | null
  /** EHLO and return paths. */
  readonly hostname: string
  /** Towards MX hosts. */
  readonly smtpPort: number
  readonly sourceIps: readonly string[]
  readonly allowPrivateNetworks: boolean
  /** Whether an MX host at an address is this service itself. Default: none is. */
  readonly isOurs?: (host: string, address: string | null) => boolean
  readonly resolver: Resolver
  readonly verpMac: VerpMac
  readonly signingKeys: SigningKeys
  /** Told, behind the commit, which emails were put off: lets those go whose domain was removed meanwhile. Absent: none was. */
  readonly releaseRemoved?: (ids: readonly string[]) => Promise<void>
  /** Whether an account sends from verified domains alone; absent: none does. */
  readonly enforcesVerification?: (accountId: string) => Promise<boolean>
  /** What this process has just accepted; null: everything is read from the database. */
  readonly fresh?: FreshLetters | null
  /** Accounts whose mail waits. */
  readonly suspendedAccounts: () => readonly string[]
  readonly tracking?: Tracking | null
  /** Of large contents, where memory has a limit: those that come in and those that go out (intake.ts). */
  readonly turns?: Turns
  /** In whose inbox sandbox mail stands; its account's own when this is absent. */
  readonly inboxOwner?: (letter: Letter) => string
  /** A report of TLS: nothing that its receiver asks of TLS keeps it back (RFC 8460 section 5.3.1). Absent: none is one. */
  readonly isTlsReport?: (letter: Letter) => boolean
  /** Called for each attempt once its result is durable. */
  readonly onAttempt?: (attempt: TriedEmail) => void
  readonly html?: HtmlReader
  /** What receivers ask of TLS; absent: nothing. */
  readonly transport?: Transport
  readonly journals?: Journals
  readonly limits?: Partial<Limits>
  readonly timeouts?: Partial<Timeouts>
}
