// Mail whose time is over while nobody may claim it, because its account is suspended or its destination held back: once a
// minute it is looked for and ended like any that is claimed too late: for what stands on a list, for a domain that was removed,
// else because its time is over. While nothing is suspended and nothing held back, that is one small question. A process that dies in between leaves leases, as with any claim; two that walk at once end each email once.

import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import { FIRST_ID } from '../../platform/ids.ts'
import { type Loop, loop } from '../../platform/lifecycle.ts'
import {
  type Claimed,
  claimOverdue,
  fetchLetters,
  handBack,
  type Letter,
  lastAttempts,
  pausedSites,
} from '../outbox/index.ts'
import type { Recorder } from './record.ts'
import { type Conclusion, type Context, endedUntried, expired, forgotten } from './results.ts'
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
  readonly contextOf: (one: { readonly claimed: Claimed; readonly letter: Letter }) => Context
  /** To claim under; null: not now. */
  readonly epoch: () => number | null
  /** So many rows are in the process from now on; each is released once. */
  readonly hold: (epoch: number, count: number) => void
  readonly release: (epoch: number, count: number) => void
  /** Rows may be leased that nobody here knows of. */
  readonly doubt: () => void
  readonly onError: (error: unknown) => void
}

/** What an email comes to that was claimed after its time. */
export async function conclusionOfExpired(db: Db, context: Context): Promise<Conclusion> {
  const lasts = await lastAttempts(db, [context.letter])
  return expired(context, lasts.get(context.letter.id) ?? null)
}

const EVERY_MS = 60_000
/** Between two lots, of one to seven milliseconds where nothing is over: a walk takes an eighth of a connection at most. */
const REST_MS = 50

export function overdueOf(options: OverdueOptions): Overdue {
  const { system } = options.database
  let after = FIRST_ID

  /** @returns how many were ended */
  const lot = async (): Promise<number> => {
    const accounts = options.suspendedAccounts()
    const sites = await pausedSites(system)
    const epoch = options.epoch()
    if (epoch === null || (accounts.length === 0 && sites.length === 0)) {
      after = FIRST_ID
      return 0
    }
    const claimed = await claimLot(epoch, { accounts, sites })
    if (claimed.length === 0) return 0
    options.hold(epoch, claimed.length)
    try {
      const letters = await fetchLetters(system, claimed, 0)
      const byId = new Map(letters.map((letter) => [letter.id, letter]))
      const lasts = await lastAttempts(system, letters)
      const domains = [...new Set(letters.flatMap(({ domainId }) => domainId ?? []))]
      const keys = domains.length === 0 ? new Map() : await options.signingKeys(system, domains)
      const hasDomain = ({ domainId }: Letter): boolean => domainId === null || keys.has(domainId)
      const conclude = (claimed: Claimed, context: Context): Conclusion => {
        if (claimed.blocked !== null) return endedUntried(context, { status: 'suppressed', reason: claimed.blocked })
        if (!hasDomain(context.letter)) return endedUntried(context, { status: 'failed', reason: 'domain_removed' })
        return expired(context, lasts.get(context.letter.id) ?? null)
      }
      await Promise.all(claimed.map((row) => end(epoch, row, byId.get(row.id), conclude)))
    } catch (error) {
      options.doubt()
      throw error
    } finally {
      options.release(epoch, claimed.length)
    }
    return claimed.length
  }

  const claimLot = async (
    epoch: number,
    blocked: { readonly accounts: readonly string[]; readonly sites: readonly number[] },
  ): Promise<readonly Claimed[]> => {
    try {
      const answer = await claimOverdue(system, { epoch, after, ...blocked, now: options.clock.now() })
      after = answer.after ?? FIRST_ID
      return answer.claimed
    } catch (error) {
      // It may have been done, and only its answer lost.
      options.doubt()
      throw error
    }
  }

  const end = async (
    epoch: number,
    claimed: Claimed,
    letter: Letter | undefined,
    conclude: (claimed: Claimed, context: Context) => Conclusion,
  ): Promise<void> => {
    const context = letter === undefined ? null : options.contextOf({ claimed, letter })
    // Not over any more: our clock has been put back since.
    if (context !== null && context.letter.expiresAt > context.now) return handBack(system, epoch, [claimed])
    const ended = context === null ? forgotten(claimed, options.clock.now()) : conclude(claimed, context)
    await options.recorder.add({ ...ended, epoch, inbox: null })
  }

  return {
    walk: async () => {
      let count = 0
      do count += await lot()
      while (after !== FIRST_ID)
      return count
    },
    looking: loop({
      name: 'delivery overdue',
      turn: async () => {
        await lot()
        return after === FIRST_ID ? EVERY_MS : REST_MS
      },
      onError: options.onError,
    }),
  }
}
