import { type TSchema, Type } from 'typebox'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { type AnyEndpoint, CalendarDate, endpoint, named, nullable, type Principal, Uuid } from '../../platform/http.ts'
import { providersReport } from './providers.ts'
import {
  type Asked,
  bounces,
  busiestDomains,
  clicks,
  type DailyReport,
  opens,
  overview,
  periodOf,
  platforms,
  type ReportQuery,
  sends,
  spam,
  totalOf,
} from './report.ts'

export interface StatisticsRoutesOptions {
  readonly database: Database
  readonly clock: Clock
}

const TAG = 'Statistics'

const day = (description: string) => Type.String({ ...CalendarDate, description })
const Query = Type.Object({
  from_date: Type.Optional(day('First day of the period, at most 365 days. 29 days before `to_date` when absent.')),
  to_date: Type.Optional(day('Last day of the period, included. Today when absent.')),
  tag: Type.Optional(Type.String({ maxLength: 128 })),
  domain_id: Type.Optional(Uuid),
  stream: Type.Optional(named('Stream', Type.Enum(['transactional', 'broadcast']))),
  timezone: Type.String({
    default: 'UTC',
    maxLength: 64,
    pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
    description: 'An IANA time zone name, such as Europe/Berlin.',
  }),
  include_machine: Type.Boolean({
    default: false,
    description: 'Whether opens and clicks by machines are counted too.',
  }),
  include_sandbox: Type.Boolean({ default: false, description: 'Whether sandbox emails are counted too.' }),
})

const PeriodReport = named(
  'StatisticsPeriod',
  Type.Object({ from_date: CalendarDate, to_date: CalendarDate, timezone: Type.String() }),
)
const integers = (names: readonly string[]): Record<string, TSchema> =>
  Object.fromEntries(names.map((name) => [name, Type.Integer()]))
const Rate = nullable(Type.Number())

interface DailyRoute {
  readonly path: string
  readonly summary: string
  readonly names: readonly string[]
  /** Schema name of the answer in the API document. */
  readonly name: string
  readonly report: DailyReport
}

const BOUNCES = ['bounces', 'hard', 'soft', 'block', 'unknown']
const OPENS = ['opens', 'unique_opens', 'machine_opens']
const PLATFORMS = ['desktop', 'mobile', 'webmail', 'unknown']
const CLICKS = ['clicks', 'unique_clicks', 'bot_clicks']

const DAILY: readonly DailyRoute[] = [
  { path: '/sends', summary: 'Get emails sent by day', names: ['sent'], name: 'Send', report: sends },
  { path: '/bounces', summary: 'Get bounces by day and type', names: BOUNCES, name: 'Bounce', report: bounces },
  { path: '/spam', summary: 'Get spam complaints by day', names: ['spam_complaints'], name: 'Spam', report: spam },
  { path: '/opens', summary: 'Get opens by day', names: OPENS, name: 'Open', report: opens },
  {
    path: '/opens/platforms',
    summary: 'Get opens by day and platform',
    names: PLATFORMS,
    name: 'Platform',
    report: platforms,
  },
  { path: '/clicks', summary: 'Get clicks by day', names: CLICKS, name: 'Click', report: clicks },
]

const Platforms = named('PlatformTotals', Type.Object(integers(PLATFORMS)))
const Overview = named(
  'Statistics',
  Type.Object({
    ...integers(['sent', ...BOUNCES, 'spam_complaints', ...OPENS]),
    ...integers(PLATFORMS.filter((name) => name !== 'unknown')),
    platforms: Platforms,
    ...integers([...CLICKS, 'delivered', 'unsubscribes', 'failed', 'suppressed']),
    delivery_rate: Rate,
    bounce_rate: Rate,
    complaint_rate: Rate,
    open_rate: Rate,
    click_rate: Rate,
  }),
)

export function statisticsRoutes(options: StatisticsRoutesOptions): readonly AnyEndpoint[] {
  return [
    overviewRoute(options),
    ...DAILY.map((route) => dailyRoute(options, route)),
    providersRoute(options),
    domainsRoute(options),
  ]
}

function overviewRoute(options: StatisticsRoutesOptions): AnyEndpoint {
  return endpoint({
    ...common(''),
    operationId: 'getStatistics',
    summary: 'Get all statistics of a period with rates',
    answers: { 200: named('StatisticsResponse', Type.Object({ data: Overview, period: PeriodReport })) },
    handle: async ({ principal, query, signal }) => {
      const asked = askedOf(options, principal, query as ReportQuery)
      const { accountId } = principal
      const total = await options.database.reading(accountId, (db) => totalOf(db, accountId, asked), signal)
      return { status: 200, body: { data: overview(total, query.include_machine), period: asked.period } }
    },
  })
}

function dailyRoute(options: StatisticsRoutesOptions, { path, summary, names, name, report }: DailyRoute): AnyEndpoint {
  const Figures = integers(names)
  return endpoint({
    ...common(path),
    operationId: `get${name}Statistics`,
    summary,
    answers: {
      200: named(
        `${name}Statistics`,
        Type.Object({
          data: Type.Array(named(`${name}Day`, Type.Object({ date: CalendarDate, ...Figures }))),
          totals: named(`${name}Totals`, Type.Object(Figures)),
          period: PeriodReport,
        }),
      ),
    },
    handle: async ({ principal, query, signal }) => {
      const asked = askedOf(options, principal, query as ReportQuery)
      const { accountId } = principal
      const { data, totals } = await options.database.reading(
        accountId,
        (db) => report.read(db, accountId, asked),
        signal,
      )
      return { status: 200, body: { data: [...data], totals, period: asked.period } }
    },
  })
}

const MOST_DOMAINS = 100
const DOMAINS = 20

function domainsRoute(options: StatisticsRoutesOptions): AnyEndpoint {
  const { legacyPath: _, ...route } = common('/domains')
  return endpoint({
    ...route,
    operationId: 'getDomainStatistics',
    summary: 'Get all statistics of a period with rates for each of the domains that sent the most, busiest first',
    query: Type.Object({
      ...Query.properties,
      limit: Type.Integer({ minimum: 1, maximum: MOST_DOMAINS, default: DOMAINS, description: 'How many domains.' }),
    }),
    answers: {
      200: named(
        'DomainStatistics',
        Type.Object({
          data: Type.Array(
            named(
              'DomainFigures',
              Type.Object({
                domain_id: { ...Uuid, description: 'It may be a domain that has been removed.' },
                ...Overview.properties,
              }),
            ),
          ),
          period: PeriodReport,
        }),
      ),
    },
    handle: async ({ principal, query, signal }) => {
      const asked = askedOf(options, principal, query as ReportQuery)
      const { accountId } = principal
      const domains = await options.database.reading(
        accountId,
        (db) => busiestDomains(db, accountId, asked, query.limit),
        signal,
      )
      const data = domains.map(({ domainId, total }) => ({
        domain_id: domainId,
        ...overview(total, query.include_machine),
      }))
      return { status: 200, body: { data, period: asked.period } }
    },
  })
}

const ANSWERS = ['attempts', 'accepted', 'deferred', 'bounced', 'blocked']
const Provider = Type.String({
  examples: ['google'],
  description: 'Mailbox provider, by the receiving host. `unknown` when the host belongs to no known provider.',
})
const Rates = Type.Object(Object.fromEntries(ANSWERS.slice(1).map((name) => [`${name}_rate`, Rate])))
const Tries = Type.Object(integers(ANSWERS))
const ProviderTries = named('ProviderAnswers', Type.Object({ provider: Provider, ...Tries.properties }))

function providersRoute(options: StatisticsRoutesOptions): AnyEndpoint {
  return endpoint({
    ...common('/providers'),
    operationId: 'getProviderStatistics',
    summary:
      'Get the responses of mailbox providers to delivery attempts by day. Rates are over all attempts of the period.',
    answers: {
      200: named(
        'ProviderStatistics',
        Type.Object({
          data: Type.Array(
            named(
              'ProviderDay',
              Type.Object({ date: CalendarDate, ...Tries.properties, providers: Type.Array(ProviderTries) }),
            ),
          ),
          totals: named(
            'ProviderTotals',
            Type.Object({
              ...Tries.properties,
              ...Rates.properties,
              providers: Type.Array(
                named('ProviderRates', Type.Object({ ...ProviderTries.properties, ...Rates.properties })),
              ),
            }),
          ),
          period: PeriodReport,
        }),
      ),
    },
    handle: async ({ principal, query, signal }) => {
      const asked = askedOf(options, principal, query as ReportQuery)
      const { accountId } = principal
      const report = await options.database.reading(accountId, (db) => providersReport(db, accountId, asked), signal)
      return { status: 200, body: { ...report, period: asked.period } }
    },
  })
}

function common(path: string) {
  return {
    method: 'GET',
    path: `/api/v1/stats/outbound${path}`,
    legacyPath: `/api/stats/outbound${path}`,
    access: { scope: 'stats:read' },
    tag: TAG,
    query: Query,
  } as const
}

function askedOf({ clock }: StatisticsRoutesOptions, { domainIds }: Principal, query: ReportQuery): Asked {
  return { query, period: periodOf(query, clock), boundTo: domainIds }
}
