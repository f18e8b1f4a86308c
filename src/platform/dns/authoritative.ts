// Queries a zone's own name servers: a customer who has just published a record must not wait for a resolver's cache.
// Used for domain verification when the operator configures no resolver.
//
// The zone is found by walking up from the name until NS records exist. The addresses of its servers come from the base
// resolver and must be public. At most three servers are asked, as one list: c-ares moves on when one is silent. When no
// server can be found, none answers, or the one that answers does not have the zone (a lame delegation: it refers elsewhere,
// or denies everything), the base resolver answers instead, so the result is never worse than its own.
// A server knows only its own zones: an alias that leaves them is followed here, at most 8 steps, to the servers of the
// next zone.

import { isIPv6 } from 'node:net'
import { isPublicAddress } from '../addresses.ts'
import type { Clock } from '../clock.ts'
import type { DnsAnswer, Resolver } from '../dns.ts'
import { freshCache } from '../fresh-cache.ts'
import { dnsResolver } from './resolver.ts'

const MAX_SERVERS = 3
const MAX_LABELS_UP = 8
const MAX_ALIASES = 8
const TRY_MS = 1_500
const TOTAL_MS = 4_000
const KEPT_MS = 30_000
const MAX_ZONES = 1_000

export interface AuthoritativeOptions {
  readonly clock: Clock
  readonly allowPrivate?: boolean
  /** Port of the name servers, for tests. */
  readonly port?: number
}

/** @param base finds the servers, and answers when they do not */
export function authoritativeResolver(
  base: Resolver,
  { clock, allowPrivate = false, port = 53 }: AuthoritativeOptions,
): Resolver {
  const zones = freshCache<Resolver | null>({ clock, maxAgeMs: KEPT_MS, maxEntries: MAX_ZONES })

  const addressesOf = async (servers: readonly string[], signal?: AbortSignal): Promise<string[]> => {
    const answers = await Promise.all(
      servers.slice(0, MAX_SERVERS).flatMap((server) => [base.a(server, signal), base.aaaa(server, signal)]),
    )
    const addresses = answers.flatMap((answer) => (answer.kind === 'found' ? answer.records.slice(0, 1) : []))
    const allowed = addresses.filter((address) => allowPrivate || isPublicAddress(address))
    // IPv4 first: a machine without IPv6 would otherwise wait in vain.
    return allowed.sort((a, b) => Number(isIPv6(a)) - Number(isIPv6(b))).slice(0, MAX_SERVERS)
  }

  const serversOf = async (name: string, signal?: AbortSignal): Promise<Resolver | null> => {
    const labels = name.split('.')
    for (let from = 0; from < labels.length - 1 && from < MAX_LABELS_UP; from++) {
      const zone = labels.slice(from).join('.')
      const answer = await base.ns(zone, signal)
      if (answer.kind === 'timeout' || answer.kind === 'servfail') return null
      if (answer.kind !== 'found') continue
      const addresses = await addressesOf(answer.records, signal)
      if (addresses.length === 0) return null
      const servers = addresses.map((address) => (isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`))
      const own = dnsResolver({ clock, servers, tryMs: TRY_MS, tries: 1, totalMs: TOTAL_MS }).fresh()
      return (await own.ns(zone, signal)).kind === 'found' ? own : null
    }
    return null
  }

  const zoneResolver = async (name: string, signal?: AbortSignal): Promise<Resolver | null> => {
    const known = zones.get(name)
    if (known !== undefined) return known
    const resolver = await serversOf(name, signal)
    zones.set(name, resolver, clock.monotonicMs())
    return resolver
  }

  type Ask<T> = (resolver: Resolver, name: string) => Promise<DnsAnswer<T>>
  const ask = async <T>(
    name: string,
    signal: AbortSignal | undefined,
    question: Ask<T>,
    steps = MAX_ALIASES,
  ): Promise<DnsAnswer<T>> => {
    const own = await zoneResolver(name.toLowerCase(), signal)
    if (own === null) return question(base, name)
    const answer = await question(own, name)
    if (answer.kind === 'found') return answer
    if (answer.kind === 'timeout' || answer.kind === 'servfail') return question(base, name)
    const alias = await own.cname(name, signal)
    const [target] = alias.kind === 'found' ? alias.records : []
    if (target === undefined) return answer
    return steps > 0 ? ask(target, signal, question, steps - 1) : { kind: 'servfail' }
  }
  return {
    mx: (name, signal) => ask(name, signal, (from, at) => from.mx(at, signal)),
    a: (name, signal) => ask(name, signal, (from, at) => from.a(at, signal)),
    aaaa: (name, signal) => ask(name, signal, (from, at) => from.aaaa(at, signal)),
    txt: (name, signal) => ask(name, signal, (from, at) => from.txt(at, signal)),
    cname: async (name, signal) => ((await zoneResolver(name.toLowerCase(), signal)) ?? base).cname(name, signal),
    ns: (name, signal) => ask(name, signal, (from, at) => from.ns(at, signal)),
    ptr: (address, signal) => base.ptr(address, signal),
  }
}
