// What an email is while we hold it. Numbers are stored, names are shown.

import type { Stream } from '../events/index.ts'

export const STATUS = {
  scheduled: 0,
  queued: 1,
  deferred: 2,
  delivered: 3,
  bounced: 4,
  failed: 5,
  suppressed: 6,
  canceled: 7,
  complained: 8,
} as const
/** How long an email is retried: RFC 5321 section 4.5.4.1 asks for days; contract section 7 says 72 hours. */
export const EMAIL_LIFE_MS = 72 * 3_600_000

export type EmailStatus = keyof typeof STATUS
/** The states that delivery does not leave by itself. */
export type FinalStatus = 'delivered' | 'bounced' | 'failed' | 'suppressed' | 'complained'

export const SANDBOX_RESULTS = ['deliver', 'bounce', 'defer', 'fail', 'suppress', 'complain'] as const
export type SandboxResult = (typeof SANDBOX_RESULTS)[number]

export const ATTEMPT_OUTCOMES = ['delivered', 'deferred', 'bounced', 'error'] as const
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]
/** For the API's schemas. */
export const ATTEMPT_OUTCOMES_ARE =
  '`delivered`: accepted. `deferred`: the receiver put off this recipient or message (4xx). `bounced`: it refused. `error`: nobody ' +
  'answered about them: no host, connection or TLS, or the receiver put off our connection or sender (such as 421). After ' +
  '`deferred` and `error` the email is tried again until its time is over.'

export interface Person {
  /** '' when none was given. */
  readonly name: string
  /** local@domain, the domain in A-labels. */
  readonly address: string
}

export interface StoredAttachment {
  readonly filename: string
  readonly contentType: string
  readonly contentId: string | null
  readonly disposition: 'attachment' | 'inline'
  readonly content: Buffer
}

/** What delivery does to the content before sending; decided at acceptance by the precedence of the settings. */
export interface Treatment {
  readonly trackOpens: boolean
  readonly trackClicks: boolean
  readonly unsubscribeHeader: boolean
}

/** What the sender gave, stored once for all recipients of a request. */
export type Content = ComposedContent | SubmittedContent

/** From the REST API: composed at delivery, with the same bytes at every attempt. */
export interface ComposedContent {
  readonly kind: 'composed'
  readonly from: Person
  /** As shown in every recipient's copy; bcc appears nowhere. */
  readonly to: readonly Person[]
  readonly cc: readonly Person[]
  readonly replyTo: readonly Person[]
  readonly subject: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly html: string | null
  readonly text: string | null
  readonly attachments: readonly StoredAttachment[]
  readonly treatment: Treatment
}

/** From SMTP submission: a message whose bytes are kept. */
export interface SubmittedContent {
  readonly kind: 'submitted'
  /** CRLF; control headers and Bcc removed, Date and Message-ID present. */
  readonly message: Buffer
  readonly treatment: Treatment
}

/** `single`: mail to one person; `bulk`: mail that is one of many. */
export type MailKind = 'all' | 'single' | 'bulk'

export interface NewEmail {
  readonly id: string
  readonly accountId: string
  readonly domainId: string | null
  /** The id under which `content` is stored: the id of the request's first email. */
  readonly bodyId: string
  readonly createdAt: Date
  /** `suppressed` emails are stored for the record and never queued. */
  readonly status: 'queued' | 'scheduled' | 'suppressed'
  readonly from: Person
  readonly recipient: string
  readonly recipientKey: string
  /** Addresses, as shown in every copy. */
  readonly cc: readonly string[]
  readonly replyTo: readonly string[]
  /** The recipient's domain, A-labels, lower case. */
  readonly site: string
  readonly subject: string
  /** Without angle brackets. */
  readonly messageId: string
  readonly stream: Stream
  /** It is one of many, and waits for the account's other mail to the same destination. */
  readonly bulk: boolean
  readonly sandbox: boolean
  readonly sandboxResult: SandboxResult
  readonly tag: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  /** Approximate; exact once the message has been composed. */
  readonly sizeBytes: number
  readonly scheduledAt: Date | null
  readonly expiresAt: Date
  readonly tlsRequired: boolean
  /** The verdict's snapshot, in wire names. */
  readonly risk: object | null
}

export interface NewBody {
  readonly id: string
  readonly accountId: string
  /** The content in consecutive stretches, so that large parts are never copied. */
  readonly stretches: readonly Buffer[]
}

/** A queue row that this node has leased. */
export interface Claimed {
  readonly id: string
  readonly accountId: string
  readonly domainId: string | null
  readonly siteId: number
  /** The fence: results are written under this number. */
  readonly fence: number
  readonly sandbox: boolean
  /** It is one of many, and waits for the account's other mail to the same destination. */
  readonly bulk: boolean
  /** Why the address must not be tried, if it was put on a list since acceptance; else null. */
  readonly blocked: string | null
}

/** What delivery needs to know of an email. */
export interface QueuedEmail {
  readonly id: string
  readonly accountId: string
  readonly domainId: string | null
  readonly createdAt: Date
  readonly sender: string
  readonly recipient: string
  readonly recipientKey: string
  readonly subject: string
  readonly messageId: string
  readonly stream: Stream
  readonly sandbox: boolean
  readonly sandboxResult: SandboxResult
  readonly tag: string | null
  readonly scheduledAt: Date | null
  readonly expiresAt: Date
  readonly tlsRequired: boolean
  /** Finished attempts. */
  readonly attemptsCount: number
  /** From the last attempt; null when none was made, or the server said nothing. */
  readonly lastSmtpCode: number | null
  readonly lastResponse: string | null
  readonly bodyId: string
  /** Null: larger than the limit; `fetchBody` reads it. */
  readonly body: Buffer | null
  readonly bodyBytes: number
}

/** The result of one leased email. `next` null: it has ended with `status`; equal to `expiresAt`: it only waits for its end. */
export interface Result {
  readonly id: string
  readonly accountId: string
  readonly fence: number
  readonly status: FinalStatus | 'deferred'
  readonly next: Date | null
  readonly at: Date
  readonly smtpCode: number | null
  readonly response: string | null
  /** Size of the message that was sent, or would have been; null: none was composed. */
  readonly sizeBytes: number | null
  /** The attempt behind this result; null when none was made (suppressed, domain removed, expired while waiting). */
  readonly attempt: AttemptRecord | null
}

export interface AttemptRecord {
  readonly number: number
  readonly startedAt: Date
  readonly durationMs: number
  readonly outcome: AttemptOutcome
  /** In wire names, without the fields above: mx, ip, port, source_ip, tls, smtp_code, enhanced_code, response, dialogue, next_attempt_at, throttled_by. */
  readonly detail: object
}
