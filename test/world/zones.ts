// The DNS of a test. Declared zones answer, everything else is NXDOMAIN, and nothing leaves the machine.
//
//   const resolver = declaredZones({ 'example.net': { MX: ['10 mx.example.net'], A: ['192.0.2.1'] }, 'slow.test': 'timeout' })
//   await using dns = await startDnsServer(zones)      the same on a UDP and TCP socket: `dns.server` is 'ip:port'

import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type Answer, decode, encode, type Packet, TRUNCATED_RESPONSE } from 'dns-packet'
import type { DnsAnswer, MxRecord, Resolver } from '../../src/platform/dns.ts'

export interface ZoneRecords {
  /** `preference exchange`; `0 .` is the null MX. */
  readonly MX?: readonly string[]
  readonly A?: readonly string[]
  readonly AAAA?: readonly string[]
  /** A string over 255 bytes is split into several, as on the wire. */
  readonly TXT?: readonly string[]
  /** Followed for every other record type. */
  readonly CNAME?: readonly string[]
  readonly NS?: readonly string[]
  readonly PTR?: readonly string[]
  /** Seconds, default 300. */
  readonly ttl?: number
  /** How long the server takes to answer by UDP, in ms. */
  readonly delayMs?: number
}

type Broken = 'timeout' | 'servfail' | 'nxdomain'

/** By name, in lower case, without a trailing dot. A function is called for every look-up. */
export type Zones = Readonly<Record<string, ZoneRecords | Broken | (() => ZoneRecords | Broken)>>

type Kind = Exclude<keyof ZoneRecords, 'ttl' | 'delayMs'>

export interface DeclaredZones extends Resolver {
  /** How often `name` was queried for `type`; without arguments: all queries. */
  queries(name?: string, type?: Kind): number
  /** Adds or replaces names. */
  declare(zones: Zones): void
  /** Removes a name. */
  forget(name: string): void
}

const DEFAULT_TTL = 300
const MAX_CHAIN = 8
const KINDS: readonly Kind[] = ['MX', 'A', 'AAAA', 'TXT', 'CNAME', 'NS', 'PTR']

type Chain =
  | {
      readonly kind: 'found'
      readonly records: readonly string[]
      readonly ttl: number
      readonly via: readonly [string, string][]
      readonly end: string
    }
  | { readonly kind: 'nodata' | Broken; readonly via: readonly [string, string][] }

class Table {
  readonly #zones: Map<string, Zones[string]>
  readonly #asked = new Map<string, number>()

  constructor(zones: Zones) {
    this.#zones = new Map(Object.entries(zones))
  }

  declare(zones: Zones): void {
    for (const [name, zone] of Object.entries(zones)) this.#zones.set(name, zone)
  }

  forget(name: string): void {
    this.#zones.delete(name)
  }

  queries(name?: string, type?: Kind): number {
    let count = 0
    for (const [question, times] of this.#asked) {
      const [askedName, askedType] = question.split(' ')
      if ((name === undefined || name === askedName) && (type === undefined || type === askedType)) count += times
    }
    return count
  }

  delayMs(name = ''): number {
    const zone = this.#zones.get(name.toLowerCase())
    return typeof zone === 'object' ? (zone.delayMs ?? 0) : 0
  }

  look(asked: string, type: Kind): Chain {
    let name = asked.toLowerCase().replace(/\.$/, '')
    this.#asked.set(`${name} ${type}`, (this.#asked.get(`${name} ${type}`) ?? 0) + 1)
    const via: [string, string][] = []
    for (let step = 0; step < MAX_CHAIN; step++) {
      const declared = this.#zones.get(name)
      const zone = typeof declared === 'function' ? declared() : declared
      if (zone === undefined) return { kind: this.#hasBelow(name) ? 'nodata' : 'nxdomain', via }
      if (typeof zone === 'string') return { kind: zone, via }
      const records = zone[type] ?? []
      if (records.length > 0) return { kind: 'found', records, ttl: zone.ttl ?? DEFAULT_TTL, via, end: name }
      const target = zone.CNAME?.[0]?.toLowerCase().replace(/\.$/, '')
      if (target === undefined || type === 'CNAME') return { kind: 'nodata', via }
      via.push([name, target])
      name = target
    }
    return { kind: 'servfail', via }
  }

  /** Whether the name is an empty non-terminal, which exists (RFC 8020). */
  #hasBelow(name: string): boolean {
    for (const declared of this.#zones.keys()) if (declared.endsWith(`.${name}`)) return true
    return false
  }
}

export function declaredZones(zones: Zones): DeclaredZones {
  const table = new Table(zones)
  const ask = async (name: string, type: Kind): Promise<DnsAnswer<string>> => {
    const { kind, ...facts } = table.look(name, type)
    return kind === 'found' && 'records' in facts
      ? { kind, records: facts.records, ttl: facts.ttl }
      : { kind: kind as Broken }
  }
  return {
    mx: async (name) => {
      const answer = await ask(name, 'MX')
      return answer.kind === 'found' ? { ...answer, records: answer.records.map(mxOf) } : answer
    },
    a: (name) => ask(name, 'A'),
    aaaa: (name) => ask(name, 'AAAA'),
    txt: (name) => ask(name, 'TXT'),
    cname: (name) => ask(name, 'CNAME'),
    ns: (name) => ask(name, 'NS'),
    ptr: (address) => ask(address, 'PTR'),
    queries: (name, type) => table.queries(name, type),
    declare: (more) => table.declare(more),
    forget: (name) => table.forget(name),
  }
}

function mxOf(text: string): MxRecord {
  const [preference = '', exchange = ''] = text.trim().split(/\s+/)
  return { preference: Number(preference), exchange: exchange === '.' ? '' : exchange.replace(/\.$/, '') }
}

export interface DnsServer extends AsyncDisposable {
  /** `ip:port`, for POSTHORN_DNS_SERVERS. */
  readonly server: string
  readonly udpQueries: number
  readonly tcpQueries: number
  queries(name?: string, type?: Kind): number
  declare(zones: Zones): void
  forget(name: string): void
  close(): Promise<void>
}

const UDP_BYTES = 1_232

export interface DnsServerOptions {
  /** Longer answers are truncated. */
  readonly udpBytes?: number
  /** `drips`: an answer arrives byte by byte and never ends. */
  readonly tcp?: boolean | 'drips'
  readonly port?: number
}

/** PTR records are declared under the reverse name or the plain address. */
export async function startDnsServer(
  zones: Zones,
  { udpBytes = UDP_BYTES, tcp = true, port = 0 }: DnsServerOptions = {},
): Promise<DnsServer> {
  const table = new Table(zones)
  const counts = { udp: 0, tcp: 0 }
  const stopping = new AbortController()
  const server = createServer((socket) => (tcp === 'drips' ? drip(socket) : serveTcp(socket, table, counts)))
  const udp: UdpSocket = createSocket('udp4')
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const bound = (server.address() as { port: number }).port
  udp.on('message', (bytes, from) => {
    counts.udp++
    const reply = replyTo(bytes, table)
    if (reply === null) return
    const fits = encode(reply).length <= udpBytes
    const sent = encode(fits ? reply : { ...reply, answers: [], flags: (reply.flags ?? 0) | TRUNCATED_RESPONSE })
    const send = (): void => {
      if (!stopping.signal.aborted) udp.send(sent, from.port, from.address)
    }
    const delayMs = table.delayMs(reply.questions?.[0]?.name)
    if (delayMs === 0) send()
    else setTimeout(send, delayMs)
  })
  udp.bind(bound, '127.0.0.1')
  await once(udp, 'listening')
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    if (!tcp) socket.destroy()
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const close = async (): Promise<void> => {
    stopping.abort()
    for (const socket of sockets) socket.destroy()
    await Promise.all([
      new Promise((resolve) => server.close(resolve)),
      new Promise<void>((resolve) => udp.close(resolve)),
    ])
  }
  return {
    server: `127.0.0.1:${bound}`,
    get udpQueries() {
      return counts.udp
    },
    get tcpQueries() {
      return counts.tcp
    },
    queries: (name, type) => table.queries(name, type),
    declare: (more) => table.declare(more),
    forget: (name) => table.forget(name),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const DRIP_MS = 100

function drip(socket: Socket): void {
  socket.on('error', () => undefined)
  socket.resume()
  const timer = setInterval(() => socket.write(Buffer.of(0xff)), DRIP_MS)
  socket.on('close', () => clearInterval(timer))
}

function serveTcp(socket: Socket, table: Table, counts: { tcp: number }): void {
  let input: Buffer = Buffer.alloc(0)
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    input = Buffer.concat([input, chunk])
    while (input.length >= 2 && input.length >= 2 + input.readUInt16BE()) {
      const end = 2 + input.readUInt16BE()
      counts.tcp++
      const reply = replyTo(input.subarray(2, end), table)
      input = input.subarray(end)
      if (reply === null) continue
      const bytes = encode(reply)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(bytes.length)
      socket.write(Buffer.concat([length, bytes]))
    }
  })
}

const RCODES = { nodata: 0, servfail: 2, nxdomain: 3 } as const

/** null: no answer is sent. */
function replyTo(bytes: Buffer, table: Table): Packet | null {
  const query = decode(bytes)
  const question = query.questions?.[0]
  if (question === undefined) return null
  const type = KINDS.find((kind) => kind === question.type)
  const name = type === 'PTR' ? plainAddress(question.name) : question.name
  const found: Chain = type === undefined ? { kind: 'nodata', via: [] } : table.look(name, type)
  if (found.kind === 'timeout') return null
  const answers: Answer[] = found.via.map(([from, to]) => ({ type: 'CNAME', name: from, ttl: DEFAULT_TTL, data: to }))
  if (found.kind === 'found' && type !== undefined) {
    const owner = type === 'PTR' ? question.name : found.end
    for (const record of found.records) answers.push(answerOf(type, owner, found.ttl, record))
  }
  // 0x0400: authoritative; 0x0180: recursion desired and available.
  const flags = 0x0580 | (found.kind === 'found' ? 0 : RCODES[found.kind])
  return { type: 'response', id: query.id ?? 0, flags, questions: [question], answers }
}

function answerOf(type: Kind, name: string, ttl: number, record: string): Answer {
  if (type === 'MX') return { type, name, ttl, data: mxOf(record) }
  if (type !== 'TXT') return { type, name, ttl, data: record.replace(/\.$/, '') }
  const bytes = Buffer.from(record)
  const strings: Buffer[] = []
  for (let start = 0; start === 0 || start < bytes.length; start += 255)
    strings.push(bytes.subarray(start, start + 255))
  return { type, name, ttl, data: strings }
}

/** `1.2.0.192.in-addr.arpa` as `192.0.2.1`; an IPv6 name stays as it is. */
function plainAddress(name: string): string {
  const [, reversed] = /^([\d.]+)\.in-addr\.arpa$/i.exec(name) ?? []
  return reversed === undefined ? name : reversed.split('.').reverse().join('.')
}
