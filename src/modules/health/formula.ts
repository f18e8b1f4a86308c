// The score; pure. Four components, each linear between the value that gives full score and the value that gives none, weighted
// and rounded half up. The grade is that of the rounded score. Without tracking engagement is unknown, so that component is
// left out and the others weigh more.

import { type Counts, rate } from '../statistics/index.ts'

export const FORMULA_VERSION = 1
export const WINDOW_DAYS = 30
export const MIN_SENT = 100

type Name = 'delivery' | 'bounce' | 'complaint' | 'engagement'

/** `warning`: full score up to here; `critical`: no score from here on. */
interface Part {
  readonly name: Name
  readonly weight: number
  readonly warning: number
  readonly critical: number
}

const PARTS: readonly Part[] = [
  { name: 'delivery', weight: 35, warning: 0.98, critical: 0.85 },
  { name: 'bounce', weight: 25, warning: 0.02, critical: 0.1 },
  { name: 'complaint', weight: 25, warning: 0.001, critical: 0.005 },
  { name: 'engagement', weight: 15, warning: 0.2, critical: 0 },
]

const GRADES: readonly (readonly [least: number, grade: string])[] = [
  [95, 'A+'],
  [90, 'A'],
  [85, 'B+'],
  [80, 'B'],
  [75, 'C+'],
  [70, 'C'],
  [60, 'D'],
  [0, 'F'],
]

const POOR: readonly string[] = ['D', 'F']

export interface Component extends Part {
  /** 0-100. */
  readonly score: number
  readonly value: number
}

export interface Finding {
  readonly code: string
  readonly severity: 'warning' | 'critical' | 'info'
  readonly message: string
  readonly evidence: Readonly<Record<string, number | null>>
}

export interface Health {
  readonly status: 'ok' | 'insufficient_data'
  /** 0-100; null with insufficient data. */
  readonly score: number | null
  readonly grade: string | null
  readonly metrics: Readonly<Record<string, number | null>>
  readonly components: readonly Component[]
  readonly findings: readonly Finding[]
}

/** Decimals of a score that are exact; further digits come from binary fractions. */
const TRUE_DIGITS = 9

export function gradeOf(score: number): string {
  return GRADES.find(([least]) => score >= least)?.[1] ?? 'F'
}

/** A grade for which mailbox providers delay mail or treat it as spam. */
export function isPoor(grade: string): boolean {
  return POOR.includes(grade)
}

/** @param tracked whether the account's mail is tracked at all */
export function healthOf(counts: Counts, tracked: boolean): Health {
  const metrics = metricsOf(counts)
  if (counts.sent < MIN_SENT) {
    const evidence = { sent: counts.sent, needed: MIN_SENT }
    const message = `A score needs ${MIN_SENT} emails sent in ${WINDOW_DAYS} days`
    const finding: Finding = { code: 'insufficient_data', severity: 'info', message, evidence }
    return { status: 'insufficient_data', score: null, grade: null, metrics, components: [], findings: [finding] }
  }
  const exact = componentsOf(counts, tracked)
  // The displayed values are rounded, the summands are not: 94.5 would come out as 94.499995, and an A+ as an A.
  const sum = exact.reduce((total, { score: part, weight }) => total + (part * weight) / 100, 0)
  const score = Math.round(Number(sum.toFixed(TRUE_DIGITS)))
  const components = exact.map((part) => ({
    ...part,
    weight: rounded(part.weight),
    score: rounded(part.score),
    value: rounded(part.value),
  }))
  return { status: 'ok', score, grade: gradeOf(score), metrics, components, findings: findingsOf(components, counts) }
}

/** The components before rounding. */
function componentsOf(counts: Counts, tracked: boolean): readonly Component[] {
  const values: Readonly<Record<Name, number>> = {
    delivery: share(counts.delivered, counts.sent),
    bounce: share(counts.hard + counts.soft, counts.sent),
    complaint: share(counts.complained, counts.delivered),
    engagement: share(Math.max(counts.unique_opens, counts.unique_clicks), counts.delivered),
  }
  const parts = tracked ? PARTS : PARTS.filter(({ name }) => name !== 'engagement')
  const whole = parts.reduce((sum, { weight }) => sum + weight, 0)
  return parts.map((part) => {
    const value = values[part.name]
    const level = (value - part.critical) / (part.warning - part.critical)
    const score = Math.min(1, Math.max(0, level)) * 100
    return { ...part, weight: (part.weight / whole) * 100, score, value }
  })
}

function metricsOf(counts: Counts): Health['metrics'] {
  const { sent, delivered, complained } = counts
  const bounced = counts.hard + counts.soft + counts.block + counts.unknown_bounces
  return {
    sent,
    delivered,
    bounced,
    complained,
    delivery_rate: rate(delivered, sent),
    bounce_rate: rate(bounced, sent),
    complaint_rate: rate(complained, delivered),
    open_rate: rate(counts.unique_opens, delivered),
    click_rate: rate(counts.unique_clicks, delivered),
  }
}

const MESSAGES: Readonly<Record<Name, readonly [code: string, message: string]>> = {
  delivery: ['low_delivery', 'Too little of what was sent was delivered'],
  bounce: ['high_bounces', 'Too many emails bounced: clean the lists of addresses'],
  complaint: ['high_complaints', 'Too many recipients complained: ask for consent, and make leaving easy'],
  engagement: ['low_engagement', 'Few recipients open or click'],
}

function findingsOf(components: readonly Component[], { sent, delivered }: Counts): readonly Finding[] {
  return components
    .filter(({ score }) => score < 100)
    .map(({ name, score, value, warning, critical }) => {
      const [code, message] = MESSAGES[name]
      const severity = score === 0 ? 'critical' : 'warning'
      return { code, severity, message, evidence: { value, warning, critical, sent, delivered } }
    })
}

/** Reports may be counted before the deliveries they refer to, so the share is capped at 1. */
function share(part: number, whole: number): number {
  if (whole === 0) return part === 0 ? 0 : 1
  return Math.min(1, part / whole)
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
