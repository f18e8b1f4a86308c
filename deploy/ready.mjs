// Whether the service in this container is ready: what the image's health check asks, where the settings say that HTTP listens.
// Exits with 0 or 1, and says what was answered.

import { processConfig } from '../src/config.ts'

/** Where everything is listened on, one's own machine is. */
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
