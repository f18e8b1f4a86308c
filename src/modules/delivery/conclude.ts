// One claimed email until its conclusion: ended without an attempt, sent over the network, or stored in the sandbox's inbox.
//
// Limits: 64 messages between final dot and committed result; 128 MB of contents that were not read with their emails
// (process-limits.ts); 32 sandbox mails composed at once.

import { domainPart } from '../../mail/address-parts.ts'
import { isUnavailable } from '../../platform/db.ts'
import { type Claimed, fetchBody, firstAttemptWith, type QueuedEmail } from '../outbox/index.ts'
import type { Composer } from './compose.ts'
import { type CheckedEmail, lateSuppressionCheck } from './late-suppression-check.ts'
import { type Network, NO_HOST, NO_SUCH_DOMAIN } from './network.ts'
import { concludedWithoutAttempt } from './not-attempted.ts'
import { type DeliveryOptions, LIMITS } from './options.ts'
import { answerGate, byteBudget, freeingSource, largeMessageMemory, type Pass } from './process-limits.ts'
import type { Recorded } from './record-results.ts'
import {
  type Conclusion,
  type Context,
  conclusionOf,
  endedWithoutAttempt,
  INTERNAL_ERROR,
  localReport,
} from './results.ts'
import { sandboxConclusion } from './sandbox-results.ts'
import type { AttemptReport, DeliveryJob, Outgoing, SigningKey } from './types.ts'

const SANDBOX_AT_ONCE = 32
const SECOND_LOOK_AFTER_MS = 15 * 60_000

/** One email from claim to record. */
export interface HeldEmail extends CheckedEmail {
  readonly claimed: Claimed
  readonly epoch: number
  readonly key: SigningKey | null
  /** When the claim began, by the monotonic clock. */
  readonly claimedAtMs: number
  pass: Pass | null
  /** Gives back a large mail's memory, once the mail is stored in the inbox. */
  leave: (() => void) | null
  /** Size of the composed message. */
  sizeBytes?: number
}

/** A conclusion, with the mail for the inbox if it goes there. */
export type Ended = Omit<Recorded, 'epoch'>

export function withoutInbox(conclusion: Conclusion): Ended {
  return { ...conclusion, inbox: null }
}

/** Size of a content that was not fetched with its email. */
const largeBytes = ({ body, bodyBytes }: QueuedEmail): number => (body === null ? bodyBytes : 0)

/** The recipient's domain in lower case. */
export function siteOf({ recipient }: QueuedEmail): string {
  return domainPart(recipient).toLowerCase()
}

export interface ConcluderOptions extends DeliveryOptions {
  readonly composer: Composer
  readonly network: Network
  /** Whether mail that was claimed under an epoch is still this process's to send. */
  readonly safe: (epoch: number) => boolean
  /** Whether mail claimed at this time has been checked against all unsubscribes acknowledged during an outage. */
  readonly isChecked: (claimedAtMs: number) => boolean
  /** Whether the process is stopping: only what is on the wire is finished. */
  readonly isStopping: () => boolean
  readonly onError: (error: unknown) => void
}

export interface Concluder {
  contextOf(one: Pick<HeldEmail, 'email' | 'claimed' | 'sizeBytes'>): Context
  /** Never changes the database, whose rows follow from the conclusion. @returns null: to be handed back untouched */
  conclude(one: HeldEmail): Promise<Ended | null>
}

export function concluderOf(options: ConcluderOptions): Concluder {
  const { database, clock, ids, composer, network, safe, isChecked, isStopping, onError } = options
  const limits = { ...LIMITS, ...options.limits }
  const isStillWanted = lateSuppressionCheck(database, clock)
  const gate = answerGate(limits.maxUnrecorded, clock)
  const large = byteBudget(limits.maxLargeBytes)
  const sandboxTurns = byteBudget(SANDBOX_AT_ONCE)

  const contextOf = ({ email, claimed, sizeBytes }: Pick<HeldEmail, 'email' | 'claimed' | 'sizeBytes'>): Context => ({
    email,
    fence: claimed.fence,
    sandbox: email.sandbox || options.mode === 'sandbox',
    sizeBytes: sizeBytes ?? null,
    now: clock.now(),
    newId: ids.next,
    chance: ids.chance,
  })

  const conclude = async (one: HeldEmail): Promise<Ended | null> => {
    const context = contextOf(one)
    const settled = await concludedWithoutAttempt({ ...options, db: database.system }, context, one)
    if (settled !== null) return withoutInbox(settled)
    return context.sandbox ? intoInbox(one) : overNetwork(one)
  }

  const intoInbox = async (one: HeldEmail): Promise<Ended | null> => {
    const { email } = one
    await sandboxTurns.take(1)
    try {
      const room = largeMessageMemory(large, options.turns, largeBytes(email))
      one.leave = room.leave
      await room.enter()
      const outgoing = await written(one)
      const context = contextOf(one)
      if (outgoing === null)
        return withoutInbox(endedWithoutAttempt(context, { status: 'failed', reason: 'internal_error' }))
      const inbox = {
        id: ids.next(),
        accountId: options.inboxOwner?.(email) ?? email.accountId,
        emailId: email.id,
        from: email.sender,
        to: email.recipient,
        recipientKey: email.recipientKey,
        subject: email.subject,
        raw: outgoing.message,
        receivedAt: context.now,
      }
      return { ...sandboxConclusion(context), inbox }
    } catch (error) {
      if (isUnavailable(error)) return null
      onError(error)
      const context = contextOf(one)
      return withoutInbox(conclusionOf(context, localReport(INTERNAL_ERROR, context.now, 0)))
    } finally {
      sandboxTurns.give(1)
    }
  }

  const overNetwork = async (one: HeldEmail): Promise<Ended | null> => {
    if (isStopping()) return null
    const { email, epoch } = one
    const site = siteOf(email)
    const room = largeMessageMemory(large, options.turns, largeBytes(email))
    const job: DeliveryJob = {
      accountId: email.accountId,
      bulk: one.claimed.bulk,
      tlsRequired: email.tlsRequired,
      obeysTlsPolicy: options.isTlsReport?.(email) !== true,
      site,
      sender: email.sender,
      maySend: async () => (await isStillWanted(one)) && safe(epoch) && isChecked(one.claimedAtMs),
      prepare: async (idle) => {
        if (!safe(epoch) || isStopping()) return null
        await room.enter(idle)
        try {
          const outgoing = await written(one)
          room.composed(outgoing?.message.length ?? 0)
          return outgoing
        } catch (error) {
          if (isUnavailable(error)) return null
          throw error
        }
      },
      beforeDot: async () => {
        one.pass?.leave()
        one.pass = await gate.enter({ site, accountId: email.accountId, bulk: one.claimed.bulk })
        return safe(epoch)
      },
    }
    try {
      const sent = await network.send(site, job)
      one.pass?.answered()
      if (sent === null) return null
      return withoutInbox(conclusionOf(contextOf(one), await judged(one, sent)))
    } finally {
      room.leave()
    }
  }

  /** The composed and signed message. @returns null when the content is gone */
  const written = async (one: HeldEmail): Promise<Outgoing | null> => {
    const body = one.email.body ?? (await fetchBody(database.system, one.email))
    if (body === null) return null
    const outgoing = await freeingSource(body, options.turns, composer.compose(one.email, body, one.key))
    one.sizeBytes = outgoing.message.length
    return outgoing
  }

  /**
   * A domain that was missing twice, at least 15 minutes apart, does not exist: contract section 7. The same holds for a
   * domain without a mail host, which RFC 5321 section 5.1 requires to be reported as an error.
   */
  const judged = async ({ email }: HeldEmail, sent: AttemptReport): Promise<AttemptReport> => {
    const { verdict } = sent
    if (verdict.kind !== 'deferred' || verdict.cause !== 'dns' || email.attemptsCount === 0) return sent
    const { enhanced } = verdict.finalReply
    if ((enhanced !== NO_SUCH_DOMAIN && enhanced !== NO_HOST) || network.namesDoubtful()) return sent
    const first = await firstAttemptWith(database.system, email, enhanced).catch((error: unknown) => {
      // Nobody knows now; the next attempt looks again.
      if (!isUnavailable(error)) onError(error)
      return null
    })
    if (first === null || sent.startedAt.getTime() - first.getTime() < SECOND_LOOK_AFTER_MS) return sent
    const finalReply = { code: null, enhanced: '5.1.2', text: verdict.finalReply.text.replace(enhanced, '5.1.2') }
    return {
      ...sent,
      verdict: { kind: 'bounced', finalReply, type: 'hard', category: 'bad_domain', command: 'connect' },
    }
  }

  return { contextOf, conclude }
}
