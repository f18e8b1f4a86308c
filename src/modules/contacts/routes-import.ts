// Imports contacts from files. Each row is checked against the schema of a single contact.

import { Type } from 'typebox'
import { readCsvList, shown } from '../../platform/csv-list.ts'
import { type FieldFault, PARAMETER_WORDS, parameterError } from '../../platform/errors.ts'
import {
  type AnyEndpoint,
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
  single,
} from '../../platform/http.ts'
import { isUuid } from '../../platform/ids.ts'
import { bodyValidator } from '../../platform/validation.ts'
import { emailFaults } from '../suppression/index.ts'
import { CONTACT_COLUMNS, contactOf, contactRefusal } from './contact-list.ts'
import { type OptInContext, optInFaults } from './double-opt-in.ts'
import { type ContactFault, importContacts, type ListedRow } from './import.ts'
import { Created, type CreatedBody, EXPORTED, newContact } from './routes.ts'

const { email, name, source, consent, tags, double_opt_in } = Created.properties
const Entry = named(
  'ContactEntry',
  Type.Object({ email, name, source, consent, tags, double_opt_in }, { additionalProperties: false }),
)
const faultsOfEntry = bodyValidator(Entry)
const COLUMNS: readonly string[] = [...new Set([...EXPORTED.map(([column]) => column), ...CONTACT_COLUMNS])]

const Query = Type.Object({
  double_opt_in: Type.Optional(
    Type.Boolean({
      description:
        'Whether all contacts are asked by email to confirm. Overrides the value of each row. When absent, the value of the row applies, or else true.',
    }),
  ),
  from: Type.Optional(
    Type.String({ description: 'Sender of the confirmation emails: an address, or `Name <address>`.' }),
  ),
  template_id: Type.Optional(Type.String({ format: 'uuid', description: 'Template of the confirmation emails.' })),
})
const Answer = named(
  'ContactImportResult',
  Type.Object({
    imported: Type.Integer({ description: 'Number of contacts created.' }),
    asked: Type.Integer({ description: 'Number of the imported contacts that are sent a confirmation email.' }),
    known: Type.Integer({ description: 'Number of entries that were contacts already and stay unchanged.' }),
    failed: Type.Integer(),
    ...IMPORT_FAULTS,
  }),
)

/** Settings for every row of a file. */
interface ForAll {
  /** Null: each row decides. */
  readonly doubleOptIn: boolean | null
  readonly from: string | null
  readonly template_id: string | null
}

export function importRoutes(context: OptInContext): readonly AnyEndpoint[] {
  return [
    endpoint({
      ...importing('ImportContactsRequest', Entry),
      path: '/api/v1/customer/contacts/import',
      tag: 'Contacts',
      access: { scope: 'contacts:write' },
      operationId: 'importContacts',
      examples: exampleBody(
        { entries: [{ email: 'jo@example.net', name: 'Jo Doe', tags: ['newsletter'], double_opt_in: false }] },
        'A contact who has agreed elsewhere',
      ),
      summary: 'Import contacts from CSV with a header line or from JSON {entries: [..]}',
      query: Query,
      answers: { 200: dataOf(Answer) },
      handle: async (call) => {
        const forAll = forAllOf(call.query)
        const [fault] = await optInFaults(context, call.principal.accountId, forAll)
        if (fault !== undefined) throw parameterError(fault.field, fault.rule, fault.message)
        let ignored: readonly string[] = []
        const file = fileIn(call)
        const onIgnored = (columns: readonly string[]): void => {
          ignored = columns
        }
        const now = context.clock.now()
        const rows =
          file === null
            ? listed(entriesIn(call.body), forAll, now)
            : csvRows(readCsvList(file, { maxBytes: MAX_CSV_BYTES, columns: COLUMNS }, onIgnored), forAll, now)
        const summary = await importedFrom(call, () => importContacts(context, call.principal, rows))
        return single({ ...summary, ignored_columns: ignored })
      },
    }),
  ]
}

/** Reads the query raw: an endpoint that validates itself gets it as written. @throws ApiError invalid_parameter */
function forAllOf(query: Readonly<Record<string, unknown>>): ForAll {
  const text = (of: string): string | null => (typeof query[of] === 'string' && query[of] !== '' ? query[of] : null)
  const asked = text('double_opt_in')
  if (asked !== null && asked !== 'true' && asked !== 'false') {
    throw parameterError('double_opt_in', 'type', 'must be true or false')
  }
  const template = text('template_id')
  if (template !== null && !isUuid(template)) throw parameterError('template_id', 'format', PARAMETER_WORDS.id)
  return { doubleOptIn: asked === null ? null : asked === 'true', from: text('from'), template_id: template }
}

type CsvRows = ReturnType<typeof readCsvList>

async function* csvRows(rows: CsvRows, forAll: ForAll, now: Date): AsyncGenerator<ListedRow | ContactFault> {
  for await (const row of rows) {
    if ('fault' in row) {
      yield { line: row.line, email: null, message: row.fault }
      continue
    }
    const refusal = contactRefusal(row)
    const asked = (row.fields['double_opt_in'] ?? '').toLowerCase()
    yield refusal === null
      ? rowOf(
          row.line,
          { ...contactOf(row), ...(asked !== '' && { double_opt_in: BOOLEANS[asked] ?? asked }) },
          forAll,
          now,
        )
      : { line: row.line, email: shown(row.email), message: refusal }
  }
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false }

async function* listed(
  entries: readonly unknown[],
  forAll: ForAll,
  now: Date,
): AsyncGenerator<ListedRow | ContactFault> {
  for (const [index, entry] of entries.entries()) yield rowOf(index + 1, entry, forAll, now)
}

function rowOf(line: number, entry: unknown, forAll: ForAll, now: Date): ListedRow | ContactFault {
  const faults = [...faultsOfEntry(entry), ...emailFaults(entry)]
  const given = (entry as { readonly email?: unknown } | null)?.email
  const fault = (message: string): ContactFault => ({
    line,
    email: typeof given === 'string' ? shown(given) : null,
    message,
  })
  if (faults.length > 0) return fault(faults.map(wordsOf).join('; '))
  const body = entry as CreatedBody
  if (body.email.includes('\ufffd')) return fault('is not UTF-8')
  const { doubleOptIn, from, template_id } = forAll
  const asked = doubleOptIn ?? body.double_opt_in ?? true
  return {
    line,
    contact: newContact({ ...body, source: body.source ?? 'import', from, template_id, double_opt_in: asked }, now),
  }
}

function wordsOf({ field, message }: FieldFault): string {
  return field === 'email' || field === '' ? message : `${field} ${message}`
}
