// JSON from outside. Refuses, once for all rooms, what PostgreSQL cannot store (NUL, lone surrogates), what JavaScript
// would misread (`__proto__`, numbers beyond its range, integers that would silently change) and what is built to exhaust
// us (depth, number of values).

import { cut, type FieldFault, MAX_FAULTS, platformErrors, validationError } from './errors.ts'

export const MAX_JSON_DEPTH = 64
export const MAX_JSON_VALUES = 200_000

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * Parses a request body and checks it against the rules above.
 *
 * @throws ApiError invalid_json when it is not UTF-8 JSON; validation_error naming each field that breaks a rule
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (countValues(bytes) > MAX_JSON_VALUES) throw validationError([tooManyValues('')])
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

/** The text of a JSON value, the same for every order of its objects' fields, which means nothing. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (isObject(inner) ? inOrder(inner) : inner))
}

function isObject(value: unknown): value is object {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function inOrder(fields: object): object {
  return Object.fromEntries(Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1)))
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENING_BRACE = 0x7b
const OPENING_BRACKET = 0x5b

/**
 * An upper bound of the number of values in a JSON text, without parsing it: a million keys take seconds to parse. One step
 * for each byte outside strings.
 */
function countValues(bytes: Buffer): number {
  let values = 1
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at + 1)
    else if (byte === COMMA) values++
    // A container has one more value than commas, unless it is empty. In ASCII the closing character is the opening one + 2.
    else if ((byte === OPENING_BRACE || byte === OPENING_BRACKET) && bytes[at + 1] !== byte + 2) values++
  }
  return values
}

/** The index of the quote that ends a string; the length of the text when there is none. */
function endOfString(bytes: Buffer, from: number): number {
  for (let quote = bytes.indexOf(QUOTE, from); quote >= 0; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let slash = quote - 1
    while (slash >= from && bytes[slash] === BACKSLASH) slash--
    if ((quote - slash) % 2 === 1) return quote
  }
  return bytes.length
}

function tooManyValues(path: string): FieldFault {
  return fault(path, 'max_values', `the body has more than ${MAX_JSON_VALUES} values`)
}

interface Visit {
  readonly value: unknown
  readonly path: string
  readonly depth: number
}

/** Every rule that a parsed value breaks. Not recursive: the sender chooses the depth. */
export function jsonFaults(root: unknown): FieldFault[] {
  const faults: FieldFault[] = []
  const stack: Visit[] = [{ value: root, path: '', depth: 0 }]
  let visited = 0
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { value, path, depth } = visit
    if (++visited > MAX_JSON_VALUES) return [tooManyValues(path)]
    if (depth > MAX_JSON_DEPTH) return [fault(path, 'max_depth', `is nested deeper than ${MAX_JSON_DEPTH}`)]
    if (typeof value === 'string') checkText(value, path, faults)
    else if (typeof value === 'number') checkNumber(value, path, faults)
    else if (Array.isArray(value)) {
      for (let i = value.length - 1; i >= 0; i--)
        stack.push({ value: value[i], path: `${path}[${i}]`, depth: depth + 1 })
    } else if (value !== null && typeof value === 'object') {
      for (const [key, inner] of Object.entries(value)) {
        const field = path === '' ? cut(key) : `${path}.${cut(key)}`
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
  else if (Number.isInteger(number) && !Number.isSafeInteger(number) && Math.abs(number) < SHOWN_WITH_EXPONENT) {
    faults.push(fault(path, 'safe_integer', 'is an integer beyond 2^53 - 1; send it as a string'))
  }
}

/** From here on JavaScript writes a number with an exponent (`1e+21`), so it is visibly an approximation. */
const SHOWN_WITH_EXPONENT = 1e21

function fault(field: string, rule: string, message: string): FieldFault {
  return { field: field.replaceAll(/[\0\ud800-\udfff]/g, '?'), rule, message }
}
