// Validates input from outside against schemas. Bodies are taken literally: no coercion, unknown fields are faults. Queries
// and paths are text and are coerced; a whole number must be written in digits there.

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import {
  type ApiError,
  type FieldFault,
  NO_OBJECT,
  PARAMETER_WORDS,
  parameterError,
  platformErrors,
  validationError,
} from './errors.ts'

/**
 * Compiles the schema when the first body is validated: a process has some 600 and uses few of them, and compiling all of
 * them would be most of the start-up time.
 *
 * @returns a function that returns every fault of a body, at most 100; empty when it has none
 */
export function bodyValidator(schema: TSchema): (body: unknown) => FieldFault[] {
  const validator = compiledLate(strict, schema)
  return (body) => {
    const validate = validator()
    return validate(body) ? [] : faultsOf(validate.errors ?? [])
  }
}

/** For an endpoint whose room does its own validation. */
export const acceptAll: FastifySchemaCompiler<unknown> = () => () => true

/**
 * Refuses text in paths and queries that PostgreSQL cannot store: NUL and lone surrogates.
 *
 * @param values texts or lists of texts by name
 * @throws ApiError invalid_parameter
 */
export function refuseUnfitText(values: unknown): void {
  for (const [parameter, value] of Object.entries(values ?? {})) {
    for (const text of Array.isArray(value) ? value : [value]) {
      if (typeof text !== 'string') continue
      if (text.includes('\0')) throw parameterError(parameter, 'no_nul', 'must not contain a NUL character')
      if (!text.isWellFormed()) throw parameterError(parameter, 'well_formed', 'must be well-formed Unicode')
    }
  }
}

/** @returns a function that compiles the schema at its first call and caches the result */
function compiledLate(ajv: Ajv, schema: object): () => ValidateFunction {
  let compiled: ValidateFunction | null = null
  return () => {
    compiled ??= ajv.compile(schema)
    return compiled
  }
}

function makeAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    coerceTypes,
    useDefaults: true,
    strict: false,
    // test/openapi.test.ts validates our own schemas against the schema of schemas.
    validateSchema: false,
    allowUnionTypes: true,
    verbose: true,
  })
  ;(formats as unknown as (target: Ajv) => void)(ajv)
  narrow(ajv, 'date', (text) => !text.startsWith('0000'))
  narrow(ajv, 'date-time', isMoment)
  ajv.addFormat('uuid', UUID)
  return ajv
}

/** The library also accepts the prefix `urn:uuid:`, which PostgreSQL does not. */
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Removes from a format the values that nothing here can store. */
function narrow(ajv: Ajv, name: string, holds: (text: string) => boolean): void {
  const { validate } = ajv.formats[name] as { readonly validate: (text: string) => boolean }
  ajv.addFormat(name, { type: 'string', validate: (text: string) => validate(text) && holds(text) })
}

/** The format also allows leap seconds and offsets without minutes, which a Date does not; PostgreSQL has no year 0. */
function isMoment(text: string): boolean {
  const year = new Date(text).getUTCFullYear()
  return year >= 1 && year <= 9999
}

const strict = makeAjv(false)
const coercing = makeAjv(true)
const dateTime = strict.compile<string>({ type: 'string', format: 'date-time' })

/** @returns whether the text is a date and time as the API accepts it (with an offset) */
export function isDateTime(text: string): boolean {
  return dateTime(text)
}

export function validatorCompiler(): FastifySchemaCompiler<unknown> {
  return ({ schema, httpPart }) => {
    if (httpPart === 'headers') return () => true
    const validator = compiledLate(httpPart === 'body' ? strict : coercing, schema as object)
    const integers = httpPart === 'body' ? [] : namesOf(schema as object, ({ type }) => type === 'integer')
    const ids = httpPart === 'body' ? [] : namesOf(schema as object, ({ format }) => format === 'uuid')
    const texts = httpPart === 'querystring' ? ['cursor', ...namesOf(schema as object, isWords)] : []
    return (data: unknown) => {
      forgetEmpty(data as Record<string, unknown> | null, texts)
      const odd = integers.find((name) => !isDigits((data as Record<string, unknown> | null)?.[name]))
      if (odd !== undefined) return { error: parameterError(odd, 'type', 'must be a whole number, written in digits') }
      const validate = validator()
      if (validate(data)) {
        asStored(data as Record<string, unknown> | null, ids)
        return true
      }
      const errors = validate.errors ?? []
      return { error: httpPart === 'body' ? validationError(faultsOf(errors)) : parameterFault(errors) }
    }
  }
}

interface Parameter {
  readonly type?: unknown
  readonly format?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly { readonly const?: unknown }[]
}

/** The names of the query or path parameters for which `is` holds. */
function namesOf(
  { properties = {} }: { readonly properties?: Record<string, Parameter> },
  is: (parameter: Parameter) => boolean,
): string[] {
  return Object.entries(properties).flatMap(([name, parameter]) => (is(parameter) ? [name] : []))
}

/** Text without a format, or one of a few words, in either of the two forms that a schema has for them. */
function isWords({ type, format, enum: words = [], anyOf = [] }: Parameter): boolean {
  if (type === 'string') return format === undefined
  if (words.length > 0) return words.every((one) => typeof one === 'string')
  return anyOf.length > 0 && anyOf.every((one) => typeof one.const === 'string')
}

/**
 * A filter that a form left empty filters nothing, and an empty cursor of a list is its beginning, whatever the format of
 * its cursors. An empty number, time or id is not valid, and is reported.
 */
function forgetEmpty(query: Record<string, unknown> | null, texts: readonly string[]): void {
  for (const name of texts) if (query?.[name] === '') delete query[name]
}

/** Puts ids in lower case, as the database returns them: rooms compare them with stored ones. */
function asStored(parameters: Record<string, unknown> | null, ids: readonly string[]): void {
  for (const name of ids) {
    const id = parameters?.[name]
    if (parameters !== null && typeof id === 'string') parameters[name] = id.toLowerCase()
  }
}

/** False for other spellings of a number, which coercion would accept: `1e3`, `0x10`, `1.0`, ` 5`. */
function isDigits(value: unknown): boolean {
  return typeof value !== 'string' || /^-?\d+$/.test(value)
}

const MAX_FAULTS = 100

function faultsOf(errors: readonly ErrorObject[]): FieldFault[] {
  const faults = new Map<string, FieldFault>()
  const allowed = new Map<string, string[]>()
  for (const error of errors) {
    const field = fieldOf(error)
    const rule = ruleOf(error)
    // Each branch of a union reports faults; one per field is enough: that of the branch with the value's type.
    const known = faults.get(field)
    if (known === undefined && faults.size === MAX_FAULTS) break
    if (rule === 'enum') allowed.set(field, [...(allowed.get(field) ?? []), ...allowedBy(error)])
    const better = known?.rule === 'type' && rule !== 'type' && rule !== 'anyOf'
    if (known === undefined || better) faults.set(field, { field, rule, message: messageOf(error) })
  }
  return [...faults.values()]
    .filter((fault) => !isUnionOf(fault, faults))
    .map((fault) => (fault.rule === 'enum' ? { ...fault, message: oneOf(allowed.get(fault.field) ?? []) } : fault))
}

/** A union of constants is a list of allowed values, each of which reports a fault of its own. */
function ruleOf({ keyword }: ErrorObject): string {
  if (keyword === 'additionalProperties') return 'unknown_field'
  return keyword === 'const' ? 'enum' : keyword
}

function allowedBy({ params }: ErrorObject): readonly string[] {
  const { allowedValue, allowedValues } = params as { allowedValue?: unknown; allowedValues?: readonly unknown[] }
  return (allowedValues ?? [allowedValue]).map(String)
}

function oneOf(values: readonly string[]): string {
  return `must be one of ${[...new Set(values)].join(', ')}`
}

/** Whether a fault only says that no branch of a union fits, while a fault further in says what is wrong. */
function isUnionOf({ field, rule }: FieldFault, faults: ReadonlyMap<string, FieldFault>): boolean {
  if (rule !== 'type' && rule !== 'anyOf') return false
  return [...faults.keys()].some((other) => other.startsWith(`${field}.`) || other.startsWith(`${field}[`))
}

function parameterFault(errors: readonly ErrorObject[]): ApiError {
  const [error] = errors
  if (error === undefined) return platformErrors.invalid_parameter({ parameter: '', rule: 'valid' })
  const [parameter, rule] = [fieldOf(error), ruleOf(error)]
  if (parameter === 'cursor') return parameterError(parameter, rule, PARAMETER_WORDS.cursor)
  if (rule !== 'enum') return parameterError(parameter, rule, messageOf(error))
  const values = errors.filter((one) => ruleOf(one) === 'enum' && fieldOf(one) === parameter).flatMap(allowedBy)
  return parameterError(parameter, rule, oneOf(values))
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'must be a date and time with its offset, such as 2026-11-23T00:00:00Z',
  date: 'must be a date as YYYY-MM-DD, such as 2026-11-23',
  uuid: PARAMETER_WORDS.id,
}

function messageOf(error: ErrorObject): string {
  if (error.keyword === 'format') {
    const { format = '' } = error.params as { format?: string }
    return FORMATS[format] ?? error.message ?? 'is not valid'
  }
  if (error.keyword === 'pattern') return patternWords(error)
  const counted = COUNTED[error.keyword]
  if (counted !== undefined) return countWords(counted, (error.params as { readonly limit: number }).limit)
  if (error.keyword === 'additionalProperties') return 'is not a known field'
  if (error.keyword === 'required') return 'is required'
  if (error.instancePath === '' && (error.params as { type?: unknown }).type === 'object') return NO_OBJECT.message
  return error.message ?? 'is not valid'
}

interface Count {
  readonly of: string
  readonly end: 'at most' | 'or more'
}

const COUNTED: Readonly<Record<string, Count>> = {
  minLength: { of: 'characters', end: 'or more' },
  maxLength: { of: 'characters', end: 'at most' },
  minItems: { of: 'items', end: 'or more' },
  maxItems: { of: 'items', end: 'at most' },
}

function countWords({ of, end }: Count, limit: number): string {
  return end === 'or more' && limit === 1 ? 'must not be empty' : `must have ${limit} ${of} ${end}`
}

/**
 * The description of a schema with a pattern must read well after «must be», apart from its capital and its full stop. One
 * without a description excludes control characters, or the message shows the pattern.
 */
function patternWords({ parentSchema, params, data, message = 'is not valid' }: ErrorObject): string {
  const { description } = (parentSchema ?? {}) as { readonly description?: string }
  if (description !== undefined)
    return `must be ${description.charAt(0).toLowerCase()}${description.slice(1).replace(/\.$/, '')}`
  const refused = refusedControl(data, (params as { readonly pattern: string }).pattern)
  return refused === null ? message : `contains the control character ${refused}`
}

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROLS = /[\0-\x1f\x7f-\x9f\u2028\u2029]/g

/** @returns the first control character of a text that the pattern itself refuses, such as U+000A */
function refusedControl(text: unknown, pattern: string): string | null {
  const [refused] = (String(text).match(CONTROLS) ?? []).filter((control) => !new RegExp(pattern, 'u').test(control))
  return refused === undefined ? null : `U+${refused.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** `/to/1/email` becomes `to[1].email`; for a missing or unknown property the path names that property. */
function fieldOf(error: ErrorObject): string {
  const params = error.params as { missingProperty?: string; additionalProperty?: string }
  const steps = error.instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = params.missingProperty ?? params.additionalProperty
  if (last !== undefined) steps.push(last)
  return fieldPath(steps)
}

/** A path into a body as the contract writes it: `to[1].email`. */
export function fieldPath(steps: readonly string[]): string {
  return steps.reduce((path, step) => {
    if (/^\d+$/.test(step)) return `${path}[${step}]`
    return path === '' ? step : `${path}.${step}`
  }, '')
}
