// Makes the SMTP library as strict as the contract requires.
//
// Commands end only in CRLF: a line with a bare CR or LF is refused (500 5.5.2), because a server before or behind us may split
// the stream elsewhere. Data sent after DATA before the reply to it is refused and the connection closed (RFC 2920 section 3.1).
// A line of more than 12,288 bytes, the limit for an authentication exchange (RFC 4954 section 4), also closes the connection.
// AUTH is not offered before TLS. A reply text that begins with an enhanced code keeps that code. Parameters of MAIL and RCPT
// that were not offered are refused (envelope-command.ts), and so are arguments of commands that take none (RFC 5321 section
// 4.1.1).
//
// A client that sends a byte now and then is never idle. So a command must be complete within five minutes, and the data of a
// message must arrive at an average of 500 bytes a second, counted from two minutes after DATA (421 4.4.2).

import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions } from 'smtp-server'
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js'
import { senderNetwork } from '../platform/addresses.ts'
import { type EnvelopeCommand, type EnvelopeVerb, readEnvelopeCommand } from './envelope-command.ts'
import { MessageData } from './submission-data.ts'

const MAX_LINE_BYTES = 12_288
const MAX_IDLE_COMMANDS = 100
/** Of one connection, before others have a turn: 25 RCPT take about a millisecond. */
const LINES_PER_TURN = 25
/** Less than a socket buffers: with a full buffer the next command waits until it has been sent. */
const HELD_MOST_BYTES = 8_192
const LOOK_AT_DATA_EVERY_MS = 10_000
const DATA_BYTES_PER_SECOND = 500
const PATIENCE: Patience = { commandMs: 300_000, dataMs: 120_000 }
const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3} /
const ENVELOPE = /^(?:MAIL|RCPT) /i
const BARE = /^\S+\s*$/
const DUMMIES = ['WIZ', 'SHELL', 'KILL', 'XCLIENT', 'XFORWARD']
/** Parameters of the extensions in EHLO; AUTH is added where there is a log-in (RFC 4954 section 5). RCPT has none. */
const MAIL_PARAMETERS = ['SIZE', 'BODY', 'SMTPUTF8']
const NONE: ReadonlySet<string> = new Set()

type Connect = Parameters<SMTPServer['connect']>

type Upgrade = Parameters<SMTPServer['_upgrade']>

type OnConnect = Parameters<SMTPServer['onConnect']>

type OnSecure = Parameters<SMTPServer['onSecure']>

type Accept = Parameters<SMTPServer['_acceptSocket']>

export interface ProtocolOptions {
  /** Called before the greeting. @returns false: the client gets 421 4.7.0 */
  readonly mayConnect: (remoteAddress: string) => boolean
  /** Called before the handshake of implicit TLS. @returns false: the connection is dropped. Default: true */
  readonly mayHandshake?: (remoteAddress: string) => boolean
  /**
   * Greet 100 ms after a connection, and refuse clients that talk before, as programs that send spam do. Default: greet at once.
   * It would limit those who open a connection for each message, and log in: 32 of them at a time to 300 messages a second.
   */
  readonly expectsEarlyTalkers?: boolean
  /** Commands that are not offered. */
  readonly without?: readonly string[]
  readonly patience?: Patience | undefined
}

/** Time limits of a client. */
export interface Patience {
  /** From a command's first byte to its end. */
  readonly commandMs: number
  /** For data slower than 500 bytes a second. */
  readonly dataMs: number
}

export class SubmissionServer extends SMTPServer {
  readonly #protocol: ProtocolOptions

  constructor(options: SMTPServerOptions, protocol: ProtocolOptions) {
    super({ ...options, disabledCommands: [...DUMMIES, ...(protocol.without ?? [])], logger: false })
    this.#protocol = protocol
  }

  // By default these two let a turn of the loop pass each, in which what a client sends is too early.
  override onConnect(_session: OnConnect[0], callback: OnConnect[1]): void {
    callback()
  }

  override onSecure(_socket: OnSecure[0], _session: OnSecure[1], callback: OnSecure[2]): void {
    callback()
  }

  override connect(socket: Connect[0], socketOptions?: Connect[1]): void {
    const connection = new Connection(this, socket, socketOptions)
    connection.patience = this.#protocol.patience ?? PATIENCE
    const hasLogin = this.#protocol.without?.includes('AUTH') !== true
    connection.mailParameters = new Set(hasLogin ? [...MAIL_PARAMETERS, 'AUTH'] : MAIL_PARAMETERS)
    const admitted = this.#protocol.mayConnect(connection.remoteAddress)
    this.connections.add(connection)
    connection.on('error', (error: Error) => this._onError(error))
    if (!admitted) connection.turnAway()
    else if (this.#protocol.expectsEarlyTalkers === true) connection.init()
    else connection.greetAtOnce()
  }

  override _acceptSocket(socket: Accept[0], handshake: Accept[1]): ReturnType<SMTPServer['_acceptSocket']> {
    if (!handshake || this.#protocol.mayHandshake?.(socket.remoteAddress ?? '') !== false) {
      return super._acceptSocket(socket, handshake)
    }
    socket.on('error', () => undefined)
    socket.destroy()
    return false
  }

  /** A handshake on a socket closed since its acceptance, by a stop or by its client, would crash Node. */
  override _upgrade(socket: Upgrade[0], callback: Upgrade[1]): void {
    if (socket.destroyed) callback(new Error('the connection was closed before its handshake'))
    else super._upgrade(socket, callback)
  }

  /** Connections from one address (IPv6: from its /64). */
  countFrom(remoteAddress: string): number {
    const network = senderNetwork(remoteAddress)
    let count = 0
    for (const connection of this.connections) {
      if (connection instanceof Connection && connection.network === network) count++
    }
    return count
  }

  /** Connections from one network that are not through with the handshake of implicit TLS. */
  handshakesFrom(remoteAddress: string): number {
    const network = senderNetwork(remoteAddress)
    let count = 0
    for (const socket of this._pendingSockets.keys()) {
      if (senderNetwork(socket.remoteAddress ?? '') === network) count++
    }
    return count
  }

  /** Tells every session that is not receiving a message to come back later. @returns how many are */
  dismissIdle(): number {
    let busy = 0
    for (const connection of this.connections) {
      if (connection._dataStream) busy++
      else connection.send(421, '4.3.2 shutting down, try again in a moment')
    }
    return busy
  }
}

class Connection extends SMTPConnection {
  /** Commands without effect since the last message. */
  #idleCommands = 0
  /** The reply to the current command may wait for the reply to the next, which came with it (RFC 2920 section 3.2). */
  #holds = false
  #corked = false
  /** The MAIL or RCPT being answered. */
  #envelope: EnvelopeCommand | null = null
  patience = PATIENCE
  mailParameters: ReadonlySet<string> = new Set()
  /** The unit by which clients are counted. */
  readonly network = senderNetwork(this.remoteAddress)

  override _createParser(): SMTPStream {
    return new StrictParser({
      patience: () => this.patience,
      command: (line, next, more) => {
        this.#holds = more && ENVELOPE.test(line.toString('latin1', 0, 5))
        this._onCommand(line, next)
      },
      refuse: (code, text) => {
        this.#holds = false
        this.send(code, text)
      },
      hangUp: (code, text) => {
        this.send(code, text)
        this.close()
      },
    })
  }

  greetAtOnce(): void {
    this._setListeners(() => this.connectionReady())
  }

  turnAway(): void {
    this._setListeners(() => this.send(421, '4.7.0 too many connections from your address'))
  }

  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    // The library answers AUTH before TLS with an obsolete code; everything that needs TLS gets one answer.
    if (code === 538) return this.send(530, '5.7.0 start TLS first', false)
    const socket = this._socket
    if (this.#holds && !this.#corked) {
      socket.cork()
      this.#corked = true
    }
    if (Array.isArray(data)) {
      super.send(code, this.secure ? data : data.filter((line) => !line.startsWith('AUTH ')), context)
    } else super.send(code, data, typeof data === 'string' && ENHANCED.test(data) ? false : context)
    if (!this.#corked || (this.#holds && socket.writableLength < HELD_MOST_BYTES)) return
    socket.uncork()
    this.#corked = false
  }

  handler_EXPN(_command: Buffer, callback: () => void): void {
    this.send(502, '5.5.1 EXPN is not available')
    callback()
  }

  override handler_HELP(_command: Buffer, callback: () => void): void {
    if (!this.#mayIdle()) return
    this.send(214, '2.0.0 see RFC 5321 and RFC 6409')
    callback()
  }

  override handler_QUIT(command: Buffer, callback: () => void): void {
    if (this.#isBare(command, callback)) super.handler_QUIT(command, callback)
  }

  override handler_MAIL(command: Buffer, callback: () => void): void {
    if (this.#isEnvelope(command, 'MAIL FROM', this.mailParameters, callback)) super.handler_MAIL(command, callback)
  }

  override handler_RCPT(command: Buffer, callback: () => void): void {
    if (this.#isEnvelope(command, 'RCPT TO', NONE, callback)) super.handler_RCPT(command, callback)
  }

  override _parseAddressCommand(): ReturnType<SMTPConnection['_parseAddressCommand']> {
    return this.#envelope === null ? false : { address: this.#envelope.path, args: { ...this.#envelope.parameters } }
  }

  override handler_NOOP(command: Buffer, callback: () => void): void {
    if (this.#mayIdle()) super.handler_NOOP(command, callback)
  }

  override handler_RSET(command: Buffer, callback: () => void): void {
    if (this.#isBare(command, callback) && this.#mayIdle()) super.handler_RSET(command, callback)
  }

  override handler_VRFY(command: Buffer, callback: () => void): void {
    if (this.#mayIdle()) super.handler_VRFY(command, callback)
  }

  override handler_DATA(command: Buffer, callback: () => void): void {
    if (!this.#isBare(command, callback)) return
    this.#idleCommands = 0
    super.handler_DATA(command, callback)
  }

  /** Answers a malformed MAIL or RCPT. */
  #isEnvelope(command: Buffer, verb: EnvelopeVerb, offered: ReadonlySet<string>, callback: () => void): boolean {
    const read = readEnvelopeCommand(command, verb, offered)
    this.#envelope = read.ok ? read : null
    if (read.ok) return true
    this.send(read.code, read.text)
    callback()
    return false
  }

  /** Answers a command that has arguments but takes none. */
  #isBare(command: Buffer, callback: () => void): boolean {
    if (BARE.test(command.toString('latin1'))) return true
    this.send(501, '5.5.4 this command takes no parameters')
    callback()
    return false
  }

  #mayIdle(): boolean {
    if (++this.#idleCommands <= MAX_IDLE_COMMANDS) return true
    this.send(421, '4.7.0 too many commands that do nothing')
    return false
  }
}

interface ParserOptions {
  /** `more`: the next line has already arrived. */
  readonly command: (line: Buffer, next: () => void, more: boolean) => void
  readonly refuse: (code: number, text: string) => void
  readonly hangUp: (code: number, text: string) => void
  readonly patience: () => Patience
}

class StrictParser extends SMTPStream {
  readonly #options: ParserOptions
  /** The start of a line whose end has not come. */
  #rest: Buffer = Buffer.alloc(0)
  #more = false
  #data = new MessageData()
  #dataBytes = 0
  /** Timer of the command or the data whose end has not come. */
  #watch: NodeJS.Timeout | undefined

  constructor(options: ParserOptions) {
    super()
    this.#options = options
    this.oncommand = (line, next = () => undefined) => options.command(line, next, this.#more)
    this.on('error', () => options.hangUp(421, '4.3.0 the connection broke'))
  }

  override _write(chunk: Buffer, encoding: BufferEncoding | 'buffer', done: (error?: Error | null) => void): void {
    if (this.isClosed || this._dataMode || chunk.length === 0) super._write(chunk, encoding, done)
    else this.#readLines(this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]), done)
  }

  override startDataMode(maxBytes?: number | string | null): SMTPServerDataStream {
    this.#data = new MessageData()
    this.#dataBytes = 0
    this.#watchData()
    return super.startDataMode(maxBytes)
  }

  #endWatch(): void {
    clearTimeout(this.#watch)
    this.#watch = undefined
  }

  #watchCommand(): void {
    const late = (): void => {
      if (!this.isClosed) this.#options.hangUp(421, '4.4.2 the command took too long')
    }
    this.#watch ??= setTimeout(late, this.#options.patience().commandMs).unref()
  }

  #watchData(): void {
    const { dataMs } = this.#options.patience()
    const everyMs = Math.min(LOOK_AT_DATA_EVERY_MS, dataMs)
    let elapsedMs = 0
    const look = (): void => {
      elapsedMs += everyMs
      if (this.isClosed) return
      if (elapsedMs > dataMs && this.#dataBytes < ((elapsedMs - dataMs) / 1_000) * DATA_BYTES_PER_SECOND) {
        this.#options.hangUp(421, '4.4.2 the message comes too slowly')
      } else this.#watch = setTimeout(look, everyMs).unref()
    }
    this.#endWatch()
    this.#watch = setTimeout(look, everyMs).unref()
  }

  override _feedDataStream(chunk: Buffer, done: (error?: Error | null) => void): void {
    const stream = this._dataStream
    const { pieces, behind } = this.#data.feed(chunk)
    this.#dataBytes += chunk.length
    if (behind !== null) this.#endWatch()
    const last = behind === null ? undefined : pieces.at(-1)
    let full = false
    for (const piece of pieces) {
      this._countDataBytes(piece.length)
      if (piece !== last && stream?.writable === true) full = !stream.write(piece)
    }
    if (behind !== null) this._endDataMode(last ?? false, behind, done)
    else if (stream === null || !full || stream.destroyed) done()
    else {
      // A destroyed stream never drains, it only closes.
      const goOn = (): void => {
        stream.off('drain', goOn).off('close', goOn)
        done()
      }
      stream.on('drain', goOn).on('close', goOn)
    }
  }

  /** Passes on one line after the other, each after the one before has been answered. */
  #readLines(input: Buffer, done: () => void): void {
    this.#rest = Buffer.alloc(0)
    let at = 0
    let lines = 0
    let running = false
    let again = false
    const step = (): void => {
      // A handler that answers at once calls back from within: the loop continues, and the stack does not grow.
      again = true
      if (running) return
      running = true
      while (again) {
        again = false
        const line = this.#nextLine(input, at)
        if (line === null) {
          done()
          return
        }
        at = line.end
        this.#more = input.includes(0x0a, at)
        if (line.bytes !== null) this.oncommand(line.bytes, next)
        else {
          this.#options.refuse(500, '5.5.2 lines end in CRLF; a bare CR or LF is refused')
          next()
        }
      }
      running = false
    }
    // Also where a handler has answered later: a chain of promises leaves nobody else a turn.
    const next = (): void => {
      if (++lines % LINES_PER_TURN === 0) setImmediate(step)
      else step()
    }
    step()
  }

  /** @returns null when there is nothing more to read here; `bytes` is null for a refused line */
  #nextLine(input: Buffer, at: number): { readonly bytes: Buffer | null; readonly end: number } | null {
    if (this.isClosed || at === input.length) return null
    if (this._dataMode) {
      this.#options.hangUp(503, '5.5.1 wait for the reply to DATA before sending the message')
      return null
    }
    const feed = input.indexOf(0x0a, at)
    const length = (feed < 0 ? input.length : feed) - at
    if (length > MAX_LINE_BYTES) {
      this.#options.hangUp(500, '5.5.6 the line is too long')
      return null
    }
    if (feed < 0) {
      this.#rest = Buffer.from(input.subarray(at))
      this.#watchCommand()
      return null
    }
    this.#endWatch()
    const line = input.subarray(at, Math.max(at, feed - 1))
    const strict = feed > at && input[feed - 1] === 0x0d && !line.includes(0x0d)
    return { bytes: strict ? line : null, end: feed + 1 }
  }
}
