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
  /** @param offsetMs what to add to this machine's time of day */
  correct(offsetMs: number): void
}

/** A smaller step is no clock that somebody has turned. */
const TURNED_MS = 5_000

/**
 * Whoever puts work off asks this before looking what is due.
 *
 * @returns tells whether the time of day was put back since it was last asked: what was put off before may lie too far ahead.
 * True the first time, since nobody knows what was before
 */
export function putBackSince(clock: Clock): () => boolean {
  let aheadMs = Number.POSITIVE_INFINITY
  return () => {
    const nowMs = clock.now().getTime() - clock.monotonicMs()
    const isPutBack = nowMs < aheadMs - TURNED_MS
    if (isPutBack || nowMs > aheadMs) aheadMs = nowMs
    return isPutBack
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
    correct: (ms) => {
      offsetMs = ms
    },
  }
}
