// Renders a template: Mustache without partials and without lambdas (ADR 0008).
//
// A name only finds own values of the JSON data, never what JavaScript objects inherit. `{{x}}` is escaped in HTML and plain
// elsewhere, `{{{x}}}` is always plain. The value of a variable is text: nothing in it is evaluated, and `{{unsubscribe}}` in it
// stays text instead of becoming a link. The template's own `{{unsubscribe}}` is left for delivery, whatever the variables hold
// under that name; when the delimiters have been changed it is not a tag but plain text of the template, and is left for
// delivery too.
//
// Loops can be nested, so the output and the steps to produce it are bounded, also over all renderings of one call.

import { placeholdersAs, withoutPlaceholders } from '../../mail/html/links.ts'
import type { ParsedTemplate } from './template-parse.ts'

export type Variables = Readonly<Record<string, unknown>>

export type RenderFault = 'too_large'

export interface Rendered {
  readonly text: string
  /** Names that the variables lack, each once, in the order in which they were looked up. */
  readonly missing: readonly string[]
}

// Mustache's own list: safe in unquoted attributes too.
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '/': '&#x2F;',
  '`': '&#x60;',
  '=': '&#x3D;',
}

const PLACEHOLDER = '{{unsubscribe}}'
const PLACEHOLDER_NAME = 'unsubscribe'
const MAX_STEPS = 200_000
/** A lookup costs a step for each of these, since a name may have a million parts. */
const CHARS_A_STEP = 16

/** What the renderings of one call may take together. */
export interface StepsOfCall {
  left: number
}

interface Work {
  readonly escape: (text: string) => string
  readonly marker: string
  readonly maxBytes: number
  readonly missing: Set<string>
  readonly out: string[]
  readonly call: StepsOfCall
  bytes: number
  steps: number
}

class TooLarge extends Error {}

export interface RenderOptions {
  /** `html` escapes the values of variables. */
  readonly form: 'html' | 'plain'
  readonly maxBytes: number
  /** Random and new for each rendering: it stands for the template's own placeholder until the end. */
  readonly marker: string
  /** Absent: a call of its own. */
  readonly call?: StepsOfCall
}

export function render(
  template: ParsedTemplate,
  variables: Variables,
  { form, maxBytes, marker, call = { left: MAX_STEPS } }: RenderOptions,
): Rendered | RenderFault {
  const work: Work = {
    escape: form === 'html' ? escape : (text) => text,
    marker,
    maxBytes,
    missing: new Set(),
    out: [],
    call,
    bytes: 0,
    steps: 0,
  }
  try {
    renderTokens(template, [variables], work)
  } catch (error) {
    if (error instanceof TooLarge) return 'too_large'
    throw error
  }
  const filled = withoutPlaceholders(work.out.join(''))
  return { text: filled.replaceAll(work.marker, PLACEHOLDER), missing: [...work.missing] }
}

function renderTokens(tokens: ParsedTemplate, contexts: readonly unknown[], work: Work): void {
  for (const [kind, name, inner = []] of tokens) {
    step(work, kind === 'text' ? '' : name)
    switch (kind) {
      case 'text':
        put(placeholdersAs(work.marker, name), work)
        break
      case 'name':
      case '&':
        put(valueOf(kind, name, contexts, work), work)
        break
      case '#':
        for (const context of sections(lookUp(name, contexts))) {
          step(work)
          renderTokens(inner, [...contexts, context], work)
        }
        break
      case '^':
        if (sections(lookUp(name, contexts)).length === 0) renderTokens(inner, contexts, work)
        break
    }
  }
}

function step(work: Work, lookedUp = ''): void {
  const steps = 1 + Math.floor(lookedUp.length / CHARS_A_STEP)
  work.steps += steps
  work.call.left -= steps
  if (work.steps > MAX_STEPS || work.call.left < 0) throw new TooLarge()
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"'`=/]/g, (character) => ESCAPES[character] ?? character)
}

function put(text: string, work: Work): void {
  work.bytes += Buffer.byteLength(text)
  if (work.bytes > work.maxBytes) throw new TooLarge()
  work.out.push(text)
}

function valueOf(kind: string, name: string, contexts: readonly unknown[], work: Work): string {
  const value = name === PLACEHOLDER_NAME ? undefined : lookUp(name, contexts)
  if (value === undefined && name.toLowerCase() === PLACEHOLDER_NAME) return work.marker
  if (value === undefined) work.missing.add(name)
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // Escaping makes no text shorter.
  if (text.length > work.maxBytes) throw new TooLarge()
  return kind === '&' ? text : work.escape(text)
}

/** The contexts a section is rendered for: none, one value, or each item of a list. */
function sections(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[]
  return value === undefined || value === null || value === false || value === '' || value === 0 ? [] : [value]
}

/** Searches from the innermost context outwards; the first that has the first part of a dotted name decides. */
function lookUp(name: string, contexts: readonly unknown[]): unknown {
  if (name === '.') return contexts.at(-1)
  const [first = '', ...rest] = name.split('.')
  const holder = contexts.findLast((context) => hasOwn(context, first))
  return [first, ...rest].reduce<unknown>(
    (value, part) => (hasOwn(value, part) ? (value as Variables)[part] : undefined),
    holder,
  )
}

function hasOwn(value: unknown, part: string): boolean {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, part)
}
