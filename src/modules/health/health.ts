import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import type { DomainSettings } from '../domains/index.ts'
import { append } from '../events/index.ts'
import { countsOf, isCountedUpTo } from '../statistics/index.ts'
import { FORMULA_VERSION, type Health, healthOf, isPoor, WINDOW_DAYS } from './formula.ts'
import * as sql from './sql.ts'

const DAY_MS = 86_400_000

export interface HealthContext {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  /** Whether an account's mail, or that of one of its domains, is tracked. */
  readonly isTracked: (accountId: string, domain?: DomainSettings) => Promise<boolean>
}

interface Kept extends Health {
  readonly period: { readonly from_date: string; readonly to_date: string }
  /** The score that this one replaced, of the same day or an earlier one; absent in records of older versions. */
  readonly previous_score?: number | null
}

interface RecordRow {
  readonly account_id: string
  readonly day: string
  readonly calculated_at: Date
  readonly score: number | null
  readonly grade: string | null
  readonly record: Kept
}

/** The wire form (contract section 16). */
export type HealthRecord = Readonly<Record<string, unknown>>

interface Window {
  readonly from: Date
  readonly today: Date
  readonly to: Date
  readonly day: string
}

function windowAt(now: Date): Window {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  const day = new Date(today).toISOString().slice(0, 10)
  const at = (days: number): Date => new Date(today + days * DAY_MS)
  return { from: at(1 - WINDOW_DAYS), today: at(0), to: at(1), day }
}

/** The day's record, calculated when the latest one is from another day. */
export async function currentHealth(context: HealthContext, accountId: string): Promise<HealthRecord> {
  const row = await context.database.tenant(accountId, (db) => db.one<RecordRow>(sql.latest, [accountId]))
  if (row !== null && row.day === windowAt(context.clock.now()).day) return wireRecord(row)
  return calculateHealth(context, accountId)
}

/**
 * Calculates the score, stores it as the day's record, and appends an event when the grade is not the last one, which may be from
 * before days with too few emails for a score. An account's first grade is reported when it is poor: there was none to fall from.
 * While the statistics lack earlier days (they are being rebuilt), it does neither and returns the latest record.
 */
export async function calculateHealth(context: HealthContext, accountId: string): Promise<HealthRecord> {
  const { database, clock, ids, isTracked } = context
  const tracked = await isTracked(accountId)
  const isCounted = await isCountedUpTo(database.system, windowAt(clock.now()).today, clock.now())
  return database.tenant(accountId, async (db) => {
    await db.query(sql.lock, [accountId])
    const now = clock.now()
    const { from, to, day } = windowAt(now)
    const health = healthOf(await countsOf(db, accountId, { from, to }), tracked)
    const last = await db.one<RecordRow>(sql.latest, [accountId])
    const period = { from_date: from.toISOString().slice(0, 10), to_date: day }
    const record = { ...health, period, previous_score: last?.score ?? null }
    const { score, grade } = health
    const fresh = { account_id: accountId, day, calculated_at: now, score, grade, record }
    if (!isCounted) return wireRecord(last ?? fresh)
    const lastGrade = last?.grade ?? (await db.one<{ grade: string }>(sql.latestGrade, [accountId]))?.grade ?? null
    await db.execute(sql.forgetLater, [accountId, day])
    await db.execute(sql.put, [accountId, day, now, score, grade, JSON.stringify(record)])
    if (grade !== null && (lastGrade === null ? isPoor(grade) : grade !== lastGrade)) {
      const data = { previous_grade: lastGrade, grade, score }
      await append(db, [gradeChanged(ids.next(), now, accountId, data)])
    }
    return wireRecord(fresh)
  })
}

function gradeChanged(eventId: string, at: Date, accountId: string, data: object) {
  const nothing = { domainId: null, emailId: null, tag: null, facts: null, sandbox: false }
  return { eventId, at, accountId, type: 'health.grade_changed', stream: 'transactional', data, ...nothing } as const
}

function wireRecord(row: RecordRow): HealthRecord {
  const { status, period, metrics, components, findings, previous_score: previous = null } = row.record
  const change = row.score === null || previous === null ? 0 : row.score - previous
  const next = new Date(Date.parse(row.day) + DAY_MS)
  return {
    score: row.score,
    grade: row.grade,
    status,
    period,
    metrics,
    components,
    trend: change > 0 ? 'up' : change < 0 ? 'down' : 'flat',
    previous_score: previous,
    findings,
    calculated_at: row.calculated_at,
    next_calculation_at: next,
    formula_version: FORMULA_VERSION,
  }
}

export interface HistoryAsk {
  readonly from: string
  readonly to: string
  readonly limit: number
  readonly offset: number
}

/** Newest first. */
export async function healthHistory(
  db: Db,
  accountId: string,
  { from, to, limit, offset }: HistoryAsk,
): Promise<{ readonly data: readonly object[]; readonly total: number }> {
  const [rows, counted] = await Promise.all([
    db.query<RecordRow>(sql.history, [accountId, from, to, limit, offset]),
    db.one<{ total: number }>(sql.count, [accountId, from, to]),
  ])
  const data = rows.map(({ day, score, grade, record: { metrics } }) => ({
    date: day,
    score,
    grade,
    delivery_rate: metrics['delivery_rate'] ?? null,
    bounce_rate: metrics['bounce_rate'] ?? null,
    complaint_rate: metrics['complaint_rate'] ?? null,
  }))
  return { data, total: counted?.total ?? 0 }
}

/** Those of the accounts whose latest record is not from today: it may be from a day to come, after a clock was put back. */
export async function withoutRecord({ database, clock }: HealthContext, accountIds: readonly string[]) {
  const rows = await database.system.query<{ id: string }>(sql.missing, [accountIds, windowAt(clock.now()).day])
  const missing = new Set(rows.map(({ id }) => id))
  return accountIds.filter((id) => missing.has(id))
}

export const windowOf = windowAt
