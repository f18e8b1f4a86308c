import { Type } from 'typebox'
import type { Database, Db } from '../../platform/db.ts'
import { endFaults, platformErrors } from '../../platform/errors.ts'
import {
  type AnyEndpoint,
  bare,
  bareOf,
  DateTime,
  dataOf,
  endpoint,
  exampleBody,
  list,
  listOf,
  named,
  nullable,
  ONE_LINE,
  Page,
  PageLimit,
  PagePagination,
  pageWindow,
  paginationOf,
  single,
} from '../../platform/http.ts'
import { emailFaults, recipientInPath, recipientOf } from './address-fields.ts'
import { type Context, removeSuppression, resubscribe, suppress, unsubscribe } from './entries.ts'
import { listSuppressions, listUnsubscribes, suppressionOf } from './lists.ts'
import type { SuppressionReason } from './may-we-send.ts'
import {
  filterOf,
  ListFilters,
  MAX_ADDRESS_CHARS,
  Reason,
  SuppressionFilters,
  suppressionFilterOf,
} from './routes-filters.ts'
import { importRoutes } from './routes-import.ts'
import { andStill, stillRefused } from './still-refused.ts'

export interface SuppressionRoutesOptions extends Context {
  readonly database: Database
}

const UNSUBSCRIBES = '/api/v1/customer/unsubscribes'
const LEGACY_UNSUBSCRIBES = '/api/customer/unsubscribes'
const SUPPRESSIONS = '/api/v1/customer/suppressions'
const MAX_TEXT_CHARS = 2_000

const Text = nullable(Type.String())

const Unsubscribe = named(
  'Unsubscribe',
  Type.Object({
    id: Type.String(),
    email: Type.String(),
    source: Type.String({
      description: 'How the address was unsubscribed: one_click, link, mailto, api, manual or import.',
    }),
    reason: Text,
    sandbox: Type.Boolean(),
    created_at: DateTime,
  }),
)
const Suppression = named(
  'Suppression',
  Type.Object({
    id: Type.String(),
    email: Type.String(),
    reason: Reason,
    source: Type.String({ description: 'Where the suppression came from: smtp, dsn, arf, api, manual or import.' }),
    domain_id: Text,
    email_id: Text,
    bounce_id: Text,
    details: Text,
    sandbox: Type.Boolean(),
    expires_at: nullable(DateTime),
    created_at: DateTime,
  }),
)

const EmailParams = Type.Object({ email: Type.String() })
const ListQuery = Type.Object({ page: Page, limit: PageLimit, ...ListFilters.properties })
const SuppressionQuery = Type.Object({ page: Page, limit: PageLimit, ...SuppressionFilters.properties })
const Line = Type.String({ maxLength: MAX_TEXT_CHARS, pattern: ONE_LINE })
const NewUnsubscribeBody = named(
  'CreateUnsubscribeRequest',
  Type.Object(
    {
      email: Type.String({ maxLength: MAX_ADDRESS_CHARS }),
      reason: Type.Optional(nullable(Line)),
    },
    { additionalProperties: false },
  ),
)
const NewSuppressionBody = named(
  'CreateSuppressionRequest',
  Type.Object(
    {
      email: Type.String({ maxLength: MAX_ADDRESS_CHARS }),
      reason: Type.Optional(Reason),
      details: Type.Optional(nullable(Line)),
      expires_at: Type.Optional(nullable(DateTime)),
    },
    { additionalProperties: false },
  ),
)
export function suppressionRoutes(options: SuppressionRoutesOptions): readonly AnyEndpoint[] {
  return [...unsubscribeEndpoints(options), ...suppressionEndpoints(options), ...importRoutes(options)]
}

function unsubscribeEndpoints({ database, ...context }: SuppressionRoutesOptions): readonly AnyEndpoint[] {
  const tag = 'Unsubscribes'
  const { clock } = context
  return [
    endpoint({
      method: 'GET',
      path: UNSUBSCRIBES,
      legacyPath: LEGACY_UNSUBSCRIBES,
      access: { scope: 'unsubscribes:read' },
      operationId: 'listUnsubscribes',
      summary: 'List unsubscribed addresses',
      tag,
      query: ListQuery,
      answers: { 200: listOf(Unsubscribe, PagePagination, { unsubscribes: Type.Array(Unsubscribe) }) },
      handle: async ({ principal: { accountId }, query, signal }) => {
        const window = pageWindow(query)
        const read = (db: Db) => listUnsubscribes(db, accountId, filterOf(query), window)
        const { unsubscribes, total } = await database.reading(accountId, read, signal)
        return list(unsubscribes, paginationOf(window, unsubscribes.length, total), { unsubscribes })
      },
    }),
    endpoint({
      method: 'POST',
      path: UNSUBSCRIBES,
      legacyPath: LEGACY_UNSUBSCRIBES,
      access: { scope: 'unsubscribes:write' },
      operationId: 'createUnsubscribe',
      summary:
        'Add an address to the unsubscribe list. No attempt to deliver to it begins afterwards, also for email that waits already.',
      tag,
      examples: exampleBody({ email: 'max@example.net', reason: 'asked by phone' }),
      body: NewUnsubscribeBody,
      moreFaults: emailFaults,
      answers: Object.fromEntries(
        [200, 201].map((status) => [status, dataOf(Unsubscribe, { message: Type.String(), unsubscribe: Unsubscribe })]),
      ),
      handle: async ({ principal: { accountId, keyId }, body }) => {
        const { unsubscribe: entry, created } = await database.tenant(accountId, (db) =>
          unsubscribe(db, context, {
            accountId,
            recipient: recipientOf(body.email),
            sandbox: false,
            source: keyId === null ? 'manual' : 'api',
            reason: (body.reason ?? null) as string | null,
            mail: null,
          }),
        )
        const message = created ? 'The address is unsubscribed' : 'The address was unsubscribed already'
        return single(entry, { status: created ? 201 : 200, also: { message, unsubscribe: entry } })
      },
    }),
    endpoint({
      method: 'DELETE',
      path: `${UNSUBSCRIBES}/{email}`,
      legacyPath: `${LEGACY_UNSUBSCRIBES}/{email}`,
      access: { scope: 'unsubscribes:write' },
      operationId: 'deleteUnsubscribe',
      summary:
        'Remove an address from the unsubscribe list. The message says what still refuses email to it, such as a suppression.',
      tag,
      params: EmailParams,
      answers: { 200: removedAnswer },
      errors: [platformErrors.not_found],
      handle: async ({ principal: { accountId, keyId }, params }) => {
        const email = recipientInPath(params.email)
        const refused = await database.tenant(accountId, async (db) => {
          if (!(await resubscribe(db, context, accountId, email, { keyId }))) throw platformErrors.not_found()
          return stillRefused(db, accountId, email, clock.now())
        })
        const done = refused === null ? 'The address can receive email again' : 'The address is no longer unsubscribed'
        return bare({ email }, { also: { message: andStill(done, refused) } })
      },
    }),
  ]
}

const removedAnswer = bareOf(named('RemovedAddress', Type.Object({ email: Type.String() })), { message: Type.String() })

function suppressionEndpoints({ database, ...context }: SuppressionRoutesOptions): readonly AnyEndpoint[] {
  const tag = 'Suppressions'
  const { clock } = context
  return [
    endpoint({
      method: 'GET',
      path: SUPPRESSIONS,
      access: { scope: 'suppressions:read' },
      operationId: 'listSuppressions',
      summary: 'List suppressed addresses',
      tag,
      query: SuppressionQuery,
      answers: { 200: listOf(Suppression, PagePagination) },
      handle: async ({ principal: { accountId }, query, signal }) => {
        const window = pageWindow(query)
        const filter = suppressionFilterOf(query)
        const read = (db: Db) => listSuppressions(db, accountId, filter, window, clock.now())
        const { suppressions, total } = await database.reading(accountId, read, signal)
        return list(suppressions, paginationOf(window, suppressions.length, total))
      },
    }),
    endpoint({
      method: 'POST',
      path: SUPPRESSIONS,
      access: { scope: 'suppressions:write' },
      operationId: 'createSuppression',
      summary: 'Suppress an address. No attempt to deliver to it begins afterwards, also for email that waits already.',
      tag,
      examples: exampleBody(
        { email: 'eva@example.net', reason: 'manual', details: 'moved abroad', expires_at: '2099-03-31T00:00:00Z' },
        'With an end',
      ),
      body: NewSuppressionBody,
      moreFaults: (body) => [...emailFaults(body), ...endFaults(expiresAtOf(body), clock.now(), 'has passed')],
      answers: { 200: dataOf(Suppression), 201: dataOf(Suppression) },
      handle: async ({ principal: { accountId, keyId }, body }) => {
        const recipient = recipientOf(body.email)
        const [made] = await database.tenant(accountId, (db) =>
          suppress(db, context, [
            {
              accountId,
              recipient,
              sandbox: false,
              reason: (body.reason ?? 'manual') as SuppressionReason,
              source: keyId === null ? 'manual' : 'api',
              domainId: null,
              emailId: null,
              bounceId: null,
              details: (body.details ?? null) as string | null,
              expiresAt: body.expires_at == null ? null : new Date(body.expires_at as string),
            },
          ]),
        )
        return single(made?.suppression, { status: made?.created === true ? 201 : 200 })
      },
    }),
    endpoint({
      method: 'GET',
      path: `${SUPPRESSIONS}/{email}`,
      access: { scope: 'suppressions:read' },
      operationId: 'getSuppression',
      summary: 'Get the suppression of an address',
      tag,
      params: EmailParams,
      answers: { 200: dataOf(Suppression) },
      errors: [platformErrors.not_found],
      handle: async ({ principal: { accountId }, params }) => {
        const email = recipientInPath(params.email)
        const found = await database.tenant(accountId, (db) => suppressionOf(db, accountId, email, clock.now()))
        if (found === null) throw platformErrors.not_found()
        return single(found)
      },
    }),
    endpoint({
      method: 'DELETE',
      path: `${SUPPRESSIONS}/{email}`,
      access: { scope: 'suppressions:write' },
      operationId: 'deleteSuppression',
      summary:
        'Remove an address from the suppression list. The message says what still refuses email to it, such as a complaint.',
      tag,
      params: EmailParams,
      answers: { 200: removedAnswer },
      errors: [platformErrors.not_found],
      handle: async ({ principal: { accountId, keyId }, params }) => {
        const email = recipientInPath(params.email)
        const refused = await database.tenant(accountId, async (db) => {
          if (!(await removeSuppression(db, context, accountId, email, { keyId }))) throw platformErrors.not_found()
          return stillRefused(db, accountId, email, clock.now())
        })
        return bare({ email }, { also: { message: andStill('The address is no longer suppressed', refused) } })
      },
    }),
  ]
}

function expiresAtOf(body: unknown): unknown {
  return (body as { readonly expires_at?: unknown } | null)?.expires_at
}
