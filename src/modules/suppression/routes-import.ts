// The two lists as files, in and out.

import { Readable } from 'node:stream'
import { type TSchema, Type } from 'typebox'
import { CsvTooLarge } from '../../platform/csv.ts'
import type { Database } from '../../platform/db.ts'
import { platformErrors, validationError } from '../../platform/errors.ts'
import {
  type Answer,
  type AnyEndpoint,
  type Call,
  DateTime,
  dataOf,
  endpoint,
  LONGEST_BODY_MS,
  raw,
  single,
  typed,
} from '../../platform/http.ts'
import { bodyValidator } from '../../platform/validation.ts'
import type { Context } from './entries.ts'
import { exportSuppressions, exportUnsubscribes, SUPPRESSION_COLUMNS, UNSUBSCRIBE_COLUMNS } from './export.ts'
import {
  csvEntries,
  HeaderMissing,
  type ImportEntries,
  type ImportEntry,
  type ImportFault,
  type ImportSummary,
  importSuppressions,
  importUnsubscribes,
  REASONS,
  shown,
} from './import.ts'
import { filterOf, ListFilters, SuppressionFilters, suppressionFilterOf } from './routes-filters.ts'

export interface ImportRoutesOptions extends Context {
  readonly database: Database
}

const UNSUBSCRIBES = '/api/v1/customer/unsubscribes'
const SUPPRESSIONS = '/api/v1/customer/suppressions'
const MAX_CSV_BYTES = 268_435_456

const nullable = (schema: TSchema): TSchema => Type.Union([schema, Type.Null()])
const Text = nullable(Type.String())
const Sandbox = Type.Optional(nullable(Type.Boolean()))

/** A list that is imported; what does not fit in an entry is told with its line. */
interface ImportedList {
  readonly entry: TSchema
  /** What the list answers can be imported as it is: these names are known, whether or not anything is taken of them. */
  readonly names: readonly string[]
  /** Of these, what is a text. */
  readonly texts: readonly string[]
  readonly into: (
    database: Database,
    context: Context,
    accountId: string,
    entries: ImportEntries,
  ) => Promise<ImportSummary>
}

const UNSUBSCRIBE_LIST: ImportedList = {
  entry: Type.Object({ email: Type.String(), reason: Type.Optional(Text), sandbox: Sandbox }),
  names: UNSUBSCRIBE_COLUMNS,
  texts: ['email', 'reason'],
  into: importUnsubscribes,
}
const SUPPRESSION_LIST: ImportedList = {
  entry: Type.Object({
    email: Type.String(),
    reason: Type.Optional(nullable(Type.Union(REASONS.map((reason) => Type.Literal(reason))))),
    details: Type.Optional(Text),
    expires_at: Type.Optional(nullable(DateTime)),
    sandbox: Sandbox,
  }),
  names: SUPPRESSION_COLUMNS,
  texts: ['email', 'reason', 'details', 'expires_at'],
  into: importSuppressions,
}

const faultsOfImport = bodyValidator(
  Type.Object({ entries: Type.Array(Type.Unknown()) }, { additionalProperties: false }),
)
const ImportAnswer = Type.Object({
  imported: Type.Integer(),
  updated: Type.Integer(),
  failed: Type.Integer(),
  errors: Type.Array(Type.Object({ line: Type.Integer(), email: Text, message: Type.String() })),
  ignored_columns: Type.Array(Type.String(), {
    description: 'Of a CSV file, in their order: nothing was taken of them',
  }),
})

export function importRoutes({ database, ...context }: ImportRoutesOptions): readonly AnyEndpoint[] {
  const tag = 'Suppressions'
  return [
    endpoint({
      ...importing(UNSUBSCRIBE_LIST),
      path: `${UNSUBSCRIBES}/import`,
      access: { scope: 'unsubscribes:write' },
      summary: 'Import who unsubscribed: text/csv with a header line, or JSON {entries: [..]}',
      tag: 'Unsubscribes',
      handle: async (call) => single(await importOf(UNSUBSCRIBE_LIST, database, context, call)),
    }),
    endpoint({
      method: 'GET',
      path: `${UNSUBSCRIBES}/export`,
      access: { scope: 'unsubscribes:read' },
      summary: 'Export the unsubscribe list as CSV: all of it, or what the filters leave, which are those of the list',
      tag: 'Unsubscribes',
      query: ListFilters,
      answers: { 200: typed('text/csv') },
      handle: ({ principal: { accountId }, query }) =>
        exportAs('unsubscribes.csv', exportUnsubscribes(database, accountId, filterOf(query))),
    }),
    endpoint({
      ...importing(SUPPRESSION_LIST),
      path: `${SUPPRESSIONS}/import`,
      access: { scope: 'suppressions:write' },
      summary: 'Import suppressed addresses: text/csv with a header line, or JSON {entries: [..]}',
      tag,
      handle: async (call) => single(await importOf(SUPPRESSION_LIST, database, context, call)),
    }),
    endpoint({
      method: 'GET',
      path: `${SUPPRESSIONS}/export`,
      access: { scope: 'suppressions:read' },
      summary: 'Export the suppression list as CSV: all of it, or what the filters leave, which are those of the list',
      tag,
      query: SuppressionFilters,
      answers: { 200: typed('text/csv') },
      handle: ({ principal: { accountId }, query }) =>
        exportAs(
          'suppressions.csv',
          exportSuppressions(database, accountId, suppressionFilterOf(query), context.clock.now()),
        ),
    }),
  ]
}

/** What the endpoints of both have in common. */
function importing({ entry }: ImportedList) {
  return {
    method: 'POST',
    stream: ['text/csv'],
    bodyWithinMs: LONGEST_BODY_MS,
    body: Type.Object({ entries: Type.Array(entry) }, { additionalProperties: false }),
    // The faults of an entry are that line's, and the others go in.
    validatesItself: true,
    answers: { 200: dataOf(ImportAnswer) },
  } as const
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
  const entries = call.stream instanceof Readable ? csvOf(list, call, onIgnored) : jsonEntries(list, call.body)
  try {
    const summary = await list.into(database, context, call.principal.accountId, entries)
    return { ...summary, ignored_columns: ignored }
  } catch (cause) {
    if (cause instanceof HeaderMissing) {
      const message = 'the file has no header line with a column email'
      throw validationError([{ field: 'header', rule: 'required', message }])
    }
    if (cause instanceof CsvTooLarge) throw platformErrors.payload_too_large({ limit_bytes: MAX_CSV_BYTES })
    // Nobody reads this answer; what was imported until now stays.
    if (call.signal.aborted) throw platformErrors.invalid_parameter({ parameter: 'body', rule: 'whole' }, { cause })
    throw cause
  }
}

/** The header line and the first page are read before the answer begins, so that a failure can still be told. */
async function exportAs(file: string, lines: AsyncGenerator<string>): Promise<Answer> {
  const first = [(await lines.next()).value ?? '', (await lines.next()).value ?? ''].join('')
  return raw('text/csv; charset=utf-8', Readable.from(startingWith(first, lines)), {
    'content-disposition': `attachment; filename="${file}"`,
  })
}

async function* startingWith(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

function csvOf(
  { names }: ImportedList,
  { headers, stream }: Call<unknown, unknown, unknown>,
  onIgnored: (columns: readonly string[]) => void,
): ImportEntries {
  if (Number(headers['content-length'] ?? 0) > MAX_CSV_BYTES) {
    throw platformErrors.payload_too_large({ limit_bytes: MAX_CSV_BYTES })
  }
  return csvEntries(stream, { maxBytes: MAX_CSV_BYTES, columns: names }, onIgnored)
}

/** The faults of one entry are that row's; a body without a list of objects is refused whole. Lines count from 1. */
function jsonEntries(list: ImportedList, body: unknown): ImportEntries {
  const faults = faultsOfImport(body ?? {})
  if (faults.length > 0) throw validationError(faults)
  const { entries } = body as { entries: readonly unknown[] }
  return Readable.from(entries.map((entry, index) => jsonEntry(list, entry, index + 1)))
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
