import { type Static, Type } from 'typebox'
import { parseAddress, suppressionKey } from '../../mail/address.ts'
import { cellOfTexts, csvLine } from '../../platform/csv.ts'
import { validationError } from '../../platform/errors.ts'
import {
  type AnyEndpoint,
  csvAnswer,
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
  typed,
  Uuid,
} from '../../platform/http.ts'
import { accountErrors } from '../accounts/index.ts'
import { refusals } from '../sending/index.ts'
import { emailFaults } from '../suppression/index.ts'
import { consentOf } from './confirm.ts'
import {
  type ContactFilter,
  changeContact,
  eraseContact,
  everyContact,
  listContacts,
  type NewContact,
  readContact,
  removeContact,
} from './contacts.ts'
import {
  createContact,
  type OptInContext,
  optInFaults,
  type RenewedConsent,
  resendConfirmation,
} from './double-opt-in.ts'
import { errors } from './errors.ts'
import * as limits from './limits.ts'
import type { ContactRow } from './sql.ts'

const PATH = '/api/v1/customer/contacts'
const TAG = 'Contacts'
const READ = { scope: 'contacts:read' }
const WRITE = { scope: 'contacts:write' }
const STATUSES = ['pending_confirmation', 'subscribed', 'unsubscribed', 'bounced', 'complained'] as const
const NO_CONTROLS = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$'
const LINES = '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$'

const Status = named('ContactStatus', Type.Enum([...STATUSES]))
const Consent = named(
  'Consent',
  Type.Object({
    source_url: nullable(Type.String()),
    consent_text: nullable(Type.String()),
    timestamp: nullable(DateTime),
  }),
)
const EarlierConsent = named(
  'EarlierConsent',
  Type.Object({
    source: Type.String(),
    ...Consent.properties,
    confirmed_at: nullable(DateTime),
    confirmed_ip: nullable(Type.String()),
    confirmed_user_agent: nullable(Type.String()),
    unsubscribed_at: nullable(DateTime),
  }),
)
const ContactItem = named(
  'Contact',
  Type.Object({
    id: Uuid,
    email: Type.String(),
    name: nullable(Type.String()),
    status: Status,
    source: Type.String(),
    consent: Consent,
    earlier_consents: Type.Array(EarlierConsent),
    unsubscribed_at: nullable(DateTime),
    suppressed: Type.Boolean({
      description: 'Whether the address is on the suppression list. If so, it is sent no email, whatever its status.',
    }),
    tags: Type.Array(Type.String()),
    double_opt_in: Type.Boolean(),
    confirmation_sent_at: nullable(DateTime),
    resend_count: Type.Integer(),
    confirmed_at: nullable(DateTime),
    confirmed_ip: nullable(Type.String()),
    confirmed_user_agent: nullable(Type.String()),
    created_at: DateTime,
    updated_at: DateTime,
  }),
)

const Removed = named(
  'DeletedContact',
  Type.Object({
    id: Uuid,
    deleted: Type.Boolean(),
    erased: Type.Boolean(),
    emails_canceled: Type.Optional(
      Type.Integer({ description: 'Number of waiting emails to the address that were canceled. Only when erased.' }),
    ),
    erasure_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'ID of the erasure, which shows when all is erased. Only when erased.',
      }),
    ),
  }),
)

const closed = { additionalProperties: false } as const
const Name = nullable(Type.String({ maxLength: limits.MAX_NAME_CHARS, pattern: NO_CONTROLS }))
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: limits.MAX_TAG_CHARS, pattern: NO_CONTROLS }), {
  maxItems: limits.MAX_TAGS,
})
const PROOF = {
  source: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: limits.MAX_SOURCE_CHARS, pattern: NO_CONTROLS, default: 'api' })),
  ),
  consent: Type.Optional(
    nullable(
      named(
        'GivenConsent',
        Type.Object(
          {
            source_url: Type.Optional(nullable(Type.String({ maxLength: limits.MAX_URL_CHARS, pattern: NO_CONTROLS }))),
            consent_text: Type.Optional(nullable(Type.String({ maxLength: limits.MAX_CONSENT_CHARS, pattern: LINES }))),
            timestamp: Type.Optional(nullable(DateTime)),
          },
          closed,
        ),
      ),
    ),
  ),
  from: Type.Optional(
    nullable(Type.String({ description: 'Sender of the confirmation email: an address, or `Name <address>`.' })),
  ),
  template_id: Type.Optional(
    nullable(
      Type.String({
        format: 'uuid',
        description: 'Template of the confirmation email. {{confirm_url}} is replaced by the confirmation link.',
      }),
    ),
  ),
} as const
const OVERRIDE = {
  override_soft_block: Type.Optional(
    nullable(Type.Boolean({ default: false, description: 'Send the confirmation email despite a soft block.' })),
  ),
} as const
export const Created = named(
  'CreateContactRequest',
  Type.Object(
    {
      email: Type.String({ maxLength: limits.MAX_ADDRESS_CHARS }),
      name: Type.Optional(Name),
      ...PROOF,
      ...OVERRIDE,
      tags: Type.Optional(nullable(Tags)),
      double_opt_in: Type.Optional(nullable(Type.Boolean({ default: true }))),
    },
    closed,
  ),
)
const Changed = named(
  'UpdateContactRequest',
  Type.Object(
    {
      name: Type.Optional(Name),
      tags: Type.Optional(Tags),
      status: Type.Optional(
        Type.Enum(['unsubscribed'], { description: '`unsubscribed` adds the address to the unsubscribe list.' }),
      ),
    },
    closed,
  ),
)

/** The filters of the list and its export. */
const Filters = Type.Object({
  search: Type.Optional(Type.String({ maxLength: limits.MAX_ADDRESS_CHARS })),
  status: Type.Optional(Status),
  tag: Type.Optional(Type.String({ maxLength: limits.MAX_TAG_CHARS })),
})

export function contactRoutes(context: OptInContext): readonly AnyEndpoint[] {
  return [...readingRoutes(context), ...writingRoutes(context)]
}

function readingRoutes(context: OptInContext): readonly AnyEndpoint[] {
  const { database, clock } = context
  return [
    endpoint({
      method: 'GET',
      path: PATH,
      tag: TAG,
      access: READ,
      operationId: 'listContacts',
      summary: 'List contacts, newest first',
      query: Type.Object({ page: Page, limit: PageLimit, ...Filters.properties }),
      answers: { 200: listOf(ContactItem, PagePagination) },
      handle: async ({ principal: { accountId }, query, signal }) => {
        const window = pageWindow(query)
        const { contacts, total } = await listContacts(context, accountId, filterOf(query), window, signal)
        return list(contacts.map(wire), paginationOf(window, contacts.length, total))
      },
    }),
    endpoint({
      method: 'GET',
      path: `${PATH}/export`,
      tag: TAG,
      access: READ,
      operationId: 'exportContacts',
      summary: 'Export contacts with their evidence of consent as CSV. Takes the same filters as the list.',
      query: Filters,
      answers: { 200: typed('text/csv') },
      handle: ({ principal: { accountId }, query }) =>
        csvAnswer('contacts.csv', csvOf(everyContact(context, accountId, filterOf(query)))),
    }),
    endpoint({
      method: 'GET',
      path: `${PATH}/{id}`,
      tag: TAG,
      access: READ,
      operationId: 'getContact',
      summary: 'Get a contact',
      params: IdParams,
      answers: { 200: dataOf(ContactItem) },
      errors: [errors.not_found],
      handle: async ({ principal: { accountId }, params }) =>
        single(wire(await database.tenant(accountId, (db) => readContact(db, clock.now(), accountId, params.id)))),
    }),
  ]
}

function writingRoutes(context: OptInContext): readonly AnyEndpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: PATH,
      tag: TAG,
      access: WRITE,
      operationId: 'createContact',
      summary: 'Create a contact. Unless double_opt_in is false, a confirmation email is sent.',
      examples: exampleBody(
        {
          email: 'jo@example.net',
          name: 'Jo Doe',
          tags: ['newsletter'],
          from: 'news@shop.example',
          source: 'checkout',
        },
        'Asks the recipient by mail',
      ),
      body: Created,
      moreFaults: async (body, { accountId }) => [
        ...emailFaults(body),
        ...(await optInFaults(context, accountId, body)),
      ],
      answers: { 201: dataOf(ContactItem) },
      errors: [errors.already_exists, ...refusals],
      handle: async ({ principal, body }) => {
        const contact = newContact(body as CreatedBody, context.clock.now())
        const overrides = body.override_soft_block === true
        return single(wire(await createContact(context, principal, contact, overrides)), { status: 201 })
      },
    }),
    endpoint({
      method: 'PATCH',
      path: `${PATH}/{id}`,
      tag: TAG,
      access: WRITE,
      operationId: 'updateContact',
      summary: 'Update the name or tags of a contact, or unsubscribe it. The evidence of consent cannot be changed.',
      params: IdParams,
      examples: exampleBody({ name: 'Jo Doe', tags: ['newsletter', 'spring'] }),
      body: Changed,
      answers: { 200: dataOf(ContactItem) },
      errors: [errors.not_found],
      handle: async ({ principal, params, body: { name, tags, status } }) => {
        const change = {
          ...(name !== undefined && { name: name as string | null }),
          ...(tags !== undefined && { tags: [...new Set(tags)] }),
          unsubscribed: status !== undefined,
        }
        return single(wire(await changeContact(context, principal, params.id, change)))
      },
    }),
    endpoint({
      method: 'DELETE',
      path: `${PATH}/{id}`,
      tag: TAG,
      access: WRITE,
      operationId: 'deleteContact',
      summary:
        'Delete a contact. With erase=true the recipient is erased: the emails sent to the address and its list entries too, except for a salted hash.',
      params: IdParams,
      query: Type.Object({ erase: Type.Boolean({ default: false }) }),
      answers: {
        200: dataOf(Removed, { success: Type.Boolean() }),
      },
      errors: [errors.not_found, accountErrors.insufficient_scope],
      handle: async ({ principal, params: { id }, query: { erase } }) => {
        const requested = erase ? await eraseContact(context, principal, id) : null
        if (requested === null) await removeContact(context, principal.accountId, id)
        const left = requested && { emails_canceled: requested.canceled, erasure_id: requested.erasure.id }
        return single({ id, deleted: true, erased: erase, ...left }, { also: { success: true } })
      },
    }),
    endpoint({
      method: 'POST',
      path: `${PATH}/{id}/resend-confirmation`,
      tag: TAG,
      access: WRITE,
      operationId: 'resendConfirmation',
      summary:
        'Resend the confirmation email, at most 3 times and once an hour. With a new consent, a contact that unsubscribed and has been taken off the unsubscribe list can be asked once a week.',
      params: IdParams,
      examples: exampleBody({ from: 'news@shop.example', source: 'checkout' }),
      body: named('ResendConfirmationRequest', Type.Object({ ...PROOF, ...OVERRIDE }, closed)),
      moreFaults: (body, { accountId }) => optInFaults(context, accountId, body),
      answers: { 200: dataOf(ContactItem) },
      errors: [errors.not_found, errors.invalid_state, errors.rate_limit_exceeded, ...refusals],
      handle: async ({ principal, params, body }) => {
        const { override_soft_block: override, ...given } = body
        const proof = newProof(given as ProofBody, context.clock.now())
        const again = { proof, overrideSoftBlock: override === true }
        return single(wire(await resendConfirmation(context, principal, params.id, again)))
      },
    }),
  ]
}

function filterOf(query: Static<typeof Filters>): ContactFilter {
  return {
    search: query.search === undefined || query.search === '' ? null : query.search,
    tag: query.tag ?? null,
    status: (query.status ?? null) as ContactRow['status'] | null,
  }
}

interface ProofBody {
  readonly source?: string | null
  readonly consent?: {
    readonly source_url?: string | null
    readonly consent_text?: string | null
    readonly timestamp?: string | null
  } | null
  readonly from?: string | null
  readonly template_id?: string | null
}

export interface CreatedBody extends ProofBody {
  readonly email: string
  readonly name?: string | null
  readonly tags?: readonly string[] | null
  readonly double_opt_in?: boolean | null
}

/** @returns null when the body is empty. @throws ApiError validation_error without a consent, which asking back requires */
function newProof(body: ProofBody, now: Date): RenewedConsent | null {
  if (Object.values(body).every((value) => value == null)) return null
  const proof = proofOf(body, now)
  if (proof.consent.at !== null) return proof
  throw validationError([{ field: 'consent', rule: 'required', message: 'is needed to ask anew who unsubscribed' }])
}

/** A consent without a time counts as given now. */
export function newContact(body: CreatedBody, now: Date): NewContact {
  const parsed = parseAddress(body.email.trim())
  if (!parsed.ok) throw validationError(emailFaults(body))
  return {
    email: suppressionKey(parsed.address),
    address: parsed.address.address,
    name: body.name ?? null,
    ...proofOf(body, now),
    tags: [...new Set(body.tags ?? [])],
    doubleOptIn: body.double_opt_in ?? true,
  }
}

function proofOf({ source, consent, from, template_id: templateId }: ProofBody, now: Date): RenewedConsent {
  const at = consent?.timestamp == null ? now : new Date(consent.timestamp)
  return {
    source: source ?? 'api',
    consent: {
      sourceUrl: consent?.source_url ?? null,
      text: consent?.consent_text ?? null,
      at: consent == null ? null : at,
    },
    sender: from ?? null,
    templateId: templateId ?? null,
  }
}

function wire(row: ContactRow): object {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    status: row.status,
    source: row.source,
    consent: consentOf(row),
    earlier_consents: row.earlier_consents,
    unsubscribed_at: row.unsubscribed_at?.toISOString() ?? null,
    suppressed: row.suppressed,
    tags: row.tags,
    double_opt_in: row.double_opt_in,
    confirmation_sent_at: row.confirmation_sent_at?.toISOString() ?? null,
    resend_count: row.resends,
    confirmed_at: row.confirmed_at?.toISOString() ?? null,
    confirmed_ip: row.confirmed_ip,
    confirmed_user_agent: row.confirmed_user_agent,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** The columns of the export; the import reads them. */
export const EXPORTED = [
  ['email', (row) => row.email],
  ['name', (row) => row.name],
  ['status', (row) => row.status],
  ['source', (row) => row.source],
  ['source_url', (row) => row.source_url],
  ['consent_text', (row) => row.consent_text],
  ['consent_at', (row) => row.consent_at],
  ['tags', (row) => cellOfTexts(row.tags)],
  ['double_opt_in', (row) => String(row.double_opt_in)],
  ['confirmation_sent_at', (row) => row.confirmation_sent_at],
  ['confirmed_at', (row) => row.confirmed_at],
  ['confirmed_ip', (row) => row.confirmed_ip],
  ['confirmed_user_agent', (row) => row.confirmed_user_agent],
  ['created_at', (row) => row.created_at],
  ['unsubscribed_at', (row) => row.unsubscribed_at],
  ['suppressed', (row) => String(row.suppressed)],
  ['earlier_consents', (row) => (row.earlier_consents.length === 0 ? null : JSON.stringify(row.earlier_consents))],
] as const satisfies readonly (readonly [string, (row: ContactRow) => string | Date | null])[]

async function* csvOf(pages: AsyncIterable<readonly ContactRow[]>): AsyncGenerator<string> {
  yield csvLine(EXPORTED.map(([name]) => name))
  for await (const page of pages) yield linesOf(page)
}

function linesOf(rows: readonly ContactRow[]): string {
  return rows
    .map((row) =>
      csvLine(
        EXPORTED.map(([, cellOf]) => {
          const cell = cellOf(row)
          return cell instanceof Date ? cell.toISOString() : cell
        }),
      ),
    )
    .join('')
}
