// The only way out for requests to addresses that somebody else chose. Someone who can name a URL must not reach our own
// machines with it, so the check looks at the address, not at the text:
//
// - The URL is parsed once, by the WHATWG rules. Only https (and http where private networks are allowed), no user name.
//   Of the ports below 1024 only those of the web are allowed; of those above, none on which databases and caches listen.
// - A literal address is checked at once. A name is resolved by our Resolver; if any of its addresses is not public, the
//   whole name is refused. The connection goes to a checked address, never to a name that is resolved again, and the
//   socket's peer address is compared before a byte is sent. Every request is checked anew.
// - This instance's own addresses are refused as well, although they are public.
// - No redirects, no proxies from the environment, no cookies, no decompression; at least TLS 1.2, with verification.
// - One deadline covers everything: DNS, connection, TLS, request, answer. The answer is cut after MAX_BODY_BYTES.
// - Connections are kept for a few seconds, separately for each `tenant`: no tenant gets an answer meant for another.
//
// Failures are values. A refused target is reported as refused, with nothing about what listens there.

import net from 'node:net'
import tls from 'node:tls'
import { LRUCache } from 'lru-cache'
import { Pool } from 'undici'
import { isPublicAddress } from '../addresses.ts'
import type { Resolver } from '../dns.ts'
import { aborted } from '../lifecycle.ts'
import { skipContinue } from './interim-answers.ts'
import { CLIENT_TLS } from './tls-client.ts'

export const MAX_BODY_BYTES = 65_536
export const MAX_URL_CHARS = 2_048
const MAX_HEADER_BYTES = 16_384
const MAX_ADDRESSES = 4
const MAX_POOLS = 1_000
/** As many as one account's webhooks have requests in progress: one that waited for a connection would be taken for late. */
const POOL_CONNECTIONS = 128
const KEEP_ALIVE_MS = 4_000
/** A pool keeps the objects of all connections it ever had at once, some 3 KB each, until it is closed. */
const KEEP_POOL_MS = 60_000
/** A connection that is never established must not hold up later requests. */
const CONNECT_WITHIN_MS = 10_000
const FIRST_FREE_PORT = 1_024
const WEB_PORTS = [443, 8443]
const SERVICE_PORTS = new Set([
  1025, 1080, 1433, 1521, 2049, 2375, 2376, 2379, 2380, 2525, 2587, 3128, 3306, 3389, 4369, 5432, 5433, 5672, 5900,
  5984, 6379, 6443, 8086, 8500, 9042, 9092, 9200, 9300, 10250, 11211, 15672, 26257, 27017,
])

export type Failure =
  | 'refused' // the target is not allowed
  | 'dns' // the name has no address
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'protocol' // the answer is not HTTP, or its head is too large

export type Outcome =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly headers: Readonly<Record<string, string | string[] | undefined>>
      /** The first MAX_BODY_BYTES at most. */
      readonly body: Buffer
      /** False: the body was cut at that limit, by the deadline, or because the connection broke. */
      readonly whole: boolean
    }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly detail: string }

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
  /** The deadline for everything together. */
  readonly timeoutMs: number
  /** Requests of different tenants never share a connection. */
  readonly tenant: string
}

export interface Connector {
  /** Never rejects. */
  request(asked: OutgoingRequest): Promise<Outcome>
  close(): Promise<void>
}

export interface ConnectorOptions {
  readonly resolver: Resolver
  /** Lets requests reach private addresses, any port, and plain http (tests). */
  readonly allowPrivate: boolean
  /** Our own places, refused like private addresses although their addresses are public. */
  readonly own?: OwnPlaces
  /** For TCP and TLS together; default 10,000. */
  readonly connectWithinMs?: number
  /** For how long an endpoint without requests keeps its pool; default 60,000. */
  readonly keepPoolMs?: number
}

export interface OwnPlaces {
  /** Names of this instance; the addresses they resolve to are refused under any name. */
  readonly hosts: readonly string[]
  readonly addresses: () => readonly string[]
}

/** The rule that a URL breaks. */
export type UrlFault = 'url' | 'scheme' | 'userinfo' | 'port' | 'private_address'

/** The fault of the URL itself, before its name is resolved; null when there is none. */
export function urlFault(text: string, allowPrivate: boolean): UrlFault | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what URL parsers drop in silence
  if (text.length > MAX_URL_CHARS || /[\u0000-\u0020\u007f\\]/.test(text) || !URL.canParse(text)) return 'url'
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'scheme'
  if (url.username !== '' || url.password !== '') return 'userinfo'
  if (allowPrivate) return null
  const port = portOf(url)
  if (!WEB_PORTS.includes(port) && (port < FIRST_FREE_PORT || SERVICE_PORTS.has(port))) return 'port'
  const host = hostOf(url)
  if (net.isIP(host) !== 0) return isPublicAddress(host) ? null : 'private_address'
  return LOCALHOST.test(host) || /\.(?:internal|local)$/.test(host) ? 'private_address' : null
}

const LOCALHOST = /(?:^|\.)localhost$/

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}

/** In lower case, without the brackets of an IPv6 literal and without a final dot. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

class Refused extends Error {}

export function connector({
  resolver,
  allowPrivate,
  own,
  connectWithinMs = CONNECT_WITHIN_MS,
  keepPoolMs = KEEP_POOL_MS,
}: ConnectorOptions): Connector {
  const pools = new LRUCache<string, Pool>({
    max: MAX_POOLS,
    ttl: keepPoolMs,
    ttlAutopurge: true,
    dispose: (pool, _name, reason) => {
      // Its requests in progress end first.
      if (reason === 'evict' || reason === 'expire') void pool.close().catch(() => undefined)
    },
  })

  /** Requests waiting for a connection fail with this one: each of them would only wait for another attempt. */
  const leave = (name: string, pool: Pool): void => {
    if (pools.get(name) === pool) pools.delete(name)
    const left = pool.stats.running > 0 ? pool.close() : pool.destroy(notReceived(new Error('no connection in time')))
    void left.catch(() => undefined)
  }

  const poolOf = (tenant: string, url: URL, address: string): Pool => {
    const name = `${tenant} ${url.origin} ${address}`
    const pool =
      pools.get(name) ??
      poolTo(url, address, { allowPrivate, connectWithinMs, onSilent: (silent) => leave(name, silent) })
    pools.set(name, pool)
    return pool
  }

  const judged = async (url: URL, signal: AbortSignal): Promise<readonly string[] | Outcome> => {
    const host = hostOf(url)
    const found = net.isIP(host) === 0 ? await addressesOf(resolver, host, signal) : [host]
    if (found.length === 0) return failed('dns', 'the host name has no address')
    if (!allowPrivate && !found.every(isPublicAddress)) return REFUSED
    if (!allowPrivate && own !== undefined && (await isOwn(host, found, own, signal))) return REFUSED
    return found.slice(0, MAX_ADDRESSES)
  }

  const isOwn = async (
    host: string,
    found: readonly string[],
    { hosts, addresses }: OwnPlaces,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const named = hosts.filter((name) => name !== 'localhost')
    if (named.includes(host)) return true
    const ours = await Promise.all(named.map((name) => addressesOf(resolver, name, signal)))
    const known = new Set([...addresses(), ...ours.flat()].map(spelled))
    return found.some((address) => known.has(spelled(address)))
  }

  const ask = async (asked: OutgoingRequest, signal: AbortSignal): Promise<Outcome> => {
    if (urlFault(asked.url, allowPrivate) !== null) return REFUSED
    const url = new URL(asked.url)
    const addresses = await judged(url, signal)
    if ('kind' in addresses) return addresses
    let last: Outcome = failed('connect', 'no connection')
    for (const address of addresses) {
      last = await exchange(poolOf(asked.tenant, url, address), url, asked, signal)
      // Only a connection that was never established is retried at another address: later, the request may have been received.
      if (last.kind === 'answered' || last.failure !== 'connect') return last
    }
    return last
  }

  return {
    request: async (asked) => {
      const stopping = new AbortController()
      const { signal } = stopping
      const timer = setTimeout(() => stopping.abort(), asked.timeoutMs)
      try {
        return await ask(asked, signal)
      } catch (error) {
        return failureOf(error, signal)
      } finally {
        clearTimeout(timer)
      }
    },
    close: async () => {
      await Promise.allSettled([...pools.values()].map((pool) => pool.destroy()))
      pools.clear()
    },
  }
}

const LATE: Failed = { kind: 'failed', failure: 'timeout', detail: 'no answer in time' }
const REFUSED: Outcome = { kind: 'failed', failure: 'refused', detail: 'the destination is not allowed' }

type Failed = Outcome & { kind: 'failed' }

function failed(failure: Failure, detail: string): Failed {
  return { kind: 'failed', failure, detail }
}

async function addressesOf(resolver: Resolver, host: string, signal: AbortSignal): Promise<readonly string[]> {
  // RFC 6761 section 6.3: the names below localhost are this machine, and the DNS is not asked for them.
  if (LOCALHOST.test(host)) return ['127.0.0.1', '::1']
  const answers = await Promise.all([resolver.a(host, signal), resolver.aaaa(host, signal)])
  return answers.flatMap((answer) => (answer.kind === 'found' ? answer.records : []))
}

async function exchange(pool: Pool, url: URL, asked: OutgoingRequest, signal: AbortSignal): Promise<Outcome> {
  try {
    const asking = pool.request({
      method: asked.method,
      path: `${url.pathname}${url.search}`,
      headers: asked.headers,
      body: asked.body,
      signal,
    })
    // The client checks the signal only once a request has a connection.
    const answer = await Promise.race([asking, aborted(signal)])
    if (answer === undefined) return LATE
    const read = await firstBytes(answer.body, signal)
    return { kind: 'answered', status: answer.statusCode, headers: answer.headers, ...read }
  } catch (error) {
    return failureOf(error, signal)
  }
}

/** What arrived of the body until it ended, reached the limit, broke or timed out: the status has already been read. */
async function firstBytes(
  stream: AsyncIterable<Buffer> & { destroy(error?: Error): unknown; on(name: 'error', listener: () => void): unknown },
  signal: AbortSignal,
): Promise<{ readonly body: Buffer; readonly whole: boolean }> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  let whole = true
  stream.on('error', () => undefined)
  try {
    for await (const chunk of stream) {
      chunks.push(chunk.subarray(0, MAX_BODY_BYTES - sizeBytes))
      sizeBytes += chunk.length
      whole = sizeBytes < MAX_BODY_BYTES && !signal.aborted
      if (!whole) break
    }
  } catch {
    whole = false
    stream.destroy()
  }
  return { body: Buffer.concat(chunks), whole }
}

/** Marks an error after which the peer cannot have received any of the request. */
function notReceived(error: Error): Error {
  return Object.assign(error, { beforeRequest: true })
}

interface PoolOptions {
  readonly allowPrivate: boolean
  readonly connectWithinMs: number
  /** Called when a connection was not established in time. */
  readonly onSilent: (pool: Pool) => void
}

function poolTo(url: URL, address: string, { allowPrivate, connectWithinMs, onSilent }: PoolOptions): Pool {
  const pool = new Pool(url.origin, {
    connections: POOL_CONNECTIONS,
    pipelining: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_options, done) => {
      const socket = socketTo(url, address)
      let over = false
      const end = (error: Error | null): void => {
        if (over) return
        over = true
        clearTimeout(timer)
        if (error === null) {
          done(null, socket)
          return
        }
        socket.destroy()
        done(notReceived(error), null)
      }
      const timer = setTimeout(() => {
        end(new Error('no connection in time'))
        onSilent(pool)
      }, connectWithinMs)
      socket.once('error', end)
      socket.once('close', () => end(new Error('closed')))
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () =>
        end(isPeer(socket, address, allowPrivate) ? null : new Refused('the peer is not who was judged')),
      )
      return socket
    },
  })
  return pool
}

function socketTo(url: URL, address: string): net.Socket {
  const port = portOf(url)
  const host = hostOf(url)
  // The socket gets an address, so nothing is resolved and only the checked address is connected to.
  const socket =
    url.protocol === 'https:'
      ? tls.connect({
          host: address,
          port,
          ...CLIENT_TLS,
          ALPNProtocols: ['http/1.1'],
          ...(net.isIP(host) === 0 && { servername: host }),
        })
      : net.connect({ host: address, port })
  socket.setNoDelay(true)
  skipContinue(socket)
  return socket
}

function isPeer(socket: net.Socket, address: string, allowPrivate: boolean): boolean {
  const peer = socket.remoteAddress
  if (peer === undefined) return false
  return allowPrivate || (isPublicAddress(peer) && spelled(peer) === spelled(address))
}

/** The address in the system's canonical spelling. */
function spelled(address: string): string {
  return new net.SocketAddress({ address, family: net.isIPv6(address) ? 'ipv6' : 'ipv4' }).address
}

/** By the code of the TLS library. What a server at a public address presents is public. */
const TLS_WORDS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'the server offers no TLS 1.2 or newer',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'the server offers no TLS 1.2 or newer',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the port does not speak TLS',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is of an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is of an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'no chain leads from the certificate to a trusted authority: an intermediate may be missing',
}

function failureOf(error: unknown, signal: AbortSignal): Failed {
  if (error instanceof Refused) return failed('refused', 'the destination is not allowed')
  if (signal.aborted) return LATE
  const { code = '', beforeRequest } = (error ?? {}) as { code?: string; beforeRequest?: boolean }
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/.test(code)) {
    return failed('tls', TLS_WORDS[code] ?? 'the TLS connection could not be made')
  }
  if (beforeRequest === true) return failed('connect', 'the connection could not be made')
  if (/^(?:HPE_|UND_ERR_HEADERS_OVERFLOW)/.test(code)) return failed('protocol', 'the answer is not valid HTTP')
  return failed('protocol', 'the connection ended without an answer')
}
