// Filling in a template: Mustache without partials and without lambdas (ADR 0008).
//
// A name finds own values of JSON data alone, never anything that JavaScript lends to every object. `{{x}}` is escaped in
// html and plain elsewhere, `{{{x}}}` is plain. What a variable holds is text: nothing in it is evaluated, and
// `{{unsubscribe}}` in it stays what it says instead of becoming a link. The template's own `{{unsubscribe}}` is left for
// delivery, whatever the variables hold under that name; under delimiters of its own it is no tag and stands in the
// template's text.
//
// Loops can be nested, so the output and the steps taken for it are bounded.

import { placeholdersAs, withoutPlaceholders } from '../../mail/html-links.ts'
import type { ParsedTemplate } from './template-parse.ts'

export type Variables = Readonly<Record<string, unknown>>

export type RenderFault = 'too_large'

export interface Rendered {
  readonly text: string
  /** Names that the variables do not have, each once, in the order in which they were looked for. */
  readonly missing: readonly string[]
}

// Mustache's own list: fit for an attribute without quotes too.
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

interface Work {
  readonly escape: (text: string) => string
  readonly marker: string
  readonly maxBytes: number
  readonly missing: Set<string>
  readonly out: string[]
  bytes: number
  steps: number
}

class TooLarge extends Error {}

export interface RenderOptions {
  /** html escapes what variables hold. */
  readonly form: 'html' | 'plain'
  readonly maxBytes: number
  /** Fresh for each filling and not to be guessed: it stands for the template's own placeholder meanwhile. */
  readonly marker: string
}

export function render(
  template: ParsedTemplate,
  variables: Variables,
  { form, maxBytes, marker }: RenderOptions,
): Rendered | RenderFault {
  const work: Work = {
    escape: form === 'html' ? escape : (text) => text,
    marker,
    maxBytes,
    missing: new Set(),
    out: [],
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
    if (++work.steps > MAX_STEPS) throw new TooLarge()
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
          if (++work.steps > MAX_STEPS) throw new TooLarge()
          renderTokens(inner, [...contexts, context], work)
        }
        break
      case '^':
        if (sections(lookUp(name, contexts)).length === 0) renderTokens(inner, contexts, work)
        break
    }
  }
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
  return kind === '&' ? text : work.escape(text)
}

/** What a section is rendered for: nothing, one value, or each of a list. */
function sections(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[]
  return value === undefined || value === null || value === false || value === '' || value === 0 ? [] : [value]
}

/** From the innermost context outwards; the first that has the first part of a dotted name decides. */
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
