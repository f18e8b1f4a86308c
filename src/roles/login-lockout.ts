// Guesses at a password are locked out by address and user, each time for longer. Whoever gives the right one from another
// address is never held up, and neither is another user behind the same address.
//
// - FREE_GUESSES wrong passwords are free. Each further one locks the user out at that address: for FIRST_LOCK_MS, then
//   twice as long each time, at most LONGEST_LOCK_MS. While that lasts no password is looked at, so guesses cost no store.
// - A password that was wrong a moment ago is no new guess when it comes again: a forgotten program that goes on with the
//   old password locks out nobody behind the same address. It is looked at each time, and may have become right.
// - Behind a lock that is over one try is looked at, and is counted as wrong until it is known: of tries at the same time
//   all but one wait.
// - The right password makes all good, and FORGET_AFTER_MS without a guess does too.
//
// An API key is a user of its own, which nobody can guess at twice: `apikey` is the user name of all who have one, and
// whoever shares an address with others must not be locked out by theirs. Kept in the process, of MAX_USERS at most; whoever
// was not heard of for longest is forgotten first.

import { createHash } from 'node:crypto'
import { senderNetwork } from '../platform/addresses.ts'
import type { Clock } from '../platform/clock.ts'
import { freshCache } from '../platform/fresh-cache.ts'

export const FREE_GUESSES = 5
export const FIRST_LOCK_MS = 1_000
export const LONGEST_LOCK_MS = 900_000
export const FORGET_AFTER_MS = 3_600_000
export const MAX_USERS = 10_000
/** Wrong passwords that are known again. */
export const KNOWN_WRONG = 5
const KEY_USERNAME = 'apikey'

export interface LoginTry {
  readonly ip: string
  readonly username: string
  readonly password: string
}

export interface LockedOut {
  readonly kind: 'locked'
  readonly waitMs: number
}

export interface LoginLockout {
  /**
   * Asks whether the password is right, unless the user is locked out at this address.
   *
   * @param check tells what is known of the password; when it rejects nothing is counted
   */
  ask<Answer extends { readonly kind: string }>(
    login: LoginTry,
    check: () => Promise<Answer>,
  ): Promise<Answer | LockedOut>
}

interface Guesses {
  readonly count: number
  /** The last ones, as hashes. */
  readonly wrong: readonly string[]
  /** On the monotonic clock; passed when nobody is locked out. */
  readonly lockedUntilMs: number
}

const NONE: Guesses = { count: 0, wrong: [], lockedUntilMs: 0 }
const WRONG = new Set(['refused', 'throttled'])

export function loginLockout(clock: Clock, enabled: boolean): LoginLockout {
  const users = freshCache<Guesses>({ clock, maxAgeMs: FORGET_AFTER_MS, maxEntries: MAX_USERS })

  const countWrong = (name: string, password: string): void => {
    const before = users.get(name) ?? NONE
    if (before.wrong.includes(password)) return
    const now = clock.monotonicMs()
    const count = before.count + 1
    const wrong = [...before.wrong, password].slice(-KNOWN_WRONG)
    users.set(name, { count, wrong, lockedUntilMs: now + lockMs(count) }, now)
  }

  return {
    ask: async ({ ip, username, password: given }, check) => {
      if (!enabled || username === KEY_USERNAME) return check()
      // Hashes, so that an entry is of one size and no password stands in memory for an hour.
      const name = `${senderNetwork(ip)} ${hash(username)}`
      const password = hash(`${name}\0${given}`)
      const before = users.get(name) ?? NONE
      const now = clock.monotonicMs()
      const isGuess = !before.wrong.includes(password)
      if (isGuess && now < before.lockedUntilMs) return { kind: 'locked', waitMs: before.lockedUntilMs - now }
      const counted = isGuess && before.count >= FREE_GUESSES
      if (counted) users.set(name, { ...before, lockedUntilMs: now + lockMs(before.count + 1) }, now)
      try {
        const answer = await check()
        if (WRONG.has(answer.kind)) countWrong(name, password)
        else users.delete(name)
        return answer
      } catch (error) {
        if (counted) users.set(name, before, now)
        throw error
      }
    },
  }
}

/** @param guesses how many were wrong */
function lockMs(guesses: number): number {
  if (guesses <= FREE_GUESSES) return 0
  return Math.min(LONGEST_LOCK_MS, FIRST_LOCK_MS * 2 ** (guesses - FREE_GUESSES - 1))
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
