import { Type } from 'typebox'
import { type AnyEndpoint, bare, bareOf, DateTime, endpoint, named, nullable } from '../../platform/http.ts'
import { accountErrors, quotaErrors } from '../accounts/index.ts'
import { PreviewBody } from './body.ts'
import { errors } from './errors.ts'
import { PREVIEW_EXAMPLES } from './examples.ts'
import { MAX_PREVIEW_BODY_BYTES } from './limits.ts'
import type { Previews } from './preview.ts'

const Count = Type.Integer({ minimum: 0 })
const Limit = nullable(Type.Integer())
const Text = nullable(Type.String())
const oneOf = (values: readonly string[]): ReturnType<typeof Type.Union> =>
  Type.Union(values.map((value) => Type.Literal(value)))

const LEVELS = ['safe', 'low', 'medium', 'high'] as const
const ACTIONS = ['allow', 'warn', 'soft_block', 'block'] as const
const counted = (names: readonly string[]): Record<string, typeof Count> =>
  Object.fromEntries(names.map((name) => [name, Count]))

const PREVIEW_FIELDS = {
  risk_score: Type.Integer({ minimum: 0, maximum: 100 }),
  risk_level: named('RiskLevel', oneOf(LEVELS)),
  would_block: Type.Boolean(),
  action: named('RiskAction', oneOf(ACTIONS)),
  reason_code: Text,
  block_reason: Text,
  overridable: Type.Boolean({ description: 'Whether `override_soft_block` on the send would let the email pass.' }),
  risk_factors: Type.Array(
    named(
      'RiskFactor',
      Type.Object({
        code: Type.String(),
        category: oneOf(['recipient', 'content', 'sender', 'behavior']),
        points: Type.Integer(),
        severity: oneOf(['info', 'low', 'medium', 'high', 'critical']),
        message: Type.String(),
      }),
    ),
  ),
  breakdown: named(
    'RiskBreakdown',
    Type.Object({
      recipient: Type.Integer(),
      content: Type.Integer(),
      sender: Type.Integer(),
      behavior: Type.Integer(),
    }),
  ),
  recommendations: Type.Array(Type.String()),
  policy_snapshot: named(
    'RiskPolicy',
    Type.Object({
      block_disposable_emails: Type.Boolean(),
      enforce_sender_verification: Type.Boolean(),
      disposable_confidence_threshold: Type.Number(),
      customer_plan: Type.String(),
    }),
  ),
  engine_version: Type.String(),
  quota: named('RiskQuota', Type.Object({ used: Count, limit: Limit, remaining: Limit, reset_at: DateTime })),
}

const Preview = named('RiskPreview', Type.Object(PREVIEW_FIELDS))

const STATS_FIELDS = {
  period: Type.String({ description: 'Calendar month in UTC, as YYYY-MM.' }),
  used: Count,
  limit: Limit,
  remaining: Limit,
  reset_at: DateTime,
  total_previews: Count,
  by_action: named('RiskActionCounts', Type.Object(counted(ACTIONS))),
  by_risk_level: named('RiskLevelCounts', Type.Object(counted(LEVELS))),
  top_reason_codes: Type.Array(named('ReasonCount', Type.Object({ reason_code: Type.String(), count: Count }))),
  average_score: nullable(Type.Number()),
}

export function riskRoutes(previews: Previews): readonly AnyEndpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/v1/risk/preview',
      access: { scope: 'risk', requires: 'risk', reads: true },
      operationId: 'previewRisk',
      summary:
        'Preview the risk verdict of a send without sending. It is the verdict that a send of the same email would get.',
      tag: 'Risk',
      body: PreviewBody,
      examples: PREVIEW_EXAMPLES,
      bodyLimitBytes: MAX_PREVIEW_BODY_BYTES,
      validatesItself: true,
      answers: { 200: bareOf(Preview) },
      errors: [accountErrors.plan_required, errors.sender_domain_not_allowed, ...quotaErrors],
      handle: async ({ principal, body }) => bare(await previews.preview(principal, body)),
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/risk/stats',
      access: { scope: 'risk', requires: 'risk' },
      operationId: 'getRiskStatistics',
      summary: "Get this month's risk preview statistics and remaining quota",
      tag: 'Risk',
      answers: { 200: bareOf(named('RiskStatistics', Type.Object(STATS_FIELDS))) },
      errors: [accountErrors.plan_required],
      handle: async ({ principal }) => bare(await previews.stats(principal)),
    }),
  ]
}
