// The next hops of a domain's mail: its hosts, the TLS rule of each, and the addresses that one attempt tries. Also the keys by
// which domains with the same servers share one route with its connections and its pace:
//
//   by names      The host names, rank by rank. They identify a provider best: all its customers name the same hosts, and names
//                 stay while its DNS shuffles the addresses, or returns some of many for each query. A domain that names a
//                 host does not own it: only the owner publishes its addresses, so nobody can smuggle a server among them.
//   by addresses  All addresses, rank by rank, for hosts with a name for each customer (mail.customer.example,
//                 customer-example.mail.protection.outlook.com). All of them must match: else an outsider's server could stand
//                 beside a provider's, and slow down all mail to the provider with 421.
//
// The ends of the host names (mail/dns/providers.ts) are no key: twenty connections are few for all customers of Microsoft, and its
// servers differ between customers.
//
// TLS rules are part of both keys: a host that fails the rule of one domain must not count as down for a domain with a weaker
// rule. Where a certificate must match the host, the address key includes the host name too.

import { hash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { byRank, MAX_ADDRESSES, type MxPlan, triesOf } from '../../mail/dns/mx.ts'
import type { HostRule, SitePolicy } from '../transport/index.ts'

export interface Exchanger {
  readonly host: string
  readonly preference: number
  /** All known addresses. */
  readonly addresses: readonly string[]
  readonly rule: HostRule
  /** The part of the rule under which a connection is made: it may be reused only under the same terms. */
  readonly terms: string
}

export interface Target extends Omit<Exchanger, 'addresses'> {
  readonly ip: string
}

export interface NextHops {
  /** All hosts that may get the mail; at least one. */
  readonly exchangers: readonly Exchanger[]
  /** The targets of one attempt, in order. */
  readonly targets: readonly Target[]
  /** Targets with the preference and address family of the first. */
  readonly firsts: readonly Target[]
}

/** Digests, because a hostile domain can make the full keys long. */
export interface RouteKeys {
  readonly names: string
  readonly addresses: string
}

type HostsPlan = MxPlan & { readonly kind: 'hosts' }

const ANY_TLS: HostRule = { kind: 'any', fault: null }

/** In the plan's order, including closed hosts. @param policy null: no TLS policy */
export function exchangersOf({ hosts }: HostsPlan, policy: SitePolicy | null): readonly Exchanger[] {
  return hosts.map((one) => {
    const rule = policy?.rule(one.host) ?? ANY_TLS
    return { ...one, rule, terms: termsOf(rule, one.host) }
  })
}

export function nextHopsOf(exchangers: readonly Exchanger[]): NextHops {
  const open = exchangers.filter(({ rule }) => rule.kind !== 'closed')
  const targets = triesOf(open).map(({ host: { addresses, ...host }, ip }): Target => ({ ...host, ip }))
  const [best] = targets
  const firsts = targets.filter(
    ({ preference, ip }) => preference === best?.preference && isIPv6(ip) === isIPv6(best.ip),
  )
  return { exchangers: open, targets, firsts }
}

/** @param first may be none of these targets. The result has at most ten targets, with or without it */
export function beginningWith(first: Target | undefined, { targets }: NextHops): readonly Target[] {
  if (first === undefined || first === targets[0]) return targets
  const others = targets.filter(({ ip, terms }) => ip !== first.ip || terms !== first.terms)
  return [first, ...others.slice(0, MAX_ADDRESSES - 1)]
}

export function routeKeysOf({ names }: HostsPlan, exchangers: readonly Exchanger[]): RouteKeys {
  // Of many hosts only some are looked up, different ones each time: so the kinds of rules are enough beside the names.
  const kinds = new Set(exchangers.map(({ rule }) => (rule.kind === 'sts' && !rule.enforced ? 'tested' : rule.kind)))
  const addresses = byRank(exchangers, ({ addresses: all, terms }) => all.map((ip) => `${ip}${terms}`))
  return { names: digest(`${[...kinds].sort().join(' ')}: ${names}`), addresses: digest(addresses) }
}

/**
 * The target of an open connection for a mail with other next hops, or with the same at another time: the connection's host
 * must be one of theirs, at one of its addresses, under the same terms.
 *
 * @param isFresh whether the DNS answer behind the connection still holds: then the host name is enough, because some DNS
 *   servers return different addresses for each query
 */
export function sameHost({ host, ip, terms }: Target, { exchangers }: NextHops, isFresh: boolean): Target | null {
  const same = exchangers.find(
    (one) => one.terms === terms && (one.addresses.includes(ip) || (isFresh && one.host === host)),
  )
  if (same === undefined) return null
  const { addresses, ...mine } = same
  return { ...mine, ip }
}

/** The mail's own name for a host that other next hops called differently: reports use its own names. */
export function ownHostName({ host, ip }: Target, { exchangers }: NextHops): string | null {
  const same =
    exchangers.find((one) => one.host === host) ??
    exchangers.find(({ addresses }) => addresses.includes(ip)) ??
    exchangers[0]
  return same?.host ?? null
}

function termsOf(rule: HostRule, host: string): string {
  switch (rule.kind) {
    case 'sts':
      return `/sts${rule.enforced ? '' : '?'}/${host}`
    case 'dane': {
      const records = rule.records.map(
        ({ usage, selector, matching, data }) => `${usage}${selector}${matching}${data.toString('base64')}`,
      )
      return `/dane/${host}/${rule.names.join()}/${records.sort().join()}`
    }
    case 'encrypted':
    case 'closed':
      return `/${rule.kind}`
    case 'any':
      return ''
  }
}

function digest(text: string): string {
  return hash('sha256', text, 'base64')
}
