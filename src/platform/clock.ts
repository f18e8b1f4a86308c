// Time is injected, never read directly: tests set it by hand, and several machines follow the database's clock.

import { setTimeout as delay } from 'node:timers/promises'

/** The only way this code base asks for the time. */
export interface Clock {
  /** The time of day, for due times and records. It may jump when corrected: never measure a duration with it. */
  now(): Date
  /** Milliseconds on a monotonic clock, for durations and deadlines. */
  monotonicMs(): number
  /** Rejects with `signal.reason` when aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** A clock whose time of day can be corrected, so that all machines agree with their database. */
export interface CorrectableClock extends Clock {
  /** @param byMs added to the time of day, on top of all earlier corrections */
  correct(byMs: number): void
}

/** A smaller step is drift, not a clock that somebody has set. */
export const TURNED_MS = 5_000
/** By then a machine's clock that was set has been corrected to the database's, which is asked about every five seconds. */
export const SETTLED_AFTER_MS = 15_000

/**
 * For callers that defer work: they ask before looking for what is due.
 *
 * @returns a function that returns true once after the time of day was put back and the clock has settled: work deferred
 * before may be due too far ahead. It also returns true once after the start, since nobody knows what happened before
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
