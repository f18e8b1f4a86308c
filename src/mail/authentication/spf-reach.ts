// Answers the question of domain verification: does evaluating a domain's SPF policy (RFC 7208) reach a given mechanism?

import ipaddr from 'ipaddr.js'
import type { Resolver } from '../../platform/dns.ts'
import { Budget, isLookupName, NAMES_PER_TERM, requireRecord, SpfStop, shortened, within } from './spf.ts'
import { expandMacros, type Mechanism, parseMechanism } from './spf-record.ts'

/** Whether an evaluation reaches a mechanism before something else ends it. */
export type Reach =
  | { readonly kind: 'reached' }
  | { readonly kind: 'not_reached'; readonly reason: string }
  | { readonly kind: 'permerror'; readonly reason: string }
  | { readonly kind: 'temperror'; readonly reason: string }

/**
 * Follows a domain's policy as a receiver would for a client that only `mechanism` covers, whatever it resolves to.
 *
 * Earlier mechanisms that match addresses do not end the walk, because the client's address does not match them, but they are
 * looked up and counted as a receiver does. `all` ends its record; an included record that ends in a passing `all` also ends
 * the record that includes it. Only a path of passing (`+`) mechanisms counts. A name that depends on the client (macros
 * other than `%{d}`) cannot be followed: it counts as one look-up without a match.
 *
 * @param mechanism for example `a:mail.example.com` or `include:_spf.example.com`; of an instance without a public name
 *   also `a:localhost`, which no receiver evaluates
 * @throws Error when `mechanism` is not valid
 */
export async function reaches(
  domain: string,
  mechanism: string,
  resolver: Resolver,
  signal?: AbortSignal,
): Promise<Reach> {
  const wanted = parseMechanism(mechanism, mechanism)
  if (wanted === null) throw new Error(`not an SPF mechanism: ${mechanism}`)
  try {
    const walk = new Walk(wanted, mechanism, resolver, signal)
    const end = await walk.record(domain)
    if (end === 'reached') return { kind: 'reached' }
    const why = { absent: 'has no SPF record', all: 'accepts every sender before it', none: 'does not name it' }[end]
    return { kind: 'not_reached', reason: `the SPF policy of ${domain} ${why}` }
  } catch (error) {
    if (error instanceof SpfStop) return { kind: error.result, reason: error.message }
    throw error
  }
}

class Walk {
  readonly #budget = new Budget()
  readonly #wanted: Mechanism
  readonly #own: string
  readonly #resolver: Resolver
  readonly #signal: AbortSignal | undefined

  constructor(wanted: Mechanism, own: string, resolver: Resolver, signal: AbortSignal | undefined) {
    this.#wanted = wanted
    this.#own = own
    this.#resolver = resolver
    this.#signal = signal
  }

  /** `all`: the record passes everyone before it reaches the wanted mechanism. `none`: it passes no one. */
  async record(domain: string): Promise<'reached' | 'all' | 'none' | 'absent'> {
    const record = await requireRecord(domain, this.#resolver, this.#signal, this.#own)
    if (record === null) return 'absent'
    for (const mechanism of record.mechanisms) {
      const passes = mechanism.qualifier === '+'
      if (covers(mechanism, this.#wanted, domain)) {
        if (costs(mechanism)) this.#budget.spend(mechanism.kind)
        return passes ? 'reached' : 'none'
      }
      if (mechanism.kind === 'all') return passes ? 'all' : 'none'
      if (mechanism.kind !== 'include') {
        await this.#count(mechanism, domain)
        continue
      }
      const inner = await this.#follow(mechanism.domain, domain)
      if (inner === 'reached' || inner === 'all') return passes ? inner : 'none'
    }
    if (record.redirect === null) return 'none'
    // It passes whom an include of the same policy passes, at the same cost of one look-up.
    const redirected: Mechanism = { kind: 'include', qualifier: '+', domain: record.redirect }
    if (covers(redirected, this.#wanted, domain)) {
      this.#budget.spend(record.redirect)
      return 'reached'
    }
    return this.#follow(record.redirect, domain)
  }

  async #follow(spec: string, domain: string): Promise<'reached' | 'all' | 'none'> {
    this.#budget.spend(spec)
    const target = await known(spec, domain)
    if (target === null) return 'none'
    const inner = isLookupName(target) ? await this.record(target) : 'absent'
    if (inner === 'absent') throw new SpfStop('permerror', `${target} has no SPF record`)
    return inner
  }

  /** Spends the look-ups that a mechanism without a match costs a receiver. */
  async #count(mechanism: Mechanism, domain: string): Promise<void> {
    if (!costs(mechanism)) return
    this.#budget.spend(mechanism.kind)
    if (mechanism.kind !== 'a' && mechanism.kind !== 'mx' && mechanism.kind !== 'exists') return
    const name = mechanism.domain === null ? domain : await known(mechanism.domain, domain)
    if (name === null || !isLookupName(name)) return
    if (mechanism.kind === 'mx') {
      const hosts = this.#budget.records(await this.#resolver.mx(name, this.#signal), name)
      if (hosts.length > NAMES_PER_TERM) throw new SpfStop('permerror', `${name} has more than ${NAMES_PER_TERM} MX`)
      return
    }
    const answer = await this.#resolver.a(name, this.#signal)
    // An IPv6-only host is void for IPv4 clients only, and the client's family is unknown here.
    const has6 = mechanism.kind === 'a' && answer.kind === 'nodata'
    this.#budget.records(has6 ? await this.#resolver.aaaa(name, this.#signal) : answer, name)
  }
}

/** Expands a name whose only macro is the domain itself; null when it depends on the client. */
async function known(spec: string, domain: string): Promise<string | null> {
  const name = await expandMacros(spec, (letter) => (letter === 'd' ? domain : null))
  return name === null ? null : shortened(name)
}

function costs(mechanism: Mechanism): boolean {
  return mechanism.kind !== 'all' && mechanism.kind !== 'ip4' && mechanism.kind !== 'ip6'
}

/** Whether a mechanism matches every client that the wanted one matches, apart from the qualifier. */
function covers(one: Mechanism, wanted: Mechanism, domain: string): boolean {
  if (one.kind !== wanted.kind) return false
  const spec = (mechanism: Mechanism): string => {
    const own = 'domain' in mechanism ? (mechanism.domain ?? domain) : ''
    return own.toLowerCase().replace(/\.$/, '')
  }
  if (spec(one) !== spec(wanted)) return false
  if ('prefix4' in one && 'prefix4' in wanted) {
    return one.prefix4 <= wanted.prefix4 && one.prefix6 <= wanted.prefix6
  }
  if ('address' in one && 'address' in wanted) {
    return one.prefix <= wanted.prefix && within(ipaddr.parse(wanted.address), one.address, one.prefix)
  }
  return true
}
