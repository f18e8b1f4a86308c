// What the translations have in common. A translation renames and reshapes fields; it decides nothing. It passes on what it does
// not understand, so that the common validation of sends reports what is wrong, and each fault appears under the caller's name
// for the field.

import { ApiError, type FieldFault } from '../../platform/errors.ts'
import type { ForeignMessage } from '../sending/index.ts'

export type Fields = Readonly<Record<string, unknown>>

export interface Translated {
  /** Translates when its turn has come: it may block the event loop for a moment. @throws ApiError payload_too_large */
  readonly send: () => ForeignMessage
  /** The caller's name for a field of the send. */
  readonly nameOf: (field: string) => string
}

/** The message of a 404: no interface is translated as a whole. */
export const NOT_TRANSLATED = 'Not found: of this interface a part is here; /docs has the rest under paths of our own'

/** The placeholder that delivery replaces by the unsubscribe link. */
export const UNSUBSCRIBE = '{{unsubscribe}}'

export function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

/** PHP writes an empty array as a list, also in place of an object: Laravel sends `headers: []` with every mail to Resend. */
export function objectOrNone(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? undefined : value
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Drops fields that are not given; other vendors' clients express that as undefined or null. */
export function given(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
}

export function renamed(names: Readonly<Record<string, string>>): (field: string) => string {
  return (field) => {
    const [, first = field, rest = ''] = /^([a-z_]+)(.*)$/.exec(field) ?? []
    return `${names[first] ?? first}${rest}`
  }
}

/** Turns a list of pairs, `{name, value}` under any field names, into an object; null when it is not such a list. */
export function pairs(value: unknown, nameField: string, valueField: string): Fields | null {
  if (!Array.isArray(value)) return null
  const entries = value.map((item) => {
    const fields = fieldsOf(item)
    return [fields[nameField], fields[valueField]] as const
  })
  if (entries.some(([name]) => typeof name !== 'string')) return null
  return Object.fromEntries(entries as [string, unknown][])
}

/** What is wrong with a list that `pairs` cannot turn into the object that a send takes; its own fault would ask for an object. */
export function pairsFaults(
  value: unknown,
  field: string,
  nameField: string,
  valueField: string,
): readonly FieldFault[] {
  if (!Array.isArray(value) || pairs(value, nameField, valueField) !== null) return []
  return [{ field, rule: 'type', message: `takes a list of {${nameField}, ${valueField}}, each with its ${nameField}` }]
}

/**
 * Headers that mail libraries write into every message, Rails' and those on top of it for one, and in whose place the vendor puts
 * its own. Refusing them would refuse all mail of such a program.
 */
const REPLACED: ReadonlySet<string> = new Set([
  'content-transfer-encoding',
  'content-type',
  'date',
  'message-id',
  'mime-version',
])

/** The headers of a message without those that the vendor replaces. What is no object is passed on. */
export function withoutReplaced(headers: unknown, kept?: string): unknown {
  if (!isObject(headers)) return headers
  const isOurs = (name: string): boolean => REPLACED.has(name.toLowerCase()) && name.toLowerCase() !== kept
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isOurs(name)))
}

/**
 * Tracking as the message asks for it. When a message sets only one of the two switches, the other one is off, because nobody
 * asked for it and our main setting covers both.
 */
export function tracking(opens: unknown, clicks: unknown): Fields {
  if (typeof opens !== 'boolean' && typeof clicks !== 'boolean') return {}
  return {
    tracking_enabled: opens === true || clicks === true,
    open_tracking_enabled: opens === true,
    click_tracking_enabled: clicks === true,
  }
}

/** The text of an error: each fault under the name of its field, or the message with the fact that it is about. */
export function wordsOf(error: ApiError, nameOf: (field: string) => string): string {
  const faults = faultsOf(error)
  if (faults.length === 0) return `${error.message}${factOf(error)} (${error.code})`
  return faults.map((fault) => wordsOfFault(fault, nameOf)).join('; ')
}

/** Their forms have no place for details, without which some messages do not say what to change. */
function factOf({ details }: ApiError): string {
  const { domain, required_scope: scope, limit_bytes: limit, of } = details
  if (typeof limit === 'number') return `: ${limit} bytes${typeof of === 'string' ? ` for ${of}` : ''}`
  const fact = domain ?? scope
  return typeof fact === 'string' ? `: ${fact}` : ''
}

export function wordsOfFault({ field, message }: FieldFault, nameOf: (field: string) => string): string {
  return `${nameOf(field) || 'The body'} ${message}`
}

/** The error with the place of the affected message in a batch call. */
export function placed(error: ApiError, place: string): ApiError {
  const { status, code, message, retryAfter, details, cause, headers } = error
  const facts = { message: `${place}: ${message}`, details, cause, headers }
  return new ApiError(status, code, message, retryAfter === null ? facts : { ...facts, retryAfter })
}

export function faultsOf({ details }: ApiError): readonly FieldFault[] {
  const { fields } = details
  return Array.isArray(fields) ? (fields as FieldFault[]) : []
}

/** Errors saying that no recipient may be mailed, or that none is worth trying. */
export const ABOUT_RECIPIENTS: ReadonlySet<string> = new Set([
  'recipient_suppressed',
  'recipient_unsubscribed',
  'previous_hard_bounce',
  'previous_complaint',
  'spamtrap_detected',
  'disposable_high_confidence',
  'disposable_medium_confidence',
])
