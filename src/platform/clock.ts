// Time is given, never taken: tests turn it by hand, and several machines follow the database's clock.

import { setTimeout as delay } from 'node:timers/promises'

/** The only way this code base asks for the time. */
export interface Clock {
  /** The time of day, for due times and records. It may be corrected by steps: never measure a duration with it. */
  now(): Date
  /** Milliseconds on a clock that only goes forward, for durations and deadlines. */
  monotonicMs(): number
  /** Rejects with `signal.reason` when aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** A clock whose time of day can be corrected, so that all machines agree with their database. */
export interface CorrectableClock extends Clock {
  /** @param byMs what to add to the time of day, beside all that was added before */
  correct(byMs: number): void
}

/** A smaller step is drift, and no clock that somebody has turned. */
export const TURNED_MS = 5_000
/** By then a machine's clock has been corrected by the database's, some five seconds at a time, if it was that which was turned. */
export const SETTLED_AFTER_MS = 15_000

/**
 * Whoever puts work off asks this before looking what is due.
 *
 * @returns tells, once and when the clock has settled, that the time of day was put back: what was put off before may lie
 * too far ahead. So it does after the beginning, since nobody knows what was before
 */
export function putBackSince(clock: Clock): () => boolean {
  let aheadMs = Number.POSITIVE_INFINITY
  let settledMs = Number.POSITIVE_INFINITY
  return () => {
    const elapsedMs = clock.monotonicMs()
    const nowMs = clock.now().getTime() - elapsedMs
    const isPutBack = nowMs < aheadMs - TURNED_MS
    if (isPutBack || nowMs > aheadMs) aheadMs = nowMs
    if (isPutBack) settledMs = elapsedMs + SETTLED_AFTER_MS
    if (elapsedMs < settledMs) return false
    settledMs = Number.POSITIVE_INFINITY
    return true
  }
}

export function systemClock(): CorrectableClock {
  let offsetMs = 0
  return {
    now: () => new Date(Date.now() + offsetMs),
    monotonicMs: () => performance.now(),
    sleep: async (ms, signal) => {
      try {
        await delay(ms, undefined, { signal })
      } catch (error) {
        throw signal.aborted ? signal.reason : error
      }
    },
    correct: (byMs) => {
      offsetMs += byMs
    },
  }
}
