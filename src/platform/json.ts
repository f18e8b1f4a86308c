// JSON from outside. What PostgreSQL cannot hold (NUL, lone surrogates), what JavaScript would misread (`__proto__`,
// numbers beyond its range) and what is built to exhaust (depth, number of values) is refused here, once for all rooms.

import { type FieldFault, platformErrors, validationError } from './errors.ts'

export const MAX_JSON_DEPTH = 64
export const MAX_JSON_VALUES = 200_000

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * A request body, parsed and held against the rules above.
 *
 * @throws ApiError invalid_json when it is not UTF-8 JSON; validation_error naming each field that breaks a rule
 */
export function parseJsonBody(bytes: Buffer): unknown {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(bytes))
  } catch (cause) {
    throw platformErrors.invalid_json({}, { cause })
  }
  const faults = jsonFaults(value)
  if (faults.length > 0) throw validationError(faults)
  return value
}

interface Visit {
  readonly value: unknown
  readonly path: string
  readonly depth: number
}

const MAX_FAULTS = 100

/** Every rule that a parsed value breaks, without recursion: the depth is the sender's to choose. */
export function jsonFaults(root: unknown): FieldFault[] {
  const faults: FieldFault[] = []
  const stack: Visit[] = [{ value: root, path: '', depth: 0 }]
  let visited = 0
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { value, path, depth } = visit
    if (++visited > MAX_JSON_VALUES)
      return [fault(path, 'max_values', `the body has more than ${MAX_JSON_VALUES} values`)]
    if (depth > MAX_JSON_DEPTH) return [fault(path, 'max_depth', `is nested deeper than ${MAX_JSON_DEPTH}`)]
    if (typeof value === 'string') checkText(value, path, faults)
    else if (typeof value === 'number') checkNumber(value, path, faults)
    else if (Array.isArray(value)) {
      for (let i = value.length - 1; i >= 0; i--)
        stack.push({ value: value[i], path: `${path}[${i}]`, depth: depth + 1 })
    } else if (value !== null && typeof value === 'object') {
      for (const [key, inner] of Object.entries(value)) {
        const field = path === '' ? key : `${path}.${key}`
        if (key === '__proto__') faults.push(fault(field, 'forbidden_key', 'is not an allowed key'))
        checkText(key, field, faults)
        stack.push({ value: inner, path: field, depth: depth + 1 })
      }
    }
    if (faults.length >= MAX_FAULTS) return faults
  }
  return faults
}

function checkText(text: string, path: string, faults: FieldFault[]): void {
  if (text.includes('\0')) faults.push(fault(path, 'no_nul', 'contains a NUL character'))
  else if (!text.isWellFormed()) faults.push(fault(path, 'well_formed', 'contains a lone surrogate'))
}

function checkNumber(number: number, path: string, faults: FieldFault[]): void {
  if (!Number.isFinite(number)) faults.push(fault(path, 'finite', 'is outside the range of numbers'))
}

function fault(field: string, rule: string, message: string): FieldFault {
  return { field: field.replaceAll(/[\0\ud800-\udfff]/g, '?'), rule, message }
}
