// SPF (RFC 7208): check_host(), and the look-ups and limits that every evaluation of a policy shares.
//
// Limits (section 4.6.4): 10 terms that query the DNS, 2 "void" look-ups without an answer, and 10 MX hosts per term; beyond
// these the result is permerror. Of the PTR names, only the first 10 are used. A DNS failure (SERVFAIL, time-out) is temperror.

import ipaddr from 'ipaddr.js'
import type { DnsAnswer, Resolver } from '../../platform/dns.ts'
import {
  expandMacros,
  isMacroString,
  isSpfRecord,
  type Mechanism,
  parseSpf,
  type Qualifier,
  type SpfRecord,
} from './spf-record.ts'

export const SPF_LOOKUP_LIMIT = 10
export const SPF_VOID_LIMIT = 2
export const NAMES_PER_TERM = 10
const MAX_NAME_CHARS = 253

export type SpfResult = 'none' | 'neutral' | 'pass' | 'fail' | 'softfail' | 'temperror' | 'permerror'

export interface SpfOptions {
  /** The HELO name, for %{h} and for the sender when MAIL FROM is empty. */
  readonly helo?: string
  /** The name of the receiving host, for %{r} in explanations. */
  readonly receiver?: string
  /** For %{t} in explanations. */
  readonly now?: Date
  readonly signal?: AbortSignal
}

export interface SpfVerdict {
  readonly result: SpfResult
  /** The expanded text of `exp=`, only for a fail; null when the domain has none. */
  readonly explanation: string | null
  /** The reason for a temperror or permerror; else null. */
  readonly error: string | null
}

const RESULTS: Record<Qualifier, SpfResult> = { '+': 'pass', '-': 'fail', '~': 'softfail', '?': 'neutral' }

/** Ends an evaluation early; never leaves the SPF modules. */
export class SpfStop extends Error {
  readonly result: 'temperror' | 'permerror'

  constructor(result: 'temperror' | 'permerror', message: string) {
    super(message)
    this.result = result
  }
}

/** Look-up budget of one evaluation, shared by the record, its includes and its redirect. */
export class Budget {
  #lookups = 0
  #voids = 0

  spend(term: string): void {
    if (++this.#lookups > SPF_LOOKUP_LIMIT) {
      throw new SpfStop('permerror', `more than ${SPF_LOOKUP_LIMIT} DNS look-ups, at ${term.slice(0, MAX_NAME_CHARS)}`)
    }
  }

  /** @returns the records; empty when the name or type does not exist */
  records<T>(answer: DnsAnswer<T>, name: string): readonly T[] {
    if (answer.kind === 'found') return answer.records
    if (answer.kind === 'servfail' || answer.kind === 'timeout') {
      throw new SpfStop('temperror', `the DNS did not answer for ${name} (${answer.kind})`)
    }
    if (++this.#voids > SPF_VOID_LIMIT) {
      throw new SpfStop('permerror', `more than ${SPF_VOID_LIMIT} look-ups without an answer, at ${name}`)
    }
    return []
  }
}

/** The only SPF record of a domain, or why there is none to evaluate. */
export type SpfLookup =
  | { readonly kind: 'record'; readonly text: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'multiple'; readonly texts: readonly string[] }
  | { readonly kind: 'error'; readonly reason: 'servfail' | 'timeout' }

/** RFC 7208 section 4.5. */
export async function lookupSpf(domain: string, resolver: Resolver, signal?: AbortSignal): Promise<SpfLookup> {
  const answer = await resolver.txt(domain, signal)
  if (answer.kind === 'servfail' || answer.kind === 'timeout') return { kind: 'error', reason: answer.kind }
  const texts = answer.kind === 'found' ? answer.records.filter(isSpfRecord) : []
  const [text] = texts
  if (text === undefined) return { kind: 'none' }
  return texts.length > 1 ? { kind: 'multiple', texts } : { kind: 'record', text }
}

/**
 * The record of a domain; null when it has none.
 *
 * @param own see `parseMechanism`
 * @throws SpfStop when the record cannot be evaluated
 */
export async function requireRecord(
  domain: string,
  resolver: Resolver,
  signal?: AbortSignal,
  own: string | null = null,
): Promise<SpfRecord | null> {
  const found = await lookupSpf(domain, resolver, signal)
  if (found.kind === 'error') throw new SpfStop('temperror', `the DNS did not answer for ${domain} (${found.reason})`)
  if (found.kind === 'multiple') throw new SpfStop('permerror', `${domain} has more than one SPF record`)
  if (found.kind === 'none') return null
  const record = parseSpf(found.text, own)
  if ('syntaxError' in record) throw new SpfStop('permerror', `${domain}: ${record.syntaxError}`)
  return record
}

/** RFC 7208 section 4.3: labels of 1-63 octets, at least two of them, no address literal. */
export function isLookupName(name: string): boolean {
  const labels = name.replace(/\.$/, '').split('.')
  return labels.length > 1 && name.length <= 254 && labels.every((label) => label.length > 0 && label.length <= 63)
}

/**
 * check_host() of RFC 7208 section 4.
 *
 * @param ip the address of the client; an IPv4-mapped one counts as IPv4
 * @param domain the domain to evaluate
 * @param sender the MAIL FROM address, or `postmaster@<helo>`
 */
export async function checkHost(
  ip: string,
  domain: string,
  sender: string,
  resolver: Resolver,
  options: SpfOptions = {},
): Promise<SpfVerdict> {
  if (!isLookupName(domain) || /[[\]]/.test(domain)) return { result: 'none', explanation: null, error: null }
  const at = sender.lastIndexOf('@')
  const evaluation = new Evaluation({
    ip: ipaddr.process(ip),
    local: at > 0 ? sender.slice(0, at) : 'postmaster',
    senderDomain: sender.slice(at + 1),
    resolver,
    options,
  })
  try {
    const { result, explainAt } = await evaluation.run(domain)
    const explanation = result === 'fail' && explainAt !== null ? await evaluation.explain(explainAt) : null
    return { result, explanation, error: null }
  } catch (error) {
    if (error instanceof SpfStop) return { result: error.result, explanation: null, error: error.message }
    throw error
  }
}

interface Facts {
  readonly ip: ipaddr.IPv4 | ipaddr.IPv6
  readonly local: string
  readonly senderDomain: string
  readonly resolver: Resolver
  readonly options: SpfOptions
}

interface Ran {
  readonly result: SpfResult
  readonly explainAt: { readonly domain: string; readonly exp: string } | null
}

class Evaluation {
  readonly #facts: Facts
  readonly #budget = new Budget()

  constructor(facts: Facts) {
    this.#facts = facts
  }

  async run(domain: string): Promise<Ran> {
    const record = await requireRecord(domain, this.#facts.resolver, this.#facts.options.signal)
    if (record === null) return { result: 'none', explainAt: null }
    for (const mechanism of record.mechanisms) {
      if (!(await this.#matches(mechanism, domain))) continue
      const explainAt = record.exp === null ? null : { domain, exp: record.exp }
      return { result: RESULTS[mechanism.qualifier], explainAt }
    }
    if (record.redirect === null) return { result: 'neutral', explainAt: null }
    this.#budget.spend(`redirect=${record.redirect}`)
    const target = await this.#target(record.redirect, domain)
    const ran = isLookupName(target) ? await this.run(target) : { result: 'none' as const, explainAt: null }
    if (ran.result === 'none') throw new SpfStop('permerror', `redirect=${target} leads to no SPF record`)
    return ran
  }

  /** RFC 7208 section 6.2: if anything goes wrong here, there is no explanation and the result stands. */
  async explain({ domain, exp }: { readonly domain: string; readonly exp: string }): Promise<string | null> {
    try {
      const { resolver, options } = this.#facts
      const answer = await resolver.txt(await this.#target(exp, domain), options.signal)
      const [text] = answer.kind === 'found' ? answer.records : []
      if (answer.kind !== 'found' || answer.records.length !== 1 || text === undefined) return null
      if (!isMacroString(text, true)) return null
      return await expandMacros(text, (letter) => this.#macro(letter, domain))
    } catch (error) {
      if (error instanceof SpfStop) return null
      throw error
    }
  }

  async #matches(mechanism: Mechanism, domain: string): Promise<boolean> {
    const { ip } = this.#facts
    switch (mechanism.kind) {
      case 'all':
        return true
      case 'ip4':
      case 'ip6':
        return within(ip, mechanism.address, mechanism.prefix)
      case 'include':
        return this.#includes(mechanism.domain, domain)
      case 'exists': {
        this.#budget.spend('exists')
        const name = await this.#target(mechanism.domain, domain)
        return isLookupName(name) && (await this.#ask('a', name)).length > 0
      }
      case 'ptr': {
        this.#budget.spend('ptr')
        const name = mechanism.domain === null ? domain : await this.#target(mechanism.domain, domain)
        return (await this.#validatedNames(name)).some((each) => isAtOrBelow(each, name))
      }
      case 'a':
      case 'mx': {
        this.#budget.spend(mechanism.kind)
        const name = mechanism.domain === null ? domain : await this.#target(mechanism.domain, domain)
        if (!isLookupName(name)) return false
        const hosts = mechanism.kind === 'a' ? [name] : await this.#exchanges(name)
        const prefix = ip.kind() === 'ipv4' ? mechanism.prefix4 : mechanism.prefix6
        for (const host of hosts) {
          const addresses = await this.#addresses(host, mechanism.kind === 'a')
          if (addresses.some((address) => within(ip, address, prefix))) return true
        }
        return false
      }
    }
  }

  async #includes(spec: string, domain: string): Promise<boolean> {
    this.#budget.spend(`include:${spec}`)
    const target = await this.#target(spec, domain)
    const { result } = isLookupName(target) ? await this.run(target) : { result: 'none' as const }
    if (result === 'none') throw new SpfStop('permerror', `include:${target} leads to no SPF record`)
    return result === 'pass'
  }

  async #ask(type: 'a' | 'aaaa', name: string): Promise<readonly string[]> {
    return this.#budget.records(await this.#facts.resolver[type](name, this.#facts.options.signal), name)
  }

  async #exchanges(name: string): Promise<readonly string[]> {
    const answer = await this.#facts.resolver.mx(name, this.#facts.options.signal)
    const records = this.#budget.records(answer, name)
    if (records.length > NAMES_PER_TERM) throw new SpfStop('permerror', `${name} has more than ${NAMES_PER_TERM} MX`)
    return records.map((record) => record.exchange).filter(isLookupName)
  }

  async #addresses(host: string, counted: boolean): Promise<readonly string[]> {
    const type = this.#facts.ip.kind() === 'ipv4' ? 'a' : 'aaaa'
    if (counted) return this.#ask(type, host)
    const answer = await this.#facts.resolver[type](host, this.#facts.options.signal)
    // The void limit covers only the names in the record itself, not the hosts of an MX.
    if (answer.kind === 'nxdomain' || answer.kind === 'nodata') return []
    return this.#budget.records(answer, host)
  }

  /** RFC 7208 section 5.5: the PTR names that resolve back to the address; a name whose look-up fails is skipped. */
  async #validatedNames(wanted: string): Promise<readonly string[]> {
    const { resolver, options, ip } = this.#facts
    const answer = await resolver.ptr(ip.toString(), options.signal)
    if (answer.kind !== 'found') return []
    const names = answer.records.slice(0, NAMES_PER_TERM).map((name) => name.replace(/\.$/, ''))
    const validated: string[] = []
    // Wanted names come first: %{p} prefers the domain itself, then its subdomains (section 7.3).
    for (const name of names.toSorted((one, other) => nearness(one, wanted) - nearness(other, wanted))) {
      const back = await resolver[ip.kind() === 'ipv4' ? 'a' : 'aaaa'](name, options.signal)
      if (back.kind === 'found' && back.records.some((address) => within(ip, address, null))) validated.push(name)
    }
    return validated
  }

  async #target(spec: string, domain: string): Promise<string> {
    const expanded = (await expandMacros(spec, (letter) => this.#macro(letter, domain))) ?? ''
    return shortened(expanded)
  }

  async #macro(letter: string, domain: string): Promise<string> {
    const { ip, local, senderDomain, options } = this.#facts
    switch (letter) {
      case 's':
        return `${local}@${senderDomain}`
      case 'l':
        return local
      case 'o':
        return senderDomain
      case 'd':
        return domain
      case 'i':
        return dotted(ip)
      case 'p':
        return (await this.#validatedNames(domain))[0] ?? 'unknown'
      case 'v':
        return ip.kind() === 'ipv4' ? 'in-addr' : 'ip6'
      case 'h':
        return options.helo ?? senderDomain
      case 'c':
        return ip.toString()
      case 'r':
        return options.receiver ?? 'unknown'
      default:
        return String(Math.floor((options.now?.getTime() ?? 0) / 1000))
    }
  }
}

/** @param prefix null for the whole address */
export function within(ip: ipaddr.IPv4 | ipaddr.IPv6, network: string, prefix: number | null): boolean {
  if (!ipaddr.isValid(network)) return false
  const other = ipaddr.parse(network)
  if (ip.kind() !== other.kind()) return false
  const mine = ip.toByteArray()
  const theirs = other.toByteArray()
  const bits = prefix ?? mine.length * 8
  return mine.every((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8))
    return (byte ^ (theirs[index] ?? 0)) >> (8 - kept) === 0
  })
}

/** %{i}: an IPv6 address as nibbles with dots (RFC 7208 section 7.3). */
function dotted(ip: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (ip.kind() === 'ipv4') return ip.toString()
  return [...Buffer.from(ip.toByteArray()).toString('hex').toUpperCase()].join('.')
}

/** RFC 7208 section 7.3: a name over 253 characters loses labels from the left. */
export function shortened(name: string): string {
  let short = name.replace(/\.$/, '')
  while (short.length > MAX_NAME_CHARS && short.includes('.')) short = short.slice(short.indexOf('.') + 1)
  return short
}

function isAtOrBelow(name: string, domain: string): boolean {
  const lower = name.toLowerCase()
  const above = domain.toLowerCase().replace(/\.$/, '')
  return lower === above || lower.endsWith(`.${above}`)
}

function nearness(name: string, domain: string): number {
  return name.toLowerCase() === domain.toLowerCase() ? 0 : isAtOrBelow(name, domain) ? 1 : 2
}
