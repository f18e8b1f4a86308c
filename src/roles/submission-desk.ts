// What submission asks of the house at each step of a dialogue. Whatever the house says no to, or cannot do, comes as a
// Reply: that is all that a session needs to know of it, whichever thread the session is in.

import type { Address } from '../mail/address.ts'
import { formatDate } from '../mail/headers.ts'
import type { SmtpDoor } from '../modules/sending/index.ts'
import type { ApiError } from '../platform/errors.ts'
import type { Principal } from '../platform/http.ts'
import type { Logger } from '../platform/log.ts'
import { replyOf } from './submission-faults.ts'
import { Reply, unavailable } from './submission-replies.ts'

/** What accounts says to a user name and password. `Who`: how the house knows its user again. */
export type Login<Who = Principal> =
  | { readonly kind: 'ok'; readonly principal: Who }
  | { readonly kind: 'refused' }
  | { readonly kind: 'suspended' }
  | { readonly kind: 'throttled' }

export interface Credentials {
  readonly username: string
  readonly password: string
  readonly ip: string
}

/** A message between DATA and its answer; plain values all. */
export interface SubmittedEnvelope {
  readonly mailFrom: string
  readonly recipients: readonly Address[]
  /** Who took it and how, for the trace field (RFC 5321 section 4.4). */
  readonly by: string
}

/** Each method throws a Reply and nothing else. */
export interface Desk<Who> {
  authenticate(credentials: Credentials): Promise<Login<Who>>
  /** At MAIL: whether there is room, takes one from the rate, asks whether mail may go out from the domain. */
  admit(who: Who, domain: string): Promise<void>
  /** At RCPT. */
  mayReceive(who: Who, recipient: Address): Promise<void>
  /**
   * Resolves after the commit.
   *
   * @param raw good until it has ended
   * @returns the text behind 250
   */
  submit(who: Who, envelope: SubmittedEnvelope, raw: Buffer): Promise<string>
}

export interface DeskOptions {
  readonly door: SmtpDoor
  readonly log: Logger
  /** Rejects when the store does not answer. */
  readonly authenticate: (credentials: Credentials) => Promise<Login>
  /** Takes one message from the rate of the account or key. @returns the refusal; null: go on */
  readonly takeRate: (principal: Principal) => Promise<ApiError | null>
  /** Whether the disk has room for another message. */
  readonly hasRoom: () => boolean
}

export function deskOf({ door, log, authenticate, takeRate, hasRoom }: DeskOptions): Desk<Principal> {
  const asReply = (error: unknown): never => {
    const reply = replyOf(error)
    if (reply === null) log.error({ err: error }, 'a submission failed')
    throw reply ?? unavailable()
  }
  const admit = async (principal: Principal, domain: string): Promise<void> => {
    if (!hasRoom()) throw new Reply(452, '4.3.1 no room for another message, try again later')
    const fault = (await takeRate(principal)) ?? (await door.senderFault(principal, domain))
    if (fault !== null) throw fault
  }
  const mayReceive = async (principal: Principal, recipient: Address): Promise<void> => {
    const refusal = await door.recipientFault(principal, recipient)
    if (refusal === null) return
    const list = refusal.list === 'unsubscribe' ? 'has unsubscribed' : `is suppressed (${refusal.reason})`
    throw new Reply(550, `5.7.1 the recipient ${list}`)
  }
  const submit = async (
    principal: Principal,
    { mailFrom, recipients, by }: SubmittedEnvelope,
    raw: Buffer,
  ): Promise<string> => {
    const trace = (id: string, now: Date): string => `Received: by ${by}\r\n\tid ${id}; ${formatDate(now)}\r\n`
    const answer = await door.submit(principal, { mailFrom, recipients, raw, trace })
    if ('code' in answer) throw new Reply(answer.code, answer.text)
    log.info({ account_id: principal.accountId, email_id: answer.emailId }, 'message submitted')
    return `2.0.0 queued as ${answer.emailId}`
  }
  return {
    authenticate: (credentials) => authenticate(credentials).catch(asReply),
    admit: (principal, domain) => admit(principal, domain).catch(asReply),
    mayReceive: (principal, recipient) => mayReceive(principal, recipient).catch(asReply),
    submit: (principal, envelope, raw) => submit(principal, envelope, raw).catch(asReply),
  }
}
