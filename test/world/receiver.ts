// A scriptable SMTP receiver on a real loopback socket. It has its own SMTP parser and shares no code with `src/`, so that a
// fault cannot hide by being on both sides.
//
//   await using mx = await startReceiver({ rcpt: { 'nobody@example.net': '550 5.1.1 no such user' } })
//   ... mx.port, mx.messages, await mx.received(1)

import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createSecureContext, TLSSocket } from 'node:tls'
import { selfSigned, type TestCertificate } from './certificate.ts'
import type {
  Answer,
  Envelope,
  ReceivedMessage,
  Receiver,
  ReceiverScript,
  Scripted,
  SessionView,
} from './receiver-script.ts'
import { reset } from './reset.ts'

export type { Answer, ReceivedMessage, Receiver, ReceiverScript, SessionView } from './receiver-script.ts'

const MAX_DIALOGUE_LINES = 100_000
const shared: { certificate: TestCertificate | null } = { certificate: null }

interface State {
  script: ReceiverScript
  messages: ReceivedMessage[]
  messageCount: number
  connectionCount: number
  sockets: Set<Socket>
  dialogue: string[]
  watchers: Set<() => void>
  certificate: TestCertificate | null
}

export async function startReceiver(script: ReceiverScript = {}): Promise<Receiver> {
  const state: State = {
    script,
    messages: [],
    messageCount: 0,
    connectionCount: 0,
    sockets: new Set(),
    dialogue: [],
    watchers: new Set(),
    certificate: null,
  }
  if (typeof script.tls === 'object') state.certificate = script.tls
  else if (script.tls) {
    shared.certificate ??= selfSigned()
    state.certificate = shared.certificate
  }
  const server: Server = createServer({ noDelay: true, allowHalfOpen: false }, (socket) => {
    state.sockets.add(socket)
    socket.on('close', () => state.sockets.delete(socket))
    new Session(socket, state, ++state.connectionCount).begin()
  })
  server.listen(script.port ?? 0, script.host ?? '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as { address: string; port: number }
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of state.sockets) socket.destroy()
    await closed
  }
  return {
    ip: address.address,
    port: address.port,
    get messages() {
      return state.messages
    },
    get messageCount() {
      return state.messageCount
    },
    get connectionCount() {
      return state.connectionCount
    },
    get openCount() {
      return state.sockets.size
    },
    get dialogue() {
      return state.dialogue
    },
    script: (change) => {
      state.script = { ...state.script, ...change }
    },
    received: (count, timeoutMs = 60_000) => accepted(state, count, timeoutMs),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function accepted(state: State, count: number, timeoutMs: number): Promise<readonly ReceivedMessage[]> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const messages = state.messages.filter((message) => message.accepted)
      if (messages.length < count) return
      clearTimeout(timer)
      state.watchers.delete(look)
      resolve(messages)
    }
    const timer = setTimeout(() => {
      state.watchers.delete(look)
      reject(new Error(`${state.messages.length} of ${count} messages came within ${timeoutMs} ms`))
    }, timeoutMs)
    state.watchers.add(look)
    look()
  })
}

class Session {
  #socket: Socket
  readonly #raw: Socket
  readonly #state: State
  readonly #connection: number
  readonly #client: string
  #input: Buffer = Buffer.alloc(0)
  #mode: 'command' | 'body' | 'auth' | 'dead' = 'command'
  #busy = false
  #tls = false
  #user: string | null = null
  #from: string | null = null
  #mailParameters: string[] = []
  #recipients: string[] = []
  #body: Buffer[] = []
  #bodyBytes = 0
  #authSteps: ((line: string) => void)[] = []

  constructor(socket: Socket, state: State, connection: number) {
    this.#socket = socket
    this.#raw = socket
    this.#state = state
    this.#connection = connection
    this.#client = socket.remoteAddress ?? ''
  }

  begin(): void {
    this.#raw.on('error', () => undefined)
    if (this.#script.tls === 'implicit') this.#secure()
    else this.#socket.on('data', this.#onData)
    this.#do(this.#script.banner, this.#connection, '220 mx.test ESMTP', () => undefined)
  }

  get #script(): ReceiverScript {
    return this.#state.script
  }
  get #view(): SessionView {
    return { connection: this.#connection, client: this.#client, tls: this.#tls, envelope: this.#envelope() }
  }

  #envelope(): Envelope {
    return { from: this.#from ?? '', mailParameters: this.#mailParameters, recipients: this.#recipients }
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk])
    this.#pump()
  }

  #pump(): void {
    while (!this.#busy && this.#mode !== 'dead') {
      if (this.#mode === 'body') {
        if (!this.#readBody()) return
        continue
      }
      const end = this.#input.indexOf('\r\n')
      if (end === -1) return
      const line = this.#input.toString('utf8', 0, end)
      this.#input = this.#script.pipelining === 'broken' ? Buffer.alloc(0) : this.#input.subarray(end + 2)
      this.#log(`C: ${line}`)
      const next = this.#mode === 'auth' ? this.#authSteps.shift() : undefined
      if (next !== undefined) next(line)
      else this.#command(line)
    }
  }

  #command(line: string): void {
    const [, verb = '', rest = ''] = /^(\S*)\s*(.*)$/.exec(line) ?? []
    const script = this.#script
    switch (verb.toUpperCase()) {
      case 'EHLO':
        this.#forget()
        return this.#do(script.ehlo, rest, ['250-mx.test', ...this.#features()].join('\n'), () => undefined)
      case 'HELO':
        this.#forget()
        return this.#do(script.helo, rest, '250 mx.test', () => undefined)
      case 'STARTTLS':
        return this.#do(script.starttls, rest, this.#state.certificate === null ? '502 no' : '220 go ahead', (code) => {
          if (code === 220) this.#startTls()
        })
      case 'AUTH':
        return this.#auth(rest)
      case 'MAIL':
        return this.#mail(rest)
      case 'RCPT':
        return this.#rcpt(rest)
      case 'DATA':
        return this.#do(
          script.data,
          rest,
          this.#recipients.length > 0 ? '354 go' : '503 5.5.1 no recipients',
          (code) => {
            if (code >= 300 && code < 400) this.#mode = 'body'
          },
        )
      case 'RSET':
        this.#forget()
        return this.#do(script.rset, rest, '250 reset', () => undefined)
      case 'NOOP':
        return this.#say('250 ok')
      case 'QUIT':
        return this.#do(script.quit, rest, { reply: '221 bye', then: 'close' }, () => undefined)
      default:
        return this.#say('500 5.5.2 what?')
    }
  }

  #features(): string[] {
    const { pipelining = true, eightBitMime = true, smtpUtf8 = true, size = 52_428_800, login } = this.#script
    const features = ['ENHANCEDSTATUSCODES']
    if (pipelining) features.unshift('PIPELINING')
    if (eightBitMime) features.unshift('8BITMIME')
    if (smtpUtf8) features.unshift('SMTPUTF8')
    if (size !== null) features.unshift(size === 0 ? 'SIZE' : `SIZE ${size}`)
    if (this.#state.certificate !== null && !this.#tls) features.unshift('STARTTLS')
    if (login) features.unshift(`AUTH ${login.mechanisms ?? 'PLAIN LOGIN'}`)
    return features.map((feature, index) => `250${index === features.length - 1 ? ' ' : '-'}${feature}`)
  }

  #mail(rest: string): void {
    const [, address = null, parameters = ''] = /^FROM:<([^>]*)>\s*(.*)$/i.exec(rest) ?? []
    if (address === null) return this.#say('501 5.5.4 MAIL FROM:<address>')
    this.#do(this.#script.mail, address, this.#from === null ? '250 2.1.0 ok' : '503 5.5.1 nested MAIL', (code) => {
      if (code >= 300) return
      this.#from = address
      this.#mailParameters = parameters === '' ? [] : parameters.split(' ')
    })
  }

  #rcpt(rest: string): void {
    const [, address = null] = /^TO:<([^>]*)>/i.exec(rest) ?? []
    if (address === null) return this.#say('501 5.5.4 RCPT TO:<address>')
    const script = this.#script.rcpt
    let scripted: Scripted<string> | undefined
    if (typeof script === 'object' && !['reply', 'raw', 'then', 'afterMs', 'after'].some((key) => key in script)) {
      const table = script as Readonly<Record<string, Answer>>
      scripted = table[address] ?? table['*']
    } else scripted = script as Scripted<string> | undefined
    this.#do(scripted, address, this.#from === null ? '503 5.5.1 MAIL first' : '250 2.1.5 ok', (code) => {
      if (code < 300) this.#recipients.push(address)
    })
  }

  #auth(rest: string): void {
    const { auth, login } = this.#script
    if (!login) return this.#say('502 5.5.1 no AUTH here')
    const check = (username: string, password: string): void => {
      const good = username === login.username && password === login.password
      this.#do(auth, username, good ? '235 2.7.0 welcome' : '535 5.7.8 no', (code) => {
        if (code === 235) this.#user = username
      })
    }
    const [mechanism = '', initial] = rest.split(' ')
    const text = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8')
    const plain = (line: string): void => {
      this.#mode = 'command'
      const [, username = '', password = ''] = text(line).split('\0')
      check(username, password)
    }
    if (mechanism.toUpperCase() === 'PLAIN') {
      if (initial !== undefined) return plain(initial)
      this.#mode = 'auth'
      this.#authSteps = [plain]
      return this.#say('334 ')
    }
    this.#mode = 'auth'
    let username = ''
    const last = (line: string): void => {
      this.#mode = 'command'
      check(username, text(line))
    }
    const first = (line: string): void => {
      username = text(line)
      this.#authSteps = [last]
      this.#say('334 UGFzc3dvcmQ6')
    }
    this.#authSteps = [first]
    this.#say('334 VXNlcm5hbWU6')
  }

  /** @returns false when more bytes are needed */
  #readBody(): boolean {
    const { midBody, rests } = this.#script
    const seen = this.#bodyBytes + this.#input.length
    if (rests !== undefined && seen >= rests.fromBytes) {
      this.#socket.pause()
      setTimeout(() => this.#socket.resume(), rests.ms).unref()
    }
    if (midBody !== undefined && seen >= midBody.bytes) {
      this.#mode = 'dead'
      this.#do(midBody.answer, undefined, '', () => undefined)
      return false
    }
    // The end may be the very first bytes, or be split between two chunks, so five bytes are always held back.
    const atStart = this.#bodyBytes === 0 && this.#input.subarray(0, 3).equals(Buffer.from('.\r\n'))
    const end = atStart ? -2 : this.#input.indexOf('\r\n.\r\n')
    if (end === -1) {
      const take = Math.max(0, this.#input.length - 5)
      this.#body.push(this.#input.subarray(0, take))
      this.#bodyBytes += take
      this.#input = this.#input.subarray(take)
      return false
    }
    this.#body.push(this.#input.subarray(0, end + 2))
    this.#input = this.#input.subarray(end + 5)
    this.#mode = 'command'
    this.#finish(this.#script.keep === false ? Buffer.alloc(0) : unstuffed(Buffer.concat(this.#body)))
    return true
  }

  #finish(data: Buffer): void {
    const message = {
      ...this.#envelope(),
      data,
      tls: this.#tls,
      connection: this.#connection,
      client: this.#client,
      authenticatedAs: this.#user,
      serverName: (this.#socket as { readonly servername?: string | false }).servername || null,
    }
    this.#log(`C: (${data.length} bytes)`)
    this.#state.messageCount++
    this.#forget()
    this.#do(this.#script.dot, message, '250 2.0.0 taken', (code) => {
      if (this.#script.keep !== false) this.#state.messages.push({ ...message, accepted: code >= 200 && code < 300 })
      for (const look of this.#state.watchers) look()
    })
  }

  #forget(): void {
    this.#from = null
    this.#mailParameters = []
    this.#recipients = []
    this.#body = []
    this.#bodyBytes = 0
  }

  /** @param then gets the reply code, 0 when there was no reply */
  #do<Argument>(
    scripted: Scripted<Argument> | undefined,
    argument: Argument,
    usual: Answer,
    then: (code: number) => void,
  ): void {
    let answer = typeof scripted === 'function' ? scripted(argument, this.#view) : (scripted ?? usual)
    if (answer === 'default') answer = usual
    if (typeof answer === 'string') {
      this.#say(answer)
      then(Number(answer.slice(0, 3)) || 0)
      return
    }
    const { reply, raw, then: ending, afterMs, after } = answer
    const act = (): void => {
      if (reply !== undefined) this.#say(reply)
      if (raw !== undefined) this.#socket.write(raw)
      if (ending !== undefined) this.#mode = 'dead'
      if (ending === 'close') this.#socket.end()
      if (ending === 'reset') reset(this.#raw)
      then(ending === 'stall' ? 0 : Number((reply ?? raw ?? '').toString().slice(0, 3)) || 0)
    }
    if (afterMs === undefined && after === undefined) return act()
    this.#busy = true
    void Promise.all([after, delay(afterMs ?? 0)]).then(() => {
      this.#busy = false
      if (this.#socket.destroyed) return
      act()
      this.#pump()
    })
  }

  #say(reply: string): void {
    this.#log(`S: ${reply}`)
    this.#socket.write(`${reply.replaceAll('\n', '\r\n')}\r\n`)
  }

  #startTls(): void {
    if (this.#script.handshake !== undefined && this.#script.handshake !== 'default') {
      this.#mode = 'dead'
      return this.#do(this.#script.handshake, undefined, '', () => undefined)
    }
    this.#input = Buffer.alloc(0)
    this.#forget()
    this.#secure()
  }

  #secure(): void {
    const { maxTlsVersion } = this.#script
    this.#raw.removeListener('data', this.#onData)
    const old = { minVersion: 'TLSv1', maxVersion: maxTlsVersion, ciphers: 'DEFAULT@SECLEVEL=0' } as const
    const secureContext = createSecureContext({ ...this.#state.certificate, ...(maxTlsVersion && old) })
    this.#socket = new TLSSocket(this.#raw, { isServer: true, secureContext })
    this.#tls = true
    this.#socket.on('error', () => this.#raw.destroy())
    this.#socket.on('data', this.#onData)
  }

  #log(line: string): void {
    if (this.#state.dialogue.length < MAX_DIALOGUE_LINES) this.#state.dialogue.push(line)
  }
}

function unstuffed(body: Buffer): Buffer {
  const text = body.toString('latin1')
  return Buffer.from(text.replace(/^\./, '').replaceAll('\r\n.', '\r\n'), 'latin1')
}
