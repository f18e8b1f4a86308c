// Wraps one socket to an SMTP server: callers wait for replies and write bytes. Any problem with the socket becomes a Fault, a
// permanent value: nothing here throws, and nothing waits without a limit.

import { connect, isIPv6, type Socket } from 'node:net'
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls'
import { type Reply, ReplyReader } from './reply.ts'

/** Why the stream is unusable. `code` is for programs, `message` for people. */
export interface Fault {
  readonly code: 'refused' | 'unreachable' | 'timeout' | 'reset' | 'closed' | 'protocol' | 'tls' | 'aborted' | 'other'
  readonly message: string
}

export type ReplyOrFault = Reply | Fault

export function isFault(result: ReplyOrFault): result is Fault {
  return 'message' in result
}

const MAX_UNREAD_REPLIES = 10_000
/** Limit for the text of all unread replies; one reply may have 64 K characters. */
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
  return { code: FAULT_CODES[code ?? ''] ?? 'other', message: inWords(error as SystemError) ?? oneLine(words) }
}

/** What Node adds to the errors of sockets. */
interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string
  readonly port?: number
}

/** @returns null when the system's own words have to do */
function inWords({ code, syscall, address, port }: SystemError): string | null {
  if (code === 'ECONNRESET') return 'the server reset the connection'
  if (code === 'EPIPE') return 'the server closed the connection'
  if (address === undefined) return null
  const place = port === undefined ? address : `${address} port ${port}`
  switch (code ?? '') {
    case 'ECONNREFUSED':
      return `${place} refused the connection`
    case 'ETIMEDOUT':
      return `no answer from ${place}`
    case 'EHOSTUNREACH':
      return `${address} cannot be reached`
    case 'ENETUNREACH':
      return `no route to ${address}${isIPv6(address) ? ': this machine may have no IPv6' : ''}`
    case 'EADDRNOTAVAIL':
      return syscall === 'bind' ? `the source address ${address} is not on this machine` : null
    default:
      return null
  }
}

/** `thread:error:number:library:function:reason:file:line:`, of which only the reason is for people. */
const OPENSSL = /:error:[^:\n]{0,40}:[^:\n]{0,80}:[^:\n]{0,80}:([^:\n]{1,200})/

function oneLine(words: string): string {
  return words.replace(/\s+/g, ' ').trim()
}

/** Counts lines without text too, because they also take memory. */
function charsOf({ lines, text }: Reply): number {
  return text.length + 16 * lines.length
}

export interface Endpoint {
  readonly ip: string
  readonly port: number
  /** Local address to connect from; null or absent: the system chooses. */
  readonly sourceIp?: string | null
}

export class SmtpStream {
  #socket: Socket
  readonly #signal: AbortSignal | undefined
  #reader = new ReplyReader()
  #replies: Reply[] = []
  #unreadChars = 0
  #fault: Fault | null = null
  /** Wakes the caller that waits for a reply, for a fault, or for room in the socket's buffer. */
  #wake: (() => void) | null = null

  private constructor(socket: Socket, signal: AbortSignal | undefined) {
    this.#socket = socket
    this.#signal = signal
    this.#listen(socket)
    signal?.addEventListener('abort', this.#aborted, { once: true })
  }

  /** @param tls if present, TLS starts before the first byte (port 465) */
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

  /** True when the server has sent something that was not asked for, or has closed the connection. */
  get disturbed(): boolean {
    return this.#fault !== null || this.#replies.length > 0 || !this.#reader.idle
  }

  get tls(): TLSSocket | null {
    return 'getCipher' in this.#socket ? (this.#socket as TLSSocket) : null
  }

  /** The next reply. Replies that arrived before the connection broke come before the fault. */
  async readReply(timeoutMs: number): Promise<ReplyOrFault> {
    const deadline = this.#replies.length > 0 || this.#fault !== null ? null : this.#deadline(timeoutMs, 'no reply')
    while (true) {
      const next = this.#replies.shift() ?? this.#fault
      if (next !== null) {
        if (!isFault(next)) this.#unreadChars -= charsOf(next)
        clearTimeout(deadline ?? undefined)
        return next
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Writes a command or a pipelined group of commands. */
  write(text: string): void {
    if (this.#fault === null) this.#socket.write(text)
  }

  /**
   * Writes `parts` as one, waiting for the socket after every 64 KB. Stops early when the connection breaks or the server
   * sends something: `readReply` tells which.
   *
   * @param blockTimeoutMs the longest wait for room for one block. All blocks together may take this long plus a second for
   * each `bytesPerSecond` bytes; else a server that takes a little now and then would hold the message for hours
   * @param beforeLast called right before the last part goes to the socket; if it returns false, that part is not written. Its
   * time is not the server's
   * @returns whether the last part was handed over
   */
  async writeMessage(
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
      return await this.#pour(parts, blockTimeoutMs, () => {
        clearTimeout(deadline)
        return beforeLast()
      })
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

  /** Starts TLS on the open connection. Discards plain text that arrived with or after the last reply. */
  async secure(options: ConnectionOptions, timeoutMs: number): Promise<Fault | null> {
    const plain = this.#socket
    plain.removeAllListeners()
    // Errors of the underlying socket also surface on the TLS socket.
    plain.on('error', () => undefined)
    this.#reader = new ReplyReader()
    this.#forget()
    this.#socket = tlsConnect({ ...options, socket: plain })
    this.#listen(this.#socket)
    plain.once('close', () => this.#break({ code: 'closed', message: 'the server closed the connection' }))
    return this.#event('secureConnect', timeoutMs, 'no TLS handshake')
  }

  /** Closes at once and discards unread replies. */
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
    // The next call reports a fault that came right after the event.
    return happened ? null : this.#fault
  }

  /** Resolves when the socket has room, the server sends something, or the connection breaks. */
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
