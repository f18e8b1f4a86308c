// When to retry, when to give up, and how long the log is kept. Pure.

import { firstIdAt } from '../../platform/ids.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Delay of each retry, from the end of the previous attempt. */
export const RETRY_AFTER_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR] as const

const MAX_RETRY_AFTER_MS = 24 * HOUR
/** An endpoint that fails without a success for this long is disabled. */
export const DISABLE_AFTER_MS = 5 * 24 * HOUR

const DAY_MS = 24 * HOUR
/** Retention of the delivery log. */
export const KEPT_DAYS = 30

/** The first id the delivery log accepts; partitions are dropped a day later. */
export function logBegins(now: Date): string {
  return firstIdAt(new Date(now.getTime() - KEPT_DAYS * DAY_MS))
}

/**
 * True when something happened since an endpoint was created or last enabled. If that moment lies ahead of now, the clock has
 * been set back since, and everything counts.
 */
export function isSince(activeSince: Date, at: Date, now: Date): boolean {
  return at >= activeSince || activeSince > now
}

/**
 * @param attempts number of failed attempts, from 1
 * @param askedMs how long the receiver asked to wait
 * @returns null when there are no more attempts
 */
export function nextAttempt(attempts: number, now: Date, askedMs: number): Date | null {
  const waitMs = RETRY_AFTER_MS[attempts - 1]
  if (waitMs === undefined) return null
  return new Date(now.getTime() + Math.max(waitMs, askedMs))
}

/**
 * @param retryAfter the header's text; a number of seconds or an HTTP date (RFC 9110 section 10.2.3)
 * @returns how long the receiver asks to wait, at most a day; 0 when it does not ask
 */
export function askedMsOf(retryAfter: string | null, now: Date): number {
  if (retryAfter === null) return 0
  const text = retryAfter.trim()
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now.getTime()
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS)
}
