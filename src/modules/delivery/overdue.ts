// Ends mail whose time is over while it cannot be claimed, because its account is suspended or its destination held back. A
// walk once a minute ends it like mail that is claimed too late: as suppressed, as mail of a removed domain, else as expired.
// While nothing is suspended or held back, a walk is one small query. A process that dies leaves leases, as with any claim; two
// simultaneous walks end each email once.

import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { FIRST_ID } from '../../platform/ids.ts'
import { type Loop, loop } from '../../platform/lifecycle.ts'
import {
  type Claimed,
  claimOverdue,
  fetchQueuedEmails,
  handBack,
  lastAttempts,
  pausedSites,
  type QueuedEmail,
} from '../outbox/index.ts'
import type { HeldEmails } from './held-emails.ts'
import { concludedAsNeverSent } from './not-attempted.ts'
import type { Recorder } from './record-results.ts'
import { type Conclusion, type Context, expired, forgotten } from './results.ts'
import type { SigningKeys } from './types.ts'

export interface Overdue {
  /** For tests: one walk. @returns how many emails it ended */
  walk(): Promise<number>
  readonly looking: Loop
}

export interface OverdueOptions {
  readonly database: Database
  readonly clock: Clock
  readonly suspendedAccounts: () => readonly string[]
  readonly recorder: Recorder
  readonly signingKeys: SigningKeys
  readonly contextOf: (one: { readonly claimed: Claimed; readonly email: QueuedEmail }) => Context
  /** The epoch to claim under; null: not now. */
  readonly epoch: () => number | null
  readonly held: HeldEmails
  /** Rows may be leased without this process knowing. */
  readonly suspectUnknownLeases: () => void
  readonly onError: (error: unknown) => void
}

const EVERY_MS = 60_000
/** Pause between batches. A batch with nothing overdue takes one to seven ms, so a walk uses at most an eighth of a connection. */
const REST_MS = 50

export function overdueOf(options: OverdueOptions): Overdue {
  const { system } = options.database
  let after = FIRST_ID

  /** @returns how many emails were ended */
  const endBatch = async (): Promise<number> => {
    const accounts = options.suspendedAccounts()
    const sites = await pausedSites(system)
    const epoch = options.epoch()
    if (epoch === null || (accounts.length === 0 && sites.length === 0)) {
      after = FIRST_ID
      return 0
    }
    const claimed = await claimBatch(epoch, { accounts, sites })
    if (claimed.length === 0) return 0
    options.held.add(epoch, claimed.length)
    try {
      const emails = await fetchQueuedEmails(system, claimed, 0)
      const byId = new Map(emails.map((email) => [email.id, email]))
      const lasts = await lastAttempts(system, emails)
      const domains = [...new Set(emails.flatMap(({ domainId }) => domainId ?? []))]
      const keys = domains.length === 0 ? new Map() : await options.signingKeys(system, domains)
      const conclude = (claimed: Claimed, context: Context): Conclusion => {
        const { id, domainId } = context.email
        const isDomainRemoved = domainId !== null && !keys.has(domainId)
        return concludedAsNeverSent(context, { claimed, isDomainRemoved }) ?? expired(context, lasts.get(id) ?? null)
      }
      await Promise.all(claimed.map((row) => end(epoch, row, byId.get(row.id), conclude)))
    } catch (error) {
      options.suspectUnknownLeases()
      throw error
    } finally {
      options.held.remove(epoch, claimed.length)
    }
    return claimed.length
  }

  const claimBatch = async (
    epoch: number,
    blocked: { readonly accounts: readonly string[]; readonly sites: readonly number[] },
  ): Promise<readonly Claimed[]> => {
    try {
      const answer = await claimOverdue(system, { epoch, after, ...blocked, now: options.clock.now() })
      after = answer.after ?? FIRST_ID
      return answer.claimed
    } catch (error) {
      // The claim may have been committed although its answer was lost.
      options.suspectUnknownLeases()
      throw error
    }
  }

  const end = async (
    epoch: number,
    claimed: Claimed,
    email: QueuedEmail | undefined,
    conclude: (claimed: Claimed, context: Context) => Conclusion,
  ): Promise<void> => {
    const context = email === undefined ? null : options.contextOf({ claimed, email })
    // No longer overdue: our clock has been put back since the claim.
    if (context !== null && context.email.expiresAt > context.now) return handBack(system, epoch, [claimed])
    const ended = context === null ? forgotten(claimed, options.clock.now()) : conclude(claimed, context)
    await options.recorder.add({ ...ended, epoch, inbox: null })
  }

  return {
    walk: async () => {
      let count = 0
      do count += await endBatch()
      while (after !== FIRST_ID)
      return count
    },
    looking: loop({
      name: 'delivery overdue',
      turn: async () => {
        await endBatch()
        return after === FIRST_ID ? EVERY_MS : REST_MS
      },
      onError: options.onError,
    }),
  }
}
