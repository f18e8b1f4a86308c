// When to try again: contract section 7.

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** After the start: the first waits are for greylisting, which lifts within minutes. Then every six hours. */
const FIRST_TRIES_MS = [0, 6, 15, 30, 60, 120, 240].map((minutes) => minutes * MINUTE_MS)
const EVERY_MS = 6 * HOUR_MS
export const GIVE_UP_AFTER_MS = 72 * HOUR_MS
const SPREAD = 0.1
/** No next try is later than this. */
export const LONGEST_WAIT_MS = EVERY_MS * (1 + SPREAD)
/** The clocks of machines that follow one database never differ by so much. */
const SKEW_MS = 6 * MINUTE_MS

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
 * A start that lies ahead was written under a clock that has been put back since: then the tries that were made tell which
 * wait is next.
 *
 * @param chance in [0, 1)
 * @param tries how many were made
 * @returns null when it would come too late: the try that has just ended was the last
 */
export function nextTry({ start, expiresAt }: Span, now: Date, chance: number, tries: number): Date | null {
  const isAhead = start.getTime() - now.getTime() > SKEW_MS
  const startMs = isAhead ? now.getTime() - elapsedBy(tries) : start.getTime()
  const elapsedMs = now.getTime() - startMs
  let before = 0
  let after = 0
  for (let index = 1; after <= elapsedMs || index === 1; index++) {
    before = after
    after = FIRST_TRIES_MS[index] ?? before + EVERY_MS
  }
  const next = new Date(startMs + Math.floor(after + (after - before) * SPREAD * chance))
  return next.getTime() >= expiresAt.getTime() ? null : next
}

/** How long after the start a try is made when `tries` were made before it. */
function elapsedBy(tries: number): number {
  const last = FIRST_TRIES_MS.length - 1
  return (FIRST_TRIES_MS[Math.min(tries, last)] ?? 0) + Math.max(0, tries - last) * EVERY_MS
}
