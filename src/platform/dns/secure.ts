// DNS answers with their DNSSEC status, from validating resolvers that the operator trusts and reaches over a path that
// nobody else can write to (RFC 7672 section 2.1: best on the same machine). They validate and report it by the AD bit;
// an answer that fails validation is SERVFAIL. c-ares hides that bit, so the queries are sent here.
//
//   secure     the answer, or its absence, is signed down from the trust anchor
//   failed     SERVFAIL (bogus, or the name servers do not answer) or no answer within 3 tries of 2 s
//   cache      the shortest TTL in the answer, 5 s to 1 h; negative answers 30 s; failures 5 s; at most 10,000 answers and 32 MB
//
// UDP first, TCP when the answer was truncated.

import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'
import {
  AUTHENTIC_DATA,
  type DecodedPacket,
  decode,
  encode,
  RECURSION_DESIRED,
  streamDecode,
  streamEncode,
} from 'dns-packet'
import type { Clock } from '../clock.ts'
import { type DnsRecord, dnsCache } from './cache.ts'

export type SecureAnswer<T> =
  | {
      readonly kind: 'found'
      readonly records: readonly T[]
      readonly secure: boolean
      /** Where the chain of aliases ends; the name itself when there is none. */
      readonly name: string
    }
  | { readonly kind: 'none'; readonly secure: boolean }
  | { readonly kind: 'failed' }

export interface Tlsa {
  readonly usage: number
  readonly selector: number
  readonly matching: number
  readonly data: Buffer
}

/** Names are A-labels without a trailing dot. Never throws. */
export interface SecureResolver {
  /** The exchanges, in lower case. */
  mx(name: string): Promise<SecureAnswer<string>>
  /** IPv4 addresses if there are any, otherwise IPv6. */
  addresses(name: string): Promise<SecureAnswer<string>>
  tlsa(name: string): Promise<SecureAnswer<Tlsa>>
  /** The direct alias target of the name, whatever that resolves to. */
  cname(name: string): Promise<SecureAnswer<string>>
}

type Type = 'MX' | 'A' | 'AAAA' | 'TLSA' | 'CNAME'

const TRY_MS = 2_000
const TRIES = 3
const MAX_CACHED = 10_000
const MIN_TTL = 5
const MAX_TTL = 3_600
const NEGATIVE_TTL = 30
const FAILURE_TTL = 5
const UDP_BYTES = 1_232
const MAX_ALIASES = 8

/** @param servers `ip`, `ip:port` or `[ip6]:port` */
export function secureResolver(servers: readonly string[], clock: Clock): SecureResolver {
  const cache = dnsCache<Promise<SecureAnswer<DnsRecord>>>(MAX_CACHED)
  const ask = <T extends DnsRecord>(type: Type, name: string, read: (data: unknown) => T): Promise<SecureAnswer<T>> => {
    const key = `${type} ${name}`
    const known = cache.get(key)
    if (known !== undefined && clock.monotonicMs() < known.untilMs) return known.answer as Promise<SecureAnswer<T>>
    const looked = question(servers, type, name)
    const answer = looked.then((packet) => answerOf(packet, type, name, read))
    cache.set(key, { answer, untilMs: Number.POSITIVE_INFINITY }, [])
    void Promise.all([looked, answer]).then(([packet, found]) => {
      const untilMs = clock.monotonicMs() + secondsOf(packet) * 1_000
      cache.set(key, { answer, untilMs }, found.kind === 'found' ? found.records : [])
    })
    return answer
  }
  const text = (data: unknown): string => String(data)
  return {
    mx: (name) => ask('MX', name, (data) => lower((data as { exchange: string }).exchange)),
    addresses: async (name) => {
      const four = await ask('A', name, text)
      return four.kind === 'none' ? ask('AAAA', name, text) : four
    },
    tlsa: (name) =>
      ask('TLSA', name, (data) => {
        const { usage, selector, matchingType, certificate } = data as Record<string, number> & { certificate: Buffer }
        return {
          usage: usage ?? 0,
          selector: selector ?? 0,
          matching: matchingType ?? 0,
          data: Buffer.from(certificate),
        }
      }),
    cname: (name) => ask('CNAME', name, (data) => lower(text(data))),
  }
}

function lower(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

type Reply = DecodedPacket & { readonly rcode: string }

function secondsOf(packet: Reply | null): number {
  if (packet === null || (packet.rcode !== 'NOERROR' && packet.rcode !== 'NXDOMAIN')) return FAILURE_TTL
  const ttls = (packet.answers ?? []).map((record) => ('ttl' in record ? (record.ttl ?? 0) : 0))
  return ttls.length === 0 ? NEGATIVE_TTL : Math.min(MAX_TTL, Math.max(MIN_TTL, Math.min(...ttls)))
}

function answerOf<T>(packet: Reply | null, type: Type, asked: string, read: (data: unknown) => T): SecureAnswer<T> {
  if (packet === null || (packet.rcode !== 'NOERROR' && packet.rcode !== 'NXDOMAIN')) return { kind: 'failed' }
  const secure = packet.flag_ad
  const answers = packet.answers ?? []
  let name = asked.toLowerCase()
  for (let step = 0; step < MAX_ALIASES && type !== 'CNAME'; step++) {
    const alias = answers.find((record) => record.type === 'CNAME' && lower(record.name) === name)
    if (alias?.type !== 'CNAME') break
    name = lower(alias.data)
  }
  const records = answers.flatMap((record) =>
    record.type === type && lower(record.name) === name ? [read((record as { data: unknown }).data)] : [],
  )
  return records.length === 0 ? { kind: 'none', secure } : { kind: 'found', records, secure, name }
}

/** Returns null when no server answered. */
async function question(servers: readonly string[], type: Type, name: string): Promise<Reply | null> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const server = addressOf(servers[attempt % servers.length] ?? '')
    const id = randomInt(65_536)
    const packet = {
      type: 'query' as const,
      id,
      flags: RECURSION_DESIRED | AUTHENTIC_DATA,
      questions: [{ type: type as 'A', name }],
      additionals: [{ type: 'OPT' as const, name: '.', udpPayloadSize: UDP_BYTES, flags: 0, options: [] }],
    }
    const isAnswer = (answer: Reply): boolean =>
      answer.id === id &&
      answer.type === 'response' &&
      answer.questions?.[0]?.type === type &&
      lower(answer.questions[0].name) === name.toLowerCase()
    try {
      const answer = await overUdp(server, encode(packet as never), isAnswer)
      if (answer !== null && !answer.flag_tc) return answer
      const whole = answer === null ? null : await overTcp(server, streamEncode(packet as never))
      if (whole !== null && isAnswer(whole)) return whole
    } catch {
      // Next try, possibly with another server.
    }
  }
  return null
}

interface Server {
  readonly host: string
  readonly port: number
}

function addressOf(text: string): Server {
  const [, six, four, port = '53'] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? []
  return { host: six ?? four ?? text, port: Number(port) }
}

function overUdp({ host, port }: Server, bytes: Buffer, isAnswer: (packet: Reply) => boolean): Promise<Reply | null> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
    const end = (packet: Reply | null): void => {
      clearTimeout(timer)
      socket.removeAllListeners()
      socket.on('error', () => undefined)
      socket.close()
      resolve(packet)
    }
    const timer = setTimeout(() => end(null), TRY_MS)
    socket.on('error', () => end(null))
    socket.on('message', (message) => {
      const packet = decoded(() => decode(message) as Reply)
      if (packet !== null && isAnswer(packet)) end(packet)
    })
    // A connected socket, so that it receives from this server only.
    socket.connect(port, host, () => socket.send(bytes))
  })
}

function overTcp({ host, port }: Server, bytes: Buffer): Promise<Reply | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const chunks: Buffer[] = []
    const end = (packet: Reply | null): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(packet)
    }
    // For the whole answer, which may arrive byte by byte.
    const timer = setTimeout(() => end(null), TRY_MS)
    socket.on('error', () => end(null))
    socket.on('close', () => end(null))
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      const all = Buffer.concat(chunks)
      if (all.length < 2 || all.length < all.readUInt16BE(0) + 2) return
      end(decoded(() => streamDecode(all) as Reply))
    })
  })
}

function decoded(read: () => Reply | null): Reply | null {
  try {
    return read()
  } catch {
    return null
  }
}
