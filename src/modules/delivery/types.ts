// What an attempt is, and what it can come to. The network side makes reports, `results.ts` alone decides what they mean
// for the email.

import type { KeyObject } from 'node:crypto'
import type { Replacements } from '../../mail/html-links.ts'
import type { BounceCategory, BounceType, SmtpCommand } from '../../mail/smtp-bounce.ts'
import type { Dialogue } from '../../mail/smtp-dialogue.ts'
import type { Db } from '../../platform/db.ts'
import type { Letter, Treatment } from '../outbox/index.ts'

/** What was said last, in the form of a reply: by the receiver, or by us where nobody answered. */
export interface Said {
  /** Null when no server said it. */
  readonly code: number | null
  readonly enhanced: string | null
  readonly text: string
}

/** Why it did not work out this time. */
export type Cause = 'recipient' | 'connection' | 'dns' | 'tls' | 'internal'

export type Verdict =
  | { readonly kind: 'delivered'; readonly said: Said }
  | {
      readonly kind: 'bounced'
      readonly said: Said
      readonly type: BounceType
      readonly category: BounceCategory
      readonly command: SmtpCommand
    }
  | {
      readonly kind: 'deferred'
      readonly said: Said
      readonly cause: Cause
      readonly category: BounceCategory
      readonly command: SmtpCommand
    }
  /** Our side will not try: no other try can change it. */
  | { readonly kind: 'failed'; readonly said: Said; readonly cause: Cause }

export interface TlsFacts {
  readonly version: string
  readonly cipher: string
  readonly verified: 'none' | 'pkix' | 'mta_sts' | 'dane'
}

/** One attempt: over all hosts that it tried, the facts are those of the one that decided. */
export interface Report {
  readonly verdict: Verdict
  readonly startedAt: Date
  readonly durationMs: number
  readonly host: string | null
  readonly ip: string | null
  readonly port: number | null
  readonly sourceIp: string | null
  readonly tls: TlsFacts | null
  readonly dialogue: Dialogue
  /** What made us wait or not ask at all, for the customer to read. */
  readonly throttledBy: string | null
}

/** A message ready to be sent. */
export interface Outgoing {
  readonly message: Buffer
  /** The envelope's sender. */
  readonly returnPath: string
  readonly recipient: string
  readonly smtpUtf8: boolean
  readonly eightBit: boolean
}

/** The part of a domain's signing key that delivery needs. */
export interface SigningKey {
  readonly domain: string
  readonly selector: string
  readonly privateKey: KeyObject
  /** The host of its mail's return paths; none: the service's own. */
  readonly returnPathHost?: string | null
  /** A second signature, RFC 8463. */
  readonly ed25519?: { readonly selector: string; readonly privateKey: KeyObject } | null
  /** `suspended`: the operator has stopped it. */
  readonly status?: string
  /** False: it is not verified, or not any more. */
  readonly isActive?: boolean
}

/** By domain id; a domain that is missing has been removed. */
export type SigningKeys = (db: Db, domainIds: readonly string[]) => Promise<ReadonlyMap<string, SigningKey>>

export interface UnsubscribeLinks {
  readonly https: string | null
  readonly mailto: string | null
}

/** What tracking puts into a mail on its way out. The same letter must give the same answer on every try. */
export interface Tracking {
  /** What stands in the places of the html's links and of the pixel; null: nothing. */
  replacements(treatment: Treatment, letter: Letter): Pick<Replacements, 'link' | 'pixel'>
  unsubscribeLinks(letter: Letter): UnsubscribeLinks | null
}

export interface Job {
  readonly tlsRequired: boolean
  /** What receivers ask of TLS. */
  readonly minds: boolean
  /** The recipient's domain. */
  readonly site: string
  /** The address in From. */
  readonly sender: string
  /**
   * Asked when a connection is free for it. What may take long is awaited by `idle`: meanwhile the connection may be closed
   * for somebody else, or all of them might wait for one that waits for a connection. Null: it may not be sent any more.
   */
  prepare(idle: (wait: Promise<void>) => Promise<void>): Promise<Outgoing | null>
  /** Asked before a host is connected to, and before MAIL FROM. */
  maySend(): Promise<boolean>
  /** Asked before the final dot. */
  beforeDot(): Promise<boolean>
}
