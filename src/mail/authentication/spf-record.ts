// Parses SPF records (RFC 7208 sections 4.5, 4.6, 5, 6, 7) and expands macros, without any DNS. A record is parsed as a whole
// before evaluation, because a syntax error anywhere is a permerror (section 4.6), even after the mechanism that would have
// matched.

import { isIP } from 'node:net'

export type Qualifier = '+' | '-' | '~' | '?'

/** One mechanism. `domain` is the unexpanded domain-spec, null for the domain under evaluation. */
export type Mechanism =
  | { readonly kind: 'all'; readonly qualifier: Qualifier }
  | { readonly kind: 'include' | 'exists'; readonly qualifier: Qualifier; readonly domain: string }
  | { readonly kind: 'ptr'; readonly qualifier: Qualifier; readonly domain: string | null }
  | {
      readonly kind: 'a' | 'mx'
      readonly qualifier: Qualifier
      readonly domain: string | null
      readonly prefix4: number
      readonly prefix6: number
    }
  | {
      readonly kind: 'ip4' | 'ip6'
      readonly qualifier: Qualifier
      readonly address: string
      readonly prefix: number
    }

export interface SpfRecord {
  readonly mechanisms: readonly Mechanism[]
  /** Unexpanded domain-specs. */
  readonly redirect: string | null
  readonly exp: string | null
}

/** A record with a syntax error: evaluating it is a permerror. */
export interface SpfSyntaxError {
  readonly syntaxError: string
}

/** RFC 7208 section 4.5: a space or the end of the text follows the version. */
export function isSpfRecord(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text)
}

/**
 * Parses the text of a record that `isSpfRecord` accepts.
 *
 * @param own see `parseMechanism`
 */
export function parseSpf(text: string, own: string | null = null): SpfRecord | SpfSyntaxError {
  const mechanisms: Mechanism[] = []
  const modifiers = new Map<string, string>()
  for (const term of text.slice('v=spf1'.length).split(' ')) {
    if (term === '') continue
    if (!/^[\x21-\x7e]+$/.test(term)) return { syntaxError: 'a term has a character outside printable ASCII' }
    const modifier = /^([a-z][a-z0-9_.-]*)=(.*)$/i.exec(term)
    const fault = modifier ? takeModifier(modifiers, modifier[1] ?? '', modifier[2] ?? '') : null
    if (fault !== null) return { syntaxError: fault }
    if (modifier) continue
    const mechanism = parseMechanism(term, own)
    if (mechanism === null) return { syntaxError: `"${term.slice(0, 100)}" is not a mechanism` }
    mechanisms.push(mechanism)
  }
  return { mechanisms, redirect: modifiers.get('redirect') ?? null, exp: modifiers.get('exp') ?? null }
}

function takeModifier(modifiers: Map<string, string>, name: string, value: string): string | null {
  const key = name.toLowerCase()
  if (key !== 'redirect' && key !== 'exp') {
    // RFC 7208 section 6: an unknown modifier is ignored, but its value is still a macro-string.
    return isMacroString(value) ? null : `the value of ${key.slice(0, 50)}= is not valid`
  }
  if (modifiers.has(key)) return `${key}= is given twice`
  if (!isDomainSpec(value)) return `the value of ${key}= is not a domain`
  modifiers.set(key, value)
  return null
}

/**
 * Parses one mechanism with its qualifier, such as `~include:example.com`; null when it is not valid.
 *
 * @param own a mechanism that is valid although its host is no domain-spec, such as `a:localhost`
 */
export function parseMechanism(term: string, own: string | null = null): Mechanism | null {
  const match = /^([+\-~?]?)([a-z][a-z0-9_.-]*)(?:([:/])(.*))?$/i.exec(term)
  if (!match) return null
  const qualifier = (match[1] || '+') as Qualifier
  const kind = match[2]?.toLowerCase() ?? ''
  const value = match[3] === ':' ? (match[4] ?? '') : null
  const prefix = match[3] === '/' ? `/${match[4] ?? ''}` : ''
  switch (kind) {
    case 'all':
      return match[3] === undefined ? { kind, qualifier } : null
    case 'include':
    case 'exists':
      return value !== null && isDomainSpec(value) ? { kind, qualifier, domain: value } : null
    case 'ptr':
      if (prefix !== '' || (value !== null && !isDomainSpec(value))) return null
      return { kind, qualifier, domain: value }
    case 'a':
    case 'mx':
      return parseAddressMechanism(kind, qualifier, value, prefix, own)
    case 'ip4':
    case 'ip6':
      return value === null ? null : parseNetwork(kind, qualifier, value)
    default:
      return null
  }
}

const DUAL_CIDR = /^(?:\/(0|[1-9]\d?))?(?:\/\/(0|[1-9]\d{0,2}))?$/

function parseAddressMechanism(
  kind: 'a' | 'mx',
  qualifier: Qualifier,
  value: string | null,
  bare: string,
  own: string | null,
): Mechanism | null {
  // A domain-spec may itself contain slashes (section 7.1); only the prefix lengths at its end are not part of it.
  const tail = value === null ? bare : (/(?:\/\d{1,3})?(?:\/\/\d{1,3})?$/.exec(value)?.[0] ?? '')
  const domain = value === null ? null : value.slice(0, value.length - tail.length)
  const lengths = DUAL_CIDR.exec(tail)
  const isOwn = own !== null && `${kind}:${domain}`.toLowerCase() === own.toLowerCase()
  if (!lengths || (domain !== null && !isOwn && !isDomainSpec(domain))) return null
  const prefix4 = Number(lengths[1] ?? 32)
  const prefix6 = Number(lengths[2] ?? 128)
  return prefix4 <= 32 && prefix6 <= 128 ? { kind, qualifier, domain, prefix4, prefix6 } : null
}

function parseNetwork(kind: 'ip4' | 'ip6', qualifier: Qualifier, value: string): Mechanism | null {
  const match = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(value)
  const address = match?.[1] ?? ''
  const widest = kind === 'ip4' ? 32 : 128
  const prefix = Number(match?.[2] ?? widest)
  if (isIP(address) !== (kind === 'ip4' ? 4 : 6) || address.includes('%') || prefix > widest) return null
  return { kind, qualifier, address: address.toLowerCase(), prefix }
}

const MACRO = /%(?:\{([slodiphcrtv])(\d*)(r?)([.\-+,/_=]*)\}|([%_-]))/gi

/** RFC 7208 section 7.1: literals and well-formed macros, nothing else. */
export function isMacroString(text: string, inExplanation = false): boolean {
  const letters = inExplanation ? 'slodiphcrtv' : 'slodiphv'
  let fits = true
  const literals = text.replace(MACRO, (_all, letter: string | undefined, digits: string | undefined) => {
    if (letter !== undefined && !letters.includes(letter.toLowerCase())) fits = false
    if (digits !== undefined && digits !== '' && Number(digits) === 0) fits = false
    return ''
  })
  return fits && /^[\x20-\x24\x26-\x7e]*$/.test(literals) && (inExplanation || !literals.includes(' '))
}

/** RFC 7208 section 7.1: a domain-spec ends in a macro or in a dot and a top label that is not a number. */
function isDomainSpec(text: string): boolean {
  if (!isMacroString(text)) return false
  if (/%(?:\{[slodiphv]\d*r?[.\-+,/_=]*\}|[%_-])$/i.test(text)) return true
  const [, label = ''] = /\.([a-z0-9-]+)\.?$/i.exec(text) ?? []
  return !/^-|-$|^\d*$/.test(label)
}

/**
 * Expands a macro-string (RFC 7208 section 7).
 *
 * @param valueOf returns the value of a lower-case macro letter; null when it is unknown
 * @returns null when a value is unknown
 */
export async function expandMacros(
  text: string,
  valueOf: (letter: string) => Promise<string | null> | string | null,
): Promise<string | null> {
  let expanded = ''
  let end = 0
  for (const match of text.matchAll(MACRO)) {
    expanded += text.slice(end, match.index)
    end = match.index + match[0].length
    const [, letter, digits, reverse, delimiters, escape] = match
    if (letter === undefined) {
      expanded += escape === '_' ? ' ' : escape === '-' ? '%20' : '%'
      continue
    }
    const value = await valueOf(letter.toLowerCase())
    if (value === null) return null
    const transformed = transform(value, digits ?? '', (reverse ?? '') !== '', delimiters ?? '')
    // An upper-case letter requests URL escaping of everything but the unreserved characters of RFC 3986.
    expanded += letter === letter.toLowerCase() ? transformed : escapeUrl(transformed)
  }
  return expanded + text.slice(end)
}

function transform(value: string, digits: string, reverse: boolean, delimiters: string): string {
  if (digits === '' && !reverse && delimiters === '') return value
  const splitters = delimiters === '' ? '.' : delimiters
  const parts: string[] = ['']
  for (const character of value) {
    if (splitters.includes(character)) parts.push('')
    else parts[parts.length - 1] += character
  }
  if (reverse) parts.reverse()
  return parts.slice(digits === '' ? 0 : -Number(digits)).join('.')
}

function escapeUrl(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
