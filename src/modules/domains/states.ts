// The states of a sending domain, as pure rules (contract section 8).
//
//   pending            -> verified when ownership, SPF and DKIM pass (DMARC is shown but not required); failed after 72 h
//   verified           -> temporary_failure when a check misses ownership or DKIM; a lost SPF record is only reported
//   temporary_failure  -> verified when ownership and DKIM pass again; failed after 72 h. Mail is still sent meanwhile
//   failed             -> pending when somebody asks to verify
//   suspended          set and lifted only by the operator; a suspended domain cannot be removed
//
// A DNS error changes nothing: a record that could not be looked up counts neither way, and the 72 hours do not end at a
// check with a DNS error. Rechecks: while pending or in temporary failure every 5 minutes for 24 h, then hourly; while
// verified daily, hourly while the SPF record is lost; never while failed or suspended. Replaced DKIM keys that wait for
// their record are looked for as often as a pending domain, then at the rhythm of the status.

import type { DomainChecks, Purpose, RecordCheck } from '../../mail/dns/records.ts'

export const STATUSES = ['pending', 'verified', 'temporary_failure', 'failed', 'suspended'] as const
export type DomainStatus = (typeof STATUSES)[number]

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
export const GIVE_UP_AFTER_MS = 72 * HOUR_MS
const OFTEN_FOR_MS = 24 * HOUR_MS
const OFTEN_MS = 5 * MINUTE_MS
const DAILY_MS = 24 * HOUR_MS
/** Spreads the rechecks of domains that were added together over a tenth of the wait. */
const SPREAD = 0.1

export interface VerificationState {
  readonly status: DomainStatus
  /** Start of the status. */
  readonly since: Date
  readonly spfLost: boolean
}

export interface VerificationStep extends VerificationState {
  /** Event for the log; null: none. */
  readonly event: 'domain.verified' | 'domain.verification_failed' | null
}

/** Whether mail may be sent from it. */
export function isActive(status: DomainStatus): boolean {
  return status === 'verified' || status === 'temporary_failure'
}

/**
 * The state of a domain after a check.
 *
 * @param asked true when somebody asked to verify, false for a scheduled recheck
 */
export function nextVerificationState(
  before: VerificationState,
  checks: DomainChecks,
  now: Date,
  asked: boolean,
): VerificationStep {
  const start: VerificationState =
    before.status === 'failed' && asked ? { ...before, status: 'pending', since: now } : before
  switch (start.status) {
    case 'suspended':
    case 'failed':
      return { ...start, event: null }
    case 'pending':
      if (passes(checks, 'ownership', 'spf', 'dkim')) return verified(now)
      return late(start, now) && definite(checks, 'ownership', 'spf', 'dkim')
        ? { ...start, status: 'failed', since: now, event: 'domain.verification_failed' }
        : { ...start, event: null }
    case 'verified':
      if (misses(checks.ownership) || misses(checks.dkim)) {
        return { ...start, status: 'temporary_failure', since: now, event: 'domain.verification_failed' }
      }
      return judgeSpf(start, checks.spf)
    case 'temporary_failure':
      if (passes(checks, 'ownership', 'dkim')) return { ...verified(now), spfLost: misses(checks.spf) }
      return late(start, now) && definite(checks, 'ownership', 'dkim')
        ? { ...start, status: 'failed', since: now, event: 'domain.verification_failed' }
        : { ...start, event: null }
  }
}

function verified(now: Date): VerificationStep {
  return { status: 'verified', since: now, spfLost: false, event: 'domain.verified' }
}

/** Reports the lost SPF record of a verified domain once. */
function judgeSpf(start: VerificationState, spf: RecordCheck): VerificationStep {
  if (misses(spf)) return { ...start, spfLost: true, event: start.spfLost ? null : 'domain.verification_failed' }
  return { ...start, spfLost: start.spfLost && spf.status === 'error', event: null }
}

function passes(checks: DomainChecks, ...purposes: readonly Purpose[]): boolean {
  return purposes.every((purpose) => checks[purpose].status === 'valid')
}

function definite(checks: DomainChecks, ...purposes: readonly Purpose[]): boolean {
  return purposes.every((purpose) => checks[purpose].status !== 'error')
}

function misses({ status }: RecordCheck): boolean {
  return status !== 'valid' && status !== 'error'
}

function late({ since }: VerificationState, now: Date): boolean {
  return now.getTime() - since.getTime() >= GIVE_UP_AFTER_MS
}

/** The latest time of the next scheduled recheck, by how often a domain is checked. */
export function latestChecks(now: Date): { readonly often: Date; readonly hourly: Date; readonly daily: Date } {
  const latest = (ms: number): Date => new Date(now.getTime() + ms * (1 + SPREAD))
  return { often: latest(OFTEN_MS), hourly: latest(HOUR_MS), daily: latest(DAILY_MS) }
}

/** A domain that is not verified is checked often when its status began after this. */
export function oftenSince(now: Date): Date {
  return new Date(now.getTime() - OFTEN_FOR_MS)
}

/**
 * Time of the next scheduled recheck; null: none.
 *
 * @param chance in [0, 1)
 * @param rotatingSince when the next DKIM keys were made, which wait for their record; absent: none wait
 */
export function nextCheckAt(
  { status, since, spfLost }: VerificationState,
  now: Date,
  chance: number,
  rotatingSince?: Date,
): Date | null {
  const wait = (ms: number): Date => new Date(now.getTime() + Math.round(ms * (1 + SPREAD * chance)))
  switch (status) {
    case 'failed':
    case 'suspended':
      return null
    case 'verified': {
      const rotatingMs = rotatingSince === undefined ? GIVE_UP_AFTER_MS : now.getTime() - rotatingSince.getTime()
      if (rotatingMs < GIVE_UP_AFTER_MS) return wait(waitAfter(rotatingMs))
      return wait(spfLost ? HOUR_MS : DAILY_MS)
    }
    case 'pending':
    case 'temporary_failure':
      // After 72 hours a domain remains here only while its DNS does not answer.
      return wait(waitAfter(now.getTime() - since.getTime()))
  }
}

function waitAfter(ageMs: number): number {
  return ageMs < OFTEN_FOR_MS ? OFTEN_MS : HOUR_MS
}
