// Asks the mail server of an address whether it would accept a message: EHLO, MAIL FROM:<>, RCPT, QUIT, never DATA.
//
//   2xx, and a random address of the domain is rejected           deliverable
//   2xx, and so are both random addresses                         catch_all
//   2xx, and the random ones get no clear answer                  deliverable, with a note
//   5xx about the mailbox                                         rejected
//   4xx, 5xx about us (policy, reputation, too fast)              blocked; the host is left alone for a while, except after
//                                                                 a 5xx to RCPT, which is about one address
//   other 4xx                                                     greylisted
//   a full mailbox                                                blocked, with a note: it exists
//   a mailbox temporarily out of use (4.2.1)                      greylisted, with a note: it exists
//   no connection, no answer                                      timeout
//
// A domain has two random addresses a day, whoever asks and however often. When a server does not say (it greylists them), the
// same two are asked about again, after 5 minutes at the earliest.
//
// A 4xx never makes an address invalid. At most three IP addresses of the hosts are tried, the next one only when there is no
// connection, and each host in a turn of its own. The server's text is not passed on: it may contain anything, and anyone may ask
// about any address.

import { createSecureContext } from 'node:tls'
import type { MxHost } from '../../mail/dns/mx.ts'
import { bounceFromReply } from '../../mail/smtp/bounce.ts'
import { type ProbeAnswer, SmtpConnection, type Timeouts } from '../../mail/smtp/client.ts'
import type { Reply } from '../../mail/smtp/reply.ts'
import type { Clock } from '../../platform/clock.ts'
import { CLIENT_TLS } from '../../platform/network/tls-client.ts'
import type { ProbeLimits, ProbeResult, SharedProbeLimits } from './probe-limits.ts'
import type { SmtpResult } from './score.ts'

export interface ProbeOptions {
  readonly clock: Clock
  readonly manners: ProbeLimits
  readonly shared: SharedProbeLimits
  /** Name given in EHLO. */
  readonly hostname: string
  readonly port: number
  readonly sourceIps: readonly string[]
  /** Local parts that nobody has, the same all day for a domain. */
  readonly randomLocals: (domain: string) => readonly string[]
  /** Whether the domain accepts every address; null when that could not be found out today; `ask`: the caller has to find out. */
  readonly catchAllOf: (domain: string) => Promise<boolean | null | 'ask'>
  readonly learnt: (domain: string, isCatchAll: boolean) => Promise<void>
}

export interface Target {
  /** In normal form. */
  readonly address: string
  readonly domain: string
  readonly hosts: readonly MxHost[]
}

export interface Probed {
  readonly result: SmtpResult
  readonly latencyMs: number | null
  readonly note: string | null
  /** The host does not want to be asked at all, by us or this often. */
  readonly shun?: true
}

/**
 * @param signal ends the wait for a turn, and the probe
 * @param withinMs longest time for the probe of a host once it has its turn
 */
export type Prober = (target: Target, signal: AbortSignal, withinMs: number) => Promise<Probed>

/** Within the 10 s for one address, and short enough that a second host can be tried. */
const TIMEOUTS: Partial<Timeouts> = {
  connect: 4_000,
  tls: 5_000,
  banner: 9_000,
  ehlo: 9_000,
  mail: 9_000,
  rcpt: 9_000,
  quit: 500,
}
const MAX_TRIES = 3
/** A server that had less time than this before the caller's ran out was not silent. */
const SILENCE_MS = 9_000

export function proberOf(options: ProbeOptions): Prober {
  const { clock, manners, shared } = options
  const secureContext = createSecureContext(CLIENT_TLS)
  let turns = 0

  const open = async (host: MxHost, ip: string, signal: AbortSignal) => {
    const version = ip.includes(':') ? 6 : 4
    const own = options.sourceIps.filter((source) => (source.includes(':') ? 6 : 4) === version)
    return SmtpConnection.open({
      host: host.host,
      ip,
      port: options.port,
      sourceIp: own[turns++ % Math.max(1, own.length)] ?? null,
      ehloName: options.hostname,
      tls: 'opportunistic',
      secureContext,
      pipelining: false,
      timeouts: TIMEOUTS,
      clock,
      signal,
    })
  }

  const converse = async (connection: SmtpConnection, target: Target, signal: AbortSignal): Promise<Probed> => {
    const startedMs = clock.monotonicMs()
    const answer = found(await connection.probe(target.address))
    const latencyMs = Math.round(clock.monotonicMs() - startedMs)
    if (answer.result !== 'deliverable') return { ...answer, latencyMs: answer.result === 'timeout' ? null : latencyMs }
    const all = await takesAll(connection, target.domain, signal)
    if (all === null) return { result: 'deliverable', latencyMs, note: UNCLEAR }
    return { result: all ? 'catch_all' : 'deliverable', latencyMs, note: null }
  }

  // Simultaneous probes of one domain share the answer.
  const underWay = new Map<string, Promise<boolean | null>>()
  const takesAll = (connection: SmtpConnection, domain: string, signal: AbortSignal): Promise<boolean | null> => {
    const running = underWay.get(domain)
    // The other probe may have more time left than this one.
    if (running !== undefined) return Promise.race([running, ended(signal)])
    const asking = (async () => {
      const known = await options.catchAllOf(domain)
      return known === 'ask' ? askByChance(connection, domain) : known
    })().finally(() => underWay.delete(domain))
    underWay.set(domain, asking)
    return asking
  }

  /** @returns whether the server accepts addresses that cannot exist; null when it does not say */
  const askByChance = async (connection: SmtpConnection, domain: string): Promise<boolean | null> => {
    const answers: SmtpResult[] = []
    for (const local of options.randomLocals(domain)) {
      if (connection.usable) answers.push(found(await connection.probe(`${local}@${domain}`)).result)
    }
    const isCatchAll = answers.length > 1 && answers.every((answer) => answer === 'deliverable')
    if (!isCatchAll && !answers.includes('rejected')) return null
    await options.learnt(domain, isCatchAll)
    return isCatchAll
  }

  /**
   * @param closing collects connections that are closing, which still burden the server
   * @returns with `next` when another host may be tried
   */
  const ask = async (
    target: Target,
    { host, ips }: Place,
    signal: AbortSignal,
    closing: Promise<unknown>[],
  ): Promise<Asked> => {
    let last: Asked = NOT_REACHED
    for (const ip of ips) {
      if (signal.aborted) break
      const opened = await open(host, ip, signal)
      if (opened.kind === 'refused') {
        const answer = refused(opened.reply)
        if (answer.result === 'blocked') return answer
        last = { ...answer, next: true }
      }
      if (opened.kind !== 'open') continue
      const { connection } = opened
      try {
        return await converse(connection, target, signal)
      } finally {
        closing.push(connection.quit())
      }
    }
    return last
  }

  const askInTurn = async (target: Target, place: Place, signal: AbortSignal, withinMs: number): Promise<Asked> => {
    const { host } = place.host
    const turn = await manners.turn(host, signal)
    if (turn.kind === 'crowded') return { ...SKIPPED, note: CROWDED }
    if (turn.kind === 'shunned') return { ...SKIPPED, result: 'blocked' }
    if (turn.kind === 'late') return NOT_REACHED
    let came: ProbeResult = 'nothing'
    let giveBack: (() => Promise<void>) | null = null
    const closing: Promise<unknown>[] = []
    try {
      const permission = await shared.ask(host)
      if (permission === 'crowded') return { ...SKIPPED, note: CROWDED }
      if (permission === 'shunned') return { ...SKIPPED, result: 'blocked' }
      giveBack = await shared.enter(host, signal)
      if (giveBack === null || signal.aborted) return NO_ANSWER
      const startedMs = clock.monotonicMs()
      const asked = await ask(target, place, AbortSignal.any([signal, AbortSignal.timeout(withinMs)]), closing)
      if (asked.result === 'timeout') {
        const hadTime = !signal.aborted || clock.monotonicMs() - startedMs >= SILENCE_MS
        came = hadTime ? 'silence' : 'nothing'
      } else came = asked.shun === true ? 'refusal' : 'answer'
      if (came === 'refusal') await shared.shun(host)
      return asked
    } finally {
      // The answer does not wait for the connections to close. A slot that cannot be released expires by itself.
      const leave = async (): Promise<void> => {
        await Promise.allSettled(closing)
        turn.done(came)
        await giveBack?.()
      }
      void leave().catch(() => undefined)
    }
  }

  return async (target, signal, withinMs) => {
    let left = MAX_TRIES
    let last: Probed = NO_ANSWER
    for (const host of target.hosts) {
      const ips = host.addresses.slice(0, left)
      left -= ips.length
      if (ips.length === 0 || signal.aborted) break
      const { next, ...probed } = await askInTurn(target, { host, ips }, signal, withinMs)
      if (next !== true) return probed
      if (probed.result !== 'timeout') last = probed
    }
    return last
  }
}

/** Addresses of one host. */
interface Place {
  readonly host: MxHost
  readonly ips: readonly string[]
}

interface Asked extends Probed {
  /** There was no connection on which to ask. */
  readonly next?: true
}

/** Resolves to null once the signal is aborted. */
function ended(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null)
    else signal.addEventListener('abort', () => resolve(null), { once: true })
  })
}

const SKIPPED: Probed = { result: 'skipped', latencyMs: null, note: null }
const NO_ANSWER: Probed = { result: 'timeout', latencyMs: null, note: null }
const NOT_REACHED: Asked = { ...NO_ANSWER, next: true }
const CROWDED = 'The mail server is being asked about many addresses just now: ask again later'
export const UNCLEAR = 'Whether the domain accepts every address could not be found out'
const FULL = 'The mailbox exists and is full'
const INACTIVE = 'The mailbox exists and takes no mail just now'

/** What an answer to RCPT, or to MAIL before it, says about the address. */
function found(answer: ProbeAnswer): Probed {
  if (answer.kind === 'failed') return NO_ANSWER
  if (answer.kind === 'unsupported') return { result: 'rejected', latencyMs: null, note: null }
  const { reply, command } = answer
  if (command !== 'rcpt') return refused(reply)
  if (reply.code < 300) return { result: 'deliverable', latencyMs: null, note: null }
  const { category } = bounceFromReply(reply, 'rcpt')
  // A server that asks another one says `unknown` itself and quotes the other one's reason.
  if (category === 'mailbox_full' || FULL_QUOTED.test(reply.text))
    return { result: 'blocked', latencyMs: null, note: FULL }
  if (reply.code >= 500) {
    if (category === 'inactive_mailbox') return { result: 'rejected', latencyMs: null, note: null }
    // This is about this address; the next one may fare better, so the host is not shunned.
    return { result: AGAINST_US.has(category) ? 'blocked' : 'rejected', latencyMs: null, note: null }
  }
  if (category === 'inactive_mailbox' && reply.enhanced === '4.2.1') {
    return { result: 'greylisted', latencyMs: null, note: INACTIVE }
  }
  return refused(reply)
}

const AGAINST_US: ReadonlySet<string> = new Set([
  'policy',
  'reputation',
  'authentication',
  'rate_limited',
  'content_rejected',
  'protocol',
  'connection',
  'dns_failure',
  'message_too_large',
  'unknown',
])

/** The server says nothing about the address: it asks us to come back later, or not at all. */
function refused(reply: Reply): Probed {
  const { category } = bounceFromReply(reply, 'connect')
  const asksForTime = GREYLISTED.test(reply.text) || (category === 'policy' && LATER.test(reply.text))
  const later = reply.code < 500 && reply.code !== 421 && (asksForTime || !HOSTILE.has(category))
  if (later) return { result: 'greylisted', latencyMs: null, note: null }
  return { result: 'blocked', latencyMs: null, note: null, shun: true }
}

const FULL_QUOTED = /\b[45]\.2\.2\b|quota exceeded|over quota|mailbox (?:is )?full/i
const HOSTILE: ReadonlySet<string> = new Set(['policy', 'reputation', 'rate_limited', 'authentication'])
const GREYLISTED = /gr[ea]y[- ]?list/i
const LATER = /try (?:again|later)|come back|please retry|temporar/i
