// Import and export of address lists as files: the parts that the endpoints of several rooms share.

import { Readable } from 'node:stream'
import { type TSchema, Type } from 'typebox'
import { CsvTooLarge } from '../csv.ts'
import { HeaderMissing } from '../csv-list.ts'
import { platformErrors, validationError } from '../errors.ts'
import { bodyValidator } from '../validation.ts'
import { type Answer, type Call, LONGEST_BODY_MS } from './endpoint.ts'
import { nullable, raw } from './envelopes.ts'
import { named } from './schema-names.ts'

export const MAX_CSV_BYTES = 268_435_456

/** Faulty lines and ignored columns: the last fields of every import's answer. */
export const IMPORT_FAULTS = {
  errors: Type.Array(
    named('ImportFault', Type.Object({ line: Type.Integer(), email: nullable(Type.String()), message: Type.String() })),
  ),
  ignored_columns: Type.Array(Type.String(), {
    description: 'Columns of the CSV file that were ignored, in file order.',
  }),
} as const

type ImportCall = Pick<Call<unknown, unknown, unknown>, 'headers' | 'stream' | 'signal'>

/**
 * The parts all import endpoints share: a streamed text/csv body, or JSON `{entries: [..]}`. The faults of an entry are
 * reported for its line; the other entries are imported.
 *
 * @param request name of the JSON body's schema in the document
 */
export function importing(request: string, entry: TSchema) {
  return {
    method: 'POST',
    stream: ['text/csv'],
    bodyWithinMs: LONGEST_BODY_MS,
    body: named(request, Type.Object({ entries: Type.Array(entry) }, { additionalProperties: false })),
    validatesItself: true,
  } as const
}

const faultsOfImport = bodyValidator(
  Type.Object({ entries: Type.Array(Type.Unknown()) }, { additionalProperties: false }),
)

/** The entries of a JSON body; lines count from 1. @throws ApiError validation_error when `entries` is not a list */
export function entriesIn(body: unknown): readonly unknown[] {
  const faults = faultsOfImport(body ?? {})
  if (faults.length > 0) throw validationError(faults)
  return (body as { entries: readonly unknown[] }).entries
}

/** The CSV stream; null when the body is JSON. @throws ApiError payload_too_large */
export function fileIn({ headers, stream }: ImportCall): Readable | null {
  if (!(stream instanceof Readable)) return null
  if (Number(headers['content-length'] ?? 0) > MAX_CSV_BYTES) {
    throw platformErrors.payload_too_large({ limit_bytes: MAX_CSV_BYTES })
  }
  return stream
}

/** Runs an import and turns what aborts it into an ApiError. @throws ApiError */
export async function importedFrom<T>({ signal }: ImportCall, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof HeaderMissing) {
      const message = 'the file has no header line with a column email'
      throw validationError([{ field: 'header', rule: 'required', message }])
    }
    if (cause instanceof CsvTooLarge) throw platformErrors.payload_too_large({ limit_bytes: MAX_CSV_BYTES })
    // Nobody reads this answer; what was imported so far stays.
    if (signal.aborted) throw platformErrors.invalid_parameter({ parameter: 'body', rule: 'whole' }, { cause })
    throw cause
  }
}

/** Reads the header line and the first page before the answer starts, so that a failure can still be reported. */
export async function csvAnswer(file: string, lines: AsyncGenerator<string>): Promise<Answer> {
  const first = [(await lines.next()).value ?? '', (await lines.next()).value ?? ''].join('')
  return raw('text/csv; charset=utf-8', Readable.from(startingWith(first, lines)), {
    'content-disposition': `attachment; filename="${file}"`,
  })
}

async function* startingWith(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}
