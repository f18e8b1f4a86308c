// The types of an attempt and its results. The network makes reports; only `results.ts` decides what they mean for the email.

import type { KeyObject } from 'node:crypto'
import type { Replacements } from '../../mail/html/links.ts'
import type { BounceCategory, BounceType, SmtpCommand } from '../../mail/smtp/bounce.ts'
import type { Dialogue } from '../../mail/smtp/dialogue.ts'
import type { Db } from '../../platform/db.ts'
import type { QueuedEmail, Treatment } from '../outbox/index.ts'

/** The last words, in the form of a reply: the receiver's, or ours where nobody answered. */
export interface FinalReply {
  /** Null when no server said it. */
  readonly code: number | null
  readonly enhanced: string | null
  readonly text: string
}

/** Why the attempt failed. */
export type Cause = 'recipient' | 'connection' | 'dns' | 'tls' | 'internal'

export type Verdict =
  | { readonly kind: 'delivered'; readonly finalReply: FinalReply }
  | {
      readonly kind: 'bounced'
      readonly finalReply: FinalReply
      readonly type: BounceType
      readonly category: BounceCategory
      readonly command: SmtpCommand
    }
  | {
      readonly kind: 'deferred'
      readonly finalReply: FinalReply
      readonly cause: Cause
      readonly category: BounceCategory
      readonly command: SmtpCommand
    }
  /** Our side will not try: another try cannot change it. */
  | { readonly kind: 'failed'; readonly finalReply: FinalReply; readonly cause: Cause }

export interface TlsFacts {
  readonly version: string
  readonly cipher: string
  readonly verified: 'none' | 'pkix' | 'mta_sts' | 'dane'
}

/** One attempt, over all hosts that it tried. The facts are those of the host that decided it. */
export interface AttemptReport {
  readonly verdict: Verdict
  readonly startedAt: Date
  readonly durationMs: number
  readonly host: string | null
  readonly ip: string | null
  readonly port: number | null
  readonly sourceIp: string | null
  readonly tls: TlsFacts | null
  readonly dialogue: Dialogue
  /** What made us wait or not ask at all, as text for the customer. */
  readonly throttledBy: string | null
}

/** A message ready to be sent. */
export interface Outgoing {
  readonly message: Buffer
  /** The envelope sender. */
  readonly returnPath: string
  readonly recipient: string
  readonly smtpUtf8: boolean
  readonly eightBit: boolean
}

/** The part of a domain's signing key that delivery needs. */
export interface SigningKey {
  readonly domain: string
  readonly selector: string
  /** Null: what is stored cannot be read. */
  readonly privateKey: KeyObject | null
  /** Host of the domain's return paths; none: the service's own. */
  readonly returnPathHost?: string | null
  /** Key of a second signature, RFC 8463. */
  readonly ed25519?: { readonly selector: string; readonly privateKey: KeyObject } | null
  /** `suspended`: the operator has suspended the domain. */
  readonly status?: string
  /** False: the domain is not verified, or no longer is. */
  readonly isActive?: boolean
}

/** Keys by domain id; a domain that is missing has been removed. */
export type SigningKeys = (db: Db, domainIds: readonly string[]) => Promise<ReadonlyMap<string, SigningKey>>

export interface UnsubscribeLinks {
  readonly https: string | null
  readonly mailto: string | null
}

/** What tracking inserts into outgoing mail. The same email must give the same answer on every try. */
export interface Tracking {
  /** The replacements for links in the html and for the pixel; null: none. */
  replacements(treatment: Treatment, email: QueuedEmail): Pick<Replacements, 'link' | 'pixel'>
  unsubscribeLinks(email: QueuedEmail): UnsubscribeLinks | null
}

export interface DeliveryJob {
  readonly accountId: string
  /** It is one of many, and waits for other mail. */
  readonly bulk: boolean
  readonly tlsRequired: boolean
  /** Whether the receiver's TLS policy applies to the mail. */
  readonly obeysTlsPolicy: boolean
  /** The recipient's domain. */
  readonly site: string
  /** The address in From. */
  readonly sender: string
  /**
   * Called when a connection is free for the mail. A long wait goes through `idle`, which lets the connection be closed for
   * another mail: else all connections might wait for a mail that needs one. Null: the mail may no longer be sent.
   */
  prepare(idle: (wait: Promise<void>) => Promise<void>): Promise<Outgoing | null>
  /** Called before each connection to a host, and before MAIL FROM. */
  maySend(): Promise<boolean>
  /** Called before the final dot. */
  beforeDot(): Promise<boolean>
}
