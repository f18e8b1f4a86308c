// A destination on the network: the hosts that take the mail of one or more domains, and our connections to them.
//
// Connections stay open between messages. Each lane has one and sends one message after another over it until nothing waits,
// then keeps it for ten seconds. An attempt tries the hosts of the mail's own next hops in order, starting with the host that the
// lane is connected to, if it is one of them. A 5xx after the banner ends the attempt. After a 4xx, a reply about rates or a
// limit in EHLO it tries the next host; after a failure to connect, the next address. A mail greeted with 421 waits for another
// lane if other lanes are connected there.
//
// A mail that does not require TLS is sent with TLS where possible. Where TLS was offered and failed, in this attempt or
// recently (tls-faults.ts), the mail is sent in clear when no address is left that may give TLS. (Postfix also tries the next
// host, and sends in clear in a later attempt; KumoMTA sends in clear at once.) If a host times out in the TLS handshake, the
// attempt tries none of its other addresses with TLS: each would cost another minute.

import { isIPv6 } from 'node:net'
import type { SecureContext } from 'node:tls'
import { type OpenOptions, type OpenResult, SmtpConnection, type Timeouts } from '../../mail/smtp-client.ts'
import type { Clock } from '../../platform/clock.ts'
import { ruleCheckOf, type SessionFault } from '../transport/index.ts'
import {
  type AddressToTry,
  type AttemptState,
  addLines,
  type HostResult,
  isAnswer,
  isFinal,
  isForTls,
  reportOf,
  sessionOf,
  type TimedDialogue,
  tlsFaultOf,
  unreachable,
} from './attempt.ts'
import { beginningWith, type NextHops, ownHostName, sameHost, type Target } from './next-hops.ts'
import { Pace } from './pace.ts'
import { INTERNAL_ERROR, localReport } from './results.ts'
import { isThrottling, openVerdict, outcomeVerdict, plainVerdict, SENDERS_RULE } from './smtp-verdict.ts'
import type { Sockets } from './sockets.ts'
import type { TlsFaults } from './tls-faults.ts'
import type { AttemptReport, DeliveryJob, Outgoing, Verdict } from './types.ts'
import { waitingMail } from './waiting-mail.ts'
import type { SourceChoice } from './warm-up.ts'

/** Null: nothing was tried, or the attempt was broken off before anything had an effect. */
export type RouteResult = AttemptReport | null

export interface RouteOptions {
  readonly port: number
  readonly ehloName: string
  readonly tls: OpenOptions['tls']
  readonly auth: OpenOptions['auth']
  /** Reads a verdict according to the kind of host: a relay's replies about us defer mail. */
  readonly weigh: (verdict: Verdict) => Verdict
  /** Our source addresses; empty: the system's choice. */
  readonly sourceIps: readonly string[]
  /** Which of them a mail may have: new ones carry little at first. */
  readonly sources: SourceChoice
  readonly timeouts: Partial<Timeouts>
  readonly clock: Clock
  readonly sockets: Sockets
  readonly secureContext: SecureContext
  readonly tlsFaults: TlsFaults
  /** Breaks all connections. */
  readonly signal: AbortSignal
  /** Called for each connection that got as far as TLS. `fault` is null when the session is as it must be. */
  readonly onSession: (site: string, target: Target, sourceIp: string | null, fault: SessionFault | null) => void
  /** A bug in our code during an attempt; the attempt is deferred. */
  readonly onError: (error: unknown) => void
}

const MAX_MESSAGES_PER_CONNECTION = 200
const IDLE_MS = 10_000
const MAX_CROWDS = 10
/** How long the host name alone identifies a connection's host: as long as a plan is kept. */
const FRESH_MS = 60_000
const MAX_PLAIN = 1_000
const SILENT = 'another address of the host was silent'

interface Waiting {
  readonly job: DeliveryJob
  readonly hops: NextHops
  readonly resolve: (sent: RouteResult) => void
  /** The composed message of a mail sent back to wait, and how often it was sent back. */
  readonly outgoing?: Outgoing
  readonly crowds?: number
}

interface Link {
  readonly connection: SmtpConnection
  readonly target: Target
  readonly sourceIp: string | null
  readonly openedMs: number
  /** The only domain whose mail may use the connection; null: any. */
  readonly onlyFor: string | null
  /** Which half of the sockets it was taken from. */
  readonly proven: boolean
}

interface Lane {
  readonly index: number
  link: Link | null
  /** The host to which the lane is connecting. */
  opening: string | null
  messages: number
  close: () => void
  timer: NodeJS.Timeout | null
}

export class Route {
  readonly pace = new Pace()
  readonly #options: RouteOptions
  readonly #waiting = waitingMail<Waiting>(({ job }) => job.bulk)
  readonly #busy = new Set<Lane>()
  readonly #idle: Lane[] = []
  readonly #plain = new Set<string>()
  #lanes = 0
  #timer: NodeJS.Timeout | null = null
  #last: HostResult | null = null

  constructor(options: RouteOptions) {
    this.#options = options
  }

  get quiet(): boolean {
    return this.#busy.size === 0 && this.#waiting.length === 0 && this.#idle.length === 0
  }

  send(job: DeliveryJob, hops: NextHops): Promise<RouteResult> {
    return new Promise((resolve) => {
      this.#waiting.add({ job, hops, resolve })
      this.#pump()
    })
  }

  /** Gives back waiting mail; mail under way continues. Closes idle connections. */
  release(): void {
    for (const { resolve } of this.#waiting.clear()) resolve(null)
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    for (const lane of this.#idle.slice()) lane.close()
  }

  #pump(): void {
    const nowMs = this.#options.clock.monotonicMs()
    if (this.pace.isDown(nowMs)) {
      // What the busy lanes learn decides about the waiting mail; the last one calls this again.
      if (this.#busy.size === 0) this.#deferAll()
      return
    }
    const pauseMs = this.pace.pauseMs(nowMs)
    if (pauseMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = null
        this.#pump()
      }, pauseMs)
      return
    }
    while (this.#waiting.length > 0 && this.#busy.size < this.pace.limit) {
      const lane = this.#idle.pop() ?? this.#newLane()
      this.#wakeLane(lane)
      this.#busy.add(lane)
      // It never rejects: an error in an attempt becomes the attempt's report.
      void this.#run(lane)
    }
  }

  #newLane(): Lane {
    return { index: this.#lanes++, link: null, opening: null, messages: 0, close: () => undefined, timer: null }
  }

  #wakeLane(lane: Lane): void {
    if (lane.timer !== null) clearTimeout(lane.timer)
    lane.timer = null
    this.#options.sockets.unpark(lane.close)
  }

  async #run(lane: Lane): Promise<void> {
    for (;;) {
      const next = this.#mayGoOn() ? this.#waiting.next() : undefined
      if (next === undefined) break
      const sent = await this.#attempt(lane, next)
      // The mail waits for a connected lane, which may be idle by now.
      if (sent === 'crowded') break
      next.resolve(sent)
    }
    this.#busy.delete(lane)
    this.#rest(lane)
    if (this.#waiting.length > 0) this.#pump()
  }

  #mayGoOn(): boolean {
    const nowMs = this.#options.clock.monotonicMs()
    return this.#busy.size <= this.pace.limit && this.pace.pauseMs(nowMs) === 0 && !this.pace.isDown(nowMs)
  }

  #rest(lane: Lane): void {
    if (lane.link?.connection.usable !== true || this.#options.signal.aborted) return this.#hangUp(lane)
    lane.timer = setTimeout(() => lane.close(), IDLE_MS)
    this.#idle.push(lane)
    this.#offer(lane, lane.link)
  }

  #offer(lane: Lane, { proven }: Link): void {
    lane.close = () => {
      this.#wakeLane(lane)
      const at = this.#idle.indexOf(lane)
      if (at !== -1) this.#idle.splice(at, 1)
      this.#hangUp(lane)
    }
    this.#options.sockets.park(lane.close, proven)
  }

  async #idleWhile(lane: Lane, wait: Promise<void>): Promise<void> {
    if (lane.link !== null) this.#offer(lane, lane.link)
    await wait
    this.#options.sockets.unpark(lane.close)
  }

  #hangUp(lane: Lane): void {
    const { link } = lane
    lane.link = null
    lane.messages = 0
    if (link === null) return
    void link.connection.quit().then(() => this.#options.sockets.release(link.proven))
  }

  /** The destination is down: all waiting mail gets the last result. */
  #deferAll(): void {
    const { clock } = this.#options
    for (const { hops, resolve } of this.#waiting.clear()) {
      const verdict = this.#last?.verdict ?? unreachable('the destination does not answer')
      resolve({
        ...localReport(verdict, clock.now(), 0),
        host: this.#last === null ? null : ownHostName(this.#last.target, hops),
        throttledBy: 'destination_down',
      })
    }
  }

  /** How many lanes are connected or connecting to one of these hosts. */
  #connectedTo(tried: readonly HostResult[]): number {
    const hosts = new Set(tried.map(({ target }) => target.host))
    return [...this.#busy, ...this.#idle].filter(
      ({ link, opening }) =>
        (opening !== null && hosts.has(opening)) || (link?.connection.usable === true && hosts.has(link.target.host)),
    ).length
  }

  /** @returns `crowded`: the mail waits again */
  async #attempt(lane: Lane, waiting: Waiting): Promise<RouteResult | 'crowded'> {
    const { job, hops } = waiting
    const { clock } = this.#options
    const story: TimedDialogue = { startedAt: clock.now(), startedMs: clock.monotonicMs(), lines: [] }
    const tried: HostResult[] = []
    try {
      const outgoing = waiting.outgoing ?? (await job.prepare((wait) => this.#idleWhile(lane, wait)))
      if (outgoing === null) return null
      const steps = this.#order(lane, hops).map((target): AddressToTry => ({ target, plain: null, isReported: false }))
      const course: AttemptState = { job, steps, silent: new Set(), done: new Set(), tried, story }
      const ended = await this.#hosts(lane, course, outgoing)
      if (!ended) return null
      const crowds = waiting.crowds ?? 0
      const open = tried.length > 0 && tried.every(({ crowded }) => crowded) ? this.#connectedTo(tried) : 0
      if (open > 0 && crowds < MAX_CROWDS) {
        this.pace.crowded(open)
        this.#waiting.putBack({ ...waiting, outgoing, crowds: crowds + 1 })
        return 'crowded'
      }
      if (tried.some(({ crowded }) => crowded)) this.pace.throttled(clock.monotonicMs())
      this.#learn(tried, job)
    } catch (error) {
      this.#hangUp(lane)
      this.#options.onError(error)
      return localReport(INTERNAL_ERROR, story.startedAt, clock.monotonicMs() - story.startedMs)
    }
    return reportOf(tried, story, { port: this.#options.port, nowMs: clock.monotonicMs() })
  }

  /** @returns false when we broke the attempt off, before anything had an effect */
  async #hosts(lane: Lane, course: AttemptState, outgoing: Outgoing): Promise<boolean> {
    const { job, steps, done, tried, story } = course
    for (const [index, step] of steps.entries()) {
      const { target } = step
      if (done.has(target.host)) continue
      if (!(await job.maySend()) || this.#options.signal.aborted) return false
      // A reused connection may turn out to be closed: then the message is sent once more, on a new connection.
      for (let again = true; again; ) {
        again = false
        await this.#connect(lane, course, { step, mayWait: this.#mayWait(course, index + 1) })
        const { link } = lane
        if (link === null && this.#options.signal.aborted) return false
        if (link === null) break
        if (!(await job.maySend())) return false
        this.#options.sources.note(link.sourceIp, target.host)
        const result = await link.connection.send({
          from: outgoing.returnPath,
          recipients: [outgoing.recipient],
          message: outgoing.message,
          smtpUtf8: outgoing.smtpUtf8,
          eightBit: outgoing.eightBit,
          beforeDot: job.beforeDot,
        })
        lane.messages++
        if (result.pipeliningSuspect) this.#speakPlainly(target.ip)
        if (!link.connection.usable || lane.messages >= MAX_MESSAGES_PER_CONNECTION) this.#hangUp(lane)
        if (result.stale) {
          again = true
          continue
        }
        addLines(story, result.dialogue, this.#options.clock.monotonicMs())
        const [outcome] = result.recipients
        if (outcome === undefined) break
        if (outcome.kind === 'failed' && outcome.fault.code === 'aborted' && !outcome.dotSent) return false
        const ours = [job.sender, outgoing.returnPath, this.#options.ehloName]
        const read = link.connection.tlsFault === null ? outcomeVerdict : plainVerdict
        const verdict = this.#options.weigh(read(outcome, { recipient: outgoing.recipient, ours }))
        tried.push({
          verdict,
          target,
          sourceIp: link.sourceIp,
          tls: link.connection.tls,
          refusedAtOpening: outcome.kind === 'unsupported',
          crowded: false,
        })
        if (outcome.kind === 'replied' && isThrottling(outcome.reply)) {
          this.pace.throttled(this.#options.clock.monotonicMs())
        }
        if (tried.some(isFinal)) return true
        if (outcome.kind !== 'failed') done.add(target.host)
        // The message may have been accepted: no other host may get it in this attempt.
        if (outcome.kind === 'failed' && outcome.dotSent) return true
      }
      if (tried.some(isFinal)) return true
    }
    return true
  }

  /**
   * The targets in order. The host that the lane is connected to comes first, if it is one of them. Otherwise each lane
   * starts at another of the best addresses, so that much mail to one domain is also spread.
   */
  #order({ link, index }: Lane, hops: NextHops): readonly Target[] {
    const isFresh = this.#options.clock.monotonicMs() - (link?.openedMs ?? 0) < FRESH_MS
    const current = link?.connection.usable === true ? sameHost(link.target, hops, isFresh) : null
    return beginningWith(current ?? hops.firsts[index % Math.max(1, hops.firsts.length)], hops)
  }

  #speakPlainly(ip: string): void {
    if (this.#plain.size >= MAX_PLAIN) this.#plain.clear()
    this.#plain.add(ip)
  }

  /** Whether a later step goes before this address in clear: TLS may be possible there, or it is a better address in clear. */
  #mayWait({ steps, done, silent }: AttemptState, from: number): boolean {
    const { tlsFaults } = this.#options
    const mayGiveTls = (to: Target): boolean => !silent.has(to.host) && tlsFaults.of(to) === null
    return steps
      .slice(from)
      .some(({ target, plain }) => !done.has(target.host) && (plain !== null || mayGiveTls(target)))
  }

  /**
   * Gives the lane an open connection; the present one is reused if it fits. If the lane has none afterwards, `tried` has the
   * reason, or the address was appended to `steps`.
   *
   * @param mayWait whether another address goes before this one in clear
   */
  async #connect(
    lane: Lane,
    course: AttemptState,
    { step, mayWait }: { readonly step: AddressToTry; readonly mayWait: boolean },
  ): Promise<void> {
    const { clock, tlsFaults, sources } = this.#options
    const { job, steps, silent, tried, story } = course
    const { target } = step
    const { link } = lane
    const judge = ruleCheckOf(target.rule, clock)
    const requiredBy = judge.requiredBy ?? (job.tlsRequired ? SENDERS_RULE : null)
    if (link !== null) {
      const isSafe = requiredBy === null || link.connection.tls !== null
      if (isFor(link, target, job) && isSafe && sources.mayCarry(link.sourceIp, target.host)) return
      this.#hangUp(lane)
    }
    // A password is never sent in clear: a relay with a log-in gets no fallback to clear.
    const isFree = requiredBy === null && this.#options.tls === 'opportunistic' && this.#options.auth === undefined
    const why = isFree ? (step.plain ?? tlsFaults.of(target) ?? (silent.has(target.host) ? SILENT : null)) : null
    if (why !== null && step.plain === null && mayWait) {
      steps.push({ target, plain: why, isReported: false })
      return
    }
    const { opened, sourceIp } = await this.#open(lane, target, {
      tls: requiredBy !== null && this.#options.tls !== 'implicit' ? 'required' : this.#options.tls,
      verify: judge.verify,
      withoutTls: why !== null ? { why } : isFree && mayWait ? 'close' : 'plain',
    })
    if (lane.link !== null && judge.isForDomain()) lane.link = { ...lane.link, onlyFor: job.site }
    const ended = sessionOf(opened)
    // Sessions for mail that ignores the receiver's TLS policy are not reported.
    if (ended !== null && !step.isReported && job.obeysTlsPolicy)
      this.#options.onSession(
        job.site,
        target,
        sourceIp,
        ended === 'secured' ? judge.fault() : (judge.fault() ?? ended),
      )
    const fault = isFree && why === null ? tlsFaultOf(opened) : null
    if (fault !== null || ended === 'secured') tlsFaults.note(target, fault)
    if (opened.kind === 'open') {
      addLines(story, opened.connection.opening, clock.monotonicMs())
      return
    }
    addLines(story, opened.dialogue, clock.monotonicMs())
    if (fault !== null && mayWait) {
      if (opened.kind === 'failed' && opened.fault.code === 'timeout') silent.add(target.host)
      steps.push({ target, plain: fault, isReported: true })
      return
    }
    const crowded = opened.kind === 'refused' && opened.phase === 'banner' && opened.reply.code === 421
    // "454 TLS not available" (RFC 3207 section 4) says nothing about our rate, even with 4.7.0.
    const isOfTls = opened.phase === 'starttls' && opened.kind === 'refused' && opened.reply.code !== 421
    if (opened.kind === 'refused' && !crowded && !isOfTls && isThrottling(opened.reply))
      this.pace.throttled(clock.monotonicMs())
    const verdict = this.#options.weigh(openVerdict(opened, requiredBy))
    const refusedAtOpening = opened.kind === 'refused' && opened.phase === 'banner' && verdict.kind === 'bounced'
    tried.push({ verdict, target, sourceIp, tls: opened.tls ?? null, refusedAtOpening, crowded })
  }

  /** Opens a new connection for the lane. */
  async #open(
    lane: Lane,
    target: Target,
    how: Pick<OpenOptions, 'tls' | 'verify' | 'withoutTls'>,
  ): Promise<{ readonly opened: OpenResult; readonly sourceIp: string | null }> {
    const { port, ehloName, auth, clock, signal, timeouts, sockets, secureContext } = this.#options
    const { proven } = this.pace
    await sockets.acquire(proven)
    const sourceIp = this.#sourceFor(target, lane.index)
    const { rule } = target
    const opening = SmtpConnection.open({
      ...target,
      ...how,
      // RFC 7672 section 8.1.
      serverName: rule.kind === 'dane' ? rule.names[0] : undefined,
      port,
      ehloName,
      sourceIp,
      secureContext,
      ...(auth === undefined ? {} : { auth }),
      pipelining: !this.#plain.has(target.ip),
      timeouts,
      clock,
      signal,
    })
    lane.opening = target.host
    const opened = await opening.catch((error: unknown) => {
      lane.opening = null
      sockets.release(proven)
      throw error
    })
    lane.opening = null
    if (opened.kind === 'open') {
      const { connection } = opened
      lane.link = { connection, target, sourceIp, openedMs: clock.monotonicMs(), proven, onlyFor: null }
    } else sockets.release(proven)
    return { opened, sourceIp }
  }

  #sourceFor({ host, ip }: Target, index: number): string | null {
    const { sourceIps, sources } = this.#options
    const family = sourceIps.filter((source) => isIPv6(source) === isIPv6(ip))
    const able = sources.able(family, host)
    return able[index % Math.max(1, able.length)] ?? null
  }

  #learn(tried: readonly HostResult[], { tlsRequired }: DeliveryJob): void {
    const nowMs = this.#options.clock.monotonicMs()
    const last = tried.at(-1)
    if (last === undefined) return
    if (tried.some(isAnswer) && this.pace.pauseMs(nowMs) === 0) this.pace.answered()
    if (tried.some(isAnswer)) return
    // A server without the TLS that only this mail requires may still take other mail.
    if (tlsRequired && tried.some(isForTls)) return
    this.#last = last
    this.pace.unreachable(nowMs)
    if (this.pace.isDown(nowMs)) this.#deferAll()
  }
}

/** Whether a connection can be used for a mail to a target. */
function isFor({ connection, target, onlyFor }: Link, { ip, terms }: Target, { site }: DeliveryJob): boolean {
  return connection.usable && target.ip === ip && target.terms === terms && (onlyFor === null || onlyFor === site)
}
