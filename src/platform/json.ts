// JSON from outside. Refuses, once for all rooms, what PostgreSQL cannot store (NUL, lone surrogates), what JavaScript
// would misread (`__proto__`, numbers beyond its range, integers that would silently change) and what is built to exhaust
// us (depth, number of values, of names in one object).

import { cut, type FieldFault, MAX_FAULTS, platformErrors, validationError } from './errors.ts'

export const MAX_JSON_DEPTH = 64
export const MAX_JSON_VALUES = 200_000
/** An object of 200,000 names would take half a second to parse, check and validate. */
export const MAX_JSON_NAMES = 10_000

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * Parses a request body and checks it against the rules above.
 *
 * @throws ApiError invalid_json when it is not UTF-8 JSON; validation_error naming each field that breaks a rule
 */
export function parseJsonBody(bytes: Buffer): unknown {
  const tooMany = tooManyIn(bytes)
  if (tooMany !== null) throw validationError([tooMany])
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

/**
 * The text of a JSON value, the same for every order of its objects' fields, which means nothing.
 *
 * @param value as JSON.parse returns it, not deeper than MAX_JSON_DEPTH
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const fields = value as Readonly<Record<string, unknown>>
  const names = Object.keys(fields).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(fields[name])}`).join(',')}}`
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPENING_BRACE = 0x7b
const OPENING_BRACKET = 0x5b
const CLOSING_BRACE = 0x7d
const CLOSING_BRACKET = 0x5d

/** Finds too many values or names in a JSON text without parsing it. One step for each byte outside strings. */
function tooManyIn(bytes: Buffer): FieldFault | null {
  // An upper bound: a container has one more value than commas, unless it is empty.
  let values = 1
  /** Of each open container. */
  const names = [0]
  let depth = 0
  for (let at = 0; at < bytes.length && values <= MAX_JSON_VALUES; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at + 1)
    else if (byte === COMMA) values++
    else if (byte === COLON) {
      const count = (names[depth] ?? 0) + 1
      if (count > MAX_JSON_NAMES) return TOO_MANY_NAMES
      names[depth] = count
    } else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
      names[++depth] = 0
      // In ASCII the closing character is the opening one + 2.
      if (bytes[at + 1] !== byte + 2) values++
    } else if ((byte === CLOSING_BRACE || byte === CLOSING_BRACKET) && depth > 0) depth--
  }
  return values > MAX_JSON_VALUES ? TOO_MANY_VALUES : null
}

const SEARCH_COSTS = 64

/** The index of the quote that ends the string whose text begins at `from`; the length of the text when there is none. */
export function endOfString(bytes: Buffer, from: number): number {
  let at = from
  for (let quote = bytes.indexOf(QUOTE, at); quote >= 0; quote = bytes.indexOf(QUOTE, at)) {
    let slash = quote - 1
    while (slash >= at && bytes[slash] === BACKSLASH) slash--
    if ((quote - slash) % 2 === 1) return quote
    at = quote + 1
    // A search costs as much as this many bytes: 34 MB of escaped quotes, each searched for, took 0.4 s.
    for (const until = at + SEARCH_COSTS; at < until; at += bytes[at] === BACKSLASH ? 2 : 1) {
      if (bytes[at] === QUOTE) return at
    }
  }
  return bytes.length
}

const TOO_MANY_VALUES: FieldFault = {
  field: '',
  rule: 'max_values',
  message: `the body has more than ${MAX_JSON_VALUES} values`,
}
const TOO_MANY_NAMES: FieldFault = {
  field: '',
  rule: 'max_names',
  message: `the body has an object of more than ${MAX_JSON_NAMES} names`,
}

interface Visit {
  readonly value: unknown
  readonly depth: number
  /** Null: the value is the whole body. */
  readonly within: Visit | null
  /** Name or index of the value within its container. */
  readonly step: string | number
}

/** Every rule that a parsed value breaks. Not recursive: the sender chooses the depth. */
export function jsonFaults(root: unknown): FieldFault[] {
  const faults: FieldFault[] = []
  const stack: Visit[] = [{ value: root, depth: 0, within: null, step: '' }]
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { value, depth } = visit
    if (depth > MAX_JSON_DEPTH) return [fault(visit, ['max_depth', `is nested deeper than ${MAX_JSON_DEPTH}`])]
    const broken = brokenBy(value)
    if (broken !== null) faults.push(fault(visit, broken))
    if (Array.isArray(value)) {
      for (let i = value.length - 1; i >= 0; i--) {
        stack.push({ value: value[i], depth: depth + 1, within: visit, step: i })
      }
    } else if (value !== null && typeof value === 'object') {
      const fields = value as Readonly<Record<string, unknown>>
      for (const name of Object.keys(fields)) {
        const next = { value: fields[name], depth: depth + 1, within: visit, step: name }
        const odd = name === '__proto__' ? FORBIDDEN_NAME : brokenBy(name)
        if (odd !== null) faults.push(fault(next, odd))
        stack.push(next)
      }
    }
    if (faults.length >= MAX_FAULTS) return faults
  }
  return faults
}

type Broken = readonly [rule: string, message: string]

const FORBIDDEN_NAME: Broken = ['forbidden_key', 'is not an allowed key']

function brokenBy(value: unknown): Broken | null {
  if (typeof value === 'string') return brokenByText(value)
  return typeof value === 'number' ? brokenByNumber(value) : null
}

function brokenByText(text: string): Broken | null {
  if (text.includes('\0')) return ['no_nul', 'contains a NUL character']
  return text.isWellFormed() ? null : ['well_formed', 'contains a lone surrogate']
}

function brokenByNumber(number: number): Broken | null {
  if (!Number.isFinite(number)) return ['finite', 'is outside the range of numbers']
  const isExact = !Number.isInteger(number) || Number.isSafeInteger(number)
  if (isExact || Math.abs(number) >= SHOWN_WITH_EXPONENT) return null
  return ['safe_integer', 'is an integer beyond 2^53 - 1; send it as a string']
}

/** From here on JavaScript writes a number with an exponent (`1e+21`), so it is visibly an approximation. */
const SHOWN_WITH_EXPONENT = 1e21

function fault(visit: Visit, [rule, message]: Broken): FieldFault {
  return { field: pathOf(visit).replaceAll(/[\0\ud800-\udfff]/g, '?'), rule, message }
}

/** Such as `to[1].email`. */
function pathOf({ within, step }: Visit): string {
  if (within === null) return ''
  const path = pathOf(within)
  if (typeof step === 'number') return `${path}[${step}]`
  return path === '' ? cut(step) : `${path}.${cut(step)}`
}
