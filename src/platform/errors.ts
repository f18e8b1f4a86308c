// The errors that callers cause, as a vocabulary. The code is contract, the message is prose. Only `platform/http` turns
// an ApiError into an answer. Anything that is not an ApiError is a bug, and its text is never shown.

export interface ApiErrorFacts {
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
  readonly message?: string
  /** Seconds; becomes the Retry-After header. */
  readonly retryAfter?: number
  /** Additional response headers of this answer. */
  readonly headers?: Readonly<Record<string, string>>
  /** Additional top-level fields of this answer, beside the four that every error has. */
  readonly also?: Readonly<Record<string, unknown>>
}

export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
  readonly retryAfter: number | null
  readonly headers: Readonly<Record<string, string>>
  readonly also: Readonly<Record<string, unknown>>

  constructor(status: number, code: string, message: string, facts: ApiErrorFacts = {}) {
    super(facts.message ?? message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.details = facts.details ?? {}
    this.retryAfter = facts.retryAfter ?? null
    this.headers = facts.headers ?? {}
    this.also = facts.also ?? {}
  }
}

export interface ErrorKind {
  (details?: Readonly<Record<string, unknown>>, facts?: Omit<ApiErrorFacts, 'details'>): ApiError
  readonly status: number
  readonly code: string
  readonly message: string
}

/**
 * A room's error table: `{ code: [status, message] }`.
 *
 * @returns one maker per code; `throw errors.not_found()`
 */
export function defineErrors<const Table extends Record<string, readonly [status: number, message: string]>>(
  table: Table,
): { readonly [Code in keyof Table]: ErrorKind } {
  const kinds: Record<string, ErrorKind> = {}
  for (const [code, [status, message]] of Object.entries(table)) {
    const make = (details?: Readonly<Record<string, unknown>>, facts: Omit<ApiErrorFacts, 'details'> = {}): ApiError =>
      new ApiError(status, code, message, details === undefined ? facts : { ...facts, details })
    kinds[code] = Object.assign(make, { status, code, message })
  }
  return kinds as { readonly [Code in keyof Table]: ErrorKind }
}

/** Raised by the platform itself, for every room. Contract section 2. */
export const platformErrors = defineErrors({
  invalid_json: [400, 'The body is not valid JSON'],
  invalid_parameter: [400, 'A path or query parameter is not valid'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'This path does not support that method'],
  payload_too_large: [413, 'The body is larger than this path accepts'],
  unsupported_media_type: [415, 'The body must be application/json'],
  validation_error: [422, 'The request body is invalid'],
  internal_error: [500, 'Something went wrong on our side'],
  service_unavailable: [503, 'The service cannot answer right now'],
})

/**
 * 400 for one parameter of a path or query, or one header.
 *
 * @param words what the parameter must be: `must be a day`
 */
export function parameterError(parameter: string, rule: string, words: string): ApiError {
  return platformErrors.invalid_parameter({ parameter, rule }, { message: `${parameter} ${words}` })
}

/** Messages for parameters that are read in several places. */
export const PARAMETER_WORDS = {
  cursor: 'must be the next_cursor of the previous page',
  email: 'must be an email address',
  id: 'must be an id, such as 0199f2a0-7c4e-7010-8a10-4be1c0d7e910',
} as const

const UNKNOWN_OUTCOME =
  'The service cannot answer right now, and it is not known whether the request was carried out. Send it again; for an email, with the same Idempotency-Key'
const RETRY_AFTER_SECONDS = 5

/** 503 for a request whose writes may have been carried out. */
export function unknownOutcome(cause?: unknown): ApiError {
  const facts = { message: UNKNOWN_OUTCOME, retryAfter: RETRY_AFTER_SECONDS }
  return platformErrors.service_unavailable({ outcome: 'unknown' }, cause === undefined ? facts : { ...facts, cause })
}

/** One fault of a body: `field` is a path such as `to[1].email`. */
export interface FieldFault {
  readonly field: string
  readonly rule: string
  readonly message: string
}

/** For a body that is JSON but not an object: nothing more can be said about it. */
export const NO_OBJECT: FieldFault = { field: '', rule: 'type', message: 'must be a JSON object' }

/** Faults of an `expires_at` in the past, for any input; a value that is not a time is the schema's to report. */
export function endFaults(expiresAt: unknown, now: Date, message: string): readonly FieldFault[] {
  const end = typeof expiresAt === 'string' ? new Date(expiresAt) : expiresAt
  return end instanceof Date && end <= now ? [{ field: 'expires_at', rule: 'future', message }] : []
}

/** The most faults that an answer has. */
export const MAX_FAULTS = 100
const SHOWN_CHARS = 500

/** 422 with all faults at once, of which the answer repeats a bounded part: a field's name may have megabytes. */
export function validationError(fields: readonly FieldFault[]): ApiError {
  const shown = fields
    .slice(0, MAX_FAULTS)
    .map(({ field, rule, message }) => ({ field: cut(field), rule, message: cut(message) }))
  return platformErrors.validation_error({ fields: shown })
}

/** The beginning of a text that came from outside, with a mark where it was cut off. */
export function cut(text: string): string {
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS).toWellFormed()}…` : text
}
