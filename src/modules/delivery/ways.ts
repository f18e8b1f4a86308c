// The way of a domain's mail: its hosts, what each asks of TLS, and what one attempt tries. And the keys under which domains
// with the same servers find one route, with its connections and its pace:
//
//   by names      The host names, rank by rank. They hold a provider together best: its customers name the same ones, and
//                 names stay while its DNS shuffles the addresses, or gives some of many at each question. Who names a host
//                 does not own it: its owner alone tells its addresses, so nobody can smuggle a server among them.
//   by addresses  All addresses, rank by rank, for hosts that each customer has a name of their own for (mail.customer.example,
//                 customer-example.mail.protection.outlook.com). They must be the same to the last one: else somebody's own
//                 server could stand beside a provider's, and slow down all mail to that with 421.
//
// Not by the end of the names (mail/providers.ts): twenty connections are few for all customers of Microsoft, whose servers are
// not the same ones for each of them.
//
// What is asked of TLS belongs to both: a host that fails what one domain asks must not count as down for another that asks
// less. To addresses belong the names of the hosts too, where a certificate has to be for them.

import { hash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { byRank, MAX_ADDRESSES, type MxPlan, triesOf } from '../../mail/mx.ts'
import type { HostRule, SitePolicy } from '../transport/index.ts'

export interface Exchanger {
  readonly host: string
  readonly preference: number
  /** All that are known. */
  readonly addresses: readonly string[]
  readonly rule: HostRule
  /** What of the rule a connection was made under: only under the same one may it be used again. */
  readonly terms: string
}

export interface Target extends Omit<Exchanger, 'addresses'> {
  readonly ip: string
}

export interface Way {
  /** Where mail may go, all of it; at least one. */
  readonly exchangers: readonly Exchanger[]
  /** What one attempt tries, in order. */
  readonly targets: readonly Target[]
  /** Those that are as good as the first, and of its family. */
  readonly firsts: readonly Target[]
}

/** Digests: of hostile domains they would be long. */
export interface RouteKeys {
  readonly names: string
  readonly addresses: string
}

type HostsPlan = MxPlan & { readonly kind: 'hosts' }

const ANY_TLS: HostRule = { kind: 'any', fault: null }

/** @param policy null: nothing is asked of TLS. In the plan's order, also what mail may not go to. */
export function exchangersOf({ hosts }: HostsPlan, policy: SitePolicy | null): readonly Exchanger[] {
  return hosts.map((one) => {
    const rule = policy?.rule(one.host) ?? ANY_TLS
    return { ...one, rule, terms: termsOf(rule, one.host) }
  })
}

export function wayOf(exchangers: readonly Exchanger[]): Way {
  const open = exchangers.filter(({ rule }) => rule.kind !== 'closed')
  const targets = triesOf(open).map(({ host: { addresses, ...host }, ip }): Target => ({ ...host, ip }))
  const [best] = targets
  const firsts = targets.filter(
    ({ preference, ip }) => preference === best?.preference && isIPv6(ip) === isIPv6(best.ip),
  )
  return { exchangers: open, targets, firsts }
}

/** @param first not necessarily one of the way's targets. Ten in all, as without it */
export function beginningWith(first: Target | undefined, { targets }: Way): readonly Target[] {
  if (first === undefined || first === targets[0]) return targets
  const others = targets.filter(({ ip, terms }) => ip !== first.ip || terms !== first.terms)
  return [first, ...others.slice(0, MAX_ADDRESSES - 1)]
}

export function keysOf({ names }: HostsPlan, exchangers: readonly Exchanger[]): RouteKeys {
  // Of many hosts some are looked up, others each time: beside their names it is enough what kinds of rules there are.
  const kinds = new Set(exchangers.map(({ rule }) => (rule.kind === 'sts' && !rule.enforced ? 'tested' : rule.kind)))
  const addresses = byRank(exchangers, ({ addresses: all, terms }) => all.map((ip) => `${ip}${terms}`))
  return { names: digest(`${[...kinds].sort().join(' ')}: ${names}`), addresses: digest(addresses) }
}

/**
 * The target of an open connection for a mail that goes another way, or the same one at another time: its host must be one of
 * that way, at one of its addresses, under the same terms.
 *
 * @param isFresh whether the DNS that the connection came from still holds: then the host's name is enough, since who gives
 *   some of many addresses at each question gives others now
 */
export function sameHost({ host, ip, terms }: Target, { exchangers }: Way, isFresh: boolean): Target | null {
  const same = exchangers.find(
    (one) => one.terms === terms && (one.addresses.includes(ip) || (isFresh && one.host === host)),
  )
  if (same === undefined) return null
  const { addresses, ...mine } = same
  return { ...mine, ip }
}

/** How a domain names the host of a target that was another's: a mail is told of by names of its own. */
export function ownName({ host, ip }: Target, { exchangers }: Way): string | null {
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
