// Whether a domain is ready for a test mailing, and of which kind. Pure.
//
// basic: plain text, no tracking, no links - for a domain that is new, has hardly sent, or is not well. standard: html and
// links, without tracking. full: everything.

import type { Domain } from '../domains/index.ts'
import type { Counts } from '../statistics/index.ts'
import { healthOf } from './formula.ts'

const DAY_MS = 86_400_000
const NEW_DAYS = 7
const YOUNG_DAYS = 30
const FEW_SENT = 100
const POOR_SCORE = 60
const GOOD_SCORE = 80

export function readinessOf(domain: Domain, counts: Counts, tracked: boolean, now: Date): object {
  const ageDays = Math.floor((now.getTime() - domain.createdAt.getTime()) / DAY_MS)
  const { score, grade, metrics, findings } = healthOf(counts, tracked)
  const trackingDomainId = domain.settings.trackingDomainId
  const verified = domain.status === 'verified'
  const poor = score !== null && score < POOR_SCORE
  const basic = !verified || ageDays < NEW_DAYS || counts.sent < FEW_SENT || poor
  const full = ageDays >= YOUNG_DAYS && score !== null && score >= GOOD_SCORE && trackingDomainId !== null
  const checklist = [
    { item: 'domain_verified', done: verified },
    { item: 'tracking_domain', done: trackingDomainId !== null },
    { item: 'older_than_7_days', done: ageDays >= NEW_DAYS },
    { item: 'enough_sent', done: counts.sent >= FEW_SENT },
    { item: 'healthy', done: !poor },
  ]
  return {
    domain_id: domain.id,
    domain: domain.name,
    status: domain.status,
    ready: verified && !poor,
    domain_age_days: ageDays,
    health: { score, grade },
    statistics: metrics,
    tracking_domain: { configured: trackingDomainId !== null, id: trackingDomainId },
    recommended_test_mode: basic ? 'basic' : full ? 'full' : 'standard',
    warnings: [
      ...(verified ? [] : ['The domain is not verified']),
      ...(ageDays < NEW_DAYS ? ['The domain is new here: begin with few emails'] : []),
      ...findings.filter(({ severity }) => severity !== 'info').map(({ message }) => message),
    ],
    recommendations: [
      ...(verified ? [] : ['Publish the DNS records of the domain and verify it']),
      ...(trackingDomainId === null ? ['Assign a tracking domain of your own'] : []),
      ...(basic ? ['Test with plain text, without links and tracking'] : []),
    ],
    checklist,
  }
}
