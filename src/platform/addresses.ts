// Which IP addresses we may connect to on behalf of someone else. A customer's MX, webhook or tracking domain must not
// lead to our own machines or to a cloud's metadata service. The check looks at the address, never at the host name.
//
// ipaddr.js knows the IANA special-purpose registries. An IPv6 address that embeds an IPv4 address (mapped, 6to4, NAT64)
// is refused when the embedded address is not public. Teredo is always refused: no server lives there.

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Special, although the registries call them ordinary or the library is older than they are. */
const REFUSED_RANGES: readonly (readonly [string, number])[] = [
  ['168.63.129.16', 32], // Azure's platform address
  ['192.0.0.0', 24], // RFC 6890, and Oracle's metadata at 192.0.0.192
  ['192.88.99.0', 24], // former 6to4 relays
  ['100.64.0.0', 10], // RFC 6598, and Alibaba's metadata at 100.100.100.200
  ['240.0.0.0', 4],
  ['::', 8], // loopback, unspecified, the deprecated IPv4-compatible form
  ['64:ff9b:1::', 48], // RFC 8215: local NAT64
  ['100::', 64], // RFC 6666: discard
  ['100:0:0:1::', 64], // RFC 9780
  ['2001::', 23], // RFC 2928 protocol assignments: Teredo, ORCHID, benchmarks
  ['2001:db8::', 32],
  ['3fff::', 20], // RFC 9637: documentation
  ['5f00::', 16], // RFC 9602: segment routing
  ['fec0::', 10], // former site-local
]

const REFUSED = REFUSED_RANGES.map(([base, bits]) => [ipaddr.parse(base), bits] as const)
const IPV6_PUBLIC = [ipaddr.IPv6.parse('2000::'), 3] as const
const NAT64 = [ipaddr.IPv6.parse('64:ff9b::'), 96] as const
const SIX_TO_FOUR = [ipaddr.IPv6.parse('2002::'), 16] as const

/** An address in the spelling that others of it can be compared with; anything else is returned as it is. */
export function canonicalAddress(address: string): string {
  return isIP(address) === 0 ? address : ipaddr.parse(address).toString()
}

/**
 * @param address IPv4 in four decimal parts, or IPv6; anything else (`127.1`, `0x7f000001`, a zone id, a name) is not
 * public
 * @returns false for every loopback, private, link-local, shared, multicast, reserved, documentation and known
 * metadata address, in any of its spellings
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return isPublicIpv4(ipaddr.IPv4.parse(address))
  return ipaddr.IPv6.isValid(address) && isPublicIpv6(ipaddr.IPv6.parse(address))
}

function isRefused(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return REFUSED.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))
}

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !isRefused(address)
}

function isPublicIpv6(address: ipaddr.IPv6): boolean {
  if (address.isIPv4MappedAddress()) return isPublicIpv4(address.toIPv4Address())
  const bytes = address.toByteArray()
  if (address.match(...NAT64)) return isPublicIpv4(new ipaddr.IPv4(bytes.slice(12)))
  if (address.match(...SIX_TO_FOUR)) return isPublicIpv4(new ipaddr.IPv4(bytes.slice(2, 6)))
  return address.match(...IPV6_PUBLIC) && !isRefused(address)
}

/** Providers hand out IPv6 in networks of this size (a /64), so one client owns all of it. */
const HEXTETS_OF_A_NETWORK = 4

/** The key under which a client is counted: its IPv4 address, or its IPv6 /64. */
export function senderNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return address.kind() === 'ipv4'
    ? address.toString()
    : (address as ipaddr.IPv6).parts.slice(0, HEXTETS_OF_A_NETWORK).join(':')
}

/**
 * Normalises a CIDR, or a single address as its own network. Host bits may be set.
 *
 * @returns null for anything else: short and octal forms (`10/8`, `010.0.0.1`) mean different networks to different
 * readers, and a zone (`fe80::1%eth0`) has a meaning on one machine only
 */
export function parseNetwork(text: string): string | null {
  const [host = '', bits, more] = text.split('/')
  const kind = host.includes('%') ? 0 : isIP(host)
  if (kind === 0 || more !== undefined) return null
  const most = kind === 4 ? 32 : 128
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > most)) return null
  return `${ipaddr.parse(host).toString()}/${Number(bits ?? most)}`
}
