import { Type } from 'typebox'
import type { FieldFault } from '../../platform/errors.ts'
import {
  type AnyEndpoint,
  CursorPagination,
  DateTime,
  dataOf,
  endpoint,
  exampleBody,
  FromTime,
  IdParams,
  ListCursor,
  ListLimit,
  ListOffset,
  list,
  listOf,
  named,
  nullable,
  single,
  ToTime,
  Uuid,
} from '../../platform/http.ts'
import { timeOfId } from '../../platform/ids.ts'
import { EVENT_TYPES, type EventType } from '../events/index.ts'
import { type DeliveryContext, type DeliveryRow, listDeliveries, replayDelivery, replayPeriod } from './deliveries.ts'
import { errors } from './errors.ts'
import { EVENT_NAMES, eventName, TEST_EVENT } from './types.ts'

const PATH = '/api/v1/customer/webhooks'
const TAG = 'Webhooks'
const Params = Type.Object({ webhookId: Uuid })
const Queued = dataOf(named('QueuedReplay', Type.Object({ queued: Type.Integer() })), { success: Type.Boolean() })

const Status = named('WebhookDeliveryStatus', Type.Enum(['pending', 'success', 'failed']))
const Delivery = named(
  'WebhookDelivery',
  Type.Object({
    id: Uuid,
    event_id: Uuid,
    event: Type.String(),
    email_id: nullable(Uuid),
    attempt: Type.Integer(),
    status: Status,
    http_status: nullable(Type.Integer()),
    duration_ms: nullable(Type.Integer()),
    response_body: nullable(Type.String()),
    error: nullable(Type.String()),
    next_attempt_at: nullable(DateTime),
    created_at: DateTime,
  }),
)

const Query = Type.Object({
  status: Type.Optional(Status),
  event: Type.Optional(Type.Enum([...Object.keys(EVENT_TYPES), 'test'])),
  email_id: Type.Optional(Uuid),
  from: FromTime,
  to: ToTime,
  limit: ListLimit,
  offset: ListOffset,
  cursor: ListCursor,
})

const Replay = named(
  'ReplayWebhookRequest',
  Type.Object(
    {
      from: DateTime,
      to: DateTime,
      events: Type.Optional(
        Type.Array(named('WebhookEventName', Type.Enum([...EVENT_NAMES])), { minItems: 1, maxItems: 50 }),
      ),
    },
    { additionalProperties: false },
  ),
)

export function deliveryRoutes(context: DeliveryContext): readonly AnyEndpoint[] {
  return [logRoute(context), ...replayRoutes(context)]
}

function logRoute(context: DeliveryContext): AnyEndpoint {
  return endpoint({
    method: 'GET',
    path: `${PATH}/{webhookId}/deliveries`,
    access: { scope: 'webhooks:read' },
    operationId: 'listWebhookDeliveries',
    summary: 'List webhook deliveries of the last 30 days, newest first',
    tag: TAG,
    params: Params,
    query: Query,
    answers: { 200: listOf(Delivery, CursorPagination) },
    errors: [errors.not_found],
    handle: async ({ principal, params, query }) => {
      const { rows, total, next } = await listDeliveries(context, principal, params.webhookId, {
        status: query.status ?? null,
        event: query.event === undefined ? null : numberOf(query.event),
        emailId: query.email_id ?? null,
        from: query.from === undefined ? null : new Date(query.from),
        to: query.to === undefined ? null : new Date(query.to),
        cursor: query.cursor ?? null,
        limit: query.limit,
        offset: query.offset,
      })
      const pagination = { total, limit: query.limit, offset: query.offset, next_cursor: next }
      return list(rows.map(wireDelivery), pagination)
    },
  })
}

function numberOf(name: string): number {
  return name === 'test' ? TEST_EVENT : EVENT_TYPES[name as EventType]
}

function replayRoutes(context: DeliveryContext): readonly AnyEndpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: `${PATH}/deliveries/{id}/replay`,
      access: { scope: 'webhooks:write' },
      operationId: 'replayWebhookDelivery',
      summary: 'Replay a webhook delivery. A pending delivery is attempted immediately.',
      tag: TAG,
      params: IdParams,
      answers: { 200: Queued },
      errors: [errors.not_found, errors.invalid_state],
      handle: async ({ principal, params }) =>
        single({ queued: await replayDelivery(context, principal, params.id) }, { also: { success: true } }),
    }),
    endpoint({
      method: 'POST',
      path: `${PATH}/{webhookId}/replay`,
      access: { scope: 'webhooks:write' },
      operationId: 'replayWebhookEvents',
      summary:
        'Replay the events of a period, at most 100,000. Refused with 409 while 100,000 deliveries to the endpoint wait.',
      tag: TAG,
      params: Params,
      examples: exampleBody(
        { from: '2026-01-31T09:00:00Z', to: '2026-01-31T11:00:00Z', events: ['email.bounced'] },
        'What an outage of two hours missed',
      ),
      body: Replay,
      moreFaults: periodFaults,
      answers: { 200: Queued },
      errors: [errors.not_found, errors.invalid_state],
      handle: async ({ principal, params, body }) => {
        const queued = await replayPeriod(context, principal, params.webhookId, {
          from: new Date(body.from),
          to: new Date(body.to),
          types: typesOf(body.events),
        })
        return single({ queued }, { also: { success: true } })
      },
    }),
  ]
}

/** Reported together with the schema's faults; the body may have any shape. */
function periodFaults(body: unknown): readonly FieldFault[] {
  const { from, to } = (body ?? {}) as Readonly<Record<string, unknown>>
  if (typeof from !== 'string' || typeof to !== 'string' || !(Date.parse(to) <= Date.parse(from))) return []
  return [{ field: 'to', rule: 'after_from', message: 'must be after from' }]
}

function typesOf(names: readonly string[] | undefined): readonly EventType[] | null {
  if (names === undefined || names.includes('*')) return null
  return names.filter((name) => Object.hasOwn(EVENT_TYPES, name)) as EventType[]
}

function wireDelivery(row: DeliveryRow): object {
  return {
    id: row.id,
    event_id: row.event_id,
    event: eventName(row.event),
    email_id: row.email_id,
    attempt: row.attempt,
    status: row.status,
    http_status: row.last?.http_status ?? null,
    duration_ms: row.last?.duration_ms ?? null,
    response_body: row.last?.response_body ?? null,
    error: row.last?.error ?? null,
    next_attempt_at: row.lease === null ? row.due : null,
    created_at: timeOfId(row.id),
  }
}
