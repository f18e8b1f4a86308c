// Opens a connection up to the point where MAIL may follow: connect, banner, EHLO, STARTTLS, AUTH. The rules are at the head
// of client.ts.

import { isIP } from 'node:net'
import type { ConnectionOptions, SecureContext, TLSSocket } from 'node:tls'
import type { Clock } from '../../platform/clock.ts'
import { CLIENT_TLS } from '../../platform/network/tls-client.ts'
import type { Dialogue, DialogueRecorder } from './dialogue.ts'
import type { Reply } from './reply.ts'
import { type Endpoint, type Fault, isFault, type ReplyOrFault, SmtpStream } from './stream.ts'

export type Phase = 'connect' | 'banner' | 'ehlo' | 'starttls' | 'tls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'dot'

/** In milliseconds. The defaults come from RFC 5321 section 4.5.3.2 and Postfix; each covers one whole reply. */
export interface Timeouts {
  readonly connect: number
  /** For the reply to STARTTLS, and again for the handshake. */
  readonly tls: number
  readonly banner: number
  readonly ehlo: number
  readonly auth: number
  readonly mail: number
  readonly rcpt: number
  readonly data: number
  /** For sending 64 KB of the message. */
  readonly block: number
  /** Slowest accepted rate beyond one block. Not a time, but it bounds the time for the whole message. */
  readonly bytesPerSecond: number
  /** For the reply to the final dot. Too short a time-out causes duplicates. */
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
   * `none`: encrypted, but the peer is not verified. `pkix`: a public authority vouches for the host name. `mta_sts`: as `pkix`,
   * and the domain's policy asks for it. `dane`: the domain's signed DNS records name the certificate.
   */
  readonly verified: 'none' | 'pkix' | 'mta_sts' | 'dane'
}

/** Verifies the peer after the handshake. `refused` is the reason, in words for people. */
export type TlsVerifier = (socket: TLSSocket) => TlsInfo['verified'] | { readonly refused: string }

export interface OpenOptions extends Endpoint {
  /** Name of the host: MX exchange or relay. Used for SNI, certificates and display; the connection goes to `ip`. */
  readonly host: string
  /** Name for SNI and certificates, if it differs from `host`. */
  readonly serverName?: string | undefined
  readonly ehloName: string
  readonly tls: 'off' | 'opportunistic' | 'required' | 'implicit'
  /**
   * For `opportunistic`. `plain`, the default: if TLS fails, continue without. `close`: if TLS fails, stop, so that TLS can be
   * tried elsewhere; a server that offers no TLS is accepted. `{ why }`: TLS failed here before and is not tried.
   */
  readonly withoutTls?: 'plain' | 'close' | { readonly why: string }
  /** Default: accept any certificate, and report `pkix` if it happens to be valid. */
  readonly verify?: TlsVerifier
  /** Made with CLIENT_TLS. Share one between connections: creating it costs more than sending a message. */
  readonly secureContext?: SecureContext
  readonly auth?: { readonly username: string; readonly password: string }
  /** False: do not pipeline even if the server offers it (see `SendResult.pipeliningSuspect`). */
  readonly pipelining?: boolean
  readonly timeouts?: Partial<Timeouts>
  readonly clock: Clock
  /** Aborts the connection at once, whatever is under way. */
  readonly signal?: AbortSignal
}

/** There was no usable reply. Always temporary. */
export interface Failed {
  readonly kind: 'failed'
  readonly phase: Phase
  readonly fault: Fault
  /** RFC 3463: 4.4.1 no connection, 4.4.2 connection lost or silent, 4.5.0 protocol fault, 4.7.5 TLS. */
  readonly enhanced: string
  /** The final dot may have reached the server, so it may have the message. */
  readonly dotSent: boolean
}

export interface Capabilities {
  readonly pipelining: boolean
  readonly eightBitMime: boolean
  readonly smtpUtf8: boolean
  readonly startTls: boolean
  readonly size: boolean
  /** 0 when the server states no limit. */
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

/** The connection could not be opened. */
export type NotOpened =
  /** The server refused us: 4xx or 5xx. */
  | {
      readonly kind: 'refused'
      readonly phase: Phase
      readonly reply: Reply
      readonly dialogue: Dialogue
      readonly tlsFault?: string
      /** The login was refused over TLS. */
      readonly tls?: TlsInfo
    }
  | (Failed & { readonly dialogue: Dialogue; readonly tlsFault?: string; readonly tls?: TlsInfo })

/** Opens one connection up to the point where MAIL may follow. */
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
    const banner = await this.#readBanner(stream)
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
        can = await this.#greet(stream, true)
        if ('kind' in can) return can
      }
    }
    const refused = await this.#authenticate(stream, can, tls)
    if (refused !== null) return tls === null ? refused : { ...refused, tls }
    if (this.#options.pipelining === false) can = { ...can, pipelining: false }
    return { stream, recorder: this.#recorder, timeouts: this.#timeouts, can, tls, tlsFault }
  }

  /**
   * @param justEncrypted right after the handshake: in TLS 1.3 (RFC 8446 section 2) the client has finished it before the
   *   server, which may still refuse it or be silent. Its first reply shows that TLS works
   */
  async #greet(stream: SmtpStream, justEncrypted = false): Promise<Capabilities | NotOpened> {
    const reply = await this.#ask(stream, `EHLO ${this.#options.ehloName}`, 'ehlo')
    if (isFault(reply)) return this.#failed(justEncrypted && reply.code !== 'protocol' ? 'tls' : 'ehlo', reply)
    if (positive(reply)) return capabilitiesOf(reply)
    if (reply.code < 500) return this.#refused('ehlo', reply)
    const helo = await this.#ask(stream, `HELO ${this.#options.ehloName}`, 'ehlo')
    if (isFault(helo)) return this.#failed('ehlo', helo)
    return positive(helo) ? NO_CAPABILITIES : this.#refused('ehlo', helo)
  }

  /** `plain` means no TLS: it holds the server's refusal, or null when the server does not offer STARTTLS. */
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
    const reply = await this.#ask(stream, 'STARTTLS', 'tls')
    if (isFault(reply)) return this.#failed(required ? 'starttls' : 'tls', reply)
    if (!positive(reply))
      return required || withoutTls === 'close' || reply.code === 421
        ? this.#refused('starttls', reply)
        : { plain: reply.text }
    const fault = await stream.secure(this.#tlsOptions(), this.#timeouts.tls)
    if (fault !== null) return this.#failed('tls', fault)
    return this.#judge(stream)
  }

  #tlsOptions(): ConnectionOptions {
    const { host, serverName = host, secureContext } = this.#options
    return {
      // The certificate is verified after the handshake. Even an unverified one protects against eavesdropping.
      rejectUnauthorized: false,
      ...CLIENT_TLS,
      ...(secureContext === undefined ? {} : { secureContext }),
      ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    }
  }

  #judge(stream: SmtpStream): TlsInfo | NotOpened {
    const socket = stream.tls
    if (socket === null) return this.#failed('tls', { code: 'tls', message: 'no TLS' })
    const verified = verdictOf(socket, this.#options.verify)
    if (typeof verified === 'object') return this.#failed('tls', { code: 'tls', message: verified.refused })
    // For a socket that broke meanwhile, Node returns null, despite its types.
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
    let reply: ReplyOrFault
    if (can.auth.includes('PLAIN')) reply = await this.#ask(stream, `AUTH PLAIN ${plain}`, 'auth', 'AUTH PLAIN ***')
    else if (can.auth.includes('LOGIN')) {
      reply = await this.#ask(stream, 'AUTH LOGIN', 'auth')
      for (const secret of [username, password]) {
        if (isFault(reply) || reply.code !== 334) break
        reply = await this.#ask(stream, secret, 'auth', '***')
      }
    } else return none('the server offers neither AUTH PLAIN nor AUTH LOGIN')
    if (isFault(reply)) return this.#failed('auth', reply)
    return positive(reply) ? null : this.#refused('auth', reply)
  }

  async #ask(stream: SmtpStream, line: string, phase: 'ehlo' | 'tls' | 'auth', shown = line): Promise<ReplyOrFault> {
    this.#recorder.client(shown)
    stream.write(`${line}\r\n`)
    const reply = await stream.readReply(this.#timeouts[phase])
    if (!isFault(reply)) this.#recorder.server(reply)
    return reply
  }

  async #readBanner(stream: SmtpStream): Promise<Reply | NotOpened> {
    const reply = await stream.readReply(this.#timeouts.banner)
    if (isFault(reply)) return this.#failed('banner', reply)
    this.#recorder.server(reply)
    return positive(reply) ? reply : this.#refused('banner', reply)
  }

  #failed(phase: Phase, fault: Fault): NotOpened {
    this.#recorder.note(fault.message)
    return { ...failed(phase, fault), dialogue: this.#recorder.take() }
  }

  /** An unexpected 3xx is a protocol fault, not a refusal. */
  #refused(phase: Phase, reply: Reply): NotOpened {
    if (reply.code < 400) return this.#failed(phase, { code: 'protocol', message: `answered ${reply.text}` })
    return { kind: 'refused', phase, reply, dialogue: this.#recorder.take() }
  }
}

/** Catches errors, because a certificate may be crafted so that inspecting it throws. */
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
