// The image's health check: whether the service in this container is ready, asked at the HTTP address in its settings. Exits
// with 0 or 1 and prints the answer.

import { processConfig } from '../src/config.ts'

/** For a wildcard listen address, the loopback address to ask. */
const OWN = { '0.0.0.0': '127.0.0.1', '::': '::1' }

const { httpHost, httpPort } = processConfig()
const host = OWN[httpHost] ?? httpHost
try {
  const reply = await fetch(`http://${host.includes(':') ? `[${host}]` : host}:${httpPort}/readyz`)
  process.stdout.write(`${await reply.text()}\n`)
  process.exitCode = reply.ok ? 0 : 1
} catch (error) {
  process.stdout.write(`${host} port ${httpPort}: ${error.cause?.message ?? error.message}\n`)
  process.exitCode = 1
}
