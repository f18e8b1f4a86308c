// A destination on the network: the hosts that take the mail of one or many domains, and our connections to them.
//
// Connections stay open between messages: each lane has one and carries one message after another over it, until nothing
// waits; then it is kept for ten seconds. An attempt tries the hosts of its mail's own way in order, beginning with the one
// that the lane is connected to, when it is one of them: a 5xx after the banner ends it, a 4xx, what is said of rates or what
// EHLO rules out goes on to the next host, no connection to the next address. Who is greeted with 421 while other lanes are connected there waits for one of these.
//
// A mail that needs no TLS gets it where it can be had: where TLS was offered and failed, now or lately (tls-faults.ts), the
// mail comes back in clear when no other address is left that may give TLS. (Postfix goes on to the next host as well, and
// comes back in clear at a later attempt; KumoMTA goes on in clear at once.) Of a host that was silent in its handshake no
// other address is tried with TLS in that attempt: each would take another minute.

import { isIPv6 } from 'node:net'
import type { SecureContext } from 'node:tls'
import { type OpenOptions, type OpenResult, SmtpConnection, type Timeouts } from '../../mail/smtp-client.ts'
import type { Clock } from '../../platform/clock.ts'
import { judgeOf, type SessionFault } from '../transport/index.ts'
import {
  addLines,
  type Course,
  isAnswer,
  isFinal,
  isForTls,
  reportOf,
  type Step,
  type Story,
  sessionOf,
  type Tried,
  tlsFaultOf,
  unreachable,
} from './attempt.ts'
import { Pace } from './pace.ts'
import { localReport, OUR_FAULT } from './results.ts'
import { isThrottling, openVerdict, outcomeVerdict, plainVerdict, SENDERS_RULE } from './smtp-verdict.ts'
import type { Sockets } from './sockets.ts'
import type { TlsFaults } from './tls-faults.ts'
import type { Job, Outgoing, Report, Verdict } from './types.ts'
import { beginningWith, ownName, sameHost, type Target, type Way } from './ways.ts'

/** Null: nothing was tried, or it was broken off before anything had an effect. */
export type Sent = Report | null

export interface RouteOptions {
  readonly port: number
  readonly ehloName: string
  readonly tls: OpenOptions['tls']
  readonly auth: OpenOptions['auth']
  /** What an attempt came to, read as what it is for the host that it was made at. */
  readonly weigh: (verdict: Verdict) => Verdict
  /** Ours; empty: the system's choice. */
  readonly sourceIps: readonly string[]
  readonly timeouts: Partial<Timeouts>
  readonly clock: Clock
  readonly sockets: Sockets
  readonly secureContext: SecureContext
  readonly tlsFaults: TlsFaults
  /** Breaks all connections. */
  readonly signal: AbortSignal
  /** Told of each connection that came to the question of TLS: null when it came about as it must. */
  readonly onSession: (site: string, target: Target, sourceIp: string | null, fault: SessionFault | null) => void
  /** A bug of ours, met in an attempt; the attempt is deferred. */
  readonly onError: (error: unknown) => void
}

const MAX_MESSAGES_PER_CONNECTION = 200
const IDLE_MS = 10_000
const MAX_CROWDS = 10
/** How long a connection's host is known by its name alone: as long as a plan is. */
const FRESH_MS = 60_000
const MAX_PLAIN = 1_000
const SILENT = 'another address of the host was silent'

interface Waiting {
  readonly job: Job
  readonly way: Way
  readonly resolve: (sent: Sent) => void
  /** Of one that was sent back to wait, and how often it was. */
  readonly outgoing?: Outgoing
  readonly crowds?: number
}

interface Link {
  readonly connection: SmtpConnection
  readonly target: Target
  readonly sourceIp: string | null
  readonly openedMs: number
  /** A domain whose mail alone may go there; null: that of all. */
  readonly onlyFor: string | null
  /** Which half of the sockets it was taken from. */
  readonly proven: boolean
}

interface Lane {
  readonly index: number
  link: Link | null
  /** The host that it is being connected to. */
  opening: string | null
  messages: number
  close: () => void
  timer: NodeJS.Timeout | null
}

export class Route {
  readonly pace = new Pace()
  readonly #options: RouteOptions
  #waiting: Waiting[] = []
  readonly #busy = new Set<Lane>()
  readonly #idle: Lane[] = []
  readonly #plain = new Set<string>()
  #lanes = 0
  #timer: NodeJS.Timeout | null = null
  #last: Tried | null = null

  constructor(options: RouteOptions) {
    this.#options = options
  }

  get quiet(): boolean {
    return this.#busy.size === 0 && this.#waiting.length === 0 && this.#idle.length === 0
  }

  send(job: Job, way: Way): Promise<Sent> {
    return new Promise((resolve) => {
      this.#waiting.push({ job, way, resolve })
      this.#pump()
    })
  }

  /** Gives back what waits; what is under way goes on. Idle connections are closed. */
  release(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve(null)
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    for (const lane of this.#idle.slice()) lane.close()
  }

  #pump(): void {
    const nowMs = this.#options.clock.monotonicMs()
    if (this.pace.isDown(nowMs) && this.#busy.size === 0) return this.#deferAll()
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
      // It never rejects: what goes wrong in an attempt is that attempt's report.
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
      const next = this.#mayGoOn() ? this.#waiting.shift() : undefined
      if (next === undefined) break
      const sent = await this.#attempt(lane, next)
      if (sent !== 'crowded') next.resolve(sent)
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

  /** The destination is down: everything that waits gets the last answer. */
  #deferAll(): void {
    const { clock } = this.#options
    for (const { way, resolve } of this.#waiting.splice(0)) {
      const verdict = this.#last?.verdict ?? unreachable('the destination does not answer')
      resolve({
        ...localReport(verdict, clock.now(), 0),
        host: this.#last === null ? null : ownName(this.#last.target, way),
        throttledBy: 'destination_down',
      })
    }
  }

  /** Lanes with a connection to one of these hosts, or on the way to one. */
  #connectedTo(tried: readonly Tried[]): number {
    const hosts = new Set(tried.map(({ target }) => target.host))
    return [...this.#busy, ...this.#idle].filter(
      ({ link, opening }) =>
        (opening !== null && hosts.has(opening)) || (link?.connection.usable === true && hosts.has(link.target.host)),
    ).length
  }

  /** @returns `crowded`: it waits again */
  async #attempt(lane: Lane, waiting: Waiting): Promise<Sent | 'crowded'> {
    const { job, way } = waiting
    const { clock } = this.#options
    const story: Story = { startedAt: clock.now(), startedMs: clock.monotonicMs(), lines: [] }
    const tried: Tried[] = []
    try {
      const outgoing = waiting.outgoing ?? (await job.prepare((wait) => this.#idleWhile(lane, wait)))
      if (outgoing === null) return null
      const steps = this.#order(lane, way).map((target): Step => ({ target, plain: null, told: false }))
      const course: Course = { job, steps, silent: new Set(), done: new Set(), tried, story }
      const ended = await this.#hosts(lane, course, outgoing)
      if (!ended) return null
      const crowds = waiting.crowds ?? 0
      const open = tried.length > 0 && tried.every(({ crowded }) => crowded) ? this.#connectedTo(tried) : 0
      if (open > 0 && crowds < MAX_CROWDS) {
        this.pace.crowded(open)
        this.#waiting.unshift({ ...waiting, outgoing, crowds: crowds + 1 })
        return 'crowded'
      }
      if (tried.some(({ crowded }) => crowded)) this.pace.throttled(clock.monotonicMs())
      this.#learn(tried, job)
    } catch (error) {
      this.#hangUp(lane)
      this.#options.onError(error)
      return localReport(OUR_FAULT, story.startedAt, clock.monotonicMs() - story.startedMs)
    }
    return reportOf(tried, story, { port: this.#options.port, nowMs: clock.monotonicMs() })
  }

  /** @returns false when it was broken off by us: nothing of it had an effect */
  async #hosts(lane: Lane, course: Course, outgoing: Outgoing): Promise<boolean> {
    const { job, steps, done, tried, story } = course
    for (const [index, step] of steps.entries()) {
      const { target } = step
      if (done.has(target.host)) continue
      if (!(await job.maySend()) || this.#options.signal.aborted) return false
      // A connection that was used before may turn out to be closed: that is said again on a new one, once.
      for (let again = true; again; ) {
        again = false
        await this.#connect(lane, course, { step, mayWait: this.#mayWait(course, index + 1) })
        const { link } = lane
        if (link === null && this.#options.signal.aborted) return false
        if (link === null) break
        if (!(await job.maySend())) return false
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
          atDoor: outcome.kind === 'unsupported',
          crowded: false,
        })
        if (outcome.kind === 'replied' && isThrottling(outcome.reply)) {
          this.pace.throttled(this.#options.clock.monotonicMs())
        }
        if (tried.some(isFinal)) return true
        if (outcome.kind !== 'failed') done.add(target.host)
        // Whether the message was taken is open: another host must not get it in the same breath.
        if (outcome.kind === 'failed' && outcome.dotSent) return true
      }
      if (tried.some(isFinal)) return true
    }
    return true
  }

  /**
   * The way's targets; the host that the lane is connected to comes first, when it is one of them. Other lanes begin at one
   * address each, so that much mail to one domain is spread as well.
   */
  #order({ link, index }: Lane, way: Way): readonly Target[] {
    const isFresh = this.#options.clock.monotonicMs() - (link?.openedMs ?? 0) < FRESH_MS
    const current = link?.connection.usable === true ? sameHost(link.target, way, isFresh) : null
    return beginningWith(current ?? way.firsts[index % Math.max(1, way.firsts.length)], way)
  }

  #speakPlainly(ip: string): void {
    if (this.#plain.size >= MAX_PLAIN) this.#plain.clear()
    this.#plain.add(ip)
  }

  /** Whether an address that comes later goes before one in clear: TLS may be had there, or it is a better one. */
  #mayWait({ steps, done, silent }: Course, from: number): boolean {
    const { tlsFaults } = this.#options
    const mayGiveTls = (to: Target): boolean => !silent.has(to.host) && tlsFaults.of(to) === null
    return steps
      .slice(from)
      .some(({ target, plain }) => !done.has(target.host) && (plain !== null || mayGiveTls(target)))
  }

  /**
   * Gives the lane an open connection, the present one where it will do; when there is none, `tried` says why, or it is for
   * later.
   *
   * @param mayWait whether another address goes before this one in clear
   */
  async #connect(
    lane: Lane,
    course: Course,
    { step, mayWait }: { readonly step: Step; readonly mayWait: boolean },
  ): Promise<void> {
    const { clock, tlsFaults } = this.#options
    const { job, steps, silent, tried, story } = course
    const { target } = step
    const { link } = lane
    const judge = judgeOf(target.rule, clock)
    const requiredBy = judge.requiredBy ?? (job.tlsRequired ? SENDERS_RULE : null)
    if (link !== null) {
      if (isFor(link, target, job) && (requiredBy === null || link.connection.tls !== null)) return
      this.#hangUp(lane)
    }
    // A password is never said in clear, so that there is no way around TLS for a relay that asks for one.
    const isFree = requiredBy === null && this.#options.tls === 'opportunistic' && this.#options.auth === undefined
    const why = isFree ? (step.plain ?? tlsFaults.of(target) ?? (silent.has(target.host) ? SILENT : null)) : null
    if (why !== null && step.plain === null && mayWait) {
      steps.push({ target, plain: why, told: false })
      return
    }
    const { opened, sourceIp } = await this.#open(lane, target, {
      tls: requiredBy !== null && this.#options.tls !== 'implicit' ? 'required' : this.#options.tls,
      verify: judge.verify,
      withoutTls: why !== null ? { why } : isFree && mayWait ? 'close' : 'plain',
    })
    if (lane.link !== null && judge.isForDomain()) lane.link = { ...lane.link, onlyFor: job.site }
    const ended = sessionOf(opened)
    // Of who minds nothing there is nothing to tell.
    if (ended !== null && !step.told && job.minds)
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
      steps.push({ target, plain: fault, told: true })
      return
    }
    const crowded = opened.kind === 'refused' && opened.phase === 'banner' && opened.reply.code === 421
    // "454 TLS not available" (RFC 3207 section 4) is not about how much comes from us, 4.7.0 or not.
    const isOfTls = opened.phase === 'starttls' && opened.kind === 'refused' && opened.reply.code !== 421
    if (opened.kind === 'refused' && !crowded && !isOfTls && isThrottling(opened.reply))
      this.pace.throttled(clock.monotonicMs())
    const verdict = this.#options.weigh(openVerdict(opened, requiredBy))
    const atDoor = opened.kind === 'refused' && opened.phase === 'banner' && verdict.kind === 'bounced'
    tried.push({ verdict, target, sourceIp, tls: null, atDoor, crowded })
  }

  /** A new connection of the lane's. */
  async #open(
    lane: Lane,
    target: Target,
    how: Pick<OpenOptions, 'tls' | 'verify' | 'withoutTls'>,
  ): Promise<{ readonly opened: OpenResult; readonly sourceIp: string | null }> {
    const { port, ehloName, auth, clock, signal, timeouts, sockets, secureContext } = this.#options
    const { proven } = this.pace
    await sockets.acquire(proven)
    const sourceIp = this.#sourceFor(target.ip, lane.index)
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

  #sourceFor(ip: string, index: number): string | null {
    const family = this.#options.sourceIps.filter((source) => isIPv6(source) === isIPv6(ip))
    return family[index % Math.max(1, family.length)] ?? null
  }

  #learn(tried: readonly Tried[], { tlsRequired }: Job): void {
    const nowMs = this.#options.clock.monotonicMs()
    const last = tried.at(-1)
    if (last === undefined) return
    if (tried.some(isAnswer) && this.pace.pauseMs(nowMs) === 0) this.pace.answered()
    if (tried.some(isAnswer)) return
    // What a mail alone asks for, and the server has not, is no reason against the others.
    if (tlsRequired && tried.some(isForTls)) return
    this.#last = last
    this.pace.unreachable(nowMs)
    if (this.pace.isDown(nowMs)) this.#deferAll()
  }
}

/** Whether a connection will do for a mail to a target. */
function isFor({ connection, target, onlyFor }: Link, { ip, terms }: Target, { site }: Job): boolean {
  return connection.usable && target.ip === ip && target.terms === terms && (onlyFor === null || onlyFor === site)
}
