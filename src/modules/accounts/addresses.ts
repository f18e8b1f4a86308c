// The addresses a key may be used from.

import ipaddr from 'ipaddr.js'

/** An empty list allows every address. IPv4 inside IPv6 (`::ffff:a.b.c.d`) counts as IPv4, on both sides. */
export function isAllowed(ip: string, networks: readonly string[]): boolean {
  if (networks.length === 0) return true
  if (!ipaddr.isValid(ip)) return false
  const address = ipaddr.process(ip)
  return networks.some((text) => {
    const [network, bits] = networkOf(text)
    return network.kind() === address.kind() && address.match(network, bits)
  })
}

/** True when each network of the first list lies within a single network of the second. */
export function areWithin(inner: readonly string[], outer: readonly string[]): boolean {
  if (outer.length === 0) return true
  return inner.length > 0 && inner.every((text) => isWithin(networkOf(text), outer.map(networkOf)))
}

type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

function isWithin([address, bits]: Network, networks: readonly Network[]): boolean {
  return networks.some(
    ([outer, outerBits]) => outer.kind() === address.kind() && bits >= outerBits && address.match(outer, outerBits),
  )
}

function networkOf(text: string): Network {
  const [network, bits] = ipaddr.parseCIDR(text)
  const isMapped = network.kind() === 'ipv6' && (network as ipaddr.IPv6).isIPv4MappedAddress() && bits >= 96
  return isMapped ? [(network as ipaddr.IPv6).toIPv4Address(), bits - 96] : [network, bits]
}
