// The real DNS: c-ares through node:dns (never `dns.lookup`, whose four threads also sign), with a cache of our own.
//
//   cache        positive answers for their TTL, 5 s to 1 h; MX, TXT, NS and PTR come without one: 60 s. NXDOMAIN and
//                NODATA 30 s. SERVFAIL and timeouts 5 s, so that a burst for one broken domain asks once. At most 20,000
//                answers and 32 MB; the oldest go first.
//   coalescing   identical queries under way share one query; a caller that gives up leaves it running for the others.
//   time         two tries of 5 s for each server, and 20 s for everything. c-ares gives a server that was quick so far one
//                second, not five, so the second try uses a fresh resolver without that memory; otherwise slow answers
//                would be lost.
//   limit        512 queries under way, at most 32 of them in one zone; the others wait, and their wait counts against
//                the 20 s. A thousand hanging names of one zone hold up nobody else. Beyond 10,000 waiting queries the
//                answer is an immediate timeout.
//   shares       whoever asks has fewer under way than are free: one alone half of all, two a third each. A thousand hanging
//                names that one account asks for leave room for others. A query shared by several is of the first.
//
// Nothing outlives the process; a crash loses nothing.

import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import type { Clock } from '../clock.ts'
import type { DnsAnswer, DnsFailure, MxRecord, Resolver } from '../dns.ts'
import { type DnsRecord, dnsCache } from './cache.ts'

const MIN_TTL = 5
const MAX_TTL = 3_600
const TTL_WHEN_UNTOLD = 60
const NEGATIVE_TTL = 30
const FAILURE_TTL = 5
const TRY_MS = 5_000
const TRIES = 2
const TOTAL_MS = 20_000
const MAX_CACHED = 20_000
const MAX_UNDER_WAY = 512
const MAX_PER_ZONE = 32
const MAX_WAITING = 10_000

export interface DnsResolverOptions {
  readonly clock: Clock
  /** `ip`, `ip:port` or `[ip6]:port`; absent or empty: the system's servers. */
  readonly servers?: readonly string[]
  readonly tryMs?: number
  readonly tries?: number
  readonly totalMs?: number
  readonly maxUnderWay?: number
}

type Type = 'MX' | 'A' | 'AAAA' | 'TXT' | 'CNAME' | 'NS' | 'PTR'

/** Who asks, and for a name of which zone. */
interface Place {
  readonly zone: string
  readonly whom: string
}

interface Waiting {
  readonly place: Place
  /** False: the waiting query has timed out. */
  readonly go: (mayGo: boolean) => void
  readonly untilMs: number
}

export interface DnsResolver extends Resolver {
  /** Queries again even when the answer is cached, and then caches the new answer. */
  fresh(): Resolver
}

export function dnsResolver(options: DnsResolverOptions): DnsResolver {
  const requester = new Asker(options)
  return { ...resolverOf(requester, false), fresh: () => resolverOf(requester, true) }
}

function resolverOf(requester: Asker, fresh: boolean, whom = ''): Resolver {
  const ask = <T extends DnsRecord>(
    type: Type,
    name: string,
    signal: AbortSignal | undefined,
    look: Look<T>,
  ): Promise<DnsAnswer<T>> => requester.ask(type, name.toLowerCase(), { signal, fresh, whom }, look)
  const timed = async (found: Promise<{ address: string; ttl: number }[]>): Promise<Looked<string>> => {
    const records = await found
    return { records: records.map(({ address }) => address), ttl: Math.min(...records.map(({ ttl }) => ttl)) }
  }
  const untimed = async <T extends DnsRecord>(found: Promise<T[]>): Promise<Looked<T>> => ({
    records: await found,
    ttl: TTL_WHEN_UNTOLD,
  })
  return {
    mx: (name, signal) => ask<MxRecord>('MX', name, signal, (from) => untimed(from.resolveMx(name).then(mxRecords))),
    a: (name, signal) => ask('A', name, signal, (from) => timed(from.resolve4(name, { ttl: true }))),
    aaaa: (name, signal) => ask('AAAA', name, signal, (from) => timed(from.resolve6(name, { ttl: true }))),
    txt: (name, signal) => ask('TXT', name, signal, (from) => untimed(from.resolveTxt(name).then(joined))),
    cname: (name, signal) => ask('CNAME', name, signal, (from) => untimed(from.resolveCname(name))),
    ns: (name, signal) => ask('NS', name, signal, (from) => untimed(from.resolveNs(name))),
    ptr: (address, signal) => {
      if (isIP(address) === 0) return Promise.resolve({ kind: 'nodata' })
      return ask('PTR', address, signal, (from) => untimed(from.reverse(address)))
    },
    askedFor: (another) => resolverOf(requester, fresh, another),
  }
}

/** node:dns gives one character for each byte; people publish UTF-8. */
function joined(records: string[][]): string[] {
  return records.map((strings) => Buffer.from(strings.join(''), 'latin1').toString('utf8'))
}

function mxRecords(records: { priority: number; exchange: string }[]): MxRecord[] {
  return records.map(({ priority, exchange }) => ({ preference: priority, exchange: exchange === '.' ? '' : exchange }))
}

interface Looked<T> {
  readonly records: readonly T[]
  readonly ttl: number
}

type Look<T> = (from: dns.Resolver) => Promise<Looked<T>>

class Asker {
  readonly #clock: Clock
  /** For the first try; remembers which servers are silent and asks them last. */
  readonly #resolver: dns.Resolver
  /** Makes a resolver for the remaining tries; null when there are none. */
  readonly #another: (() => dns.Resolver) | null
  readonly #totalMs: number
  readonly #maxUnderWay: number
  readonly #cache = dnsCache<DnsAnswer<DnsRecord>>(MAX_CACHED)
  readonly #underWay = new Map<string, Promise<DnsAnswer<DnsRecord>>>()
  readonly #perZone = new Map<string, number>()
  readonly #perWhom = new Map<string, number>()
  #running = 0
  #waiting: Waiting[] = []

  constructor({
    clock,
    servers = [],
    tryMs = TRY_MS,
    tries = TRIES,
    totalMs = TOTAL_MS,
    maxUnderWay = MAX_UNDER_WAY,
  }: DnsResolverOptions) {
    this.#clock = clock
    this.#totalMs = totalMs
    this.#maxUnderWay = maxUnderWay
    const resolver = (times: number): dns.Resolver => {
      const made = new dns.Resolver({ timeout: tryMs, tries: times, maxTimeout: tryMs })
      if (servers.length > 0) made.setServers(servers)
      return made
    }
    this.#resolver = resolver(1)
    this.#another = tries > 1 ? () => resolver(tries - 1) : null
  }

  async ask<T extends DnsRecord>(
    type: Type,
    name: string,
    { signal, fresh, whom }: { signal: AbortSignal | undefined; fresh: boolean; whom: string },
    look: Look<T>,
  ): Promise<DnsAnswer<T>> {
    signal?.throwIfAborted()
    const key = `${type} ${name}`
    const cached = this.#cache.get(key)
    if (!fresh && cached !== undefined && cached.untilMs > this.#clock.monotonicMs())
      return cached.answer as DnsAnswer<T>
    let answer = this.#underWay.get(key)
    if (answer === undefined) {
      answer = this.#look(key, { zone: zoneOf(name), whom }, look).finally(() => this.#underWay.delete(key))
      this.#underWay.set(key, answer)
    }
    return (signal === undefined ? answer : orAborted(answer, signal)) as Promise<DnsAnswer<T>>
  }

  async #look<T extends DnsRecord>(key: string, place: Place, look: Look<T>): Promise<DnsAnswer<T>> {
    let settle = (_answer: DnsAnswer<T>): void => undefined
    const timedOut = new Promise<DnsAnswer<T>>((resolve) => {
      settle = resolve
    })
    const timer = setTimeout(() => settle({ kind: 'timeout' }), this.#totalMs)
    const answer = await Promise.race([this.#inTurn(place, look), timedOut])
    clearTimeout(timer)
    this.#remember(key, answer)
    return answer
  }

  async #inTurn<T extends DnsRecord>(place: Place, look: Look<T>): Promise<DnsAnswer<T>> {
    if (!(await this.#enter(place))) return { kind: 'timeout' }
    try {
      const { records, ttl } = await this.#tried(look)
      if (records.length === 0) return { kind: 'nodata' }
      return { kind: 'found', records, ttl: Math.min(MAX_TTL, Math.max(MIN_TTL, ttl)) }
    } catch (error) {
      return { kind: failureOf(error) }
    } finally {
      this.#leave(place)
    }
  }

  async #tried<T extends DnsRecord>(look: Look<T>): Promise<Looked<T>> {
    try {
      return await look(this.#resolver)
    } catch (error) {
      if (this.#another === null || isNegative(failureOf(error))) throw error
      return look(this.#another())
    }
  }

  #mayRun({ zone, whom }: Place): boolean {
    const free = this.#maxUnderWay - this.#running
    return (this.#perWhom.get(whom) ?? 0) < free && (this.#perZone.get(zone) ?? 0) < MAX_PER_ZONE
  }

  #admit({ zone, whom }: Place): void {
    this.#running++
    this.#perZone.set(zone, (this.#perZone.get(zone) ?? 0) + 1)
    this.#perWhom.set(whom, (this.#perWhom.get(whom) ?? 0) + 1)
  }

  /** @returns false when there was no free slot in time */
  async #enter(place: Place): Promise<boolean> {
    if (this.#mayRun(place)) {
      this.#admit(place)
      return true
    }
    if (this.#waiting.length >= MAX_WAITING) return false
    const untilMs = this.#clock.monotonicMs() + this.#totalMs
    return new Promise((go) => {
      this.#waiting.push({ place, go, untilMs })
    })
  }

  #leave({ zone, whom }: Place): void {
    this.#running--
    lower(this.#perZone, zone)
    lower(this.#perWhom, whom)
    const nowMs = this.#clock.monotonicMs()
    while ((this.#waiting[0]?.untilMs ?? Number.POSITIVE_INFINITY) <= nowMs) this.#waiting.shift()?.go(false)
    for (;;) {
      const index = this.#waiting.findIndex((waiting) => this.#mayRun(waiting.place))
      const [next] = index === -1 ? [] : this.#waiting.splice(index, 1)
      if (next === undefined) return
      this.#admit(next.place)
      next.go(true)
    }
  }

  #remember(key: string, answer: DnsAnswer<DnsRecord>): void {
    const seconds = answer.kind === 'found' ? answer.ttl : isNegative(answer.kind) ? NEGATIVE_TTL : FAILURE_TTL
    const records = answer.kind === 'found' ? answer.records : []
    this.#cache.set(key, { answer, untilMs: this.#clock.monotonicMs() + seconds * 1_000 }, records)
  }
}

function lower(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 1) - 1
  if (left === 0) counts.delete(key)
  else counts.set(key, left)
}

/** The last two labels: close enough to who answers, without a list of public suffixes. */
function zoneOf(name: string): string {
  return name.split('.').slice(-2).join('.')
}

function isNegative(kind: DnsFailure): boolean {
  return kind === 'nxdomain' || kind === 'nodata'
}

const FAILURES: Readonly<Record<string, DnsFailure>> = {
  ENOTFOUND: 'nxdomain',
  ENODATA: 'nodata',
  ETIMEOUT: 'timeout',
  // No server of ours could be asked. The zone's own servers are not at fault.
  ECONNREFUSED: 'timeout',
  // A name that cannot be queried does not exist.
  EBADNAME: 'nxdomain',
}

function failureOf(error: unknown): DnsFailure {
  return FAILURES[(error as NodeJS.ErrnoException).code ?? ''] ?? 'servfail'
}

async function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([answer, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
