// Whether a domain is ready for a test mailing, and of which kind (contract section 8). Pure.
//
// basic: plain text, no tracking, no links; for a domain that is not in use, is new here or has hardly sent. full:
// everything; for an established domain in good health with a verified tracking domain. standard: html, at most one link,
// opens tracked.

import type { Domain, DomainStatus } from '../domains/index.ts'
import type { Counts, SentByDomain } from '../statistics/index.ts'
import type { TrackingDomainFacts } from '../tracking/index.ts'
import { healthOf, MIN_SENT, WINDOW_DAYS } from './formula.ts'

const DAY_MS = 86_400_000
const NEW_DAYS = 7
const KNOWN_DAYS = 30
const FEW_SENT = 100
const MUCH_SENT = 1_000
const POOR_SCORE = 60
const GOOD_SCORE = 80
const IN_USE: readonly DomainStatus[] = ['verified', 'temporary_failure']

export interface ReadinessFacts {
  readonly domain: Domain
  /** Counts of the domain in the window of the score. */
  readonly counts: Counts
  /** Since the domain was added. */
  readonly sent: SentByDomain
  /** Null when none is assigned. */
  readonly trackingDomain: TrackingDomainFacts | null
  /** Whether the domain's mail is tracked. */
  readonly tracked: boolean
  readonly now: Date
}

export type TestMode = 'basic' | 'standard' | 'full'

interface Check {
  readonly code: string
  readonly label: string
  readonly passed: boolean
  /** If it fails, no test mailing should go out at all. */
  readonly required: boolean
  /** What holds when it passed, and what to do otherwise. */
  readonly message: string
}

export function readinessOf(facts: ReadinessFacts): object {
  const { domain, counts, sent, trackingDomain, tracked, now } = facts
  const ageDays = Math.max(0, Math.floor((now.getTime() - domain.createdAt.getTime()) / DAY_MS))
  const { score, grade, metrics, findings } = healthOf(counts, tracked)
  const known = { ...facts, ageDays, score }
  const checklist = checklistOf(known)
  const mode = modeOf(known)
  return {
    domain_id: domain.id,
    domain: domain.name,
    verification_status: domain.status,
    domain_age_days: ageDays,
    health_score: score,
    grade,
    sending_stats: {
      total_sent: sent.total,
      sent_30d: counts.sent,
      delivery_rate: metrics['delivery_rate'],
      bounce_rate: metrics['bounce_rate'],
      complaint_rate: metrics['complaint_rate'],
      first_sent_at: sent.firstAt,
      last_sent_at: sent.lastAt,
    },
    tracking_domain: {
      configured: trackingDomain !== null,
      domain: trackingDomain?.name ?? null,
      is_verified: trackingDomain?.isVerified ?? false,
      ssl_enabled: trackingDomain?.sslEnabled ?? false,
    },
    recommended_test_mode: mode,
    ready: checklist.every(({ required, passed }) => passed || !required),
    warnings: [
      ...checklist.filter(({ required, passed }) => required && !passed).map(({ message }) => message),
      ...(domain.spfLost ? ['The SPF record is missing: some receivers will trust the mail less'] : []),
      ...(domain.status === 'temporary_failure' ? ['The last check did not find the DNS records of the domain'] : []),
      ...(ageDays < NEW_DAYS ? ['The domain is new here: begin with few emails'] : []),
      ...findings.filter(({ severity }) => severity !== 'info').map(({ message }) => message),
    ],
    recommendations: [
      ADVICE[mode],
      ...checklist.filter(({ required, passed }) => !required && !passed).map(({ message }) => message),
    ],
    checklist,
  }
}

interface Known extends ReadinessFacts {
  readonly ageDays: number
  readonly score: number | null
}

function isInUse({ status }: Domain): boolean {
  return IN_USE.includes(status)
}

function modeOf({ domain, ageDays, sent, score, trackingDomain }: Known): TestMode {
  if (!isInUse(domain) || ageDays < NEW_DAYS || sent.total < FEW_SENT) return 'basic'
  const isKnown = ageDays >= KNOWN_DAYS && sent.total >= MUCH_SENT && score !== null && score >= GOOD_SCORE
  return isKnown && trackingDomain?.isVerified === true ? 'full' : 'standard'
}

const ADVICE: Readonly<Record<TestMode, string>> = {
  basic: 'Test with plain text, without links and without tracking',
  standard: 'Test with html, at most one link, and open tracking',
  full: 'Test with the mail as it will be, links and tracking included',
}

function checklistOf({ domain, ageDays, sent, score, trackingDomain }: Known): readonly Check[] {
  return [
    check('domain_verified', 'Domain verified', isInUse(domain), {
      required: true,
      holds: 'The domain is in use',
      toDo: 'Publish the DNS records of the domain and verify it',
    }),
    healthCheck(score),
    check('domain_age', `At least ${NEW_DAYS} days old`, ageDays >= NEW_DAYS, {
      holds: `The domain has been here for ${ageDays} days`,
      toDo: `Wait until the domain has been here for ${NEW_DAYS} days`,
    }),
    check('sending_history', `At least ${FEW_SENT} emails sent`, sent.total >= FEW_SENT, {
      holds: `The domain has sent ${sent.total} emails`,
      toDo: `Send ${FEW_SENT} emails from the domain, a few more each day`,
    }),
    check('tracking_domain', 'Verified tracking domain', trackingDomain?.isVerified === true, {
      holds: `${trackingDomain?.name} is assigned and verified`,
      toDo: 'Assign a tracking domain of your own and verify it',
    }),
  ]
}

function check(
  code: string,
  label: string,
  passed: boolean,
  { required = false, holds, toDo }: { readonly required?: boolean; readonly holds: string; readonly toDo: string },
): Check {
  return { code, label, passed, required, message: passed ? holds : toDo }
}

/** Too few emails give no score: health is not proven, but nothing speaks against a test either. */
function healthCheck(score: number | null): Check {
  const isKnown = score !== null
  return check('health_score', 'Healthy sending', isKnown && score >= POOR_SCORE, {
    required: isKnown,
    holds: `The domain's health score of the last ${WINDOW_DAYS} days is ${score}`,
    toDo: isKnown
      ? `Bring the domain's health score of the last ${WINDOW_DAYS} days to ${POOR_SCORE}: it is ${score}`
      : `There is no health score yet: it needs ${MIN_SENT} emails sent in ${WINDOW_DAYS} days`,
  })
}
