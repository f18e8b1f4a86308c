// The delivery worker. Each turn of its claim loop leases ready emails, fairly over destinations and accounts, as many as
// there is room for. Each email is brought to its conclusion (conclude.ts), and the conclusions are recorded in groups.
//
// Limits: 4,000 emails (destination-windows.ts) and 64 MB of contents in the process, without those over 64 KB, which are read
// only when a connection is free for them; 1,000 sockets.
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
  fetchQueuedEmails,
  handBack,
  type QueuedEmail,
  siteReporter,
  takeOver,
} from '../outbox/index.ts'
import { type Composer, composerOf } from './compose.ts'
import { concluderOf, type Held, siteOf, withoutInbox } from './conclude.ts'
import { destinationWindows } from './destination-windows.ts'
import { dueOf } from './due.ts'
import { htmlReader } from './html-reader.ts'
import { membershipOf } from './membership.ts'
import { type Network, networkOf } from './network.ts'
import { type DeliveryOptions, LIMITS } from './options.ts'
import { overdueOf } from './overdue.ts'
import { recorderOf } from './record-results.ts'
import { forgotten } from './results.ts'
import type { SigningKey } from './types.ts'

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
  const reports = siteReporter({
    db: database.system,
    clock,
    node: options.nodeName,
    onError: (error) => log.debug({ err: error }, 'figures of destinations were not written'),
  })
  const windows = destinationWindows({ most: limits.maxEmails, pauseMs: network.pauseMs, answers: network.answers })
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

  const { contextOf, conclude } = concluderOf({
    ...options,
    ...{ composer, network, safe, isAsked, isStopping: () => stopping, onError },
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
      node.suspectUnknownLeases()
      if (isUnavailable(error)) options.journals?.databaseWasAway()
      throw error
    }
  }

  /** Hands rows back untouched and ready. Rows that cannot be handed back become ready when their epoch ends. Never rejects. */
  const giveBack = async (epoch: number, rows: readonly Claimed[]): Promise<void> => {
    try {
      await handBack(database.system, epoch, rows)
    } catch (error) {
      node.suspectUnknownLeases()
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
      node.suspectUnknownLeases()
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

  /** A queue row whose email is no longer there. */
  const forgetRow = async (epoch: number, row: Claimed): Promise<void> => {
    log.warn({ email_id: row.id }, 'a queued email is no longer there')
    await recorder.add({ ...withoutInbox(forgotten(row, clock.now())), epoch }).catch(onError)
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
    ...{
      ...options,
      recorder,
      contextOf,
      hold,
      release: released,
      suspectUnknownLeases: node.suspectUnknownLeases,
      onError: quietly,
    },
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
