// When to try again, when to give up, and how long that is known. Pure.

import { firstIdAt } from '../../platform/ids.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Waits after the end of the attempt before. */
export const RETRY_AFTER_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR] as const

const MAX_RETRY_AFTER_MS = 24 * HOUR
/** An endpoint that only fails for this long is switched off. */
export const DISABLE_AFTER_MS = 5 * 24 * HOUR

const DAY_MS = 24 * HOUR
/** The delivery log's. */
export const KEPT_DAYS = 30

/** The first id that the delivery log has a place for; partitions go a day later. */
export function logBegins(now: Date): string {
  return firstIdAt(new Date(now.getTime() - KEPT_DAYS * DAY_MS))
}

/**
 * Whether something is of the time since an endpoint was made or switched on. Where that lies ahead of now, the clock has been
 * put back since, and all that happens is.
 */
export function isSince(activeSince: Date, at: Date, now: Date): boolean {
  return at >= activeSince || activeSince > now
}

/**
 * @param attempts how many have failed, from 1
 * @param askedMs for how long the receiver asked not to be told
 * @returns null when there are no more
 */
export function nextAttempt(attempts: number, now: Date, askedMs: number): Date | null {
  const waitMs = RETRY_AFTER_MS[attempts - 1]
  if (waitMs === undefined) return null
  return new Date(now.getTime() + Math.max(waitMs, askedMs))
}

/**
 * @param retryAfter the header's text; a number of seconds or an HTTP date (RFC 9110 section 10.2.3)
 * @returns for how long the receiver asks not to be told, a day at most; 0 when it asks for nothing
 */
export function askedMsOf(retryAfter: string | null, now: Date): number {
  if (retryAfter === null) return 0
  const text = retryAfter.trim()
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now.getTime()
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS)
}
