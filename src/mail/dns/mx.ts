// Finds the next hops for the mail of a domain: RFC 5321 section 5.1, RFC 7505.
//
//   MX found          by preference, hosts of equal preference in random order; invalid host names (an IP address, a single
//                     label, not a name) are skipped
//   `MX 0 .`          the domain takes no mail; ignored beside other records
//   no MX             the domain itself is the host (A, AAAA)
//   NXDOMAIN          the domain does not exist. One look-up is no proof: the caller asks twice, 15 minutes apart.
//   no usable host    no MX is a host name, or no host has an address: the domain takes no mail. The caller asks twice as well.
//   SERVFAIL, timeout nothing is known: deferred. The same if no host has an address and one of the look-ups failed like this.
//
// A plan has at most 5 hosts, and 64 addresses per host and family. One attempt tries at most 10 addresses: 4 of each host, and
// more of a host if that does not add up to 10. Private addresses are dropped from the plan unless allowed; if none is left,
// the mail is refused. If a host is this service itself, neither it nor any host of the same or a lower preference is tried
// (RFC 5321 section 5.1), because they would send the mail back to us. Connections use the addresses in the plan; nothing is
// resolved a second time. The resolver follows CNAMEs: an answer for A, AAAA or MX comes from the end of the chain.

import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import { isPublicAddress } from '../../platform/addresses.ts'
import type { DnsAnswer, Resolver } from '../../platform/dns.ts'

export const MAX_HOSTS = 5
/** Most addresses per attempt. */
export const MAX_ADDRESSES = 10
/** Most names looked up to find `MAX_HOSTS` that resolve. */
const MAX_LOOKED_UP = 10
/** Share of each host, unless the shares of all hosts leave room. */
const MAX_ADDRESSES_PER_HOST = 4
/** Per host and family. Beyond this, the first in alphabetical order are kept, so that every look-up gives the same ones. */
const MAX_KNOWN_ADDRESSES = 64
/** IPv4 and IPv6. */
const FAMILIES = 2

export interface MxHost {
  /** A-labels in lower case, no trailing dot. */
  readonly host: string
  readonly preference: number
  /** All known addresses, at least one, in random order within each family. `triesOf` selects those to try. */
  readonly addresses: readonly string[]
}

export type MxPlan =
  /**
   * 1 to 5 hosts in the order to try them. `names` is a digest of the names of all hosts by rank, including those beyond 5 or
   * without an address. `implicit`: there is no MX, and the domain is its own host.
   */
  | { readonly kind: 'hosts'; readonly hosts: readonly MxHost[]; readonly names: string; readonly implicit: boolean }
  /** Permanent: 556 5.1.10. */
  | { readonly kind: 'null_mx' }
  /** 5.1.2, if a second look-up agrees. */
  | { readonly kind: 'nxdomain' }
  /** The domain exists but takes no mail, because no host has an address. 5.1.2, if a second look-up agrees. */
  | { readonly kind: 'no_hosts'; readonly detail: string; readonly implicit: boolean }
  /** No usable host is left besides this service itself or hosts at addresses that mail is not sent to: 5.4.6. */
  | { readonly kind: 'private'; readonly detail: string }
  /** 4.4.3. */
  | { readonly kind: 'defer'; readonly detail: string }

export interface MxOptions {
  readonly resolver: Resolver
  /** Random number in [0, 1), for the order among equals. */
  readonly chance: () => number
  /** POSTHORN_ALLOW_PRIVATE_NETWORKS. */
  readonly allowPrivate?: boolean
  /** Address families that our source address can reach. Default: both. */
  readonly families?: readonly (4 | 6)[]
  /** Whether a host at an address is this service itself. With a null address, only the name decides. */
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

/** The addresses that one attempt tries, in order. A host that is down does not use up the tries of the others. */
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
 * The words of all hosts, in alphabetical order among equal preferences, so that the text does not depend on random order.
 *
 * @param hosts in order of preference
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

/** Whether a name has at least two valid labels and is not an IP address in any notation. */
function isHostName(host: string): boolean {
  if (host.length > 253 || isIP(host) !== 0) return false
  const labels = host.split('.')
  return labels.length > 1 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')
}

function inOrder(hosts: readonly Named[], chance: () => number): Named[] {
  const seen = new Set<string>()
  return hosts
    .map((named) => ({ named, order: chance() }))
    .sort((a, b) => a.named.preference - b.named.preference || a.order - b.order)
    .map(({ named }) => named)
    .filter(({ host }) => !seen.has(host) && seen.add(host))
}

async function resolved(named: readonly Named[], implicit: boolean, options: MxOptions): Promise<MxPlan> {
  const hosts: MxHost[] = []
  let deferred: string | null = null
  let refused: string | null = null
  for (const { host, preference } of named.slice(0, MAX_LOOKED_UP)) {
    if (hosts.length === MAX_HOSTS) break
    // Our own name may not resolve here, or only in families we cannot reach.
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
  if (hosts.length > 0) return { kind: 'hosts', hosts, names: namesOf(named), implicit }
  if (deferred !== null) return { kind: 'defer', detail: deferred }
  if (refused !== null) return { kind: 'private', detail: refused }
  const detail = `no address for ${named[0]?.host ?? 'the domain'}`
  // There may be addresses of a family that was not looked up, or hosts beyond the limit.
  const whole = (options.families?.length ?? FAMILIES) === FAMILIES && named.length <= MAX_LOOKED_UP
  return whole ? { kind: 'no_hosts', detail, implicit } : { kind: 'defer', detail }
}

/** A digest, because plans are kept and a domain may name thousands of hosts. */
function namesOf(hosts: readonly Named[]): string {
  return hash(
    'sha256',
    byRank(hosts, ({ host }) => [host]),
    'base64',
  )
}

function isAllowed(address: string, { allowPrivate }: MxOptions): boolean {
  return allowPrivate === true || isPublicAddress(address)
}

interface Found {
  /** Alternating families, so that an unreachable family costs every other try. */
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
    .map((item) => ({ item, order: chance() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)
}
