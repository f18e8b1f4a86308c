import { Type } from 'typebox'
import { parameterError, platformErrors } from '../../platform/errors.ts'
import {
  type AnyEndpoint,
  CalendarDate,
  DateTime,
  dataOf,
  endpoint,
  FromDate,
  list,
  listOf,
  named,
  nullable,
  Page,
  PagePagination,
  pageWindow,
  paginationOf,
  single,
  ToDate,
  Uuid,
} from '../../platform/http.ts'
import type { Domains } from '../domains/index.ts'
import { countsOf, sentByDomain } from '../statistics/index.ts'
import { trackingDomainFacts } from '../tracking/index.ts'
import { calculateHealth, currentHealth, type HealthContext, healthHistory, windowOf } from './health.ts'
import { readinessOf } from './readiness.ts'

export interface HealthRoutesOptions extends HealthContext {
  readonly domains: Pick<Domains, 'get'>
}

const TAG = 'Health'
const MAX_LIMIT = 365
const DEFAULT_LIMIT = 30
const Numbers = Type.Record(Type.String(), nullable(Type.Number()))

const Rate = nullable(Type.Number())
const Metrics = named(
  'HealthMetrics',
  Type.Object({
    sent: Type.Integer(),
    delivered: Type.Integer(),
    bounced: Type.Integer({
      description: 'Bounces of every type. The component `bounce` counts hard and soft ones alone.',
    }),
    complained: Type.Integer(),
    delivery_rate: Rate,
    bounce_rate: Rate,
    complaint_rate: Rate,
    open_rate: Rate,
    click_rate: Rate,
  }),
)

const Score = named(
  'HealthScore',
  Type.Object({
    score: nullable(Type.Integer()),
    grade: nullable(Type.String()),
    status: Type.Enum(['ok', 'insufficient_data']),
    period: named('HealthPeriod', Type.Object({ from_date: CalendarDate, to_date: CalendarDate })),
    metrics: Metrics,
    components: Type.Array(
      named(
        'HealthComponent',
        Type.Object({
          name: Type.String(),
          weight: Type.Number(),
          score: Type.Number(),
          value: Type.Number(),
          warning: Type.Number(),
          critical: Type.Number(),
        }),
      ),
    ),
    trend: Type.Enum(['up', 'flat', 'down'], {
      description: '`score` compared with `previous_score`. Also `flat` when either is null.',
    }),
    previous_score: nullable(Type.Integer(), {
      description:
        'Score of the previous calculation, on the same day or an earlier one. Null when that had too few emails for a score.',
    }),
    findings: Type.Array(
      named(
        'HealthFinding',
        Type.Object({ code: Type.String(), severity: Type.String(), message: Type.String(), evidence: Numbers }),
      ),
    ),
    calculated_at: DateTime,
    next_calculation_at: DateTime,
    formula_version: Type.Integer(),
  }),
)
const Past = named(
  'PastHealthScore',
  Type.Object({
    date: CalendarDate,
    score: nullable(Type.Integer()),
    grade: nullable(Type.String()),
    delivery_rate: nullable(Type.Number()),
    bounce_rate: nullable(Type.Number()),
    complaint_rate: nullable(Type.Number()),
  }),
)

export function healthRoutes(options: HealthRoutesOptions): readonly AnyEndpoint[] {
  const at = (path: string) => ({
    path: `/api/v1/customer/health-score${path}`,
    legacyPath: `/api/customer/health-score${path}`,
    tag: TAG,
  })
  return [
    endpoint({
      method: 'GET',
      ...at(''),
      access: { scope: 'stats:read' },
      operationId: 'getHealthScore',
      summary: 'Get the health score',
      answers: { 200: dataOf(Score) },
      handle: async ({ principal }) => single(await currentHealth(options, principal.accountId)),
    }),
    endpoint({
      method: 'POST',
      ...at('/refresh'),
      access: { scope: 'stats:read', rate: 'health_refresh' },
      operationId: 'refreshHealthScore',
      summary: 'Recalculate the health score now. It is calculated daily anyway.',
      answers: { 200: dataOf(Score) },
      handle: async ({ principal }) => single(await calculateHealth(options, principal.accountId)),
    }),
    endpoint({
      method: 'GET',
      ...at('/history'),
      access: { scope: 'stats:read' },
      operationId: 'listHealthScores',
      summary: 'List daily health scores, newest first',
      query: Type.Object({
        from_date: FromDate,
        to_date: ToDate,
        page: Page,
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: MAX_LIMIT,
            description: `Entries on a page. ${DEFAULT_LIMIT} when absent.`,
          }),
        ),
      }),
      answers: { 200: listOf(Past, PagePagination) },
      handle: async ({ principal: { accountId }, query }) => {
        const window = pageWindow({ ...query, limit: query.limit ?? DEFAULT_LIMIT })
        const period = { from: query.from_date ?? '0001-01-01', to: query.to_date ?? '9999-12-31' }
        if (query.to_date !== undefined && period.from > period.to)
          throw parameterError('to_date', 'not_before_from_date', 'must not lie before from_date')
        const { data, total } = await options.database.tenant(accountId, (db) =>
          healthHistory(db, accountId, { ...period, limit: window.limit, offset: window.offset }),
        )
        return list(data, paginationOf(window, data.length, total))
      },
    }),
    readinessRoute(options),
  ]
}

const SentAt = Type.String({
  format: 'date-time',
  description: 'To the quarter of an hour: when the one began in which it was sent.',
})

const Readiness = named(
  'TestReadiness',
  Type.Object({
    domain_id: Uuid,
    domain: Type.String(),
    verification_status: Type.String(),
    domain_age_days: Type.Integer(),
    health_score: nullable(Type.Integer()),
    grade: nullable(Type.String()),
    sending_stats: named(
      'SendingFigures',
      Type.Object({
        total_sent: Type.Integer(),
        sent_30d: Type.Integer(),
        delivery_rate: nullable(Type.Number()),
        bounce_rate: nullable(Type.Number()),
        complaint_rate: nullable(Type.Number()),
        first_sent_at: nullable(SentAt),
        last_sent_at: nullable(SentAt),
      }),
    ),
    tracking_domain: named(
      'ReadinessTracking',
      Type.Object({
        configured: Type.Boolean(),
        domain: nullable(Type.String()),
        is_verified: Type.Boolean(),
        ssl_enabled: Type.Boolean(),
      }),
    ),
    recommended_test_mode: Type.Enum(['basic', 'standard', 'full']),
    ready: Type.Boolean(),
    warnings: Type.Array(Type.String()),
    recommendations: Type.Array(Type.String()),
    checklist: Type.Array(
      named(
        'ReadinessCheck',
        Type.Object({
          code: Type.String(),
          label: Type.String(),
          passed: Type.Boolean(),
          required: Type.Boolean(),
          message: Type.String(),
        }),
      ),
    ),
  }),
)

function readinessRoute({ database, clock, domains, isTracked }: HealthRoutesOptions): AnyEndpoint {
  return endpoint({
    method: 'GET',
    path: '/api/v1/customer/domains/test-readiness/{domain_id}',
    access: { scope: 'stats:read' },
    operationId: 'getTestReadiness',
    summary: 'Check whether a domain is ready for a test mailing, and for which kind',
    tag: TAG,
    params: Type.Object({ domain_id: Uuid }),
    answers: { 200: dataOf(Readiness) },
    errors: [platformErrors.not_found],
    handle: async ({ principal, params }) => {
      const { accountId } = principal
      const domain = await domains.get(principal, params.domain_id)
      const now = clock.now()
      const { from, to } = windowOf(now)
      const { trackingDomainId } = domain.settings
      const tracked = await isTracked(accountId, domain.settings)
      const facts = await database.tenant(accountId, async (db) => ({
        counts: await countsOf(db, accountId, { domainId: domain.id, from, to }),
        sent: await sentByDomain(db, accountId, domain.id),
        trackingDomain:
          trackingDomainId === null ? null : await trackingDomainFacts(db, accountId, trackingDomainId, now),
      }))
      return single(readinessOf({ domain, tracked, now, ...facts }))
    },
  })
}
