// The delivery worker. Each turn of its claim loop leases ready emails, fairly over destinations and accounts, as many as
// there is room for. Each email is either ended without a try (suppressed, domain removed, expired), or composed, signed and
// passed to the network or the sandbox. The results are recorded in groups.
//
// Limits: 4,000 emails (destination-windows.ts) and 64 MB of contents in the process; contents over 64 KB are read only when a
// connection is free for them, 128 MB of these at once; 1,000 sockets; 64 messages between final dot and committed result.
//
// The process is a node: its leases hold while it renews its row. When the row is lost, or has not been renewed for 20 seconds,
// nothing more is sent: the lease is checked before each MAIL FROM and each final dot. When the row is lost, everything under
// way is broken off and the process joins again under a new epoch. A process that dies leaves its leases to other nodes; a
// message that got its final dot and was not recorded is sent again, with the same bytes. During a database outage no node
// counts as dead (membership.ts).
//
// While acknowledged unsubscribes may be in a journal that the database does not have yet, nothing is claimed and nothing
// starts: mail claimed afterwards has been checked against them.
//
// A graceful stop claims nothing more, finishes what is on the wire within the deadline and hands back the rest.

import { isUnavailable } from '../../platform/db.ts'
import { aborted, type Loop, loop, type Service } from '../../platform/lifecycle.ts'
import {
  type ClaimAnswer,
  type Claimed,
  claim,
  fetchBody,
  fetchQueuedEmails,
  firstAttemptWith,
  handBack,
  type QueuedEmail,
  siteReporter,
  takeOver,
} from '../outbox/index.ts'
import { type Composer, composerOf } from './compose.ts'
import { destinationWindows } from './destination-windows.ts'
import { dueOf } from './due.ts'
import { htmlReader } from './html-reader.ts'
import { type CheckedEmail, lateSuppressionCheck } from './late-suppression-check.ts'
import { membershipOf } from './membership.ts'
import { type Network, NO_HOST, NO_SUCH_DOMAIN, networkOf } from './network.ts'
import { concludedWithoutAttempt } from './not-attempted.ts'
import { type DeliveryOptions, LIMITS } from './options.ts'
import { overdueOf } from './overdue.ts'
import { answerGate, byteBudget, freeingSource, largeMessageMemory, type Pass } from './process-limits.ts'
import { recorderOf } from './record-results.ts'
import {
  type Conclusion,
  type Context,
  conclusionOf,
  endedWithoutAttempt,
  forgotten,
  INTERNAL_ERROR,
  localReport,
} from './results.ts'
import { sandboxConclusion } from './sandbox-results.ts'
import type { AttemptReport, DeliveryJob, Outgoing, SigningKey } from './types.ts'

export interface Delivery extends Service {
  /** Call when there is something to send. */
  wake(): void
  /** For tests, instead of `start`: does everything due and waits until it is recorded. @returns how many emails */
  turn(): Promise<number>
  /** Resolves when no email is in the process. */
  idle(): Promise<void>
  readonly held: number
}

/** While emails are under way, a claim waits for room for this many: a few at a time would cost a commit each. */
const CLAIM_LEAST = 50
const CLAIM_EVERY_MS = 200
const CLAIM_AGAIN_MS = 10
const TAKE_OVER_EVERY_MS = 5_000
const LARGE_BODY_BYTES = 65_536
const SANDBOX_AT_ONCE = 32
const SECOND_LOOK_AFTER_MS = 15 * 60_000

/** One email from claim to record. */
interface Held extends CheckedEmail {
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

export function deliveryService(options: DeliveryOptions): Delivery {
  const { database, clock, ids, log } = options
  const limits = { ...LIMITS, ...options.limits }
  const claimLeast = Math.max(1, Math.min(CLAIM_LEAST, limits.maxClaim, Math.floor(limits.maxEmails / 8)))
  const onError = (error: unknown): void => log.error({ err: error }, 'delivery met an error')
  const composer: Composer = composerOf({
    ...options,
    tracking: options.tracking ?? null,
    html: options.html ?? htmlReader(log),
  })
  const network: Network = networkOf({
    ...options,
    chance: ids.chance,
    port: options.smtpPort,
    allowPrivate: options.allowPrivateNetworks,
    isOurs: options.isOurs ?? (() => false),
    relay: options.mode === 'relay' ? options.relay : null,
    timeouts: options.timeouts ?? {},
    maxSockets: limits.maxSockets,
    onError,
  })
  const recorder = recorderOf(options)
  const isStillWanted = lateSuppressionCheck(database, clock)
  const reports = siteReporter({
    db: database.system,
    clock,
    node: options.nodeName,
    onError: (error) => log.debug({ err: error }, 'figures of destinations were not written'),
  })
  const windows = destinationWindows({ most: limits.maxEmails, pauseMs: network.pauseMs, answers: network.answers })
  const gate = answerGate(limits.maxUnrecorded)
  const large = byteBudget(limits.maxLargeBytes)
  const sandboxTurns = byteBudget(SANDBOX_AT_ONCE)
  const idlers = new Set<() => void>()
  let cursor: ClaimAnswer['cursor'] = null
  /** Emails found by the walk under way. */
  let found = 0
  let held = 0
  let heldBytes = 0
  let finished = 0
  let stopping = false
  let breaking = false

  const node = membershipOf({
    database,
    clock,
    nodeName: options.nodeName,
    onLost: (epoch) => {
      log.warn({ epoch }, 'this node was declared dead; it comes back under a new epoch')
      cursor = null
      network.abort()
    },
    onDue: () => keeping.wake(),
  })

  const safe = (epoch: number): boolean => !breaking && node.safe(epoch)
  /** Whether mail claimed at this time has been checked against all unsubscribes acknowledged during an outage. */
  const isAsked = (claimedAtMs: number): boolean => {
    const since = options.journals === undefined ? 0 : options.journals.knownSince()
    return since !== null && claimedAtMs >= since
  }

  const contextOf = ({ email, claimed, sizeBytes }: Pick<Held, 'email' | 'claimed' | 'sizeBytes'>): Context => ({
    email,
    fence: claimed.fence,
    sandbox: email.sandbox || options.mode === 'sandbox',
    sizeBytes: sizeBytes ?? null,
    now: clock.now(),
    newId: ids.next,
    chance: ids.chance,
  })

  // --- what is due

  const due = dueOf(options, { onReady: () => claiming.wake(), onError: (error) => quietly(error) })

  /** @returns how many; null: none in this part, and the walk over ready mail continues */
  const claimSome = async (): Promise<number | null> => {
    const epoch = node.epoch()
    const room = Math.min(limits.maxClaim, limits.maxEmails - held, windows.room(clock.monotonicMs()))
    if (!isAsked(Number.POSITIVE_INFINITY) || room < (held === 0 ? 1 : claimLeast)) return 0
    if (epoch === null || stopping || breaking || heldBytes >= limits.maxBytes) return 0
    const rounded = cursor !== null
    if (!rounded) found = 0
    const claimedAtMs = clock.monotonicMs()
    const answer = await claimUnder(epoch, room)
    cursor = answer.cursor
    found += answer.claimed.length
    // A whole walk that found nothing means that all mail is blocked: the next walk can wait.
    if (answer.claimed.length === 0) return cursor !== null ? null : rounded && found > 0 ? claimSome() : 0
    hold(epoch, answer.claimed.length)
    try {
      await takeOn(epoch, answer.claimed, claimedAtMs)
    } catch (error) {
      await giveBack(epoch, answer.claimed)
      throw error
    }
    return answer.claimed.length
  }

  const claimUnder = async (epoch: number, limit: number): Promise<ClaimAnswer> => {
    const { sites, others } = windows.free(clock.monotonicMs())
    try {
      return await claim(database.system, {
        epoch,
        limit,
        cursor,
        free: sites,
        defaultFree: others,
        suspended: options.suspendedAccounts(),
        now: clock.now(),
      })
    } catch (error) {
      // The claim may have been committed although its answer was lost.
      node.doubt()
      if (isUnavailable(error)) options.journals?.doubt()
      throw error
    }
  }

  /** Hands rows back untouched and ready. Rows that cannot be handed back become ready when their epoch ends. Never rejects. */
  const giveBack = async (epoch: number, rows: readonly Claimed[]): Promise<void> => {
    try {
      await handBack(database.system, epoch, rows)
    } catch (error) {
      node.doubt()
      quietly(error)
    }
    released(epoch, rows.length)
  }

  const emailsOf = async (claimed: readonly Claimed[]): Promise<readonly QueuedEmail[]> => {
    const known = claimed.flatMap((row) => options.fresh?.take(row) ?? [])
    if (known.length === claimed.length) return known
    const ids = new Set(known.map(({ id }) => id))
    const others = claimed.filter(({ id }) => !ids.has(id))
    return [...known, ...(await fetchQueuedEmails(database.system, others, LARGE_BODY_BYTES))]
  }

  /** Reads claimed emails and starts them. Rejects only before any of them has started. */
  const takeOn = async (epoch: number, claimed: readonly Claimed[], claimedAtMs: number): Promise<void> => {
    const emails = await emailsOf(claimed)
    const domains = [...new Set(emails.flatMap(({ domainId }) => (domainId === null ? [] : [domainId])))]
    const keys =
      domains.length === 0 ? new Map<string, SigningKey>() : await options.signingKeys(database.system, domains)
    const byId = new Map(emails.map((email) => [email.id, email]))
    const surplus: Claimed[] = []
    for (const row of claimed) {
      const email = byId.get(row.id)
      if (email === undefined) void forgetRow(epoch, row)
      else if (!windows.enter(row.siteId, siteOf(email))) surplus.push(row)
      else {
        heldBytes += email.body?.length ?? 0
        const key = keys.get(email.domainId ?? '') ?? null
        void carry({ claimed: row, email, epoch, key, claimedAtMs, askedAtMs: claimedAtMs, pass: null, leave: null })
      }
    }
    if (surplus.length > 0) await giveBack(epoch, surplus)
  }

  const hold = (epoch: number, count: number): void => {
    held += count
    node.count(epoch, count)
  }

  const released = (epoch: number, count: number): void => {
    held -= count
    node.count(epoch, -count)
    if (held > 0) return
    for (const done of idlers) done()
    idlers.clear()
  }

  // --- one email

  /** Takes an email from claim to record. Never rejects. */
  const carry = async (one: Held): Promise<void> => {
    const { email, claimed, epoch } = one
    try {
      const ended = await conclude(one)
      if (ended === null) await handBack(database.system, epoch, [claimed])
      else {
        await recorder.add({ ...ended, epoch })
        const { attempt, response } = ended.result
        // The sandbox's answer is not a destination's.
        if (attempt !== null && !ended.sandbox) reports.note(claimed.siteId, attempt.outcome, response)
      }
    } catch (error) {
      // A row that was neither recorded nor handed back becomes ready when its epoch ends.
      node.doubt()
      quietly(error)
    } finally {
      one.pass?.leave()
      one.leave?.()
      heldBytes -= email.body?.length ?? 0
      windows.leave(claimed.siteId, clock.monotonicMs())
      released(epoch, 1)
      if (++finished >= CLAIM_LEAST || held === 0) {
        finished = 0
        claiming.wake()
      }
    }
  }

  /** @returns null: to be handed back untouched */
  const conclude = async (one: Held): Promise<Ended | null> => {
    const context = contextOf(one)
    const settled = await concludedWithoutAttempt({ ...options, db: database.system }, context, one)
    if (settled !== null) return untried(settled)
    return context.sandbox ? intoInbox(one) : overNetwork(one)
  }

  const intoInbox = async (one: Held): Promise<Ended | null> => {
    const { email } = one
    await sandboxTurns.take(1)
    try {
      const room = largeMessageMemory(large, options.turns, largeBytes(email))
      one.leave = room.leave
      await room.enter()
      const outgoing = await written(one)
      const context = contextOf(one)
      if (outgoing === null)
        return untried(endedWithoutAttempt(context, { status: 'failed', reason: 'internal_error' }))
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
      return untried(conclusionOf(context, localReport(INTERNAL_ERROR, context.now, 0)))
    } finally {
      sandboxTurns.give(1)
    }
  }

  const overNetwork = async (one: Held): Promise<Ended | null> => {
    if (stopping) return null
    const { email, epoch } = one
    const room = largeMessageMemory(large, options.turns, largeBytes(email))
    const job: DeliveryJob = {
      tlsRequired: email.tlsRequired,
      obeysTlsPolicy: options.isTlsReport?.(email) !== true,
      site: siteOf(email),
      sender: email.sender,
      maySend: async () => (await isStillWanted(one)) && safe(epoch) && isAsked(one.claimedAtMs),
      prepare: async (idle) => {
        if (!safe(epoch) || stopping) return null
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
        one.pass = await gate.enter()
        return safe(epoch)
      },
    }
    try {
      const sent = await network.send(siteOf(email), job)
      one.pass?.answered()
      if (sent === null) return null
      return untried(conclusionOf(contextOf(one), await judged(one, sent)))
    } finally {
      room.leave()
    }
  }

  /** The composed and signed message. @returns null when the content is gone */
  const written = async (one: Held): Promise<Outgoing | null> => {
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
  const judged = async ({ email }: Held, sent: AttemptReport): Promise<AttemptReport> => {
    const { verdict } = sent
    if (verdict.kind !== 'deferred' || verdict.cause !== 'dns' || email.attemptsCount === 0) return sent
    const { enhanced } = verdict.said
    if ((enhanced !== NO_SUCH_DOMAIN && enhanced !== NO_HOST) || network.namesDoubtful()) return sent
    const first = await firstAttemptWith(database.system, email, enhanced)
    if (first === null || sent.startedAt.getTime() - first.getTime() < SECOND_LOOK_AFTER_MS) return sent
    const said = { code: null, enhanced: '5.1.2', text: verdict.said.text.replace(enhanced, '5.1.2') }
    return { ...sent, verdict: { kind: 'bounced', said, type: 'hard', category: 'bad_domain', command: 'connect' } }
  }

  /** A queue row whose email is no longer there. */
  const forgetRow = async (epoch: number, row: Claimed): Promise<void> => {
    log.warn({ email_id: row.id }, 'a queued email is no longer there')
    await recorder.add({ ...untried(forgotten(row, clock.now())), epoch }).catch(onError)
    released(epoch, 1)
  }

  // --- loops

  const quietly = (error: unknown): void => {
    if (isUnavailable(error)) log.warn({ err: error }, 'the database is away')
    else onError(error)
  }
  const claiming: Loop = loop({
    name: 'delivery claim',
    turn: async () => ((await claimSome()) === 0 ? CLAIM_EVERY_MS : CLAIM_AGAIN_MS),
    onError: quietly,
  })
  const keeping: Loop = loop({
    name: 'delivery lease',
    turn: async () => {
      await node.keep()
      return limits.renewEveryMs
    },
    onError: quietly,
  })
  const overdue = overdueOf({
    ...{ ...options, recorder, contextOf, hold, release: released, doubt: node.doubt, onError: quietly },
    epoch: () => (stopping || breaking ? null : node.epoch()),
  })
  const others: readonly Service[] = [
    reports,
    keeping,
    due.looking,
    overdue.looking,
    loop({
      name: 'delivery take-over',
      turn: async () => {
        if (node.mayTakeOver() && (await takeOver(database.system, node.databaseNow())) > 0) claiming.wake()
        return TAKE_OVER_EVERY_MS
      },
      onError: quietly,
    }),
  ]

  const idle = (): Promise<void> =>
    held === 0 ? Promise.resolve() : new Promise((resolve) => void idlers.add(resolve))

  return {
    name: 'delivery',
    start: async () => {
      await node.keep()
      for (const one of [...others, claiming]) await one.start()
    },
    stop: async (deadline) => {
      stopping = true
      await claiming.stop(deadline)
      network.release()
      await Promise.race([idle(), aborted(deadline)])
      if (held > 0) {
        breaking = true
        network.abort()
        recorder.abandon()
        await Promise.race([idle(), clock.sleep(LAST_MS, new AbortController().signal)])
      }
      for (const one of others) await one.stop(deadline)
      network.abort()
      await node.leave().catch(quietly)
    },
    wake: () => claiming.wake(),
    turn: async () => {
      await node.keep()
      let count = 0
      for (let more = true; more; ) {
        await takeOver(database.system, node.databaseNow())
        const promoted = await due.promote()
        const claimed = await claimSome()
        count += claimed ?? 0
        await idle()
        more = promoted > 0 || claimed !== 0
      }
      return count + (await overdue.walk())
    },
    idle,
    get held() {
      return held
    },
  }
}

const LAST_MS = 2_000

type Ended = Conclusion & { readonly inbox: Parameters<ReturnType<typeof recorderOf>['add']>[0]['inbox'] }

function untried(conclusion: Conclusion): Ended {
  return { ...conclusion, inbox: null }
}

/** Size of a content that was not fetched with its email. */
const largeBytes = ({ body, bodyBytes }: QueuedEmail): number => (body === null ? bodyBytes : 0)

function siteOf({ recipient }: QueuedEmail): string {
  return recipient.slice(recipient.lastIndexOf('@') + 1).toLowerCase()
}
