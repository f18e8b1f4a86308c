// The way from nothing to the point where MAIL may follow: connection, banner, EHLO, STARTTLS, AUTH. The rules stand at
// the head of smtp-client.ts.

import { isIP } from 'node:net'
import type { ConnectionOptions, SecureContext, TLSSocket } from 'node:tls'
import type { Clock } from '../platform/clock.ts'
import type { Dialogue, DialogueRecorder } from './smtp-dialogue.ts'
import type { Reply } from './smtp-reply.ts'
import { type Endpoint, type Fault, type Heard, isFault, SmtpStream } from './smtp-stream.ts'

export type Phase = 'connect' | 'banner' | 'ehlo' | 'starttls' | 'tls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'dot'

/** Milliseconds. The defaults are RFC 5321 section 4.5.3.2's and Postfix's; each covers one whole reply. */
export interface Timeouts {
  readonly connect: number
  /** For the reply to STARTTLS, and for the handshake. */
  readonly tls: number
  readonly banner: number
  readonly ehlo: number
  readonly auth: number
  readonly mail: number
  readonly rcpt: number
  readonly data: number
  /** For 64 KB of the message to leave. */
  readonly block: number
  /** The slowest server that is waited for beyond one block. No time, but it bounds one. */
  readonly bytesPerSecond: number
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
  bytesPerSecond: 16_384,
  dot: 600_000,
  quit: 2_000,
}

export interface TlsInfo {
  readonly version: string
  readonly cipher: string
  /**
   * `none`: encrypted to whoever answered. `pkix`: a public authority vouches for the host's name; `mta_sts`: and the domain
   * asks for it. `dane`: the domain's signed DNS names the certificate.
   */
  readonly verified: 'none' | 'pkix' | 'mta_sts' | 'dane'
}

/** Judges the peer after the handshake. `refused`: why, for people. */
export type TlsVerifier = (socket: TLSSocket) => TlsInfo['verified'] | { readonly refused: string }

export interface OpenOptions extends Endpoint {
  /** The name of the host: MX exchange or relay. For SNI, certificates and people; `ip` is where we connect. */
  readonly host: string
  /** For SNI and certificates, where it is another one. */
  readonly serverName?: string | undefined
  readonly ehloName: string
  readonly tls: 'off' | 'opportunistic' | 'required' | 'implicit'
  /**
   * Of `opportunistic`. `plain`, the default: where TLS fails it goes on without. `close`: then it ends, so that it may be tried
   * elsewhere; a server that offers no TLS is well all the same. `{ why }`: TLS failed there before, and is not tried.
   */
  readonly withoutTls?: 'plain' | 'close' | { readonly why: string }
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

export interface Capabilities {
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

export function positive(reply: Reply): boolean {
  return reply.code < 300
}

export function failed(phase: Phase, fault: Fault, dotSent = false): Failed {
  return { kind: 'failed', phase, fault, enhanced: statusOf(phase, fault), dotSent }
}

function statusOf(phase: Phase, fault: Fault): string {
  if (phase === 'tls' || fault.code === 'tls') return '4.7.5'
  if (phase === 'connect') return '4.4.1'
  return fault.code === 'protocol' ? '4.5.0' : '4.4.2'
}

export interface Opened {
  readonly stream: SmtpStream
  readonly recorder: DialogueRecorder
  readonly timeouts: Timeouts
  readonly can: Capabilities
  readonly tls: TlsInfo | null
  readonly tlsFault: string | null
}

/** The server did not let us in. */
export type NotOpened =
  /** It answered, and does not want us: 4xx or 5xx. */
  | {
      readonly kind: 'refused'
      readonly phase: Phase
      readonly reply: Reply
      readonly dialogue: Dialogue
      readonly tlsFault?: string
    }
  | (Failed & { readonly dialogue: Dialogue; readonly tlsFault?: string })

/** One connection, to the point where MAIL may follow. */
export async function openStream(
  options: OpenOptions,
  recorder: DialogueRecorder,
  useTls: boolean,
): Promise<Opened | NotOpened> {
  const opening = new Opening(options, recorder)
  let isOpen = false
  try {
    const opened = await opening.run(useTls)
    isOpen = 'stream' in opened
    return opened
  } finally {
    if (!isOpen) opening.drop()
  }
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
    const { tls: mode, withoutTls } = this.#options
    const required = mode === 'required'
    if (!can.startTls) {
      if (!required) return { plain: null }
      return this.#failed('starttls', {
        code: 'tls',
        message: 'the server does not offer STARTTLS',
      })
    }
    const heard = await this.#ask(stream, 'STARTTLS', 'tls')
    if (isFault(heard)) return this.#failed(required ? 'starttls' : 'tls', heard)
    if (!positive(heard))
      return required || withoutTls === 'close' || heard.code === 421
        ? this.#refused('starttls', heard)
        : { plain: heard.text }
    const fault = await stream.secure(this.#tlsOptions(), this.#timeouts.tls)
    if (fault !== null) return this.#failed('tls', fault)
    return this.#judge(stream)
  }

  #tlsOptions(): ConnectionOptions {
    const { host, serverName = host, secureContext } = this.#options
    return {
      // Judged after the handshake: an unverified certificate still keeps listeners out.
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      ...(secureContext === undefined ? {} : { secureContext }),
      ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    }
  }

  #judge(stream: SmtpStream): TlsInfo | NotOpened {
    const socket = stream.tls
    if (socket === null) return this.#failed('tls', { code: 'tls', message: 'no TLS' })
    const verified = verdictOf(socket, this.#options.verify)
    if (typeof verified === 'object') return this.#failed('tls', { code: 'tls', message: verified.refused })
    // Of a socket that has broken meanwhile Node says null, whatever its types say.
    const cipher = socket.getCipher() as ReturnType<TLSSocket['getCipher']> | null
    if (cipher === null) return this.#failed('tls', { code: 'closed', message: 'the connection broke off' })
    const info = { version: socket.getProtocol() ?? '', cipher: cipher.standardName, verified }
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

  async #ask(stream: SmtpStream, line: string, phase: 'ehlo' | 'tls' | 'auth', shown = line): Promise<Heard> {
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

/** A certificate may be made so that looking at it throws. */
function verdictOf(socket: TLSSocket, verify: TlsVerifier | undefined): ReturnType<TlsVerifier> {
  if (verify === undefined) return socket.authorized ? 'pkix' : 'none'
  try {
    return verify(socket)
  } catch (error) {
    return { refused: `the certificate cannot be judged: ${(error as Error).message}` }
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
