import { Type } from 'typebox'
import type { Database } from '../../platform/db.ts'
import {
  type AnyEndpoint,
  CursorPagination,
  DateTime,
  domainsSeen,
  endpoint,
  FromTime,
  ListCursor,
  ListLimit,
  ListOffset,
  list,
  listOf,
  named,
  nullable,
  ToTime,
  Uuid,
} from '../../platform/http.ts'
import { timeOfId } from '../../platform/ids.ts'
import { accountErrors } from '../accounts/index.ts'
import { listContentEvents } from './content-events.ts'

const EVENTS = ['content.scored', 'content.warned', 'content.blocked']
const LEVELS = ['low', 'medium', 'high', 'critical']
const oneOf = (values: readonly string[]): ReturnType<typeof Type.Union> =>
  Type.Union(values.map((value) => Type.Literal(value)))

const Level = named('ContentRiskLevel', oneOf(LEVELS))
const ContentEvent = named(
  'ContentEvent',
  Type.Object({
    id: Uuid,
    email_id: nullable(Uuid, {
      description: 'ID of the email. Null when the whole message was refused.',
    }),
    event: named('ContentEventType', oneOf(EVENTS)),
    score: Type.Integer({ minimum: 0, maximum: 100 }),
    risk_level: Level,
    matches: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description: 'Rules that matched, as returned by `POST /api/v1/content-score`.',
    }),
    created_at: DateTime,
  }),
)

export function contentEventRoutes({ database }: { readonly database: Database }): readonly AnyEndpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/content-events',
      access: { scope: 'content', requires: 'content_events' },
      operationId: 'listContentEvents',
      summary: 'List content events',
      tag: 'Content',
      query: Type.Object({
        from: FromTime,
        to: ToTime,
        email_id: Type.Optional(Uuid),
        domain_id: Type.Optional(Uuid),
        risk_level: Type.Optional(Level),
        limit: ListLimit,
        offset: ListOffset,
        cursor: ListCursor,
      }),
      answers: { 200: listOf(ContentEvent, CursorPagination) },
      errors: [accountErrors.feature_not_enabled],
      handle: async ({ principal: { accountId, domainIds }, query }) => {
        const { limit, offset, from, to, cursor = null } = query
        const filter = {
          from: from === undefined ? null : new Date(from),
          to: to === undefined ? null : new Date(to),
          emailId: query.email_id ?? null,
          domainIds: domainsSeen(query.domain_id, domainIds),
          level: (query.risk_level as string | undefined) ?? null,
        }
        const page = { limit, offset, cursor }
        const { rows: events, total, next } = await listContentEvents(database, accountId, filter, page)
        const shown = events.map(({ level, ...event }) => ({
          ...event,
          risk_level: level,
          created_at: timeOfId(event.id).toISOString(),
        }))
        return list(shown, { total, limit, offset, next_cursor: next })
      },
    }),
  ]
}
