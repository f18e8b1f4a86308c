// The addresses of this machine that connections can use as their source.

import { createServer } from 'node:net'

/** The addresses that no connection can use as its source: not this machine's, or not in this container. */
export async function foreignAddresses(addresses: readonly string[]): Promise<readonly string[]> {
  const owned = await Promise.all(addresses.map(isOurs))
  return addresses.filter((_, index) => owned[index] === false)
}

// Tests by binding, as a connection does: the list of interfaces lacks other usable addresses, such as all of 127.0.0.0/8.
function isOurs(address: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.on('error', () => resolve(false))
  server.listen({ host: address, port: 0, exclusive: true }, () => server.close(() => resolve(true)))
  return promise
}
