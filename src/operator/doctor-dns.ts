// The doctor's checks of the DNS that receivers look at: the host name, where bounces go, reverse DNS, SPF, blocklists.

import { isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type Config, mailSourceIps } from '../config.ts'
import { checkHost } from '../mail/authentication/spf.ts'
import { canonicalAddress, isPublicAddress } from '../platform/addresses.ts'
import type { DnsAnswer, Resolver } from '../platform/dns.ts'
import { type CheckResult, fail, ok, unknown, warn } from './finding.ts'

export interface DnsOptions {
  readonly config: Config
  readonly resolver: Resolver
}

const SPAMHAUS = 'zen.spamhaus.org'
const BLOCKLISTS = [SPAMHAUS, 'bl.spamcop.net', 'b.barracudacentral.org', 'psbl.surriel.com']
/** Those that list IPv6 addresses. */
const BLOCKLISTS_OF_IPV6 = [SPAMHAUS]

export const NO_DNS = 'DNS lookup failed: check POSTHORN_DNS_SERVERS and /etc/resolv.conf'

/** In canonical form, as the addresses of the settings are compared. */
export async function addressesOf(resolver: Resolver, name: string): Promise<readonly string[] | 'unknown'> {
  const answers = await Promise.all([resolver.a(name), resolver.aaaa(name)])
  const found = answers.flatMap((answer) => (answer.kind === 'found' ? answer.records.map(canonicalAddress) : []))
  return found.length === 0 && answers.some(isFailure) ? 'unknown' : found
}

function isFailure({ kind }: DnsAnswer<unknown>): boolean {
  return kind === 'servfail' || kind === 'timeout'
}

export async function hostName({ config, resolver }: DnsOptions): Promise<CheckResult> {
  const { hostname } = config
  if (isIP(hostname) !== 0)
    return fail(
      `${hostname} is an IP address`,
      'set POSTHORN_HOSTNAME to a host name: an IP address has no SPF record and cannot receive bounces',
    )
  if (!hostname.includes('.')) {
    const why = 'receivers reject EHLO without one, and bounces are sent to it'
    return fail(hostname, `set POSTHORN_HOSTNAME to the fully qualified name of this machine: ${why}`)
  }
  const [addresses, alias] = await Promise.all([addressesOf(resolver, hostname), resolver.cname(hostname)])
  if (addresses === 'unknown') return unknown(hostname, NO_DNS)
  if (addresses.length === 0)
    return fail(`${hostname} does not resolve to an address`, `publish an A record (and AAAA) for ${hostname}`)
  const text = `${hostname} resolves to ${addresses.join(', ')}`
  if (alias.kind !== 'found') return ok(text)
  return warn(
    `${text}, as an alias (CNAME) of ${alias.records[0]}`,
    `replace the CNAME of ${hostname} with an A record: beside a CNAME it can have no SPF or MX record of its own`,
  )
}

/** The addresses that receivers see: the configured ones, or else those of the host name. */
async function sendingAddresses({ config, resolver }: DnsOptions): Promise<readonly string[] | 'unknown'> {
  const named = mailSourceIps(config)
    .filter((address) => isPublicAddress(address))
    .map(canonicalAddress)
  if (named.length > 0) return named
  const found = await addressesOf(resolver, config.hostname)
  return found === 'unknown' ? found : found.filter((address) => isPublicAddress(address))
}

export async function reverseDns(options: DnsOptions): Promise<CheckResult> {
  const addresses = await sendingAddresses(options)
  if (addresses === 'unknown') return unknown('sending address not known', NO_DNS)
  if (addresses.length === 0) return unknown('no public sending address known', 'set POSTHORN_SOURCE_IPS')
  const results = await Promise.all(addresses.map((address) => reverseOf(address, options)))
  const wrong = (['fail', 'unknown', 'warn'] as const)
    .map((state) => results.filter((result) => result.state === state))
    .find((those) => those.length > 0)
  const [first] = wrong ?? []
  if (wrong === undefined || first === undefined)
    return ok(`${addresses.join(', ')} and ${options.config.hostname} resolve to each other`)
  const advice = [...new Set(wrong.map((result) => result.advice))].join('; ')
  return { state: first.state, found: wrong.map(({ found }) => found).join('; '), advice }
}

async function reverseOf(address: string, { config, resolver }: DnsOptions): Promise<CheckResult> {
  const { hostname } = config
  const toSet = `ask the provider of ${address} to set its PTR record to ${hostname}`
  const answer = await resolver.ptr(address)
  if (isFailure(answer)) return unknown(address, NO_DNS)
  const names = answer.kind === 'found' ? answer.records.map((name) => name.toLowerCase()) : []
  if (names.length === 0) return fail(`${address} has no PTR record`, toSet)
  const backs = await Promise.all(names.map(async (name) => ({ name, back: await addressesOf(resolver, name) })))
  const confirmed = backs.filter(({ back }) => back.includes(address)).map(({ name }) => name)
  if (confirmed.includes(hostname)) return ok(address)
  const [other] = confirmed
  if (other !== undefined) {
    const text = `the PTR record of ${address} is ${other}, not ${hostname}`
    if (isGeneric(other, address)) return fail(`${text}: a name that looks like that of a dial-up line`, toSet)
    return warn(text, `${toSet}: some receivers want the name of EHLO there`)
  }
  if (backs.some(({ back }) => back === 'unknown')) return unknown(`${address}, ${names.join(', ')}`, NO_DNS)
  const mismatches = backs.map(({ name, back }) => {
    const leads = back === 'unknown' || back.length === 0 ? 'does not resolve' : `resolves to ${back.join(', ')}`
    return `the PTR record of ${address} is ${name}, which ${leads}`
  })
  return fail(mismatches.join('; '), names.includes(hostname) ? `publish ${addressRecord(hostname, address)}` : toSet)
}

function addressRecord(hostname: string, address: string): string {
  return `${hostname} ${isIP(address) === 6 ? 'AAAA' : 'A'} ${address}`
}

/** Whether the name holds every part of an IPv4 address, as providers name the lines of their customers. */
function isGeneric(name: string, address: string): boolean {
  if (isIP(address) !== 4) return false
  const numbers = new Set((name.match(/\d+/g) ?? []).map(Number))
  return address.split('.').every((part) => numbers.has(Number(part)))
}

export async function returnPath({ config, resolver }: DnsOptions): Promise<CheckResult> {
  const { hostname, mxPort } = config
  const answer = await resolver.mx(hostname)
  if (isFailure(answer)) return unknown(hostname, NO_DNS)
  const records = answer.kind === 'found' ? answer.records : []
  const reaching = `its port 25 must reach port ${mxPort} of this machine`
  if (records.length === 0) return ok(`${hostname}: no MX record, so its address is used; ${reaching}`)
  const advice = `publish ${hostname} MX 10 ${hostname}, and no other MX record for it: bounces must be sent to this machine`
  const best = Math.min(...records.map(({ preference }) => preference))
  const first = records.filter(({ preference }) => preference === best).map(({ exchange }) => exchange.toLowerCase())
  if (first.includes('')) return fail(`${hostname} has a null MX record, which refuses all bounces`, advice)
  const foreign = first.filter((exchange) => exchange !== hostname)
  if (foreign.length === 0) return ok(`${hostname}: its MX record names itself; ${reaching}`)
  const own = await addressesOf(resolver, hostname)
  const leads = await Promise.all(foreign.map((exchange) => addressesOf(resolver, exchange)))
  if (own === 'unknown' || leads.includes('unknown')) return unknown(foreign.join(', '), NO_DNS)
  const astray = foreign.filter((_, i) => !own.some((address) => leads[i]?.includes(address)))
  if (astray.length > 0) return fail(`bounces go to ${astray.join(', ')}`, advice)
  return ok(`${hostname}: its MX record names ${foreign.join(', ')}, which has its address; ${reaching}`)
}

export async function spf(options: DnsOptions): Promise<CheckResult> {
  const { resolver, config } = options
  const { hostname } = config
  const addresses = await sendingAddresses(options)
  if (addresses === 'unknown' || addresses.length === 0) return unknown(hostname, 'see the reverse DNS check')
  const sender = `postmaster@${hostname}`
  const verdicts = await Promise.all(
    addresses.map(async (ip) => ({ ip, ...(await checkHost(ip, hostname, sender, resolver, { helo: hostname })) })),
  )
  const bad = verdicts.find(({ result }) => result !== 'pass')
  if (bad === undefined) return ok(`passes for ${addresses.join(', ')}`)
  const text = bad.error === null ? `${bad.result} for ${bad.ip}` : `${bad.result}: ${bad.error}`
  if (bad.result === 'temperror') return unknown(text, NO_DNS)
  const named = await addressesOf(resolver, hostname)
  const covers = named === 'unknown' || named.includes(bad.ip) || config.spfMechanism !== `a:${hostname}`
  const record = `"v=spf1 ${config.spfMechanism} -all"`
  const change =
    bad.result === 'none' ? `publish ${hostname} TXT ${record}` : `let ${record} be the only SPF record of ${hostname}`
  const also = covers ? '' : `, and publish ${addressRecord(hostname, bad.ip)}`
  const advice = `${change}${also}: the return paths of all mail are at this name`
  return bad.result === 'none' ? warn(text, advice) : fail(text, advice)
}

export async function blocklists(options: DnsOptions): Promise<CheckResult> {
  const { resolver } = options
  const addresses = await sendingAddresses(options)
  if (addresses === 'unknown' || addresses.length === 0)
    return unknown('no public sending address known', 'see the reverse DNS check')
  const asked = addresses.flatMap((address) =>
    (isIPv6(address) ? BLOCKLISTS_OF_IPV6 : BLOCKLISTS).map((list) => ({ address, list })),
  )
  const answers = await Promise.all(
    asked.map(async (one) => ({ ...one, answer: await resolver.a(`${reversed(one.address)}.${one.list}`) })),
  )
  const listed = answers.filter(({ answer }) => answer.kind === 'found' && answer.records.some(isListing))
  const silent = answers.filter(
    ({ answer }) => isFailure(answer) || (answer.kind === 'found' && !answer.records.some(isListing)),
  )
  if (listed.length > 0) {
    const where = listed.map(({ address, list }) => `${address} at ${list}`).join(', ')
    return fail(where, 'ask the blocklist for the reason, and have the address delisted before you send mail')
  }
  if (silent.length === answers.length) {
    return unknown(
      'no blocklist answered',
      'blocklists often refuse large public resolvers: set POSTHORN_DNS_SERVERS to a resolver of your own',
    )
  }
  const lists = new Set(asked.map(({ list }) => list))
  for (const { list } of silent) lists.delete(list)
  const [only] = lists
  return ok(
    lists.size === 1
      ? `not on ${only}, the only list that answered`
      : `not on any of the ${lists.size} lists that answered`,
  )
}

/** The name of an address in a list (RFC 5782 sections 2.1 and 2.4): its bytes, or the hex digits of IPv6, from the last one on. */
function reversed(address: string): string {
  const bytes = ipaddr.parse(address).toByteArray()
  const parts = isIPv6(address) ? [...Buffer.from(bytes).toString('hex')] : bytes
  return parts.toReversed().join('.')
}

/** 127.255.255.0/24 means that the query was refused (Spamhaus). */
function isListing(address: string): boolean {
  return address.startsWith('127.') && !address.startsWith('127.255.255.')
}
