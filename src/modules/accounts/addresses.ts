// The addresses from which a key may be used.

import ipaddr from 'ipaddr.js'

/** An empty list allows every address. IPv4 inside IPv6 (`::ffff:a.b.c.d`) counts as IPv4, on both sides. */
export function isAllowed(ip: string, networks: readonly string[]): boolean {
  if (networks.length === 0) return true
  if (!ipaddr.isValid(ip)) return false
  const address = ipaddr.process(ip)
  return networks.some((text) => {
    const [network, bits] = ipaddr.parseCIDR(text)
    if (network.kind() === address.kind()) return address.match(network, bits)
    const inner = network.kind() === 'ipv6' && (network as ipaddr.IPv6).isIPv4MappedAddress() && bits >= 96
    return inner && address.kind() === 'ipv4' && address.match((network as ipaddr.IPv6).toIPv4Address(), bits - 96)
  })
}
