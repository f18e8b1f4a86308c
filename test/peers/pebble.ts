// Pebble, the ACME server that Let's Encrypt tests with, behind a proxy that can be shut: while shut, it answers every
// request with 503, like a CA that is down. The proxy records the orders. It also gives renewal information (RFC 9773), which this
// version of Pebble does not: nothing, or that every certificate is to be renewed now.

import { readFile, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { accepts, freePort, type Running, run, start, waitFor } from './fixture.ts'

export interface Pebble extends AsyncDisposable {
  /** URL of the directory, through the proxy. */
  readonly directory: string
  /** File with the proxy's certificate, for POSTHORN_ACME_CA_FILE. */
  readonly caFile: string
  /** PEM of the root of issued certificates. */
  root(): Promise<string>
  /** Restarts with other roots and without the earlier accounts. */
  forget(): Promise<void>
  /** PEM of the intermediate in every chain. */
  intermediate(): Promise<string>
  /** True: the CA is down. */
  shut: boolean
  /** Number of requests while the proxy was shut. */
  turnedAway: number
  /** Number of requests that the CA answered with an error, by error type. */
  readonly faults: Map<string, number>
  /** The names of every order. */
  readonly ordered: string[]
  /** The identifiers of the certificates that orders replaced. */
  readonly replaced: string[]
  /** Its renewal information suggests to renew every certificate now; false: it knows no certificate. */
  wantsRenewed: boolean
}

export interface PebbleOptions {
  readonly folder: string
  /** Port of the HTTP challenges. */
  readonly httpPort: number
  readonly lifeSeconds: number
  /** Percentage of good nonces that it rejects. */
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
  // A resolver that answers every name with a loopback address.
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
  const state = { shut: false, turnedAway: 0, wantsRenewed: false }
  const faults = new Map<string, number>()
  const ordered: string[] = []
  const replaced: string[] = []
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
      if (call.url?.includes('/order') === true) {
        const { names, replaces } = orderIn(body)
        ordered.push(...names)
        if (replaces !== null) replaced.push(replaces)
      }
      if (call.url?.startsWith(RENEWAL) === true) {
        const [start, end] = [2, 1].map((hours) => new Date(Date.now() - hours * 3_600_000).toISOString())
        answer.writeHead(state.wantsRenewed ? 200 : 404, { 'content-type': 'application/json', 'retry-after': '60' })
        answer.end(JSON.stringify(state.wantsRenewed ? { suggestedWindow: { start, end } } : {}))
        return
      }
      // Keeps the Host header: the CA builds its URLs from it, so that all requests go through this proxy.
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
            const said = Buffer.concat(heard)
            const text = call.url === '/dir' ? withRenewalInfo(said, call.headers.host) : said
            const type = /"type":\s*"([^"]+)"/.exec(text.toString())?.[1]
            if ((reply.statusCode ?? 0) >= 400 && type !== undefined) faults.set(type, (faults.get(type) ?? 0) + 1)
            const { 'content-length': _, ...headers } = reply.headers
            answer.writeHead(reply.statusCode ?? 502, headers).end(text)
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
    replaced,
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

const RENEWAL = '/renewal/'

function withRenewalInfo(directory: Buffer, host = ''): Buffer {
  const known = JSON.parse(directory.toString()) as object
  return Buffer.from(JSON.stringify({ ...known, renewalInfo: `https://${host}${RENEWAL.slice(0, -1)}` }))
}

/** What a request for an order names (RFC 8555 section 7.4); nothing when it only polls an order. */
function orderIn(body: Buffer): { names: string[]; replaces: string | null } {
  try {
    const { payload } = JSON.parse(body.toString()) as { payload: string }
    const { identifiers = [], replaces = null } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
      identifiers?: { value: string }[]
      replaces?: string | null
    }
    return { names: identifiers.map(({ value }) => value), replaces }
  } catch {
    return { names: [], replaces: null }
  }
}
