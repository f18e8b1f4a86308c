// The inbox over HTTP: contract section 5, sandbox mail.

import { type Static, Type } from 'typebox'
import { parseAddress, suppressionKey } from '../../mail/address.ts'
import type { ParsedMessage } from '../../mail/mime/parse.ts'
import type { Database } from '../../platform/db.ts'
import { PARAMETER_WORDS, parameterError } from '../../platform/errors.ts'
import {
  type Answer,
  type AnyEndpoint,
  CursorPagination,
  DateTime,
  dataOf,
  endpoint,
  IdParams,
  ListCursor,
  ListLimit,
  ListOffset,
  list,
  listOf,
  named,
  nullable,
  type Principal,
  raw,
  single,
  typed,
  Uuid,
} from '../../platform/http.ts'
import { isUuid } from '../../platform/ids.ts'
import { isDateTime } from '../../platform/validation.ts'
import { AttachmentFields, framed, type ReadMessage, readingTurns, wireAttachment } from '../outbox/index.ts'
import { errors } from './errors.ts'
import {
  clearInbox,
  deleteInboxMail,
  type InboxFilter,
  type InboxRow,
  inboxMailBytes,
  listInbox,
  oneInboxMail,
} from './inbox.ts'
import { inboxPage, PAGE_HEADERS } from './inbox-page.ts'

export interface InboxRoutesOptions {
  readonly database: Database
  readonly readMessage: ReadMessage
}

const Text = nullable(Type.String())
const MailFields = {
  id: Type.String(),
  email_id: Type.String(),
  from: Type.String(),
  to: Type.String(),
  subject: Type.String(),
  size: Type.Integer(),
  received_at: DateTime,
}
const Mail = named('InboxMail', Type.Object(MailFields))
const SingleMail = named(
  'InboxMailDetail',
  Type.Object({
    ...MailFields,
    headers: Type.Record(
      Type.String(),
      Type.String({ description: 'Header value. The values of a repeated header are on separate lines.' }),
    ),
    html: Text,
    text: Text,
    attachments: Type.Array(
      named(
        'InboxAttachment',
        Type.Object({
          ...AttachmentFields,
          content: Type.String({ description: 'Content of the attachment, Base64-encoded.' }),
        }),
      ),
    ),
  }),
)

const FILTER = {
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Only emails received at or after this time.' })),
  to: Type.Optional(
    Type.String({
      maxLength: 320,
      description: 'An address returns only emails to it; a date-time, only emails received before it.',
    }),
  ),
  subject: Type.Optional(Type.String({ maxLength: 998, description: 'Part of the subject, case-insensitive.' })),
  email_id: Type.Optional(Type.String()),
}
const Filter = Type.Object(FILTER)
const ListQuery = Type.Object({ ...FILTER, limit: ListLimit, offset: ListOffset, cursor: ListCursor })

interface Asked {
  readonly principal: Principal
  readonly params: { readonly id: string }
  readonly signal: AbortSignal
}
type LoadedMail = Awaited<ReturnType<typeof oneInboxMail>>

export function inboxRoutes({ database, readMessage }: InboxRoutesOptions): readonly AnyEndpoint[] {
  const read = { scope: 'emails:read' }
  const write = { scope: 'emails:write' }
  const inTurn = readingTurns()
  /** Loads a large one when its turn has come, and works on it meanwhile. */
  const withMail = async <T>(
    { principal: { accountId }, params: { id }, signal }: Asked,
    work: (mail: LoadedMail) => T | Promise<T>,
  ): Promise<T> => {
    const bytes = await inboxMailBytes(database, accountId, id)
    return inTurn(bytes, signal, async () => work(await oneInboxMail(database, accountId, id)))
  }
  const page = (path: string, operationId: string): AnyEndpoint =>
    endpoint({
      method: 'GET',
      path,
      access: null,
      operationId,
      summary: 'Get the sandbox inbox as an HTML page',
      tag: 'Inbox',
      answers: { 200: typed('text/html') },
      handle: async () => raw('text/html; charset=utf-8', inboxPage(), PAGE_HEADERS),
    })
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/inbox',
      access: read,
      operationId: 'listInboxMails',
      summary: 'List sandbox emails',
      tag: 'Inbox',
      query: ListQuery,
      answers: { 200: listOf(Mail, CursorPagination) },
      handle: ({ principal, query }) => answerList(database, principal.accountId, query),
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/inbox/{id}',
      access: read,
      operationId: 'getInboxMail',
      summary: 'Get a sandbox email',
      tag: 'Inbox',
      params: IdParams,
      answers: { 200: dataOf(SingleMail) },
      errors: [errors.not_found],
      handle: (call) =>
        withMail(call, async ({ raw: bytes, ...row }) =>
          single({ ...wireMail(row), ...wireParts(await readMessage(bytes)) }),
        ),
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/inbox/{id}/preview',
      access: read,
      operationId: 'getInboxMailHtml',
      summary:
        'Get the HTML of a sandbox email with its inline images for display in a frame. It cannot run scripts or load anything.',
      tag: 'Inbox',
      params: IdParams,
      answers: { 200: typed('text/html') },
      errors: [errors.not_found],
      handle: (call) => withMail(call, async ({ raw: bytes }) => framed(await readMessage(bytes))),
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/inbox/{id}/raw',
      access: read,
      operationId: 'getRawInboxMail',
      summary: 'Get the raw message of a sandbox email, byte for byte as a receiving server would have got it',
      tag: 'Inbox',
      params: IdParams,
      answers: { 200: typed('message/rfc822') },
      errors: [errors.not_found],
      handle: async (call) => raw('message/rfc822', await withMail(call, (mail) => mail.raw)),
    }),
    endpoint({
      method: 'DELETE',
      path: '/api/v1/inbox/{id}',
      access: write,
      operationId: 'deleteInboxMail',
      summary: 'Delete a sandbox email',
      tag: 'Inbox',
      params: IdParams,
      answers: { 200: dataOf(named('Deleted', Type.Object({ id: Uuid, deleted: Type.Boolean() }))) },
      errors: [errors.not_found],
      handle: async ({ principal, params: { id } }) => {
        await deleteInboxMail(database, principal.accountId, id)
        return single({ id, deleted: true })
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/api/v1/inbox',
      access: write,
      operationId: 'clearInbox',
      summary: 'Delete all sandbox emails, or those that the filters of the list find',
      tag: 'Inbox',
      query: Filter,
      answers: { 200: dataOf(named('ClearedInbox', Type.Object({ deleted: Type.Integer() }))) },
      handle: async ({ principal, query }) =>
        single({ deleted: await clearInbox(database, principal.accountId, filterOf(query)) }),
    }),
    page('/', 'getHomePage'),
    page('/inbox', 'getInboxPage'),
  ]
}

async function answerList(database: Database, accountId: string, query: Static<typeof ListQuery>): Promise<Answer> {
  const { limit, offset, cursor = null } = query
  const { rows, total, next } = await listInbox(database, accountId, filterOf(query), { limit, offset, cursor })
  return list(rows.map(wireMail), { total, limit, offset, next_cursor: next })
}

function filterOf(query: Static<typeof Filter>): InboxFilter {
  const { subject = null, email_id: emailId = null } = query
  if (emailId !== null && !isUuid(emailId)) {
    throw parameterError('email_id', 'format', PARAMETER_WORDS.id)
  }
  // Of the other lists `to` is the end of a time, of this one an address: no text is both.
  const [to, before] = query.to !== undefined && isDateTime(query.to) ? [null, query.to] : [query.to, null]
  return {
    to: to == null ? null : keyOf(to),
    subject,
    emailId,
    from: query.from === undefined ? null : new Date(query.from),
    before: before === null ? null : new Date(before),
  }
}

function keyOf(text: string): string {
  const parsed = parseAddress(text.trim())
  if (!parsed.ok) throw parameterError('to', 'email', `${PARAMETER_WORDS.email}, or a date and time with its offset`)
  return suppressionKey(parsed.address)
}

function wireMail(row: InboxRow): Static<typeof Mail> {
  return {
    id: row.id,
    email_id: row.email_id,
    from: row.sender,
    to: row.recipient,
    subject: row.subject,
    size: row.size_bytes,
    received_at: row.received_at.toISOString(),
  }
}

function wireParts({ headers, html, text, attachments }: ParsedMessage): object {
  return {
    headers: headersByName(headers),
    html,
    text,
    attachments: attachments.map((attachment) => ({
      ...wireAttachment(attachment),
      content: attachment.content.toString('base64'),
    })),
  }
}

function headersByName(headers: ParsedMessage['headers']): object {
  const byName = new Map<string, string>()
  for (const [name, value] of headers) {
    const before = byName.get(name)
    byName.set(name, before === undefined ? value : `${before}\n${value}`)
  }
  return Object.fromEntries(byName)
}
