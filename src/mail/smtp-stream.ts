// One socket to an SMTP server, seen as replies to wait for and bytes to write. Whatever happens to the socket becomes
// a Fault, a value that stays: nothing here throws, and nothing waits without a limit.

import { connect, isIPv6, type Socket } from 'node:net'
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls'
import { type Reply, ReplyReader } from './smtp-reply.ts'

/** Why the stream is of no use any more. `code` is for programs, `message` for people. */
export interface Fault {
  readonly code: 'refused' | 'unreachable' | 'timeout' | 'reset' | 'closed' | 'protocol' | 'tls' | 'aborted' | 'other'
  readonly message: string
}

export type Heard = Reply | Fault

export function isFault(heard: Heard): heard is Fault {
  return 'message' in heard
}

const MAX_UNREAD_REPLIES = 10_000
/** Of their text; a reply may have 64 KB. */
const MAX_UNREAD_CHARS = 1_048_576
const BLOCK_BYTES = 65_536

const FAULT_CODES: Readonly<Record<string, Fault['code']>> = {
  ECONNREFUSED: 'refused',
  ENETUNREACH: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
}

export function faultOf(error: unknown): Fault {
  const { code, message } = error as NodeJS.ErrnoException
  const words = String(message ?? error)
  const reason = OPENSSL.exec(words)?.[1] ?? null
  if (reason !== null) return { code: 'tls', message: `the TLS handshake failed: ${reason}` }
  if (typeof code === 'string' && code.startsWith('ERR_SSL')) return { code: 'tls', message: oneLine(words) }
  return { code: FAULT_CODES[code ?? ''] ?? 'other', message: oneLine(words) }
}

/** `thread:error:number:library:function:reason:file:line:`, of which the reason alone is for people. */
const OPENSSL = /:error:[^:\n]{0,40}:[^:\n]{0,80}:[^:\n]{0,80}:([^:\n]{1,200})/

function oneLine(words: string): string {
  return words.replace(/\s+/g, ' ').trim()
}

/** A line without text is counted too: it takes memory like others. */
function charsOf({ lines, text }: Reply): number {
  return text.length + 16 * lines.length
}

export interface Endpoint {
  readonly ip: string
  readonly port: number
  /** The local address to speak from; null or absent: the system's choice. */
  readonly sourceIp?: string | null
}

export class SmtpStream {
  #socket: Socket
  readonly #signal: AbortSignal | undefined
  #reader = new ReplyReader()
  #replies: Reply[] = []
  #unreadChars = 0
  #fault: Fault | null = null
  /** Who waits for a reply, for a fault, or for room in the socket's buffer. */
  #wake: (() => void) | null = null

  private constructor(socket: Socket, signal: AbortSignal | undefined) {
    this.#socket = socket
    this.#signal = signal
    this.#listen(socket)
    signal?.addEventListener('abort', this.#aborted, { once: true })
  }

  /** @param tls present: TLS before the first byte (port 465) */
  static async open(
    { ip, port, sourceIp }: Endpoint,
    timeoutMs: number,
    signal?: AbortSignal,
    tls?: ConnectionOptions,
  ): Promise<SmtpStream | Fault> {
    if (signal?.aborted) return { code: 'aborted', message: 'stopped before connecting' }
    const family = isIPv6(ip) ? 6 : 4
    const target = { host: ip, port, family, ...(sourceIp ? { localAddress: sourceIp } : {}) }
    const socket =
      tls === undefined
        ? connect({ ...target, noDelay: true, autoSelectFamily: false })
        : tlsConnect({ ...tls, ...target })
    socket.setNoDelay(true)
    const stream = new SmtpStream(socket, signal)
    const fault = await stream.#event(tls === undefined ? 'connect' : 'secureConnect', timeoutMs, 'no connection')
    return fault ?? stream
  }

  get fault(): Fault | null {
    return this.#fault
  }

  /** True when the server has said something that no one asked for, or has gone. */
  get disturbed(): boolean {
    return this.#fault !== null || this.#replies.length > 0 || !this.#reader.idle
  }

  get tls(): TLSSocket | null {
    return 'getCipher' in this.#socket ? (this.#socket as TLSSocket) : null
  }

  /** The next reply. Replies that came before the connection broke are given out before the fault. */
  async hear(timeoutMs: number): Promise<Heard> {
    const deadline = this.#replies.length > 0 || this.#fault !== null ? null : this.#deadline(timeoutMs, 'no reply')
    while (true) {
      const heard = this.#replies.shift() ?? this.#fault
      if (heard !== null) {
        if (!isFault(heard)) this.#unreadChars -= charsOf(heard)
        clearTimeout(deadline ?? undefined)
        return heard
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Small things: a command or a pipelined group of them. */
  say(text: string): void {
    if (this.#fault === null) this.#socket.write(text)
  }

  /**
   * Writes `parts` as one, waiting for the socket after every 64 KB. Ends early, without a word, when the connection
   * breaks or the server speaks: `hear` tells which.
   *
   * @param blockTimeoutMs the longest wait for room for one block; for all of them so long and a second for each
   * `bytesPerSecond`, or a server that takes a little now and then would hold the message for hours
   * @param beforeLast called right before the bytes that end with the last part are handed to the socket
   * @returns whether the last part was handed over
   */
  async pour(
    parts: readonly Buffer[],
    { blockTimeoutMs, bytesPerSecond }: { readonly blockTimeoutMs: number; readonly bytesPerSecond: number },
    beforeLast: () => Promise<boolean>,
  ): Promise<boolean> {
    const bytes = parts.reduce((sum, part) => sum + part.length, 0)
    const deadline = this.#deadline(
      blockTimeoutMs + Math.ceil(bytes / bytesPerSecond) * 1_000,
      'the server did not take the message',
    )
    try {
      return await this.#pour(parts, blockTimeoutMs, beforeLast)
    } finally {
      clearTimeout(deadline)
    }
  }

  async #pour(parts: readonly Buffer[], blockTimeoutMs: number, beforeLast: () => Promise<boolean>): Promise<boolean> {
    let held = 0
    this.#socket.cork()
    for (const [index, part] of parts.entries()) {
      for (let start = 0; start < part.length; start += BLOCK_BYTES) {
        if (held >= BLOCK_BYTES) {
          this.#socket.uncork()
          if (this.#socket.writableNeedDrain) await this.#drained(blockTimeoutMs)
          if (this.disturbed) return false
          this.#socket.cork()
          held = 0
        }
        if (index === parts.length - 1 && start === 0 && !(await beforeLast())) return false
        const block = part.length <= BLOCK_BYTES ? part : part.subarray(start, start + BLOCK_BYTES)
        if (this.#fault === null) this.#socket.write(block)
        held += block.length
      }
    }
    this.#socket.uncork()
    return this.#fault === null
  }

  /** Begins TLS on the open connection. Plain text that came with or after the last reply is forgotten. */
  async secure(options: ConnectionOptions, timeoutMs: number): Promise<Fault | null> {
    const plain = this.#socket
    plain.removeAllListeners()
    // Errors of the lower socket also come through the upper one.
    plain.on('error', () => undefined)
    this.#reader = new ReplyReader()
    this.#forget()
    this.#socket = tlsConnect({ ...options, socket: plain })
    this.#listen(this.#socket)
    plain.once('close', () => this.#break({ code: 'closed', message: 'the server closed the connection' }))
    return this.#event('secureConnect', timeoutMs, 'no TLS handshake')
  }

  /** Closes at once; what was said and not yet heard is forgotten. */
  destroy(): void {
    this.#forget()
    this.#break({ code: 'closed', message: 'closed by us' })
  }

  #forget(): void {
    this.#replies = []
    this.#unreadChars = 0
  }

  #listen(socket: Socket): void {
    socket.on('data', (chunk) => {
      for (const found of this.#reader.push(chunk)) {
        if ('fault' in found) this.#break({ code: 'protocol', message: found.fault })
        else {
          this.#unreadChars += charsOf(found)
          if (this.#replies.push(found) > MAX_UNREAD_REPLIES || this.#unreadChars > MAX_UNREAD_CHARS) {
            this.#break({ code: 'protocol', message: 'replies without end' })
          }
        }
      }
      this.#notify()
    })
    socket.on('error', (error) => this.#break(faultOf(error)))
    socket.on('end', () => this.#break({ code: 'closed', message: 'the server closed the connection' }))
    socket.on('close', () => this.#break({ code: 'closed', message: 'the server closed the connection' }))
  }

  readonly #aborted = (): void => this.#break({ code: 'aborted', message: 'stopped by us' })

  #break(fault: Fault): void {
    if (this.#fault !== null) return
    this.#fault = fault
    this.#signal?.removeEventListener('abort', this.#aborted)
    this.#socket.destroy()
    this.#notify()
  }

  #notify(): void {
    const wake = this.#wake
    this.#wake = null
    wake?.()
  }

  #deadline(timeoutMs: number, what: string): NodeJS.Timeout {
    return setTimeout(
      () => this.#break({ code: 'timeout', message: `${what} within ${timeoutMs / 1000} s` }),
      timeoutMs,
    )
  }

  async #event(name: 'connect' | 'secureConnect', timeoutMs: number, what: string): Promise<Fault | null> {
    let happened = false
    this.#socket.once(name, () => {
      happened = true
      this.#notify()
    })
    const deadline = this.#deadline(timeoutMs, what)
    while (!happened && this.#fault === null) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    clearTimeout(deadline)
    // What broke right after the event is the next one's to tell.
    return happened ? null : this.#fault
  }

  /** Resolves when the socket has room, the server speaks, or the connection breaks. */
  async #drained(timeoutMs: number): Promise<void> {
    const deadline = this.#deadline(timeoutMs, 'the server took no data')
    const socket = this.#socket
    const onDrain = (): void => this.#notify()
    socket.once('drain', onDrain)
    while (socket.writableNeedDrain && !this.disturbed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    socket.removeListener('drain', onDrain)
    clearTimeout(deadline)
  }
}
