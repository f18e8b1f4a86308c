// Where the mail of a domain goes: RFC 5321 section 5.1, RFC 7505.
//
//   MX found          by preference, equal ones in random order; hosts that cannot be hosts (an IP address, one label,
//                     not a name) are passed over
//   `MX 0 .`          the domain takes no mail; beside other records it counts for nothing
//   no MX             the domain itself is the host (A, AAAA)
//   NXDOMAIN          the domain does not exist. One look is no proof: the caller asks twice, 15 minutes apart.
//   no usable host    no MX is a host name, or no host has an address: the domain takes no mail. Asked twice as well.
//   SERVFAIL, timeout nothing is known: later. So too when no host could be resolved and one of them for that reason.
//
// A plan has 5 hosts, and 64 addresses of each in each family; one attempt tries 10 in all, 4 of a host before the next, and more of one
// when the hosts together have no ten so. Private addresses are dropped from the plan unless allowed; when no other is left: refused. Where a host is this service itself, neither it nor
// any host of the same or a lower preference is tried (RFC 5321 section 5.1): they would send the mail back to us. The plan holds
// addresses, and these are connected to: nothing is resolved a second time.
// CNAMEs are the resolver's business: an answer for A, AAAA or MX is that of the chain's end.

import { isIP } from 'node:net'
import { isPublicAddress } from '../platform/addresses.ts'
import type { DnsAnswer, Resolver } from '../platform/dns.ts'

export const MAX_HOSTS = 5
/** Of one attempt. */
export const MAX_ADDRESSES = 10
/** Names looked up in search of `MAX_HOSTS` that resolve. */
const MAX_LOOKED_UP = 10
/** While other hosts have addresses that would else not be tried. */
const MAX_ADDRESSES_PER_HOST = 4
/** Of one host and family: of more, the first in alphabetical order, so that they are the same ones at each look-up. */
const MAX_KNOWN_ADDRESSES = 64
/** IPv4 and IPv6. */
const FAMILIES = 2

export interface MxHost {
  /** A-labels in lower case, no trailing dot. */
  readonly host: string
  readonly preference: number
  /** All that is known, in random order: at least one. What of it is tried: `triesOf`. */
  readonly addresses: readonly string[]
}

export type MxPlan =
  /**
   * 1 to 5 hosts in the order of their trying. `names`: those of all hosts, also of what is beyond 5 or has no address, in the
   * form of `byRank`. `implicit`: there is no MX, the domain is its own host.
   */
  | { readonly kind: 'hosts'; readonly hosts: readonly MxHost[]; readonly names: string; readonly implicit: boolean }
  /** Permanent: 556 5.1.10. */
  | { readonly kind: 'null_mx' }
  /** 5.1.2, when a second look agrees. */
  | { readonly kind: 'nxdomain' }
  /** The domain stands in the DNS, and nothing there takes mail: no host has an address. 5.1.2, when a second look agrees. */
  | { readonly kind: 'no_hosts'; readonly detail: string; readonly implicit: boolean }
  /** Every host is this service itself, or at an address that mail is not sent to: 5.4.6. */
  | { readonly kind: 'private'; readonly detail: string }
  /** 4.4.3. */
  | { readonly kind: 'defer'; readonly detail: string }

export interface MxOptions {
  readonly resolver: Resolver
  /** In [0, 1): the order among equals. */
  readonly chance: () => number
  /** POSTHORN_ALLOW_PRIVATE_NETWORKS. */
  readonly allowPrivate?: boolean
  /** The families that our source address can reach. Default: both. */
  readonly families?: readonly (4 | 6)[]
  /** Whether a host at an address is this service itself; null: by its name alone, whatever its addresses. */
  readonly isOurs?: (host: string, address: string | null) => boolean
  readonly signal?: AbortSignal
}

/** @param domain A-labels, no trailing dot */
export async function planOf(domain: string, options: MxOptions): Promise<MxPlan> {
  const answer = await options.resolver.mx(domain, options.signal)
  switch (answer.kind) {
    case 'nxdomain':
      return { kind: 'nxdomain' }
    case 'servfail':
    case 'timeout':
      return { kind: 'defer', detail: `MX of ${domain}: ${answer.kind}` }
    case 'nodata':
      return resolved([{ host: domain.toLowerCase(), preference: 0 }], true, options)
    case 'found': {
      const records = answer.records.map(({ exchange, preference }) => ({ host: nameOf(exchange), preference }))
      if (records.every(({ host }) => host === '')) return { kind: 'null_mx' }
      const hosts = records.filter(({ host }) => isHostName(host))
      if (hosts.length === 0) return { kind: 'no_hosts', detail: `no MX of ${domain} is a host name`, implicit: false }
      return resolved(inOrder(hosts, options.chance), false, options)
    }
  }
}

/** What one attempt tries, in this order: a host that is down, whatever its addresses, does not keep mail from the others. */
export function triesOf<Host extends Pick<MxHost, 'addresses'>>(
  hosts: readonly Host[],
): { readonly host: Host; readonly ip: string }[] {
  let left = MAX_ADDRESSES
  const take = (most: number): number => {
    const taken = Math.min(most, left)
    left -= taken
    return taken
  }
  const shares = hosts.map(({ addresses }) => take(Math.min(addresses.length, MAX_ADDRESSES_PER_HOST)))
  return hosts.flatMap((host, index) => {
    const share = shares[index] ?? 0
    return host.addresses.slice(0, share + take(host.addresses.length - share)).map((ip) => ({ host, ip }))
  })
}

/**
 * The words of all hosts, those of equal preference in alphabetical order: the same text however lots were drawn.
 *
 * @param hosts the preferred ones first
 */
export function byRank<Host extends Pick<MxHost, 'preference'>>(
  hosts: readonly Host[],
  wordsOf: (host: Host) => readonly string[],
): string {
  const ranks = Map.groupBy(hosts, ({ preference }) => preference)
  return Array.from(ranks.values(), (rank) => [...new Set(rank.flatMap(wordsOf))].sort().join(' ')).join(', ')
}

interface Named {
  readonly host: string
  readonly preference: number
}

function nameOf(exchange: string): string {
  return exchange.replace(/\.$/, '').toLowerCase()
}

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/** At least two labels, and no IP address however it is written. */
function isHostName(host: string): boolean {
  if (host.length > 253 || isIP(host) !== 0) return false
  const labels = host.split('.')
  return labels.length > 1 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')
}

function inOrder(hosts: readonly Named[], chance: () => number): Named[] {
  const seen = new Set<string>()
  return hosts
    .map((named) => ({ named, lot: chance() }))
    .sort((a, b) => a.named.preference - b.named.preference || a.lot - b.lot)
    .map(({ named }) => named)
    .filter(({ host }) => !seen.has(host) && seen.add(host))
}

async function resolved(named: readonly Named[], implicit: boolean, options: MxOptions): Promise<MxPlan> {
  const hosts: MxHost[] = []
  let deferred: string | null = null
  let refused: string | null = null
  for (const { host, preference } of named.slice(0, MAX_LOOKED_UP)) {
    if (hosts.length === MAX_HOSTS) break
    // Our own name may have no address here, or none of our families.
    const isOurName = options.isOurs?.(host, null) === true
    const found = isOurName ? NOTHING_FOUND : await addressesOf(host, options)
    if (isOurName || found.addresses.some((address) => options.isOurs?.(host, address) === true)) {
      refused = `the mail would loop: ${host} is this service itself`
      const better = hosts.filter((one) => one.preference < preference)
      hosts.splice(0, hosts.length, ...better)
      break
    }
    if (found.failed) deferred = `addresses of ${host}: ${found.failed}`
    if (found.addresses.length === 0) continue
    const addresses = found.addresses.filter((address) => isAllowed(address, options))
    if (addresses.length === 0) refused = `${host} is at an address that mail is not sent to`
    else hosts.push({ host, preference, addresses })
  }
  if (hosts.length > 0) return { kind: 'hosts', hosts, names: byRank(named, ({ host }) => [host]), implicit }
  if (deferred !== null) return { kind: 'defer', detail: deferred }
  if (refused !== null) return { kind: 'private', detail: refused }
  const detail = `no address for ${named[0]?.host ?? 'the domain'}`
  // What we do not look for, for we cannot reach it, may be there.
  const whole = (options.families?.length ?? FAMILIES) === FAMILIES && named.length <= MAX_LOOKED_UP
  return whole ? { kind: 'no_hosts', detail, implicit } : { kind: 'defer', detail }
}

function isAllowed(address: string, { allowPrivate }: MxOptions): boolean {
  return allowPrivate === true || isPublicAddress(address)
}

interface Found {
  /** The families in turn, so that a dead one costs one try of two. */
  readonly addresses: readonly string[]
  readonly failed: string | null
}

const NOTHING_FOUND: Found = { addresses: [], failed: null }

async function addressesOf(host: string, { resolver, families = [4, 6], signal, chance }: MxOptions): Promise<Found> {
  const none: DnsAnswer<string> = { kind: 'nodata' }
  const [a, aaaa] = await Promise.all([
    families.includes(4) ? resolver.a(host, signal) : none,
    families.includes(6) ? resolver.aaaa(host, signal) : none,
  ])
  const lists = [a, aaaa].map((answer) => (answer.kind === 'found' ? shuffled(known(answer.records), chance) : []))
  const [four = [], six = []] = lists
  const addresses: string[] = []
  for (let index = 0; index < Math.max(four.length, six.length); index++) {
    for (const address of [four[index], six[index]]) if (address !== undefined) addresses.push(address)
  }
  const failure = [a, aaaa].find(({ kind }) => kind === 'servfail' || kind === 'timeout')
  return { addresses, failed: failure?.kind ?? null }
}

function known(addresses: readonly string[]): readonly string[] {
  return addresses.length > MAX_KNOWN_ADDRESSES ? addresses.toSorted().slice(0, MAX_KNOWN_ADDRESSES) : addresses
}

function shuffled<T>(items: readonly T[], chance: () => number): T[] {
  return items
    .map((item) => ({ item, lot: chance() }))
    .sort((a, b) => a.lot - b.lot)
    .map(({ item }) => item)
}
