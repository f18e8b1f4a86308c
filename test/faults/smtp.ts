// An SMTP submission client by RFC 5321 and 4954, over implicit TLS and without pipelining. It keeps its connection for the
// next mail of the same customer at the same place.

import { once } from 'node:events'
import tls from 'node:tls'

export interface Reply {
  /** Code of the last reply read. */
  readonly code: number
  readonly said: string
}

export interface Login {
  readonly username: string
  readonly password: string
}

export class SmtpClient {
  #socket: tls.TLSSocket | null = null
  #for = ''
  #input = ''
  #wake: (() => void) | null = null
  readonly #withinMs: number

  constructor(withinMs: number) {
    this.#withinMs = withinMs
  }

  /** @returns the first reply that is a refusal, else the reply to the message. @throws when the connection ends first */
  async send(place: string, login: Login, from: string, to: readonly string[], message: string): Promise<Reply> {
    try {
      const opened = await this.#open(place, login)
      if (opened.code >= 400) return this.#refused(opened)
      for (const command of [`MAIL FROM:<${from}>`, ...to.map((address) => `RCPT TO:<${address}>`), 'DATA']) {
        const reply = await this.#ask(`${command}\r\n`)
        if (reply.code >= 400) return this.#refused(reply)
      }
      return await this.#ask(`${message.replace(/^\./gm, '..')}.\r\n`)
    } catch (error) {
      this.close()
      throw error
    }
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = null
  }

  #refused(reply: Reply): Reply {
    this.close()
    return reply
  }

  async #open(place: string, { username, password }: Login): Promise<Reply> {
    const wanted = `${place} ${username}`
    if (this.#socket?.writable && this.#for === wanted) return { code: 250, said: 'kept' }
    this.close()
    const [host = '', port = ''] = place.split(':')
    const socket = tls.connect({ host, port: Number(port), rejectUnauthorized: false })
    this.#socket = socket
    this.#for = wanted
    this.#input = ''
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#wake?.())
    socket.on('data', (chunk) => {
      this.#input += chunk.toString('latin1')
      this.#wake?.()
    })
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(this.#withinMs) })
    const hello = await this.#reply()
    if (hello.code >= 400) return hello
    await this.#ask('EHLO client.test\r\n')
    return this.#ask(`AUTH PLAIN ${Buffer.from(`\0${username}\0${password}`).toString('base64')}\r\n`)
  }

  async #ask(bytes: string): Promise<Reply> {
    this.#socket?.write(bytes, 'latin1')
    return this.#reply()
  }

  async #reply(): Promise<Reply> {
    const end = performance.now() + this.#withinMs
    for (;;) {
      const whole = /^(?:\d{3}-[^\n]*\n)*(\d{3}) ?([^\n]*)\r\n/.exec(this.#input)
      if (whole !== null) {
        this.#input = this.#input.slice(whole[0].length)
        return { code: Number(whole[1]), said: whole[2] ?? '' }
      }
      if (this.#socket === null || this.#socket.destroyed) throw new Error('the connection ended')
      if (performance.now() > end) throw new Error('no answer')
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, end - performance.now())
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
}
