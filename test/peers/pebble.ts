// Pebble, the ACME server that Let's Encrypt tests with, and before it a door that can be shut: while it is shut every
// request gets 503, as from a CA that is down. The door counts what is ordered.

import { readFile, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { accepts, freePort, type Running, run, start, waitFor } from './ground.ts'

export interface Pebble extends AsyncDisposable {
  /** The directory, behind the door. */
  readonly directory: string
  /** The certificate of the door, as POSTHORN_ACME_CA_FILE takes it. */
  readonly caFile: string
  /** PEM of the root that issued certificates lead to. */
  root(): Promise<string>
  /** Begins anew: other roots, and nothing known of the accounts there were. */
  forget(): Promise<void>
  /** PEM of the intermediate that stands in every chain. */
  intermediate(): Promise<string>
  /** True: the CA is down. */
  shut: boolean
  /** How many requests came while the door was shut. */
  turnedAway: number
  /** How many requests the CA answered with a fault. */
  readonly faults: Map<string, number>
  /** The names that were ordered, each time. */
  readonly ordered: string[]
}

export interface PebbleOptions {
  readonly folder: string
  /** Where it asks for challenges. */
  readonly httpPort: number
  readonly lifeSeconds: number
  /** Of 100 good nonces, so many are called bad. */
  readonly badNonces: number
}

export async function startPebble(options: PebbleOptions): Promise<Pebble> {
  const { folder, httpPort, lifeSeconds, badNonces } = options
  const cert = path.join(folder, 'ca-server.pem')
  const key = path.join(folder, 'ca-server.key')
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert],
  ])
  const [port, management] = [await freePort(), await freePort()]
  const config = path.join(folder, 'pebble.json')
  await writeFile(
    config,
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${management}`,
        certificate: cert,
        privateKey: key,
        httpPort,
        tlsPort: await freePort(),
        certificateValidityPeriod: lifeSeconds,
      },
    }),
  )
  const env = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: String(badNonces), PEBBLE_AUTHZREUSE: '0' }
  // Its own resolver, to which every name is on loopback.
  const dns = await freePort()
  const names = start('pebble-challtestsrv', [
    ...['-dns01', `127.0.0.1:${dns}`, '-defaultIPv4', '127.0.0.1', '-defaultIPv6', ''],
    ...['-http01', '', '-https01', '', '-tlsalpn01', '', '-management', `127.0.0.1:${await freePort()}`],
  ])
  const begin = async (): Promise<Running> => {
    const made = start('pebble', ['-config', config, '-dnsserver', `127.0.0.1:${dns}`, '-strict'], env)
    await waitFor('pebble', async () => {
      if (made.child.exitCode !== null) throw new Error(made.said())
      if (names.child.exitCode !== null) throw new Error(names.said())
      return (await accepts(port)) && (await accepts(management)) && accepts(dns)
    })
    return made
  }
  let pebble = await begin()
  const ca = await readFile(cert)
  const state = { shut: false, turnedAway: 0 }
  const faults = new Map<string, number>()
  const ordered: string[] = []
  const door = createServer({ cert: ca, key: await readFile(key) }, (call, answer) => {
    const chunks: Buffer[] = []
    call.on('data', (chunk: Buffer) => void chunks.push(chunk))
    call.on('end', () => {
      if (state.shut) {
        state.turnedAway++
        answer.writeHead(503, { 'retry-after': '1' }).end('down for maintenance')
        return
      }
      const body = Buffer.concat(chunks)
      if (call.url?.includes('/order') === true) ordered.push(...namesIn(body))
      // The Host header stays: the CA makes its own addresses from it, so that all requests come by this door.
      const further = request(
        {
          host: '127.0.0.1',
          servername: 'localhost',
          port,
          ca,
          path: call.url,
          method: call.method,
          headers: call.headers,
        },
        (reply) => {
          const heard: Buffer[] = []
          reply.on('data', (chunk: Buffer) => void heard.push(chunk))
          reply.on('end', () => {
            const text = Buffer.concat(heard)
            const type = /"type":\s*"([^"]+)"/.exec(text.toString())?.[1]
            if ((reply.statusCode ?? 0) >= 400 && type !== undefined) faults.set(type, (faults.get(type) ?? 0) + 1)
            answer.writeHead(reply.statusCode ?? 502, reply.headers).end(text)
          })
        },
      )
      further.on('error', () => answer.destroy())
      further.end(body)
    })
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  const { port: doorPort } = door.address() as AddressInfo
  const managed = (what: string): Promise<string> =>
    run('curl', ['-sS', '--cacert', cert, `https://localhost:${management}/${what}/0`])
  return Object.assign(state, {
    directory: `https://localhost:${doorPort}/dir`,
    caFile: cert,
    root: () => managed('roots'),
    intermediate: () => managed('intermediates'),
    faults,
    ordered,
    forget: async () => {
      await pebble[Symbol.asyncDispose]()
      pebble = await begin()
    },
    [Symbol.asyncDispose]: async () => {
      door.closeAllConnections()
      door.close()
      await pebble[Symbol.asyncDispose]()
      await names[Symbol.asyncDispose]()
    },
  })
}

/** Of a request for an order (RFC 8555 section 7.4); none when it only asks how one stands. */
function namesIn(body: Buffer): string[] {
  try {
    const { payload } = JSON.parse(body.toString()) as { payload: string }
    const { identifiers = [] } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
      identifiers?: { value: string }[]
    }
    return identifiers.map(({ value }) => value)
  } catch {
    return []
  }
}
