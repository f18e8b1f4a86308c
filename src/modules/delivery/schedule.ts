// When to try again: contract section 7.

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** After the start: the first waits are for greylisting, which lifts within minutes. Then every six hours. */
const FIRST_TRIES_MS = [0, 6, 15, 30, 60, 120, 240].map((minutes) => minutes * MINUTE_MS)
const EVERY_MS = 6 * HOUR_MS
export const GIVE_UP_AFTER_MS = 72 * HOUR_MS
const SPREAD = 0.1

export interface Span {
  /** Acceptance, or the time a scheduled email was due. */
  readonly start: Date
  /** Nothing is tried from then on; at the latest `GIVE_UP_AFTER_MS` after the start, or after a retry by hand. */
  readonly expiresAt: Date
}

/**
 * The time of the next try: the first of the schedule that lies after `now`, up to 10 % of its distance from the one
 * before later, so that a burst of deferrals spreads; never earlier.
 *
 * @param chance in [0, 1)
 * @returns null when it would come too late: the try that has just ended was the last
 */
export function nextTry({ start, expiresAt }: Span, now: Date, chance: number): Date | null {
  const elapsedMs = now.getTime() - start.getTime()
  let before = 0
  let after = 0
  for (let index = 1; after <= elapsedMs || index === 1; index++) {
    before = after
    after = FIRST_TRIES_MS[index] ?? before + EVERY_MS
  }
  const next = new Date(start.getTime() + Math.floor(after + (after - before) * SPREAD * chance))
  return next.getTime() >= expiresAt.getTime() ? null : next
}
