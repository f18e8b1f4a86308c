// The delivery worker. Each turn of its claim loop leases and starts ready emails (claims.ts). Each email is brought to its
// conclusion (conclude.ts), and the conclusions are recorded in groups (record-results.ts).
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
import { type Claimed, handBack, siteReporter, takeOver, whenQueued } from '../outbox/index.ts'
import { accountShares } from './account-shares.ts'
import { CLAIM_LEAST, claimsOf } from './claims.ts'
import { type Composer, composerOf } from './compose.ts'
import { concluderOf, type HeldEmail, withoutInbox } from './conclude.ts'
import { destinationWindows } from './destination-windows.ts'
import { dueOf } from './due.ts'
import { heldEmails } from './held-emails.ts'
import { htmlReader } from './html-reader.ts'
import { membershipOf } from './membership.ts'
import { type Network, networkOf } from './network.ts'
import { type DeliveryOptions, LIMITS } from './options.ts'
import { overdueOf } from './overdue.ts'
import { recorderOf } from './record-results.ts'
import { forgotten } from './results.ts'

export interface Delivery extends Service {
  /** Call when there is something to send. */
  wake(): void
  /** For tests, instead of `start`: does everything due and waits until it is recorded. @returns how many emails */
  turn(): Promise<number>
  /** Resolves when no email is in the process. */
  idle(): Promise<void>
  readonly held: number
}

const CLAIM_AGAIN_MS = 10
const TAKE_OVER_EVERY_MS = 5_000
/** After the deadline of a stop: what was broken off is recorded or handed back. */
const LAST_MS = 2_000

export function deliveryService(options: DeliveryOptions): Delivery {
  const { database, clock, ids, log } = options
  const limits = { ...LIMITS, ...options.limits }
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
  const windows = destinationWindows({ ...network, most: limits.maxEmails })
  const shares = accountShares()
  let finished = 0
  let stopping = false
  let breaking = false

  const node = membershipOf({
    database,
    clock,
    nodeName: options.nodeName,
    onLost: (epoch) => {
      log.warn({ epoch }, 'this node was declared dead; it comes back under a new epoch')
      claims.restart()
      network.abort()
    },
    onDue: () => keeping.wake(),
  })

  const held = heldEmails(node)
  const safe = (epoch: number): boolean => !breaking && node.safe(epoch)
  /** Whether mail claimed at this time has been checked against all unsubscribes acknowledged during an outage. */
  const isChecked = (claimedAtMs: number): boolean => {
    const since = options.journals === undefined ? 0 : options.journals.knownSince()
    return since !== null && claimedAtMs >= since
  }

  const { contextOf, conclude } = concluderOf({
    ...options,
    ...{ composer, network, safe, isChecked, isStopping: () => stopping, onError },
  })

  // --- what is due

  const due = dueOf(options, { onReady: () => claiming.wake(), onError: (error) => quietly(error) })

  const claims = claimsOf({
    ...options,
    ...{ limits, node, windows, shares, held, isChecked, isStopping: () => stopping || breaking },
    start: (one) => void carry(one),
    forget: (epoch, row) => void forgetRow(epoch, row),
    onError: (error) => quietly(error),
  })

  // --- one email

  /** Takes an email from claim to record. Never rejects. */
  const carry = async (one: HeldEmail): Promise<void> => {
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
      held.countBytes(-(email.body?.length ?? 0))
      windows.leave(claimed.siteId, clock.monotonicMs())
      shares.leave(claimed)
      held.remove(epoch, 1)
      if (++finished >= CLAIM_LEAST || held.count === 0) {
        finished = 0
        claiming.wake()
      }
    }
  }

  /** A queue row whose email is no longer there. */
  const forgetRow = async (epoch: number, row: Claimed): Promise<void> => {
    log.warn({ email_id: row.id }, 'a queued email is no longer there')
    await recorder.add({ ...withoutInbox(forgotten(row, clock.now())), epoch }).catch(onError)
    held.remove(epoch, 1)
  }

  // --- loops

  const quietly = (error: unknown): void => {
    if (isUnavailable(error)) log.warn({ err: error }, 'the database is away')
    else onError(error)
  }
  const claiming: Loop = loop({
    name: 'delivery claim',
    turn: async () => ((await claims.claimSome()) === 0 ? limits.claimEveryMs : CLAIM_AGAIN_MS),
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
    ...options,
    ...{ recorder, contextOf, held, onError: quietly, suspectUnknownLeases: node.suspectUnknownLeases },
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

  return {
    name: 'delivery',
    start: async () => {
      await node.keep()
      await whenQueued(database, () => claiming.wake())
      for (const one of [...others, claiming]) await one.start()
    },
    stop: async (deadline) => {
      stopping = true
      await claiming.stop(deadline)
      network.release()
      await Promise.race([held.idle(), aborted(deadline)])
      if (held.count > 0) {
        breaking = true
        network.abort()
        recorder.abandon()
        await Promise.race([held.idle(), clock.sleep(LAST_MS, new AbortController().signal)])
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
        const claimed = await claims.claimSome()
        count += claimed ?? 0
        await held.idle()
        more = promoted > 0 || claimed !== 0
      }
      return count + (await overdue.walk())
    },
    idle: held.idle,
    get held() {
      return held.count
    },
  }
}
