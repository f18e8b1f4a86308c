// The reports: which days, read from which roll-ups, in which figures (contract section 16).

import type { Clock } from '../../platform/clock.ts'
import { type Db, sqlState } from '../../platform/db.ts'
import { platformErrors } from '../../platform/errors.ts'
import { COUNTERS, type Counts } from './counters.ts'
import { rate } from './figures.ts'
import { NO_DOMAIN, SCOPE } from './roll-up.ts'
import * as sql from './sql.ts'

export const MAX_DAYS = 365
const DEFAULT_DAYS = 30
const DAY_MS = 86_400_000
const UNKNOWN_ZONE = '22023'

export interface ReportQuery {
  readonly from_date?: string
  readonly to_date?: string
  readonly tag?: string
  readonly domain_id?: string
  readonly stream?: 'transactional' | 'broadcast'
  readonly timezone: string
  readonly include_machine: boolean
  readonly include_sandbox: boolean
}

export interface Period {
  readonly from_date: string
  readonly to_date: string
  readonly timezone: string
}

/** Each day's counts, one entry for every day of the period. */
export type Days = readonly { readonly date: string; readonly counts: Counts }[]

const NONE = Object.fromEntries(COUNTERS.map((name) => [name, 0])) as Counts

/** @throws ApiError invalid_parameter */
export function periodOf(query: ReportQuery, clock: Clock): Period {
  const today = dateIn(query.timezone, clock.now())
  const last = query.to_date ?? today
  const first = query.from_date ?? dateBefore(last, DEFAULT_DAYS - 1)
  for (const [parameter, date] of [
    ['from_date', first],
    ['to_date', last],
  ] as const) {
    if (Number.isNaN(Date.parse(date)) || dateBefore(date, 0) !== date) fault(parameter, 'date')
  }
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1
  if (days < 1) fault('to_date', 'not_before_from_date')
  if (days > MAX_DAYS) fault('from_date', 'max_days')
  return { from_date: first, to_date: last, timezone: query.timezone }
}

function fault(parameter: string, rule: string): never {
  throw platformErrors.invalid_parameter({ parameter, rule })
}

function dateBefore(date: string, days: number): string {
  return new Date(Date.parse(date) - days * DAY_MS).toISOString().slice(0, 10)
}

function dateIn(timezone: string, at: Date): string {
  try {
    const parts = new Intl.DateTimeFormat('en', {
      timeZone: timezone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    }).formatToParts(at)
    const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? ''
    return `${part('year')}-${part('month')}-${part('day')}`
  } catch {
    return fault('timezone', 'timezone')
  }
}

/** @param boundTo the domains that the key may see; null = all */
export async function daysOf(
  db: Db,
  accountId: string,
  { query, period, boundTo }: { query: ReportQuery; period: Period; boundTo: readonly string[] | null },
): Promise<Days> {
  const parameters = asked(accountId, { query, period, boundTo })
  const known = isUtc(period.timezone) ? await utcDays(db, parameters) : await zoneDays(db, parameters, period.timezone)
  return datesOf(period).map((date) => ({ date, counts: known.get(date) ?? NONE }))
}

/** The first parameters of every statement that reads roll-ups. */
export function asked(
  accountId: string,
  { query, period, boundTo }: { query: ReportQuery; period: Period; boundTo: readonly string[] | null },
): readonly unknown[] {
  const domains = domainsOf(query.domain_id, boundTo)
  const tagged = query.tag !== undefined
  const scope = domains === null ? (tagged ? SCOPE.tag : SCOPE.account) : tagged ? SCOPE.domainAndTag : SCOPE.domain
  return [
    accountId,
    scope,
    domains ?? [NO_DOMAIN],
    query.tag ?? '',
    query.stream === undefined ? null : query.stream === 'broadcast' ? 1 : 0,
    query.include_sandbox,
    period.from_date,
    period.to_date,
  ]
}

/** @throws ApiError invalid_parameter where the database does not know the zone */
export async function zoned<Rows>(found: Promise<Rows>): Promise<Rows> {
  return found.catch((error: unknown) => {
    if (sqlState(error) === UNKNOWN_ZONE) return fault('timezone', 'timezone')
    throw error
  })
}

type CountsRow = { readonly date: string } & Counts

async function utcDays(db: Db, parameters: readonly unknown[]): Promise<ReadonlyMap<string, Counts>> {
  const rows = await db.query<CountsRow>(sql.byUtcDay, parameters)
  return new Map(rows.map((row) => [row.date, row]))
}

type ZoneRow = CountsRow & { readonly midnight: string | null; readonly late: boolean }

/** What happened before each midnight of the zone, counted from the first; a day is what lies between two of them. */
async function zoneDays(
  db: Db,
  parameters: readonly unknown[],
  timezone: string,
): Promise<ReadonlyMap<string, Counts>> {
  const rows = await zoned(db.query<ZoneRow>(sql.byZoneDay, [...parameters, timezone]))
  const days = rows.filter(({ midnight }) => midnight === null).sort((a, b) => (a.date < b.date ? -1 : 1))
  const midnights = rows.filter(({ midnight }) => midnight !== null)
  midnights.sort((a, b) => ((a.midnight ?? '') < (b.midnight ?? '') ? -1 : 1))
  const known = new Map<string, Counts>()
  let before: { readonly date: string; readonly counts: Counts } | null = null
  let next = 0
  let sum = NONE
  for (const row of midnights) {
    for (let day = days[next]; day !== undefined && day.date < row.date; day = days[++next]) sum = combined(sum, day, 1)
    const whole = days[next]?.date === row.date ? (days[next] ?? NONE) : NONE
    const counts = row.late ? combined(combined(sum, whole, 1), row, -1) : combined(sum, row, 1)
    if (before !== null) known.set(before.date, combined(counts, before.counts, -1))
    before = { date: row.midnight ?? '', counts }
  }
  return known
}

function combined(a: Counts, b: Counts, sign: 1 | -1): Counts {
  const sum: Record<string, number> = { ...NONE }
  for (const name of COUNTERS) sum[name] = a[name] + sign * b[name]
  return sum as Counts
}

export function datesOf(period: Period): readonly string[] {
  const dates: string[] = []
  for (let date = period.from_date; date <= period.to_date; date = dateBefore(date, -1)) dates.push(date)
  return dates
}

function domainsOf(asked: string | undefined, boundTo: readonly string[] | null): readonly string[] | null {
  if (boundTo === null) return asked === undefined ? null : [asked]
  return asked === undefined ? boundTo : boundTo.filter((id) => id === asked.toLowerCase())
}

export function isUtc(timezone: string): boolean {
  return /^(?:etc\/)?(?:utc|gmt|uct|zulu|greenwich|universal)$/i.test(timezone)
}

export function totalOf(days: Days): Counts {
  const total: Record<string, number> = { ...NONE }
  for (const { counts } of days) for (const name of COUNTERS) total[name] = (total[name] ?? 0) + counts[name]
  return total as Counts
}

// --- figures, by wire name

export type Figures = Readonly<Record<string, number>>
export type FiguresOf = (counts: Counts, machines: boolean) => Figures

export const sends: FiguresOf = ({ sent }) => ({ sent })

export const bounces: FiguresOf = ({ hard, soft, block, unknown_bounces: unknown }) => ({
  bounces: hard + soft + block + unknown,
  hard,
  soft,
  block,
  unknown,
})

export const spam: FiguresOf = ({ complained }) => ({ spam_complaints: complained })

export const opens: FiguresOf = (counts, machines) => ({
  opens: counts.opens + (machines ? counts.machine_opens : 0),
  unique_opens: machines ? counts.unique_any_opens : counts.unique_opens,
  machine_opens: counts.machine_opens,
})

export const platforms: FiguresOf = (counts, machines) => ({
  desktop: counts.desktop + (machines ? counts.machine_desktop : 0),
  mobile: counts.mobile + (machines ? counts.machine_mobile : 0),
  webmail: counts.webmail + (machines ? counts.machine_webmail : 0),
  unknown: counts.unknown_platform + (machines ? counts.machine_unknown_platform : 0),
})

export const clicks: FiguresOf = (counts, machines) => ({
  clicks: counts.clicks + (machines ? counts.bot_clicks : 0),
  unique_clicks: machines ? counts.unique_any_clicks : counts.unique_clicks,
  bot_clicks: counts.bot_clicks,
})

/**
 * All of the figures above, those of platforms beside the others and by themselves: `unknown` alone is that of bounces. Rates:
 * bounce and delivery over sent, the rest over delivered; those of opens and clicks from unique human ones.
 */
export function overview(counts: Counts, machines: boolean): Readonly<Record<string, unknown>> {
  const { sent, delivered, unsubscribed, failed, suppressed, complained } = counts
  const bounced = bounces(counts, machines)
  const { unknown: _, ...known } = platforms(counts, machines)
  return {
    ...sends(counts, machines),
    ...bounced,
    ...spam(counts, machines),
    ...opens(counts, machines),
    ...known,
    platforms: platforms(counts, machines),
    ...clicks(counts, machines),
    delivered,
    unsubscribes: unsubscribed,
    failed,
    suppressed,
    delivery_rate: rate(delivered, sent),
    bounce_rate: rate(bounced['bounces'] ?? 0, sent),
    complaint_rate: rate(complained, delivered),
    open_rate: rate(counts.unique_opens, delivered),
    click_rate: rate(counts.unique_clicks, delivered),
  }
}
