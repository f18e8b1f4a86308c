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
import {
  type OpenOptions,
  type OpenResult,
  type Outcome,
  type SendResult,
  SmtpConnection,
  type Timeouts,
} from '../../mail/smtp/client.ts'
import type { Clock } from '../../platform/clock.ts'
import { ruleCheckOf, type SessionFault } from '../transport/index.ts'
import {
  type AddressToTry,
  type AttemptState,
  addLines,
  type HostResult,
  isAboutRate,
  isAnswer,
  isFinal,
  isForTls,
  reportOf,
  sessionFault,
  sessionOf,
  type TimedDialogue,
  type TlsTerms,
  tlsFaultOf,
  unopenedAt,
  unreachable,
} from './attempt.ts'
import { isFor, isTimed, type Lane, type Link, newLane, ownWait } from './lane.ts'
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

/** One address in its turn. */
interface StepTurn {
  readonly step: AddressToTry
  /** Another address goes before this one in clear. */
  readonly mayWait: boolean
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
      const lane = this.#idle.pop() ?? newLane(this.#lanes++)
      this.#wakeLane(lane)
      this.#busy.add(lane)
      // It never rejects: an error in an attempt becomes the attempt's report.
      void this.#run(lane)
    }
  }

  #wakeLane(lane: Lane): void {
    if (lane.timer !== null) clearTimeout(lane.timer)
    lane.timer = null
    this.#options.sockets.unpark(lane.close)
  }

  async #run(lane: Lane): Promise<void> {
    const { clock, sockets } = this.#options
    for (;;) {
      const next = this.#mayGoOn() ? this.#waiting.next() : undefined
      if (next === undefined) break
      const sent = await this.#attempt(lane, next)
      // The mail waits for a connected lane, which may be idle by now.
      if (sent === 'crowded') break
      next.resolve(sent)
      const { link } = lane
      if (link !== null && sockets.isOwed(this.pace, link.kind, clock.monotonicMs() - link.openedMs)) break
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

  #offer(lane: Lane, { kind }: Link): void {
    lane.close = () => {
      this.#wakeLane(lane)
      const at = this.#idle.indexOf(lane)
      if (at !== -1) this.#idle.splice(at, 1)
      this.#hangUp(lane)
    }
    this.#options.sockets.park(lane.close, kind)
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
    if (link !== null) this.#options.sockets.release(this.pace, link.kind, link.connection.quit())
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
    const { job, steps, done, tried } = course
    for (const [index, step] of steps.entries()) {
      if (done.has(step.target.host)) continue
      if (!(await job.maySend()) || this.#options.signal.aborted) return false
      const ended = await this.#host(lane, course, { step, mayWait: this.#mayWait(course, index + 1) }, outgoing)
      if (ended === 'broken_off') return false
      if (ended === 'perhaps_taken' || tried.some(isFinal)) return true
    }
    return true
  }

  /** @returns `perhaps_taken`: the message may have been accepted, so no other host may get it in this attempt */
  async #host(
    lane: Lane,
    course: AttemptState,
    turn: StepTurn,
    outgoing: Outgoing,
  ): Promise<'heard' | 'perhaps_taken' | 'broken_off'> {
    const { job } = course
    for (;;) {
      await this.#connect(lane, course, turn)
      const { link } = lane
      if (link === null) return this.#options.signal.aborted ? 'broken_off' : 'heard'
      if (!(await job.maySend())) return 'broken_off'
      const result = await this.#transmit(lane, link, job, outgoing)
      // A reused connection may turn out to be closed: then the message is sent once more, on a new connection.
      if (result.stale) continue
      addLines(course.story, result.dialogue, this.#options.clock.monotonicMs())
      const [outcome] = result.recipients
      if (outcome === undefined) return 'heard'
      const failure = outcome.kind === 'failed' ? outcome : null
      if (failure?.fault.code === 'aborted' && !failure.dotSent) return 'broken_off'
      this.#judge(course, turn.step.target, link, outcome, outgoing)
      if (failure === null) course.done.add(turn.step.target.host)
      return failure?.dotSent === true ? 'perhaps_taken' : 'heard'
    }
  }

  async #transmit(lane: Lane, link: Link, job: DeliveryJob, outgoing: Outgoing): Promise<SendResult> {
    const { connection, sourceIp, target } = link
    this.#options.sources.note(sourceIp, target.host)
    const startedMs = this.#options.clock.monotonicMs() - (lane.messages === 0 ? link.openingMs : 0)
    const own = ownWait(this.#options.clock, job)
    const result = await connection.send({
      from: outgoing.returnPath,
      recipients: [outgoing.recipient],
      message: outgoing.message,
      smtpUtf8: outgoing.smtpUtf8,
      eightBit: outgoing.eightBit,
      beforeDot: own.beforeDot,
    })
    if (isTimed(result)) this.pace.took(this.#options.clock.monotonicMs() - startedMs - own.ms())
    lane.messages++
    if (result.pipeliningSuspect) this.#speakPlainly(target.ip)
    if (!connection.usable || lane.messages >= MAX_MESSAGES_PER_CONNECTION) this.#hangUp(lane)
    return result
  }

  #judge({ job, tried }: AttemptState, target: Target, link: Link, outcome: Outcome, outgoing: Outgoing): void {
    const ours = [job.sender, outgoing.returnPath, this.#options.ehloName]
    const read = link.connection.tlsFault === null ? outcomeVerdict : plainVerdict
    tried.push({
      verdict: this.#options.weigh(read(outcome, { recipient: outgoing.recipient, ours })),
      target,
      sourceIp: link.sourceIp,
      tls: link.connection.tls,
      refusedAtOpening: outcome.kind === 'unsupported',
      crowded: false,
    })
    if (outcome.kind === 'replied' && isThrottling(outcome.reply))
      this.pace.throttled(this.#options.clock.monotonicMs())
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
   */
  async #connect(lane: Lane, course: AttemptState, { step, mayWait }: StepTurn): Promise<void> {
    const { clock, tls } = this.#options
    const { job, steps, silent, tried, story } = course
    const { target } = step
    const terms = this.#tlsTerms(course, step)
    const { judge, requiredBy, isFree, why } = terms
    if (this.#mayReuse(lane, job, target, terms)) return
    this.#hangUp(lane)
    if (why !== null && step.plain === null && mayWait) {
      steps.push({ target, plain: why, isReported: false })
      return
    }
    const { opened, sourceIp } = await this.#open(lane, target, {
      tls: requiredBy !== null && tls !== 'implicit' ? 'required' : tls,
      verify: judge.verify,
      withoutTls: why !== null ? { why } : isFree && mayWait ? 'close' : 'plain',
    })
    if (lane.link !== null && judge.isForDomain()) lane.link = { ...lane.link, onlyFor: job.site }
    const fault = this.#noteTls(job, step, terms, opened, sourceIp)
    addLines(story, opened.kind === 'open' ? opened.connection.opening : opened.dialogue, clock.monotonicMs())
    if (opened.kind === 'open') return
    if (fault !== null && mayWait) {
      if (opened.kind === 'failed' && opened.fault.code === 'timeout') silent.add(target.host)
      steps.push({ target, plain: fault, isReported: true })
      return
    }
    if (opened.kind === 'refused' && isAboutRate(opened)) this.pace.throttled(clock.monotonicMs())
    tried.push(unopenedAt(target, sourceIp, opened, this.#options.weigh(openVerdict(opened, requiredBy))))
  }

  /** Reports and remembers what became of TLS. @returns why TLS failed, where the mail may go without it */
  #noteTls(
    job: DeliveryJob,
    { target, isReported }: AddressToTry,
    { judge, isFree, why }: TlsTerms,
    opened: OpenResult,
    sourceIp: string | null,
  ): string | null {
    const session = sessionOf(opened)
    // Sessions for mail that ignores the receiver's TLS policy are not reported.
    if (session !== null && !isReported && job.obeysTlsPolicy)
      this.#options.onSession(job.site, target, sourceIp, sessionFault(session, judge))
    const fault = isFree && why === null ? tlsFaultOf(opened) : null
    if (fault !== null || session === 'secured') this.#options.tlsFaults.note(target, fault)
    return fault
  }

  #tlsTerms({ job, silent }: AttemptState, { target, plain }: AddressToTry): TlsTerms {
    const { auth, clock, tls, tlsFaults } = this.#options
    const judge = ruleCheckOf(target.rule, clock)
    const requiredBy = judge.requiredBy ?? (job.tlsRequired ? SENDERS_RULE : null)
    // A password is never sent in clear: a relay with a log-in gets no fallback to clear.
    const isFree = requiredBy === null && tls === 'opportunistic' && auth === undefined
    const why = isFree ? (plain ?? tlsFaults.of(target) ?? (silent.has(target.host) ? SILENT : null)) : null
    return { judge, requiredBy, isFree, why }
  }

  #mayReuse({ link }: Lane, job: DeliveryJob, target: Target, { requiredBy }: TlsTerms): boolean {
    if (link === null) return false
    const isSafe = requiredBy === null || link.connection.tls !== null
    return isFor(link, target, job) && isSafe && this.#options.sources.mayCarry(link.sourceIp, target.host)
  }

  /** Opens a new connection for the lane. */
  async #open(
    lane: Lane,
    target: Target,
    how: Pick<OpenOptions, 'tls' | 'verify' | 'withoutTls'>,
  ): Promise<{ readonly opened: OpenResult; readonly sourceIp: string | null }> {
    const { port, ehloName, auth, clock, signal, timeouts, sockets, secureContext } = this.#options
    const kind = await sockets.acquire(this.pace)
    const sourceIp = this.#sourceFor(target, lane.index)
    const { rule } = target
    const startedMs = clock.monotonicMs()
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
      sockets.release(this.pace, kind)
      throw error
    })
    lane.opening = null
    if (opened.kind === 'open') {
      const openedMs = clock.monotonicMs()
      const times = { openedMs, openingMs: openedMs - startedMs }
      lane.link = { connection: opened.connection, target, sourceIp, ...times, kind, onlyFor: null }
    } else sockets.release(this.pace, kind)
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
