import { Type } from 'typebox'
import { checkHeaderText } from '../../mail/mime/headers.ts'
import type { Database } from '../../platform/db.ts'
import { ApiError, type FieldFault, platformErrors } from '../../platform/errors.ts'
import { type AnyEndpoint, bare, bareOf, endpoint, exampleBody, named, nullable } from '../../platform/http.ts'
import { type Quotas, quotaErrors } from '../accounts/index.ts'
import type { ContentQuestion, ContentScore } from './types.ts'

export interface ContentRoutesOptions {
  readonly database: Database
  readonly quotas: Pick<Quotas, 'consume' | 'read'>
  /** The engine. An error that it throws is reported as the contract requires. */
  readonly score: (question: ContentQuestion) => ContentScore | Promise<ContentScore>
}

const MAX_SUBJECT_CHARS = 1_000
const MAX_BODY_BYTES = 12 * 1_048_576
const MAX_PART_BYTES = 5 * 1_048_576
const Part = Type.Optional(nullable(Type.String()))

const FIELDS = {
  status: Type.Literal('ok'),
  score: Type.Integer({ minimum: 0, maximum: 100 }),
  risk_level: Type.String({ description: 'Risk level: low, medium, high or critical.' }),
  matches: Type.Array(
    named(
      'ContentMatch',
      Type.Object({
        rule: Type.String(),
        category: Type.String(),
        points: Type.Integer(),
        severity: Type.String(),
        location: Type.String({
          description: 'Part of the email in which the rule matched: subject, html, text or header.',
        }),
        offset: nullable(Type.Integer(), {
          description:
            'Start of the match within that part, in UTF-16 code units. Null when the match has no single position.',
        }),
        match: Type.String(),
        description: Type.String(),
        suggestion: Type.String(),
      }),
    ),
  ),
  suggestions: Type.Array(Type.String()),
  usage: named(
    'ContentUsage',
    Type.Object({
      used: Type.Integer(),
      limit: nullable(Type.Integer()),
      period: Type.String({ description: 'Calendar month in UTC, as YYYY-MM.' }),
    }),
  ),
}

export function contentRoutes({ database, quotas, score }: ContentRoutesOptions): readonly AnyEndpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/v1/content-score',
      access: { scope: 'content', reads: true },
      operationId: 'scoreContent',
      summary: 'Score content for signs of spam and fraud',
      tag: 'Content',
      examples: exampleBody({
        subject: 'Your order A-1001',
        html: '<p>Thank you for your order. It leaves tomorrow.</p>',
        text: 'Thank you for your order. It leaves tomorrow.',
      }),
      body: named(
        'ScoreContentRequest',
        Type.Object(
          { subject: Type.String({ maxLength: MAX_SUBJECT_CHARS }), html: Part, text: Part },
          { additionalProperties: false },
        ),
      ),
      bodyLimitBytes: MAX_BODY_BYTES,
      moreFaults: (body) => [...subjectFaults(body), ...largeParts(body)],
      answers: { 200: bareOf(named('ContentScore', Type.Object(FIELDS))) },
      errors: [...quotaErrors, platformErrors.service_unavailable],
      handle: async ({ principal: { accountId }, body: { subject, html = null, text = null } }) => {
        const take = () => database.transaction((db) => quotas.consume(db, accountId, 'content_checks', 1))
        // A caller without a check left gets the error before anything is scored. A failed call costs nothing, and no transaction
        // waits for the engine: the check is consumed once there is a score.
        const { remaining } = (await quotas.read(database.system, accountId)).content_checks
        if (remaining === 0) await take()
        const scored = await scoredOr503(score, { subject, html, text })
        const receipt = await take()
        return bare({
          status: 'ok',
          score: scored.score,
          risk_level: scored.level,
          matches: scored.matches,
          suggestions: scored.suggestions,
          usage: { used: receipt.used, limit: receipt.limit, period: receipt.month.slice(0, 7) },
        })
      },
    }),
  ]
}

/** The same rule as for sending. */
function subjectFaults(body: unknown): readonly FieldFault[] {
  const { subject } = (body ?? {}) as Readonly<Record<string, unknown>>
  const found = typeof subject === 'string' ? checkHeaderText(subject) : null
  if (found === null) return []
  return [{ field: 'subject', rule: 'control_character', message: `contains the control character ${found.character}` }]
}

/** A part too large to be sent is not scored. */
function largeParts(body: unknown): readonly FieldFault[] {
  const { html, text } = (body ?? {}) as Readonly<Record<string, unknown>>
  const isLarge = (part: unknown): boolean => typeof part === 'string' && Buffer.byteLength(part) > MAX_PART_BYTES
  const large = Object.entries({ html, text }).filter(([, part]) => isLarge(part))
  return large.map(([field]) => ({ field, rule: 'max_bytes', message: `is larger than ${MAX_PART_BYTES} bytes` }))
}

async function scoredOr503(score: ContentRoutesOptions['score'], question: ContentQuestion): Promise<ContentScore> {
  try {
    return await score(question)
  } catch (cause) {
    throw cause instanceof ApiError
      ? cause
      : platformErrors.service_unavailable({}, { cause, retryAfter: 5, also: { status: 'error' } })
  }
}
