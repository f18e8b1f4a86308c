// Claims: leases ready emails to this node, fairly over destinations and accounts, as many as there is room for, reads them,
// and starts them. Rows that cannot be started are handed back.
//
// The walk over ready mail comes to every destination in turn, and takes much time where an account has mail for many of them.
// Meanwhile a second walk leases mail to one person of the accounts that have less than others in the process.

import { isUnavailable } from '../../platform/db.ts'
import {
  type ClaimAnswer,
  type ClaimAsk,
  type Claimed,
  claim,
  fetchQueuedEmails,
  handBack,
  type QueuedEmail,
} from '../outbox/index.ts'
import type { AccountShares } from './account-shares.ts'
import { type HeldEmail, siteOf } from './conclude.ts'
import type { DestinationWindows } from './destination-windows.ts'
import type { HeldEmails } from './held-emails.ts'
import type { Membership } from './membership.ts'
import type { DeliveryOptions, Limits } from './options.ts'
import type { SigningKey } from './types.ts'

/** While emails are under way, a claim waits for room for this many: a few at a time would cost a commit each. */
export const CLAIM_LEAST = 50
const LARGE_BODY_BYTES = 65_536

/** The second walk is not under way for more than a quarter of the time, since it visits much that it does not lease. */
const AHEAD_EVERY_MS = 50
const AHEAD_CLAIMS = 4
const AHEAD_RESTS = 3

export interface Claims {
  /** One claim. @returns how many emails; null: none in this part, and the walk over ready mail continues */
  claimSome(): Promise<number | null>
  /** The next claim begins a new walk over ready mail. */
  restart(): void
}

export interface ClaimsOptions
  extends Pick<
    DeliveryOptions,
    'database' | 'clock' | 'fresh' | 'journals' | 'signingKeys' | 'suspendedAccounts' | 'mail'
  > {
  readonly limits: Limits
  readonly node: Membership
  readonly windows: DestinationWindows
  readonly shares: AccountShares
  readonly held: HeldEmails
  /** Whether mail claimed at this time has been checked against all unsubscribes acknowledged during an outage. */
  readonly isChecked: (claimedAtMs: number) => boolean
  readonly isStopping: () => boolean
  /** Starts a claimed email, whose window it has entered. Never throws. */
  readonly start: (one: HeldEmail) => void
  /** Ends a queue row whose email is no longer there. Never throws. */
  readonly forget: (epoch: number, row: Claimed) => void
  readonly onError: (error: unknown) => void
}

export function claimsOf(options: ClaimsOptions): Claims {
  const { database, clock, limits, node, windows, shares, held } = options
  const claimLeast = Math.max(1, Math.min(CLAIM_LEAST, limits.maxClaim, Math.floor(limits.maxEmails / 8)))
  let cursor: ClaimAnswer['cursor'] = null
  let aheadCursor: ClaimAnswer['cursor'] = null
  let aheadAtMs = Number.NEGATIVE_INFINITY
  /** Emails found by the walk under way. */
  let found = 0

  const claimSome = async (): Promise<number | null> => {
    const epoch = node.epoch()
    const room = Math.min(limits.maxClaim, limits.maxEmails - held.count, windows.room(clock.monotonicMs()))
    if (!options.isChecked(Number.POSITIVE_INFINITY) || room < (held.count === 0 ? 1 : claimLeast)) return 0
    if (epoch === null || options.isStopping() || held.bytes >= limits.maxBytes) return 0
    if (cursor !== null && options.mail !== 'bulk' && clock.monotonicMs() >= aheadAtMs) {
      const ahead = await claimAhead(epoch)
      if (ahead > 0) return ahead
    }
    const rounded = cursor !== null
    if (!rounded) found = 0
    const claimedAtMs = clock.monotonicMs()
    const answer = await claimUnder(epoch, { limit: room, cursor, kind: options.mail ?? 'all' })
    cursor = answer.cursor
    found += answer.claimed.length
    // A whole walk that found nothing means that all mail is blocked: the next walk can wait.
    if (answer.claimed.length === 0) return cursor !== null ? null : rounded && found > 0 ? claimSome() : 0
    await hold(epoch, answer.claimed, claimedAtMs)
    return answer.claimed.length
  }

  const claimAhead = async (epoch: number): Promise<number> => {
    const claimedAtMs = clock.monotonicMs()
    // Pairs without mail to lease count too.
    const limit = Math.min(AHEAD_CLAIMS * limits.maxClaim, limits.maxEmails - held.count)
    const ask = { limit, cursor: aheadCursor, kind: 'single' } as const
    const answer = await claimUnder(epoch, ask, shares.ample())
    aheadCursor = answer.cursor
    const nowMs = clock.monotonicMs()
    aheadAtMs = nowMs + Math.max(AHEAD_EVERY_MS, AHEAD_RESTS * (nowMs - claimedAtMs))
    if (answer.claimed.length > 0) await hold(epoch, answer.claimed, claimedAtMs)
    return answer.claimed.length
  }

  const hold = async (epoch: number, claimed: readonly Claimed[], claimedAtMs: number): Promise<void> => {
    held.add(epoch, claimed.length)
    try {
      await startAll(epoch, claimed, claimedAtMs)
    } catch (error) {
      await giveBack(epoch, claimed)
      throw error
    }
  }

  const claimUnder = async (
    epoch: number,
    ask: Pick<ClaimAsk, 'limit' | 'kind' | 'cursor'>,
    ample: readonly string[] = [],
  ): Promise<ClaimAnswer> => {
    const { sites, others } = windows.free(clock.monotonicMs())
    try {
      return await claim(database.system, {
        ...ask,
        epoch,
        free: sites,
        defaultFree: others,
        suspended: [...options.suspendedAccounts(), ...ample],
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
      options.onError(error)
    }
    held.remove(epoch, rows.length)
  }

  const emailsOf = async (claimed: readonly Claimed[]): Promise<readonly QueuedEmail[]> => {
    const known = claimed.flatMap((row) => options.fresh?.take(row) ?? [])
    if (known.length === claimed.length) return known
    const ids = new Set(known.map(({ id }) => id))
    const others = claimed.filter(({ id }) => !ids.has(id))
    return [...known, ...(await fetchQueuedEmails(database.system, others, LARGE_BODY_BYTES))]
  }

  /** Reads claimed emails and starts them. Rejects only before any of them has started. */
  const startAll = async (epoch: number, claimed: readonly Claimed[], claimedAtMs: number): Promise<void> => {
    const emails = await emailsOf(claimed)
    const domains = [...new Set(emails.flatMap(({ domainId }) => (domainId === null ? [] : [domainId])))]
    const keys =
      domains.length === 0 ? new Map<string, SigningKey>() : await options.signingKeys(database.system, domains)
    const byId = new Map(emails.map((email) => [email.id, email]))
    const surplus: Claimed[] = []
    for (const row of inFairOrder(claimed)) {
      const email = byId.get(row.id)
      if (email === undefined) options.forget(epoch, row)
      else if (!windows.enter(row.siteId, siteOf(email))) surplus.push(row)
      else {
        held.countBytes(email.body?.length ?? 0)
        shares.enter(row)
        const key = keys.get(email.domainId ?? '') ?? null
        options.start({
          ...{ claimed: row, email, epoch, key, claimedAtMs, checkedAtMs: claimedAtMs },
          ...{ pass: null, leave: null },
        })
      }
    }
    if (surplus.length > 0) await giveBack(epoch, surplus)
  }

  return {
    claimSome,
    restart: () => {
      cursor = null
      aheadCursor = null
    },
  }
}

/**
 * The order in which claimed emails enter the windows of their destinations: mail to one person before mail to many, and of each
 * account in turns. A claim offers every account all the room of a destination, so the first would take it from the others.
 */
export function inFairOrder(claimed: readonly Claimed[]): readonly Claimed[] {
  const taken = new Map<string, number>()
  const turns = claimed.map((row) => {
    const pair = `${row.siteId} ${row.accountId} ${row.bulk}`
    const turn = taken.get(pair) ?? 0
    taken.set(pair, turn + 1)
    return { row, turn }
  })
  return turns.sort((a, b) => Number(a.row.bulk) - Number(b.row.bulk) || a.turn - b.turn).map(({ row }) => row)
}
