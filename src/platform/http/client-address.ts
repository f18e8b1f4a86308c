// The client's address behind reverse proxies: the last one in X-Forwarded-For that is no trusted proxy. Some proxies write a
// port behind it (`203.0.113.9:5555`, Azure's Application Gateway) or brackets around it. An entry that is no address, such as
// `unknown`, hides the client: then it is the proxy that wrote it. The limits of sign-in and of wrong keys count by address.
//
// A socket bound to `::` shows an IPv4 client as `::ffff:203.0.113.9`; people and lists know it as 203.0.113.9.

import { isIP } from 'node:net'
import proxyAddress from '@fastify/proxy-addr'

const IPV4_IN_IPV6 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/

export type AddressOf = (socketAddress: string, forwardedFor: string | undefined) => string

/** @param trustedProxies networks whose X-Forwarded-For counts */
export function clientAddress(trustedProxies: readonly string[]): AddressOf {
  if (trustedProxies.length === 0) return asIpv4
  const trusts = proxyAddress.compile([...trustedProxies])
  return (socketAddress, forwardedFor = '') => {
    let address = asIpv4(socketAddress)
    for (const entry of forwardedFor.split(',').toReversed()) {
      if (!trusts(address, 0)) break
      if (entry.trim() === '') continue
      const next = addressIn(entry.trim())
      if (next === null) break
      address = asIpv4(next)
    }
    return address
  }
}

function asIpv4(address: string): string {
  return address.replace(IPV4_IN_IPV6, '$1')
}

/** @returns the address without port, brackets and zone; null when it is none */
function addressIn(entry: string): string | null {
  const [, bracketed, dotted] = WITH_PORT.exec(entry) ?? []
  const [address = ''] = (bracketed ?? dotted ?? entry).split('%', 1)
  return isIP(address) === 0 ? null : address
}
