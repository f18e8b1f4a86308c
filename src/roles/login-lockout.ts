// Locks out password guesses by address and user, each time for longer. The right password from another address is never held
// up, and neither is another user behind the same address.
//
// - FREE_GUESSES wrong passwords are free. Each further one locks the user out at that address: for FIRST_LOCK_MS, then twice
//   as long each time, at most LONGEST_LOCK_MS. During a lock no password is checked, so guesses do not load the store.
// - A repetition of a recent wrong password is not a new guess: a forgotten program with the old password locks out nobody
//   behind the same address. Such a password is checked each time, because it may have become right.
// - After a lock one try is checked, and counts as wrong until its result is known: of simultaneous tries all but one wait.
// - The right password clears all guesses; so does FORGET_AFTER_MS without a guess.
//
// API keys are exempt: `apikey` is the user name of everybody with a key, so the wrong key of one must not lock out others at
// the same address, and each key is a user of its own that nobody can guess at twice. The table is kept in the process, with at
// most MAX_USERS users; the one with the oldest last guess is forgotten first.

import { createHash } from 'node:crypto'
import { senderNetwork } from '../platform/addresses.ts'
import type { Clock } from '../platform/clock.ts'
import { freshCache } from '../platform/fresh-cache.ts'

export const FREE_GUESSES = 5
export const FIRST_LOCK_MS = 1_000
export const LONGEST_LOCK_MS = 900_000
export const FORGET_AFTER_MS = 3_600_000
export const MAX_USERS = 10_000
/** How many wrong passwords are remembered. */
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
   * Checks the password, unless the user is locked out at this address.
   *
   * @param check returns the result for the password; when it rejects nothing is counted
   */
  ask<Answer extends { readonly kind: string }>(
    login: LoginTry,
    check: () => Promise<Answer>,
  ): Promise<Answer | LockedOut>
}

interface Guesses {
  readonly count: number
  /** Hashes of the last wrong passwords. */
  readonly wrong: readonly string[]
  /** On the monotonic clock; in the past when the user is not locked out. */
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
      // Hashes keep entries at one size, and keep passwords out of memory.
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

/** @param guesses the number of wrong passwords */
function lockMs(guesses: number): number {
  if (guesses <= FREE_GUESSES) return 0
  return Math.min(LONGEST_LOCK_MS, FIRST_LOCK_MS * 2 ** (guesses - FREE_GUESSES - 1))
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
