import { Type } from 'typebox'
import { graceMsOf, Rotation } from '../../platform/http/grace-period.ts'
import {
  type AnyEndpoint,
  DateTime,
  dataOf,
  endpoint,
  exampleBody,
  list,
  listOf,
  NO_STORE,
  named,
  nullable,
  ONE_LINE,
  PagePagination,
  pageWindowIfAsked,
  paginationOf,
  single,
  Uuid,
  WholePage,
  WholePageLimit,
} from '../../platform/http.ts'
import type { Connector } from '../../platform/network/connect.ts'
import {
  changeEndpoint,
  changeFaults,
  createEndpoint,
  type EndpointContext,
  readEndpoint,
  regenerateSecret,
  removeEndpoint,
  type Shown,
} from './endpoints.ts'
import { errors } from './errors.ts'
import { CREATE_EXAMPLES } from './examples.ts'
import type { RecordOptions } from './record-results.ts'
import { deliveryRoutes } from './routes-deliveries.ts'
import * as sql from './sql.ts'
import { testEndpoint } from './test-call.ts'
import { type Endpoint, EVENT_NAMES } from './types.ts'

export interface WebhookRoutesOptions extends EndpointContext, RecordOptions {
  readonly connector: Connector
}

const PATH = '/api/v1/customer/webhooks'
const TAG = 'Webhooks'

const Params = Type.Object({ webhookId: Uuid })
const EventName = named('WebhookEventName', Type.Enum([...EVENT_NAMES]))

const PREVIOUS = 'Until when `webhook-signature` has a signature by the previous secret too. Null: it has none.'
const DOMAIN_IDS = 'Domains whose events are delivered. Null means no restriction by domain.'

const WebhookItem = named(
  'Webhook',
  Type.Object({
    id: Uuid,
    name: Type.String(),
    url: Type.String(),
    events: Type.Array(EventName),
    domain_ids: nullable(Type.Array(Uuid, { description: DOMAIN_IDS })),
    scope: Type.Enum(['all', 'domain', 'group'], {
      description: '`all` without domain_ids, `domain` with one of them, `group` with several.',
    }),
    is_active: Type.Boolean(),
    secret: Type.Optional(
      Type.String({ description: 'Signing secret. Only in the responses of create and regenerate.' }),
    ),
    secret_last4: Type.Optional(Type.String()),
    previous_secret_valid_until: nullable(Type.String({ format: 'date-time', description: PREVIOUS })),
    created_at: DateTime,
    updated_at: DateTime,
    last_delivery_at: nullable(DateTime),
    last_delivery_status: nullable(Type.Enum(['success', 'failed'])),
    consecutive_failures: Type.Integer(),
    disabled_at: nullable(DateTime),
    disabled_reason: nullable(Type.String()),
  }),
)

const FIELDS = {
  name: Type.String({ minLength: 1, maxLength: 200, pattern: ONE_LINE }),
  url: Type.String({ minLength: 1, maxLength: 2_048 }),
  events: Type.Array(EventName, { minItems: 1, maxItems: 50 }),
  domain_ids: nullable(Type.Array(Uuid, { maxItems: 100, description: DOMAIN_IDS })),
  is_active: Type.Boolean(),
}
const Created = named(
  'CreateWebhookRequest',
  Type.Object(
    {
      url: FIELDS.url,
      events: FIELDS.events,
      name: Type.Optional(FIELDS.name),
      domain_ids: Type.Optional(FIELDS.domain_ids),
      is_active: Type.Optional(FIELDS.is_active),
    },
    { additionalProperties: false },
  ),
)
const Changed = named('UpdateWebhookRequest', Type.Partial(Type.Object(FIELDS), { additionalProperties: false }))
const Single = dataOf(WebhookItem, { webhook: WebhookItem })

export function webhookRoutes(options: WebhookRoutesOptions): readonly AnyEndpoint[] {
  return [...readingRoutes(options), ...writingRoutes(options), testRoute(options), ...deliveryRoutes(options)]
}

function readingRoutes(options: WebhookRoutesOptions): readonly AnyEndpoint[] {
  const { database } = options
  return [
    endpoint({
      method: 'GET',
      path: PATH,
      access: { scope: 'webhooks:read' },
      operationId: 'listWebhooks',
      summary: 'List webhooks',
      tag: TAG,
      query: Type.Object({ page: WholePage, limit: WholePageLimit }),
      answers: { 200: listOf(WebhookItem, PagePagination, { webhooks: Type.Array(WebhookItem) }) },
      handle: async ({ principal, query }) => {
        const { accountId, domainIds } = principal
        const window = pageWindowIfAsked(query)
        const { limit, offset } = window ?? { limit: null, offset: 0 }
        const [rows, counted] = await database.tenant(accountId, (db) =>
          Promise.all([
            db.query<Endpoint>(sql.list, [accountId, domainIds, limit, offset]),
            db.one<{ total: number }>(sql.count, [accountId, domainIds]),
          ]),
        )
        const items = rows.map((row) => wireEndpoint(row, options.clock.now()))
        return list(items, paginationOf(window, items.length, counted?.total ?? 0), { webhooks: items })
      },
    }),
    endpoint({
      method: 'GET',
      path: `${PATH}/{webhookId}`,
      access: { scope: 'webhooks:read' },
      operationId: 'getWebhook',
      summary: 'Get a webhook',
      tag: TAG,
      params: Params,
      answers: { 200: Single },
      errors: [errors.not_found],
      handle: async ({ principal, params }) => {
        const { webhookId } = params
        const { endpoint: row } = await database.tenant(principal.accountId, (db) =>
          readEndpoint(db, principal, webhookId),
        )
        return answer(row, options)
      },
    }),
  ]
}

function writingRoutes(options: WebhookRoutesOptions): readonly AnyEndpoint[] {
  const access = { scope: 'webhooks:write' }
  return [
    endpoint({
      method: 'POST',
      path: PATH,
      access,
      operationId: 'createWebhook',
      summary: 'Create a webhook. Its secret is returned only here and when it is regenerated.',
      tag: TAG,
      body: Created,
      examples: CREATE_EXAMPLES,
      moreFaults: (body, principal) => changeFaults(options, principal, body),
      answers: { 201: Single },
      errors: [errors.webhook_limit_reached],
      handle: async ({ principal, body }) =>
        answer(await createEndpoint(options, principal, given(body) as typeof body & { url: string }), options, 201),
    }),
    endpoint({
      method: 'PUT',
      path: `${PATH}/{webhookId}`,
      access,
      operationId: 'updateWebhook',
      summary: 'Update a webhook. Only the given fields are replaced.',
      tag: TAG,
      params: Params,
      examples: exampleBody({ is_active: false }, 'Off, until it is turned on again'),
      body: Changed,
      moreFaults: (body, principal) => changeFaults(options, principal, body),
      answers: { 200: Single },
      errors: [errors.not_found],
      handle: async ({ principal, params, body }) =>
        answer(await changeEndpoint(options, principal, params.webhookId, given(body)), options),
    }),
    endpoint({
      method: 'DELETE',
      path: `${PATH}/{webhookId}`,
      access,
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook and its pending deliveries',
      tag: TAG,
      params: Params,
      answers: {
        200: named(
          'DeleteWebhookResponse',
          dataOf(named('Deleted', Type.Object({ id: Uuid, deleted: Type.Boolean() })), {
            success: Type.Boolean(),
            message: Type.String(),
          }),
        ),
      },
      errors: [errors.not_found],
      handle: async ({ principal, params }) => {
        await removeEndpoint(options, principal, params.webhookId)
        const also = { success: true, message: 'The webhook endpoint was removed' }
        return single({ id: params.webhookId, deleted: true }, { also })
      },
    }),
    endpoint({
      method: 'POST',
      path: `${PATH}/{webhookId}/regenerate-secret`,
      access,
      operationId: 'regenerateWebhookSecret',
      summary: 'Regenerate the secret of a webhook. The old one stops being used immediately, or after a grace period.',
      tag: TAG,
      params: Params,
      examples: exampleBody({ grace_period_hours: 24 }, 'Signed with both secrets for a day'),
      body: Rotation,
      answers: {
        200: named(
          'WebhookSecretResponse',
          dataOf(WebhookItem, { webhook: WebhookItem, success: Type.Boolean(), secret: Type.String() }),
        ),
      },
      errors: [errors.not_found],
      handle: async ({ principal, params, body: asked }) => {
        const replaced = { id: params.webhookId, graceMs: graceMsOf(asked) }
        const row = await regenerateSecret(options, principal, replaced)
        const { body } = answer(row, options)
        return { status: 200, body: { success: true, ...(body as object), secret: row.secret }, headers: NO_STORE }
      },
    }),
  ]
}

function testRoute(options: WebhookRoutesOptions): AnyEndpoint {
  const Result = named(
    'WebhookTest',
    Type.Object({
      event_id: Uuid,
      http_status: nullable(Type.Integer()),
      duration_ms: Type.Integer(),
      response_body: nullable(Type.String()),
      error: nullable(Type.String()),
    }),
  )
  return endpoint({
    method: 'POST',
    path: `${PATH}/{webhookId}/test`,
    access: { scope: 'webhooks:write', rate: 'verify', bucket: 'webhook_test' },
    operationId: 'testWebhook',
    summary: 'Send a test event to a webhook',
    tag: TAG,
    params: Params,
    answers: { 200: dataOf(Result, { success: Type.Boolean() }) },
    errors: [errors.not_found],
    handle: async ({ principal, params }) => {
      const { eventId, success, facts } = await testEndpoint(options, principal, params.webhookId)
      return single({ event_id: eventId, ...facts }, { also: { success } })
    },
  })
}

/** Optional fields have undefined among their schema types; a body never does. */
function given<Body extends object>(body: Body): { [Name in keyof Body]: Exclude<Body[Name], undefined> } {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as never
}

function answer(row: Shown, { clock }: Pick<WebhookRoutesOptions, 'clock'>, status = 200) {
  const shown = wireEndpoint(row, clock.now())
  return { ...single(shown, { status, also: { webhook: shown } }), headers: NO_STORE }
}

function wireEndpoint(row: Shown, now: Date): object {
  const { domain_ids: domains, secret, previous_secret_until: until } = row
  const isOver = until === null || until <= now
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    events: row.events,
    domain_ids: domains,
    scope: domains === null ? 'all' : domains.length === 1 ? 'domain' : 'group',
    is_active: row.is_active,
    ...(secret === undefined ? { secret_last4: row.secret_last4 } : { secret }),
    previous_secret_valid_until: isOver ? null : until,
    created_at: row.created_at,
    updated_at: row.updated_at,
    last_delivery_at: row.last_delivery_at,
    last_delivery_status: row.last_delivery_status,
    consecutive_failures: row.consecutive_failures,
    disabled_at: row.disabled_at,
    disabled_reason: row.disabled_reason,
  }
}
