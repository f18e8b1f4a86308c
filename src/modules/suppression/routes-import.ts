// The import and export endpoints of the two lists.

import { Readable } from 'node:stream'
import { type TSchema, Type } from 'typebox'
import { shown } from '../../platform/csv-list.ts'
import type { Database } from '../../platform/db.ts'
import {
  type AnyEndpoint,
  type Call,
  csvAnswer,
  DateTime,
  dataOf,
  endpoint,
  entriesIn,
  exampleBody,
  fileIn,
  IMPORT_FAULTS,
  importedFrom,
  importing,
  MAX_CSV_BYTES,
  named,
  nullable,
  single,
  typed,
} from '../../platform/http.ts'
import type { Context } from './entries.ts'
import { exportSuppressions, exportUnsubscribes, SUPPRESSION_COLUMNS, UNSUBSCRIBE_COLUMNS } from './export.ts'
import {
  csvEntries,
  type ImportEntries,
  type ImportEntry,
  type ImportFault,
  type ImportSummary,
  importSuppressions,
  importUnsubscribes,
} from './import.ts'
import { filterOf, ListFilters, Reason, SuppressionFilters, suppressionFilterOf } from './routes-filters.ts'

export interface ImportRoutesOptions extends Context {
  readonly database: Database
}

const UNSUBSCRIBES = '/api/v1/customer/unsubscribes'
const SUPPRESSIONS = '/api/v1/customer/suppressions'

const Text = nullable(Type.String())
const Sandbox = Type.Optional(nullable(Type.Boolean()))

/** A list that can be imported. A faulty entry is reported with its line. */
interface ImportedList {
  /** Name of the body's schema in the API document. */
  readonly request: string
  readonly entry: TSchema
  /** Every known field, used or not, so that the list's own answers can be imported unchanged. */
  readonly names: readonly string[]
  /** The known fields that must be strings. */
  readonly texts: readonly string[]
  readonly into: (
    database: Database,
    context: Context,
    accountId: string,
    entries: ImportEntries,
  ) => Promise<ImportSummary>
}

const UNSUBSCRIBE_LIST: ImportedList = {
  request: 'ImportUnsubscribesRequest',
  entry: named(
    'UnsubscribeEntry',
    Type.Object({ email: Type.String(), reason: Type.Optional(Text), sandbox: Sandbox }),
  ),
  names: UNSUBSCRIBE_COLUMNS,
  texts: ['email', 'reason'],
  into: importUnsubscribes,
}
const SUPPRESSION_LIST: ImportedList = {
  request: 'ImportSuppressionsRequest',
  entry: named(
    'SuppressionEntry',
    Type.Object({
      email: Type.String(),
      reason: Type.Optional(nullable(Reason)),
      details: Type.Optional(Text),
      expires_at: Type.Optional(nullable(DateTime)),
      sandbox: Sandbox,
    }),
  ),
  names: SUPPRESSION_COLUMNS,
  texts: ['email', 'reason', 'details', 'expires_at'],
  into: importSuppressions,
}

const ImportAnswer = named(
  'ImportResult',
  Type.Object({
    imported: Type.Integer(),
    updated: Type.Integer(),
    failed: Type.Integer(),
    ...IMPORT_FAULTS,
  }),
)

export function importRoutes({ database, ...context }: ImportRoutesOptions): readonly AnyEndpoint[] {
  const tag = 'Suppressions'
  return [
    endpoint({
      ...importingInto(UNSUBSCRIBE_LIST),
      path: `${UNSUBSCRIBES}/import`,
      access: { scope: 'unsubscribes:write' },
      operationId: 'importUnsubscribes',
      examples: exampleBody({
        entries: [{ email: 'max@example.net', reason: 'asked by phone' }, { email: 'eva@example.net' }],
      }),
      summary: 'Import unsubscribed addresses from CSV with a header line or from JSON {entries: [..]}',
      tag: 'Unsubscribes',
      handle: async (call) => single(await importOf(UNSUBSCRIBE_LIST, database, context, call)),
    }),
    endpoint({
      method: 'GET',
      path: `${UNSUBSCRIBES}/export`,
      access: { scope: 'unsubscribes:read' },
      operationId: 'exportUnsubscribes',
      summary: 'Export unsubscribed addresses as CSV. Takes the same filters as the list.',
      tag: 'Unsubscribes',
      query: ListFilters,
      answers: { 200: typed('text/csv') },
      handle: ({ principal: { accountId }, query }) =>
        csvAnswer('unsubscribes.csv', exportUnsubscribes(database, accountId, filterOf(query))),
    }),
    endpoint({
      ...importingInto(SUPPRESSION_LIST),
      path: `${SUPPRESSIONS}/import`,
      access: { scope: 'suppressions:write' },
      operationId: 'importSuppressions',
      examples: exampleBody({
        entries: [
          { email: 'max@example.net', reason: 'complaint' },
          { email: 'eva@example.net', details: 'moved' },
        ],
      }),
      summary: 'Import suppressions from CSV with a header line or from JSON {entries: [..]}',
      tag,
      handle: async (call) => single(await importOf(SUPPRESSION_LIST, database, context, call)),
    }),
    endpoint({
      method: 'GET',
      path: `${SUPPRESSIONS}/export`,
      access: { scope: 'suppressions:read' },
      operationId: 'exportSuppressions',
      summary: 'Export suppressions as CSV. Takes the same filters as the list.',
      tag,
      query: SuppressionFilters,
      answers: { 200: typed('text/csv') },
      handle: ({ principal: { accountId }, query }) =>
        csvAnswer(
          'suppressions.csv',
          exportSuppressions(database, accountId, suppressionFilterOf(query), context.clock.now()),
        ),
    }),
  ]
}

/** The parts shared by the import endpoints of both lists. */
function importingInto({ request, entry }: ImportedList) {
  return { ...importing(request, entry), answers: { 200: dataOf(ImportAnswer) } } as const
}

async function importOf(
  list: ImportedList,
  database: Database,
  context: Context,
  call: Call<unknown, unknown, unknown>,
): Promise<ImportSummary & { readonly ignored_columns: readonly string[] }> {
  let ignored: readonly string[] = []
  const onIgnored = (columns: readonly string[]): void => {
    ignored = columns
  }
  const file = fileIn(call)
  const entries =
    file === null
      ? Readable.from(entriesIn(call.body).map((entry, index) => jsonEntry(list, entry, index + 1)))
      : csvEntries(file, { maxBytes: MAX_CSV_BYTES, columns: list.names }, onIgnored)
  const summary = await importedFrom(call, () => list.into(database, context, call.principal.accountId, entries))
  return { ...summary, ignored_columns: ignored }
}

function jsonEntry({ names, texts }: ImportedList, entry: unknown, line: number): ImportEntry | ImportFault {
  const fields = (typeof entry === 'object' ? (entry ?? {}) : {}) as Record<string, unknown>
  const text = (name: string): string => (typeof fields[name] === 'string' ? fields[name] : '')
  const email = typeof (fields['email'] ?? '') === 'string' ? shown(text('email')) : null
  if (texts.some((name) => typeof (fields[name] ?? '') !== 'string')) {
    return { line, email, message: `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)} are strings` }
  }
  const unknown = Object.keys(fields).find((name) => !names.includes(name))
  if (unknown !== undefined) return { line, email, message: `${shown(unknown)} is not a known field` }
  const sandbox = fields['sandbox'] ?? false
  if (typeof sandbox !== 'boolean') return { line, email, message: 'sandbox is true or false' }
  return {
    line,
    email: text('email'),
    reason: text('reason'),
    details: text('details'),
    expiresAt: text('expires_at'),
    sandbox: String(sandbox),
  }
}
