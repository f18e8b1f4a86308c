// Our SMTP client: one connection to one address of one host (RFC 5321), for as many messages as it is good for.
//
// Whatever the other side does is a value. Three things can come of a recipient: the server answered about it
// (`replied`), the connection gave no usable answer (`failed`, always worth another try), or the server lacks what the
// message needs (`unsupported`, nothing was sent).
//
//   opening     banner, EHLO (HELO when EHLO is answered 5xx), STARTTLS, EHLO again, AUTH. `opportunistic` takes any
//               certificate, goes on in plain text when STARTTLS is refused, and connects afresh without TLS when the
//               handshake fails (`tlsFault` tells). `required` and `implicit` never speak plainly.
//   sending     MAIL, RCPT and DATA in one write where PIPELINING is offered. The final dot follows `beforeDot`.
//   afterwards  a transaction that ended early is undone by RSET at the head of the next one.
//   dropped     the connection is given up, not repaired, when the order of replies is in doubt: DATA accepted after
//               every recipient was refused, 2xx instead of 354, a reply before the dot, 3xx after it, 421, no reply.
//
// A crash, a break or a time-out after the final dot and before its reply leaves it open whether the message was
// taken: `dotSent` says so. Nothing sent before that has any effect at the receiver.

import { isIP } from 'node:net'
import type { ConnectionOptions, SecureContext, TLSSocket } from 'node:tls'
import type { Clock } from '../platform/clock.ts'
import type { SmtpCommand } from './smtp-bounce.ts'
import { type Dialogue, DialogueRecorder } from './smtp-dialogue.ts'
import { type Reply, replyOf } from './smtp-reply.ts'
import { type Endpoint, type Fault, type Heard, isFault, SmtpStream } from './smtp-stream.ts'

export type Phase = 'connect' | 'banner' | 'ehlo' | 'starttls' | 'tls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'dot'

/** Milliseconds. The defaults are RFC 5321 section 4.5.3.2's and Postfix's; each covers one whole reply. */
export interface Timeouts {
  readonly connect: number
  readonly tls: number
  readonly banner: number
  readonly ehlo: number
  readonly auth: number
  readonly mail: number
  readonly rcpt: number
  readonly data: number
  /** For 64 KB of the message to leave. */
  readonly block: number
  /** For the reply to the final dot. Cutting it short makes duplicates. */
  readonly dot: number
  readonly quit: number
}

export const TIMEOUTS: Timeouts = {
  connect: 30_000,
  tls: 60_000,
  banner: 300_000,
  ehlo: 300_000,
  auth: 300_000,
  mail: 300_000,
  rcpt: 300_000,
  data: 120_000,
  block: 180_000,
  dot: 600_000,
  quit: 2_000,
}

export interface TlsInfo {
  readonly version: string
  readonly cipher: string
  /** `none`: encrypted to whoever answered. `pkix`: a public authority vouches for the host's name. */
  readonly verified: 'none' | 'pkix' | 'dane'
}

/** Judges the peer after the handshake; null: refused. */
export type TlsVerifier = (socket: TLSSocket) => TlsInfo['verified'] | null

export interface OpenOptions extends Endpoint {
  /** The name of the host: MX exchange or relay. For SNI, certificates and people; `ip` is where we connect. */
  readonly host: string
  readonly ehloName: string
  readonly tls: 'off' | 'opportunistic' | 'required' | 'implicit'
  /** Default: any certificate, and `pkix` is told when it happens to be good. */
  readonly verify?: TlsVerifier
  /** Share one between connections: making it costs more than a message. */
  readonly secureContext?: SecureContext
  readonly auth?: { readonly username: string; readonly password: string }
  /** false: do not pipeline though the server offers it (see `SendResult.pipeliningSuspect`). */
  readonly pipelining?: boolean
  readonly timeouts?: Partial<Timeouts>
  readonly clock: Clock
  /** Breaks the connection at once, whatever is under way. */
  readonly signal?: AbortSignal
}

/** No usable answer. Always temporary. */
export interface Failed {
  readonly kind: 'failed'
  readonly phase: Phase
  readonly fault: Fault
  /** RFC 3463: 4.4.1 no connection, 4.4.2 connection lost or silent, 4.5.0 nonsense, 4.7.5 TLS. */
  readonly enhanced: string
  /** The final dot may have reached the server: it may have the message. */
  readonly dotSent: boolean
}

export interface Replied {
  readonly kind: 'replied'
  readonly reply: Reply
  readonly command: SmtpCommand
}

/** The server lacks an extension or the room that this message needs. `reply` is ours, in the words of a reply. */
export interface Unsupported {
  readonly kind: 'unsupported'
  readonly reply: Reply
  readonly command: 'mail' | 'rcpt'
}

export type Outcome = Replied | Failed | Unsupported

export type OpenResult =
  | { readonly kind: 'open'; readonly connection: SmtpConnection }
  /** The server answered, and does not want us: never a 2xx or 3xx. */
  | { readonly kind: 'refused'; readonly phase: Phase; readonly reply: Reply; readonly dialogue: Dialogue }
  | (Failed & { readonly dialogue: Dialogue })

export interface Transaction {
  /** Empty for the null reverse path. Domain parts are A-labels unless the local part needs SMTPUTF8. */
  readonly from: string
  readonly recipients: readonly string[]
  /** Lines end with CRLF, dots are not doubled. */
  readonly message: Buffer
  /** The headers hold UTF-8 (RFC 6531); addresses are looked at by the client. */
  readonly smtpUtf8?: boolean
  /** The body holds 8-bit bytes (RFC 6152). */
  readonly eightBit?: boolean
  /** Called right before the bytes that hold the final dot leave. */
  readonly beforeDot?: () => void
}

export interface SendResult {
  /** One for each recipient, in the order given. `replied` is 2xx (the server has the message), 4xx or 5xx. */
  readonly recipients: readonly Outcome[]
  /** The reply to the final dot, when it came to that. */
  readonly reply: Reply | null
  /** This transaction's lines; those of the opening are `connection.opening`. */
  readonly dialogue: Dialogue
  /**
   * The connection had been used before and was found closed (or answered 421) before anything of this transaction
   * was taken: say it again on a new connection, it is not an attempt.
   */
  readonly stale: boolean
  /** A pipelined group was answered in part: open the next connection to this host with `pipelining: false`. */
  readonly pipeliningSuspect: boolean
}

interface Capabilities {
  readonly pipelining: boolean
  readonly eightBitMime: boolean
  readonly smtpUtf8: boolean
  readonly startTls: boolean
  readonly size: boolean
  /** 0: no limit told. */
  readonly maxSizeBytes: number
  readonly auth: readonly string[]
}

const NO_CAPABILITIES: Capabilities = {
  pipelining: false,
  eightBitMime: false,
  smtpUtf8: false,
  startTls: false,
  size: false,
  maxSizeBytes: 0,
  auth: [],
}

const CONTROL = /\p{Cc}/u
const NON_ASCII = /[^\p{ASCII}]/u
const DOT = Buffer.from('.')
const FINAL_DOT = Buffer.from('.\r\n')
const CRLF_FINAL_DOT = Buffer.from('\r\n.\r\n')

function positive(reply: Reply): boolean {
  return reply.code < 300
}

export class SmtpConnection {
  /** Banner to AUTH. */
  readonly opening: Dialogue
  readonly tls: TlsInfo | null
  /** Why an opportunistic connection is without TLS though the server offered it. */
  readonly tlsFault: string | null
  /** Messages whose final dot was answered 2xx. */
  delivered = 0
  readonly #stream: SmtpStream
  readonly #recorder: DialogueRecorder
  readonly #timeouts: Timeouts
  readonly #can: Capabilities
  #used = false
  #unfinished = false

  /** Made by `open` alone. */
  constructor(opened: Opened, tlsFault: string | null) {
    this.#stream = opened.stream
    this.#recorder = opened.recorder
    this.#timeouts = opened.timeouts
    this.#can = opened.can
    this.opening = opened.recorder.take()
    this.tls = opened.tls
    this.tlsFault = tlsFault
  }

  /** Never rejects but for options that are impossible (`ip` no address, a control character in `ehloName`). */
  static async open(options: OpenOptions): Promise<OpenResult> {
    if (isIP(options.ip) === 0) throw new TypeError('ip is not an IP address')
    if (CONTROL.test(options.ehloName) || options.ehloName === '') throw new TypeError('ehloName is not a name')
    const startedMs = options.clock.monotonicMs()
    const recorder = new DialogueRecorder(() => options.clock.monotonicMs() - startedMs)
    const first = await openStream(options, recorder, options.tls !== 'off')
    if (!('stream' in first)) {
      const shaken = first.kind === 'failed' && first.phase === 'tls' && first.fault.code !== 'aborted'
      if (options.tls !== 'opportunistic' || !shaken) return first
      recorder.note('connecting again without TLS')
      const second = await openStream(options, recorder, false)
      if (!('stream' in second)) return { ...second, dialogue: [...first.dialogue, ...second.dialogue] }
      return { kind: 'open', connection: new SmtpConnection(second, first.fault.message) }
    }
    return { kind: 'open', connection: new SmtpConnection(first, first.tlsFault) }
  }

  /** Whether another message may be tried. */
  get usable(): boolean {
    return !this.#stream.disturbed
  }

  get capabilities(): Capabilities {
    return this.#can
  }

  /**
   * One message to its recipients. One call at a time.
   *
   * @throws TypeError for a control character in an address; never for what the server does
   */
  async send(transaction: Transaction): Promise<SendResult> {
    for (const address of [transaction.from, ...transaction.recipients]) {
      if (CONTROL.test(address)) throw new TypeError('a control character in an address')
    }
    const outcomes: (Outcome | null)[] = transaction.recipients.map((recipient) =>
      this.#missing(transaction, recipient),
    )
    const open = outcomes.flatMap((outcome, index) => (outcome === null ? [index] : []))
    const fresh = !this.#used
    this.#used = true
    const run = new Run(outcomes, open)
    if (open.length > 0) {
      if (this.#stream.disturbed) {
        await this.#disturbed(run)
      } else await this.#transact(transaction, run)
    }
    const stale = !fresh && open.length > 0 && !run.answered && run.lost
    const result = { recipients: run.finish(), reply: run.finalReply, stale, pipeliningSuspect: run.suspect }
    return { ...result, dialogue: this.#recorder.take() }
  }

  /** Says goodbye and closes; waits for the answer no longer than `timeouts.quit`. Never rejects. */
  async quit(): Promise<void> {
    if (this.#stream.fault === null) {
      this.#stream.say('QUIT\r\n')
      await this.#stream.hear(this.#timeouts.quit)
    }
    this.#drop()
  }

  /** Closes at once. */
  destroy(): void {
    this.#drop()
  }

  /** What the server cannot do for this recipient, or null. */
  #missing({ from, message, smtpUtf8, eightBit }: Transaction, recipient: string): Unsupported | null {
    const can = this.#can
    if (!can.smtpUtf8 && (smtpUtf8 === true || NON_ASCII.test(from) || NON_ASCII.test(recipient))) {
      return unsupported(553, '5.6.7 The receiving server does not support internationalized email (SMTPUTF8)', 'rcpt')
    }
    if (can.maxSizeBytes > 0 && message.length > can.maxSizeBytes) {
      const text = `5.3.4 The message of ${message.length} bytes exceeds the receiving server's limit of ${can.maxSizeBytes}`
      return unsupported(552, text, 'mail')
    }
    if (eightBit === true && !can.eightBitMime) {
      return unsupported(554, '5.6.3 The receiving server does not support 8-bit messages (8BITMIME)', 'mail')
    }
    return null
  }

  #mailCommand({ from, recipients, message, smtpUtf8, eightBit }: Transaction): string {
    let command = `MAIL FROM:<${from}>`
    if (this.#can.size) command += ` SIZE=${message.length}`
    const utf8 =
      this.#can.smtpUtf8 && (smtpUtf8 === true || NON_ASCII.test(from) || recipients.some((to) => NON_ASCII.test(to)))
    if (utf8) command += ' SMTPUTF8'
    if ((eightBit === true || utf8) && this.#can.eightBitMime) command += ' BODY=8BITMIME'
    return command
  }

  /** The server spoke or left between two messages: usually `421 idle too long`. */
  async #disturbed(run: Run): Promise<void> {
    const heard = await this.#stream.hear(0)
    run.lost = true
    if (isFault(heard)) run.end(failed('mail', heard))
    else {
      this.#recorder.server(heard)
      run.end(heard.code === 421 ? refusal('mail', heard) : failed('mail', unasked(heard)))
    }
    this.#drop()
  }

  async #transact(transaction: Transaction, run: Run): Promise<void> {
    const mail = this.#mailCommand(transaction)
    const recipients = run.open.map((index) => `RCPT TO:<${transaction.recipients[index]}>`)
    const pipelined = this.#can.pipelining
    if (this.#unfinished) this.#recorder.client('RSET')
    const reset = this.#unfinished ? 'RSET\r\n' : ''
    this.#recorder.client(mail)
    if (pipelined) {
      for (const line of recipients) this.#recorder.client(line)
      this.#recorder.client('DATA')
      this.#stream.say(`${reset}${mail}\r\n${recipients.join('\r\n')}\r\nDATA\r\n`)
    } else this.#stream.say(`${reset}${mail}\r\n`)
    if (reset !== '' && (await this.#heard('mail', run)) === null) return
    this.#unfinished = true
    const accepted = await this.#envelope(recipients, pipelined, run)
    if (accepted === null) return
    if (!pipelined) {
      if (accepted === 0) return
      this.#command('DATA')
    }
    const data = await this.#heard('data', run)
    if (data === null) return
    const go = data.code >= 300 && data.code < 400
    if (go && accepted > 0) return this.#body(transaction, run)
    if (go) {
      // Only an empty message would end this in order, and someone might get it.
      this.#recorder.note('DATA was accepted though no recipient was: closing')
      this.#drop()
    } else {
      run.end(refusal('data', data))
      if (positive(data)) this.#drop()
    }
  }

  /** Hears MAIL's and RCPTs' replies. @returns how many recipients were accepted; null: it is over */
  async #envelope(commands: readonly string[], pipelined: boolean, run: Run): Promise<number | null> {
    const mail = await this.#heard('mail', run)
    if (mail === null) return null
    run.answered = true
    if (!positive(mail)) run.end(refusal('mail', mail))
    if (!positive(mail) && !pipelined) return null
    let accepted = 0
    for (const [position, command] of commands.entries()) {
      if (!pipelined) this.#command(command)
      const reply = await this.#heard('rcpt', run, pipelined)
      if (reply === null) return null
      const index = run.open[position] ?? 0
      if (!positive(mail)) continue
      if (positive(reply)) accepted++
      else run.outcomes[index] = refusal('rcpt', reply)
    }
    return accepted
  }

  async #body({ message, beforeDot }: Transaction, run: Run): Promise<void> {
    if (this.#stream.disturbed) return this.#spokeEarly(run)
    this.#recorder.client(`(${message.length} bytes)`)
    const poured = await this.#stream.pour(wireParts(message), this.#timeouts.block, () => {
      run.dotSent = true
      beforeDot?.()
    })
    if (!poured && !run.dotSent) return this.#spokeEarly(run)
    const reply = await this.#heard('dot', run)
    if (reply === null) return
    if (reply.code >= 300 && reply.code < 400) {
      run.end(failed('dot', unasked(reply), true))
      this.#drop()
      return
    }
    this.#unfinished = false
    run.finalReply = reply
    if (positive(reply)) this.delivered++
    run.end({ kind: 'replied', reply, command: 'data' })
  }

  /** The server answered before it had the whole message; the order cannot be restored. */
  async #spokeEarly(run: Run): Promise<void> {
    const reply = await this.#heard('data', run)
    if (reply === null) return
    run.end(refusal('data', reply))
    this.#drop()
  }

  #command(line: string): void {
    this.#recorder.client(line)
    this.#stream.say(`${line}\r\n`)
  }

  /** @returns null when there was no reply, or a 421, and all has been told to `run` */
  async #heard(phase: 'mail' | 'rcpt' | 'data' | 'dot', run: Run, pipelined = false): Promise<Reply | null> {
    const heard = await this.#stream.hear(this.#timeouts[phase])
    if (isFault(heard)) {
      this.#recorder.note(heard.message)
      run.lost = true
      run.suspect = pipelined && (heard.code === 'timeout' || heard.code === 'protocol')
      run.end(failed(phase, heard, run.dotSent))
      return null
    }
    this.#recorder.server(heard)
    if (heard.code !== 421) return heard
    // RFC 5321 section 3.8: the server is closing. The answer stands for every recipient without one of its own.
    run.lost = true
    run.end({ kind: 'replied', reply: heard, command: phase === 'dot' ? 'data' : phase })
    if (phase === 'dot') run.finalReply = heard
    this.#drop()
    return null
  }

  #drop(): void {
    this.#stream.destroy()
  }
}

/** The state of one transaction. */
class Run {
  readonly outcomes: (Outcome | null)[]
  /** The indexes of those recipients that are put to the server. */
  readonly open: readonly number[]
  answered = false
  lost = false
  dotSent = false
  suspect = false
  finalReply: Reply | null = null

  constructor(outcomes: (Outcome | null)[], open: readonly number[]) {
    this.outcomes = outcomes
    this.open = open
  }

  /** `outcome` is that of every recipient who has none yet. */
  end(outcome: Outcome): void {
    for (const index of this.open) this.outcomes[index] ??= outcome
  }

  finish(): Outcome[] {
    const gap = failed('data', { code: 'other', message: 'the transaction ended without an answer' })
    return this.outcomes.map((outcome) => outcome ?? gap)
  }
}

function failed(phase: Phase, fault: Fault, dotSent = false): Failed {
  return { kind: 'failed', phase, fault, enhanced: statusOf(phase, fault), dotSent }
}

function unasked(reply: Reply): Fault {
  return { code: 'protocol', message: `an answer that does not belong here: ${reply.text.slice(0, 200)}` }
}

/** A `Replied` is 2xx for the final dot alone: before it, what neither accepts nor refuses is nonsense. */
function refusal(command: 'mail' | 'rcpt' | 'data', reply: Reply): Outcome {
  return reply.code >= 400 ? { kind: 'replied', reply, command } : failed(command, unasked(reply))
}

function statusOf(phase: Phase, fault: Fault): string {
  if (phase === 'tls' || fault.code === 'tls') return '4.7.5'
  if (phase === 'connect') return '4.4.1'
  return fault.code === 'protocol' ? '4.5.0' : '4.4.2'
}

function unsupported(code: number, text: string, command: 'mail' | 'rcpt'): Unsupported {
  return { kind: 'unsupported', reply: replyOf(code, [text]), command }
}

/**
 * The message with its leading dots doubled (RFC 5321 section 4.5.2) and the final dot, as slices of the given buffer.
 * A dot after a bare CR or LF is doubled as well: such a line end must not become the end of data at a lenient server.
 * Almost no message has such a dot: that costs two searches in native code.
 */
export function wireParts(message: Buffer): readonly Buffer[] {
  const parts: Buffer[] = []
  let done = 0
  if (message[0] === 0x2e) parts.push(DOT)
  let afterLf = message.indexOf('\n.')
  let afterCr = message.indexOf('\r.')
  while (afterLf !== -1 || afterCr !== -1) {
    const found = afterCr === -1 || (afterLf !== -1 && afterLf < afterCr) ? afterLf : afterCr
    parts.push(message.subarray(done, found + 1), DOT)
    done = found + 1
    if (found === afterLf) afterLf = message.indexOf('\n.', done)
    else afterCr = message.indexOf('\r.', done)
  }
  if (done < message.length) parts.push(done === 0 ? message : message.subarray(done))
  const ended = message.length === 0 || (message[message.length - 1] === 0x0a && message[message.length - 2] === 0x0d)
  parts.push(ended ? FINAL_DOT : CRLF_FINAL_DOT)
  return parts
}

interface Opened {
  readonly stream: SmtpStream
  readonly recorder: DialogueRecorder
  readonly timeouts: Timeouts
  readonly can: Capabilities
  readonly tls: TlsInfo | null
  readonly tlsFault: string | null
}

type NotOpened = Exclude<OpenResult, { kind: 'open' }>

/** One connection, to the point where MAIL may follow. */
async function openStream(
  options: OpenOptions,
  recorder: DialogueRecorder,
  useTls: boolean,
): Promise<Opened | NotOpened> {
  const opening = new Opening(options, recorder)
  const opened = await opening.run(useTls)
  if (!('stream' in opened)) opening.drop()
  return opened
}

class Opening {
  readonly #options: OpenOptions
  readonly #recorder: DialogueRecorder
  readonly #timeouts: Timeouts
  #stream: SmtpStream | null = null

  constructor(options: OpenOptions, recorder: DialogueRecorder) {
    this.#options = options
    this.#recorder = recorder
    this.#timeouts = { ...TIMEOUTS, ...options.timeouts }
  }

  drop(): void {
    this.#stream?.destroy()
  }

  async run(useTls: boolean): Promise<Opened | NotOpened> {
    const { tls: mode, ip, port, signal } = this.#options
    const implicit = mode === 'implicit'
    this.#recorder.note(`connecting to ${ip} port ${port}`)
    const timeoutMs = implicit ? this.#timeouts.connect + this.#timeouts.tls : this.#timeouts.connect
    const stream = await SmtpStream.open(this.#options, timeoutMs, signal, implicit ? this.#tlsOptions() : undefined)
    if ('message' in stream) return this.#failed(stream.code === 'tls' ? 'tls' : 'connect', stream)
    this.#stream = stream
    let tls: TlsInfo | null = null
    if (implicit) {
      const judged = this.#judge(stream)
      if ('kind' in judged) return judged
      tls = judged
    }
    const banner = await this.#hear(stream, 'banner')
    if ('kind' in banner) return banner
    let can = await this.#greet(stream)
    if ('kind' in can) return can
    let tlsFault: string | null = null
    if (useTls && !implicit) {
      const secured = await this.#startTls(stream, can)
      if ('kind' in secured) return secured
      if ('plain' in secured) tlsFault = secured.plain
      else {
        tls = secured
        can = await this.#greet(stream)
        if ('kind' in can) return can
      }
    }
    const refused = await this.#authenticate(stream, can, tls)
    if (refused !== null) return refused
    if (this.#options.pipelining === false) can = { ...can, pipelining: false }
    return { stream, recorder: this.#recorder, timeouts: this.#timeouts, can, tls, tlsFault }
  }

  async #greet(stream: SmtpStream): Promise<Capabilities | NotOpened> {
    const heard = await this.#ask(stream, `EHLO ${this.#options.ehloName}`, 'ehlo')
    if (isFault(heard)) return this.#failed('ehlo', heard)
    if (positive(heard)) return capabilitiesOf(heard)
    if (heard.code < 500) return this.#refused('ehlo', heard)
    const helo = await this.#ask(stream, `HELO ${this.#options.ehloName}`, 'ehlo')
    if (isFault(helo)) return this.#failed('ehlo', helo)
    return positive(helo) ? NO_CAPABILITIES : this.#refused('ehlo', helo)
  }

  /** `plain`: opportunistic, and the server would not; null when it never offered. */
  async #startTls(stream: SmtpStream, can: Capabilities): Promise<TlsInfo | { plain: string | null } | NotOpened> {
    const required = this.#options.tls === 'required'
    if (!can.startTls) {
      if (!required) return { plain: null }
      return this.#failed('starttls', {
        code: 'tls',
        message: 'TLS is required and the server does not offer STARTTLS',
      })
    }
    const heard = await this.#ask(stream, 'STARTTLS', 'ehlo')
    if (isFault(heard)) return this.#failed(required ? 'starttls' : 'tls', heard)
    if (!positive(heard))
      return required || heard.code === 421 ? this.#refused('starttls', heard) : { plain: heard.text }
    const fault = await stream.secure(this.#tlsOptions(), this.#timeouts.tls)
    if (fault !== null) return this.#failed('tls', fault)
    return this.#judge(stream)
  }

  #tlsOptions(): ConnectionOptions {
    const { host, secureContext } = this.#options
    return {
      // Judged after the handshake: an unverified certificate still keeps listeners out.
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      ...(secureContext === undefined ? {} : { secureContext }),
      ...(isIP(host) === 0 ? { servername: host } : {}),
    }
  }

  #judge(stream: SmtpStream): TlsInfo | NotOpened {
    const socket = stream.tls
    if (socket === null) return this.#failed('tls', { code: 'tls', message: 'no TLS' })
    const verified =
      this.#options.verify?.(socket) ?? (this.#options.verify ? null : socket.authorized ? 'pkix' : 'none')
    if (verified === null) return this.#failed('tls', { code: 'tls', message: 'the certificate is not the right one' })
    const info = { version: socket.getProtocol() ?? '', cipher: socket.getCipher().standardName, verified }
    this.#recorder.note(
      `${info.version} ${info.cipher}, certificate ${verified === 'none' ? 'not verified' : verified}`,
    )
    return info
  }

  async #authenticate(stream: SmtpStream, can: Capabilities, tls: TlsInfo | null): Promise<NotOpened | null> {
    const { auth, tls: mode } = this.#options
    if (auth === undefined) return null
    const none = (message: string): NotOpened => this.#failed('auth', { code: 'other', message })
    if (tls === null && mode !== 'off') return none('the password is not sent without TLS')
    const secrets = [`\0${auth.username}\0${auth.password}`, auth.username, auth.password].map((secret) =>
      Buffer.from(secret).toString('base64'),
    )
    const [plain = '', username = '', password = ''] = secrets
    let heard: Heard
    if (can.auth.includes('PLAIN')) heard = await this.#ask(stream, `AUTH PLAIN ${plain}`, 'auth', 'AUTH PLAIN ***')
    else if (can.auth.includes('LOGIN')) {
      heard = await this.#ask(stream, 'AUTH LOGIN', 'auth')
      for (const secret of [username, password]) {
        if (isFault(heard) || heard.code !== 334) break
        heard = await this.#ask(stream, secret, 'auth', '***')
      }
    } else return none('the server offers neither AUTH PLAIN nor AUTH LOGIN')
    if (isFault(heard)) return this.#failed('auth', heard)
    return positive(heard) ? null : this.#refused('auth', heard)
  }

  async #ask(stream: SmtpStream, line: string, phase: 'ehlo' | 'auth', shown = line): Promise<Heard> {
    this.#recorder.client(shown)
    stream.say(`${line}\r\n`)
    const heard = await stream.hear(this.#timeouts[phase])
    if (!isFault(heard)) this.#recorder.server(heard)
    return heard
  }

  async #hear(stream: SmtpStream, phase: 'banner'): Promise<Reply | NotOpened> {
    const heard = await stream.hear(this.#timeouts[phase])
    if (isFault(heard)) return this.#failed(phase, heard)
    this.#recorder.server(heard)
    return positive(heard) ? heard : this.#refused(phase, heard)
  }

  #failed(phase: Phase, fault: Fault): NotOpened {
    this.#recorder.note(fault.message)
    return { ...failed(phase, fault), dialogue: this.#recorder.take() }
  }

  /** A 3xx where none belongs is nonsense, not a refusal. */
  #refused(phase: Phase, reply: Reply): NotOpened {
    if (reply.code < 400) return this.#failed(phase, { code: 'protocol', message: `answered ${reply.text}` })
    return { kind: 'refused', phase, reply, dialogue: this.#recorder.take() }
  }
}

function capabilitiesOf(reply: Reply): Capabilities {
  const offered = new Map<string, string>()
  for (const line of reply.lines.slice(1)) {
    const [, keyword = '', parameters = ''] = /^\s*([a-z0-9-]+)(?:[ =]\s*(.*))?$/i.exec(line) ?? []
    offered.set(keyword.toUpperCase(), parameters)
  }
  const size = offered.get('SIZE')
  return {
    pipelining: offered.has('PIPELINING'),
    eightBitMime: offered.has('8BITMIME'),
    smtpUtf8: offered.has('SMTPUTF8'),
    startTls: offered.has('STARTTLS'),
    size: size !== undefined,
    maxSizeBytes: /^\d{1,15}$/.test(size ?? '') ? Number(size) : 0,
    auth: (offered.get('AUTH') ?? '').toUpperCase().split(/\s+/),
  }
}
