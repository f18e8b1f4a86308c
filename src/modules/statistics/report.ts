// The reports: their days, the roll-ups they read, and their figures (contract section 16).

import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { parameterError } from '../../platform/errors.ts'
import { domainsSeen } from '../../platform/http.ts'
import { COUNTERS, type Counter, type Counts } from './counters.ts'
import { rate } from './figures.ts'
import { NO_DOMAIN, SCOPE, STREAM } from './roll-up.ts'
import * as sql from './sql.ts'
import { dateIn, dayStart } from './zones.ts'

export const MAX_DAYS = 365
const DEFAULT_DAYS = 30
const DAY_MS = 86_400_000
/** PostgreSQL has no year 0. */
const FIRST_DATE = '0001-01-01'

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

const NONE = Object.fromEntries(COUNTERS.map((name) => [name, 0])) as Counts

/** @throws ApiError invalid_parameter */
export function periodOf(query: ReportQuery, clock: Clock): Period {
  const today = dateIn(query.timezone, clock.now())
  const last = query.to_date ?? today
  const first = query.from_date ?? laterOf(FIRST_DATE, dateBefore(last, DEFAULT_DAYS - 1))
  const days = daysOf({ from_date: first, to_date: last })
  if (days < 1 && query.to_date === undefined) fault('from_date', 'not_after_today', 'must not lie after today')
  if (days < 1) fault('to_date', 'not_before_from_date', 'must not lie before from_date')
  if (days > MAX_DAYS) fault('from_date', 'max_days', `must begin a range of at most ${MAX_DAYS} days`)
  return { from_date: first, to_date: last, timezone: query.timezone }
}

function fault(parameter: string, rule: string, words: string): never {
  throw parameterError(parameter, rule, words)
}

function laterOf(one: string, other: string): string {
  return one > other ? one : other
}

function dateBefore(date: string, days: number): string {
  return new Date(Date.parse(date) - days * DAY_MS).toISOString().slice(0, 10)
}

export interface Asked {
  readonly query: ReportQuery
  readonly period: Period
  /** The domains that the key may see; null means all. */
  readonly boundTo: readonly string[] | null
}

/** All counters over the whole period. */
export async function totalOf(db: Db, accountId: string, of: Asked): Promise<Counts> {
  const [row] = await read<Counts>(db, accountId, sql.totals, of)
  return row ?? NONE
}

/**
 * All counters of the `limit` domains with the most mail, the busiest first. Which ones these are is decided by days of UTC; the
 * counters are exact in every zone.
 */
export async function busiestDomains(
  db: Db,
  accountId: string,
  of: Asked,
  limit: number,
): Promise<readonly { readonly domainId: string; readonly total: Counts }[]> {
  const { query, period, boundTo } = of
  const scope = query.tag === undefined ? SCOPE.domain : SCOPE.domainAndTag
  const [, , , ...rest] = asked(accountId, of)
  const domains = domainsSeen(query.domain_id, boundTo)
  const found = await db.query<{ domain_id: string }>(sql.busiestDomains, [accountId, scope, domains, ...rest, limit])
  const all = []
  for (const { domain_id: domainId } of found)
    all.push({
      domainId,
      total: await totalOf(db, accountId, { query: { ...query, domain_id: domainId }, period, boundTo }),
    })
  return all.sort((one, other) => other.total.sent - one.total.sent)
}

export interface DailyReport {
  /** One entry per day of the period, and their totals. */
  read(
    db: Db,
    accountId: string,
    of: Asked,
  ): Promise<{ readonly data: readonly DayFigures[]; readonly totals: Figures }>
}

export type Figures = Readonly<Record<string, number>>
export type DayFigures = Readonly<Record<string, number | string>> & { readonly date: string }

type Some<Name extends Counter> = Readonly<Record<Name, number>>

/** A report that reads only `counters` of each day. @param name part of the statement names */
function daily<Name extends Counter>(
  name: string,
  counters: readonly Name[],
  figures: (counts: Some<Name>, machines: boolean) => Figures,
): DailyReport {
  const statements = sql.daysStatements(name, counters)
  const none = Object.fromEntries(counters.map((counter) => [counter, 0])) as Some<Name>
  const combined = (a: Some<Name>, b: Some<Name>, sign: 1 | -1): Some<Name> => {
    const sum: Record<string, number> = {}
    for (const counter of counters) sum[counter] = a[counter] + sign * b[counter]
    return sum as Some<Name>
  }
  return {
    read: async (db, accountId, of) => {
      const rows = await read<DayRow<Name>>(db, accountId, statements, of)
      const known = isUtc(of.period.timezone)
        ? new Map<string, Some<Name>>(rows.map((row) => [row.date, row]))
        : zoneDays(rows, none, combined)
      const machines = of.query.include_machine
      const days = datesOf(of.period).map((date) => ({ date, counts: known.get(date) ?? none }))
      const total = days.reduce((sum, { counts }) => combined(sum, counts, 1), none)
      const data = days.map(({ date, counts }) => ({ date, ...figures(counts, machines) }) as DayFigures)
      return { data, totals: figures(total, machines) }
    },
  }
}

export async function read<Row extends object>(
  db: Db,
  accountId: string,
  { utc, zone, edges }: sql.DaysStatements,
  of: Asked,
): Promise<readonly Row[]> {
  const { period } = of
  const parameters = asked(accountId, of)
  const planned = db.execute(sql.plans)
  const rows = isUtc(period.timezone)
    ? db.query<Row>(utc, parameters)
    : db.query<Row>(zone, [...parameters, startsOf(period, edges)])
  return (await Promise.all([rows, planned]))[0]
}

/** When the days of the period and the day after it begin: all of them, or the first and the last. */
function startsOf(period: Period, edges: sql.DaysStatements['edges']): readonly number[] {
  const first = Date.parse(period.from_date)
  const length = daysOf(period)
  const days = edges === 'of each day' ? Array.from({ length: length + 1 }, (_, day) => day) : [0, length]
  return days.map((day) => dayStart(period.timezone, first + day * DAY_MS))
}

/** The first parameters of every statement that reads roll-ups. */
function asked(accountId: string, { query, period, boundTo }: Asked): readonly unknown[] {
  const domains = domainsSeen(query.domain_id, boundTo)
  const tagged = query.tag !== undefined
  const scope = domains === null ? (tagged ? SCOPE.tag : SCOPE.account) : tagged ? SCOPE.domainAndTag : SCOPE.domain
  return [
    accountId,
    scope,
    domains ?? [NO_DOMAIN],
    query.tag ?? '',
    query.stream === undefined ? null : STREAM[query.stream],
    query.include_sandbox,
    period.from_date,
    period.to_date,
  ]
}

type DayRow<Name extends Counter> = Some<Name> & {
  readonly date: string
  readonly midnight: string | null
  readonly late: boolean
}

/** Builds running totals at each midnight of the zone; the figures of a day are the difference between two midnights. */
function zoneDays<Name extends Counter>(
  rows: readonly DayRow<Name>[],
  none: Some<Name>,
  combined: (a: Some<Name>, b: Some<Name>, sign: 1 | -1) => Some<Name>,
): ReadonlyMap<string, Some<Name>> {
  const days = rows.filter(({ midnight }) => midnight === null).sort((a, b) => (a.date < b.date ? -1 : 1))
  const midnights = rows.filter(({ midnight }) => midnight !== null)
  midnights.sort((a, b) => ((a.midnight ?? '') < (b.midnight ?? '') ? -1 : 1))
  const known = new Map<string, Some<Name>>()
  let before: { readonly date: string; readonly counts: Some<Name> } | null = null
  let next = 0
  let sum = none
  for (const row of midnights) {
    for (let day = days[next]; day !== undefined && day.date < row.date; day = days[++next]) sum = combined(sum, day, 1)
    const whole = days[next]?.date === row.date ? (days[next] ?? none) : none
    const counts = row.late ? combined(combined(sum, whole, 1), row, -1) : combined(sum, row, 1)
    if (before !== null) known.set(before.date, combined(counts, before.counts, -1))
    before = { date: row.midnight ?? '', counts }
  }
  return known
}

export function datesOf(period: Period): readonly string[] {
  return Array.from({ length: daysOf(period) }, (_, day) => dateBefore(period.from_date, -day))
}

function daysOf({ from_date: first, to_date: last }: Pick<Period, 'from_date' | 'to_date'>): number {
  return (Date.parse(last) - Date.parse(first)) / DAY_MS + 1
}

function isUtc(timezone: string): boolean {
  return /^(?:etc\/)?(?:utc|gmt|uct|zulu|greenwich|universal)$/i.test(timezone)
}

// --- figures, by wire name

const sent = ({ sent }: Some<'sent'>): Figures => ({ sent })
export const sends = daily('sends', ['sent'], sent)

const BOUNCES = ['hard', 'soft', 'block', 'unknown_bounces'] as const
const bounced = ({ hard, soft, block, unknown_bounces: unknown }: Some<(typeof BOUNCES)[number]>) => ({
  bounces: hard + soft + block + unknown,
  hard,
  soft,
  block,
  unknown,
})
export const bounces = daily('bounces', BOUNCES, bounced)

const complained = ({ complained }: Some<'complained'>): Figures => ({ spam_complaints: complained })
export const spam = daily('spam', ['complained'], complained)

const OPENS = ['opens', 'machine_opens', 'unique_opens', 'unique_any_opens'] as const
const opened = (counts: Some<(typeof OPENS)[number]>, machines: boolean): Figures => ({
  opens: counts.opens + (machines ? counts.machine_opens : 0),
  unique_opens: machines ? counts.unique_any_opens : counts.unique_opens,
  machine_opens: counts.machine_opens,
})
export const opens = daily('opens', OPENS, opened)

const PEOPLES = ['desktop', 'mobile', 'webmail', 'unknown_platform'] as const
const PLATFORMS = [...PEOPLES, ...PEOPLES.map((name) => `machine_${name}` as const)] as const
const openedOn = (counts: Some<(typeof PLATFORMS)[number]>, machines: boolean) => ({
  desktop: counts.desktop + (machines ? counts.machine_desktop : 0),
  mobile: counts.mobile + (machines ? counts.machine_mobile : 0),
  webmail: counts.webmail + (machines ? counts.machine_webmail : 0),
  unknown: counts.unknown_platform + (machines ? counts.machine_unknown_platform : 0),
})
export const platforms = daily('platforms', PLATFORMS, openedOn)

const CLICKS = ['clicks', 'bot_clicks', 'unique_clicks', 'unique_any_clicks'] as const
const clicked = (counts: Some<(typeof CLICKS)[number]>, machines: boolean): Figures => ({
  clicks: counts.clicks + (machines ? counts.bot_clicks : 0),
  unique_clicks: machines ? counts.unique_any_clicks : counts.unique_clicks,
  bot_clicks: counts.bot_clicks,
})
export const clicks = daily('clicks', CLICKS, clicked)

/**
 * All figures above. Platforms appear beside the others and also by themselves, because the top-level `unknown` is that of
 * bounces. Bounce and delivery rates are over sent, the others over delivered; open and click rates use unique human ones.
 */
export function overview(counts: Counts, machines: boolean): Readonly<Record<string, unknown>> {
  const { delivered, unsubscribed, failed, suppressed } = counts
  const all = bounced(counts)
  const { unknown: _, ...known } = openedOn(counts, machines)
  return {
    ...sent(counts),
    ...all,
    ...complained(counts),
    ...opened(counts, machines),
    ...known,
    platforms: openedOn(counts, machines),
    ...clicked(counts, machines),
    delivered,
    unsubscribes: unsubscribed,
    failed,
    suppressed,
    delivery_rate: rate(delivered, counts.sent),
    bounce_rate: rate(all.bounces, counts.sent),
    complaint_rate: rate(counts.complained, delivered),
    open_rate: rate(counts.unique_opens, delivered),
    click_rate: rate(counts.unique_clicks, delivered),
  }
}
