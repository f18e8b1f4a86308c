// The options of the delivery worker, and its limits.

import type { Timeouts } from '../../mail/smtp/client.ts'
import type { VerpMac } from '../../mail/verp.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import type { Resolver } from '../../platform/dns.ts'
import type { Turns } from '../../platform/files/body-spool.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Logger } from '../../platform/log.ts'
import {
  type AttemptRecord,
  type FreshEmails,
  type MailKind,
  type QueuedEmail,
  RENEW_EVERY_MS,
} from '../outbox/index.ts'
import type { Transport } from '../transport/index.ts'
import type { HtmlReader } from './html-reader.ts'
import type { Relay } from './relay.ts'
import type { SigningKey, SigningKeys, Tracking } from './types.ts'
import type { SourceChoice } from './warm-up.ts'

export interface Limits {
  readonly maxEmails: number
  /** Most emails in one claim. */
  readonly maxClaim: number
  readonly maxBytes: number
  /** For messages over 64 KB: three times their size while they are composed, once while they are sent. */
  readonly maxLargeBytes: number
  readonly maxSockets: number
  readonly maxUnrecorded: number
  readonly renewEveryMs: number
  /** How often a worker without work looks at the queue. */
  readonly claimEveryMs: number
}

export const LIMITS: Limits = {
  maxEmails: 4_000,
  // A claim costs .35 ms of the server's CPU plus 10 us per email. A claim of 100 waits for a core twice as often as one of 50.
  maxClaim: 50,
  maxBytes: 64 * 1_048_576,
  maxLargeBytes: 128 * 1_048_576,
  maxSockets: 1_000,
  maxUnrecorded: 64,
  renewEveryMs: RENEW_EVERY_MS,
  claimEveryMs: 200,
}

/** For each of two workers in one process. */
export const HALF_LIMITS: Limits = {
  ...LIMITS,
  maxEmails: LIMITS.maxEmails / 2,
  maxBytes: LIMITS.maxBytes / 2,
  maxLargeBytes: LIMITS.maxLargeBytes / 2,
  maxSockets: LIMITS.maxSockets / 2,
  maxUnrecorded: LIMITS.maxUnrecorded / 2,
}

/** Unsubscribes acknowledged to readers while the database was away. */
export interface Journals {
  /** Monotonic ms since when the database has all acknowledged unsubscribes; null: some may be missing. */
  knownSince(): number | null
  /** The database has just been away. */
  databaseWasAway(): void
}

/** One attempt whose result is durable. */
export interface TriedEmail {
  readonly emailId: string
  readonly accountId: string
  readonly recipientDomain: string
  /** The host that answered; null when none was reached. */
  readonly host: string | null
  /** Such as `TLSv1.3`; null: in cleartext, or no host was reached. */
  readonly tlsVersion: string | null
  readonly smtpCode: number | null
  /** Sandbox mail: no host was asked. */
  readonly sandbox: boolean
  readonly attempt: AttemptRecord
}

export interface DeliveryOptions {
  readonly database: Database
  /** Corrected by the database's clock, so that all nodes agree on what is due. */
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  /** Name of this process, for people. */
  readonly nodeName: string
  readonly mode: 'sandbox' | 'direct' | 'relay'
  /** Set in relay mode. */
  readonly relay: Relay | null
  /** Host name in EHLO and return paths. */
  readonly hostname: string
  /** Port of MX hosts. */
  readonly smtpPort: number
  readonly sourceIps: readonly string[]
  /** Which source addresses a mail may have. Absent: any. */
  readonly sources?: SourceChoice
  /** The mail it takes. Default: all. */
  readonly mail?: MailKind
  readonly allowPrivateNetworks: boolean
  /** Whether an MX host at an address is this service itself. Default: none is. */
  readonly isOurs?: (host: string, address: string | null) => boolean
  readonly resolver: Resolver
  readonly verpMac: VerpMac
  readonly signingKeys: SigningKeys
  /** The key that signs all mail beside the domain's own. Null or absent: none does. */
  readonly instanceKey?: (() => Promise<SigningKey | null>) | null
  /** Called after the commit with the deferred emails; releases those of domains removed meanwhile. Absent: none was removed. */
  readonly releaseRemoved?: (ids: readonly string[]) => Promise<void>
  /** Whether an account may send only from verified domains. Absent: no account is restricted. */
  readonly enforcesVerification?: (accountId: string) => Promise<boolean>
  /** Emails that this process has just accepted; null: all are read from the database. */
  readonly fresh?: FreshEmails | null
  /** Accounts whose mail must wait. */
  readonly suspendedAccounts: () => readonly string[]
  readonly tracking?: Tracking | null
  /** Turns of large contents, incoming and outgoing, where memory is limited (body-spool.ts). */
  readonly turns?: Turns
  /** The account whose inbox gets a sandbox mail. Absent: the mail's own. */
  readonly inboxOwner?: (email: QueuedEmail) => string
  /** Whether a mail is a TLS report: the receiver's TLS policy never holds it back (RFC 8460 section 5.3.1). Absent: none is. */
  readonly isTlsReport?: (email: QueuedEmail) => boolean
  /** Called for each attempt once its result is durable. */
  readonly onAttempt?: (attempt: TriedEmail) => void
  readonly html?: HtmlReader
  /** The TLS policies of receivers; absent: none. */
  readonly transport?: Transport
  readonly journals?: Journals
  readonly limits?: Partial<Limits>
  readonly timeouts?: Partial<Timeouts>
}
