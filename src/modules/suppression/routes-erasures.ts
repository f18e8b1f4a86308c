import { Type } from 'typebox'
import type { Db } from '../../platform/db.ts'
import { platformErrors } from '../../platform/errors.ts'
import {
  type AnyEndpoint,
  DateTime,
  dataOf,
  endpoint,
  exampleBody,
  IdParams,
  list,
  listOf,
  named,
  nullable,
  Page,
  PageLimit,
  PagePagination,
  pageWindow,
  paginationOf,
  single,
  Uuid,
} from '../../platform/http.ts'
import { accountErrors } from '../accounts/index.ts'
import { emailFaults, recipientOf } from './address-fields.ts'
import { type Erasing, type ErasureRow, listErasures, readErasure, requestErasure } from './erasures.ts'
import { MAX_ADDRESS_CHARS } from './routes-filters.ts'

const PATH = '/api/v1/customer/erasures'
const TAG = 'Erasures'

const Erasure = named(
  'Erasure',
  Type.Object({
    id: Uuid,
    email: nullable(
      Type.String({ description: 'Null once the erasure is completed: nothing keeps the address then.' }),
    ),
    status: named('ErasureStatus', Type.Enum(['pending', 'completed'])),
    emails_canceled: Type.Integer({ description: 'Number of emails that waited for the address and were canceled.' }),
    emails_erased: Type.Integer({ description: 'Number of emails erased so far, canceled ones included.' }),
    created_at: DateTime,
    completed_at: nullable(DateTime),
  }),
)
const Requested = named(
  'CreateErasureRequest',
  Type.Object({ email: Type.String({ maxLength: MAX_ADDRESS_CHARS }) }, { additionalProperties: false }),
)

export function erasureRoutes(options: Erasing): readonly AnyEndpoint[] {
  const { database } = options
  return [
    endpoint({
      method: 'POST',
      path: PATH,
      tag: TAG,
      access: { scope: 'contacts:write' },
      operationId: 'createErasure',
      summary:
        'Erase a recipient. What waits for the address is canceled; the emails sent to it, the contact and its list entries are deleted, and the person is taken out of events. A salted hash stays, so no more email is sent to it.',
      examples: exampleBody({ email: 'max@example.net' }),
      body: Requested,
      moreFaults: emailFaults,
      answers: { 200: dataOf(Erasure), 201: dataOf(Erasure) },
      errors: [accountErrors.insufficient_scope],
      handle: async ({ principal, body }) => {
        const { erasure, created } = await requestErasure(options, principal, recipientOf(body.email))
        return single(wire(erasure), { status: created ? 201 : 200 })
      },
    }),
    endpoint({
      method: 'GET',
      path: PATH,
      tag: TAG,
      access: { scope: 'contacts:read' },
      operationId: 'listErasures',
      summary: 'List erasures of recipients, newest first',
      query: Type.Object({ page: Page, limit: PageLimit }),
      answers: { 200: listOf(Erasure, PagePagination) },
      handle: async ({ principal: { accountId }, query, signal }) => {
        const window = pageWindow(query)
        const read = (db: Db) => listErasures(db, accountId, window)
        const { erasures, total } = await database.reading(accountId, read, signal)
        return list(erasures.map(wire), paginationOf(window, erasures.length, total))
      },
    }),
    endpoint({
      method: 'GET',
      path: `${PATH}/{id}`,
      tag: TAG,
      access: { scope: 'contacts:read' },
      operationId: 'getErasure',
      summary: 'Get an erasure',
      params: IdParams,
      answers: { 200: dataOf(Erasure) },
      errors: [platformErrors.not_found],
      handle: async ({ principal: { accountId }, params: { id } }) =>
        single(wire(await database.tenant(accountId, (db) => readErasure(db, accountId, id)))),
    }),
  ]
}

function wire({ id, email, emails_canceled, emails_erased, created_at, completed_at }: ErasureRow): object {
  return {
    id,
    email,
    status: completed_at === null ? 'pending' : 'completed',
    emails_canceled,
    emails_erased,
    created_at: created_at.toISOString(),
    completed_at: completed_at?.toISOString() ?? null,
  }
}
