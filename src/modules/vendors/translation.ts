// What the translations have in common. A translation names fields anew and changes their form; it decides nothing. What
// it does not understand it passes on as it came, so that the one reader of sends says what is wrong with it, and each
// fault is told under the name that the caller knows.

import { ApiError, type FieldFault } from '../../platform/errors.ts'
import type { ForeignMessage } from '../sending/index.ts'

export type Fields = Readonly<Record<string, unknown>>

export interface Translated {
  readonly send: ForeignMessage
  /** The caller's name of a field of the send. */
  readonly nameOf: (field: string) => string
}

/** What delivery puts the unsubscribe link in the place of. */
export const UNSUBSCRIBE = '{{unsubscribe}}'

export function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Other vendors say «not given» in many ways. */
export function given(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
}

export function renamed(names: Readonly<Record<string, string>>): (field: string) => string {
  return (field) => {
    const [, first = field, rest = ''] = /^([a-z_]+)(.*)$/.exec(field) ?? []
    return `${names[first] ?? first}${rest}`
  }
}

/** Pairs as a list, `{name, value}` under whatever names, as an object; null: it is no such list. */
export function pairs(value: unknown, nameField: string, valueField: string): Fields | null {
  if (!Array.isArray(value)) return null
  const entries = value.map((item) => {
    const fields = fieldsOf(item)
    return [fields[nameField], fields[valueField]] as const
  })
  if (entries.some(([name]) => typeof name !== 'string')) return null
  return Object.fromEntries(entries as [string, unknown][])
}

/**
 * Tracking as the message asks for it. Naming one of the two switches the other one off, which nobody asked for: our
 * master setting covers both.
 */
export function tracking(opens: unknown, clicks: unknown): Fields {
  if (typeof opens !== 'boolean' && typeof clicks !== 'boolean') return {}
  return {
    tracking_enabled: opens === true || clicks === true,
    open_tracking_enabled: opens === true,
    click_tracking_enabled: clicks === true,
  }
}

/** What is said of an error: each fault of a field under its name, or the message. */
export function wordsOf(error: ApiError, nameOf: (field: string) => string): string {
  const faults = faultsOf(error)
  if (faults.length === 0) return `${error.message} (${error.code})`
  return faults.map((fault) => wordsOfFault(fault, nameOf)).join('; ')
}

export function wordsOfFault({ field, message }: FieldFault, nameOf: (field: string) => string): string {
  return `${nameOf(field) || 'The body'} ${message}`
}

/** The error with the place of what it is about in a call of many. */
export function placed(error: ApiError, place: string): ApiError {
  const { status, code, message, retryAfter, details, cause, headers } = error
  const facts = { message: `${place}: ${message}`, details, cause, headers }
  return new ApiError(status, code, message, retryAfter === null ? facts : { ...facts, retryAfter })
}

export function faultsOf({ details }: ApiError): readonly FieldFault[] {
  const { fields } = details
  return Array.isArray(fields) ? (fields as FieldFault[]) : []
}

/** Nobody among the recipients may be mailed, or none is worth trying. */
export const ABOUT_RECIPIENTS: ReadonlySet<string> = new Set([
  'recipient_suppressed',
  'recipient_unsubscribed',
  'previous_hard_bounce',
  'previous_complaint',
  'spamtrap_detected',
  'disposable_high_confidence',
  'disposable_medium_confidence',
])
