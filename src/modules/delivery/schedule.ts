// When to try again: contract section 7.

import { FIRST_ID, firstIdAt, LAST_ID } from '../../platform/ids.ts'
import type { PutOffBound } from '../outbox/index.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** Offsets from the start. The first waits are for greylisting, which lifts within minutes. Later tries come every six hours. */
const FIRST_TRIES_MS = [0, 6, 15, 30, 60, 120, 240].map((minutes) => minutes * MINUTE_MS)
const EVERY_MS = 6 * HOUR_MS
const SPREAD = 0.1
/** The largest claim count of the queue. */
const MOST_CLAIMS = 32_767
/** More than the clocks of machines that follow one database ever differ. */
const SKEW_MS = 6 * MINUTE_MS

export interface Span {
  /** Acceptance, or the time a scheduled email was due. */
  readonly start: Date
  /** Nothing is tried from this time on. At the latest EMAIL_LIFE_MS after the start, or after a retry by hand. */
  readonly expiresAt: Date
}

/**
 * The time of the next try: the first of the schedule after `now`, plus up to 10 % of its distance from the try before, so
 * that a burst of deferrals spreads. Never earlier than the schedule.
 *
 * A start that lies ahead was written under a clock that has since been put back: then the number of tries made gives the
 * next wait.
 *
 * @param chance in [0, 1)
 * @param tries the number of tries made
 * @returns null when the next try would be too late: the try that has just ended was the last, whatever time is left
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

/**
 * The latest times to which the schedule defers: by an email's age, that of its step; for an email whose start lies ahead,
 * that of its tries. A later time was set under a clock that has since been put back.
 */
export function putOffBounds(now: Date): readonly PutOffBound[] {
  const idAt = (ageMs: number): string => firstIdAt(new Date(now.getTime() - ageMs))
  const latestOf = (stepMs: number): Date => new Date(now.getTime() + Math.ceil(stepMs * (1 + SPREAD)) + SKEW_MS)
  const steps = FIRST_TRIES_MS.slice(1).map((toMs, index) => {
    const fromMs = FIRST_TRIES_MS[index] ?? 0
    return { fromMs, toMs, latest: latestOf(toMs - fromMs) }
  })
  const ofAges = steps.map(({ fromMs, toMs, latest }) => {
    return { fromId: idAt(toMs), beforeId: idAt(fromMs === 0 ? -SKEW_MS : fromMs), claims: MOST_CLAIMS, latest }
  })
  const ahead = { fromId: idAt(-SKEW_MS), beforeId: LAST_ID }
  return [
    ...ofAges,
    { fromId: FIRST_ID, beforeId: LAST_ID, claims: MOST_CLAIMS, latest: latestOf(EVERY_MS) },
    ...steps.map(({ latest }, index) => ({ ...ahead, claims: index + 1, latest })),
  ]
}

/** The offset from the start of a try that follows `tries` others. */
function elapsedBy(tries: number): number {
  const last = FIRST_TRIES_MS.length - 1
  return (FIRST_TRIES_MS[Math.min(tries, last)] ?? 0) + Math.max(0, tries - last) * EVERY_MS
}
