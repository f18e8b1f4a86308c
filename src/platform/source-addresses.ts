// The addresses of this machine that connections may begin at.

import { createServer } from 'node:net'

/** Those that no connection can begin at: they are not this machine's, or not in this container. */
export async function foreignAddresses(addresses: readonly string[]): Promise<readonly string[]> {
  const owned = await Promise.all(addresses.map(isOurs))
  return addresses.filter((_, index) => owned[index] === false)
}

// By binding, as a connection does: the list of interfaces lacks what the system may use besides, as all of 127.0.0.0/8.
function isOurs(address: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.on('error', () => resolve(false))
  server.listen({ host: address, port: 0, exclusive: true }, () => server.close(() => resolve(true)))
  return promise
}
