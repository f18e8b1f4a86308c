// Load generators that cost little, so that on two cores they take no more CPU from the product than Postfix's smtp-source
// would: requests are prepared bytes, and answers are recognized but not parsed.

import net from 'node:net'
import tls from 'node:tls'

export interface Load {
  /** Sends this many messages and resolves when each has been accepted. @throws with the answer of one that was not */
  send(messages: number): Promise<void>
  close(): void
}

/** POSTs one body over persistent connections, one request at a time on each. */
export function httpLoad(url: string, key: string, body: string, connections: number): Load {
  const { hostname, port, pathname } = new URL(url)
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n`
  const request = Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  const sockets = Array.from({ length: connections }, () =>
    net.connect({ host: hostname, port: Number(port), noDelay: true }),
  )
  const post = async (socket: net.Socket, more: () => boolean): Promise<void> => {
    while (more()) {
      socket.write(request)
      const text = await answer(socket, isWholeAnswer)
      if (!text.startsWith('HTTP/1.1 202')) throw new Error(text)
    }
  }
  return { send: (messages) => spread(sockets, messages, post), close: () => closeAll(sockets) }
}

function isWholeAnswer(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return false
  const length = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0)
  return text.length >= end + 4 + length
}

export interface Submission {
  readonly port: number
  readonly key: string
  readonly from: string
  /** The recipient of the message with this number. */
  readonly to: (number: number) => string
  /** CRLF line ends, dots doubled. */
  readonly message: Buffer
}

/** Sends one message over persistent sessions with implicit TLS, logged in with an API key. */
export async function smtpLoad({ port, key, from, to, message }: Submission, connections: number): Promise<Load> {
  let number = 0
  const data = Buffer.concat([message, Buffer.from('.\r\n')])
  const isReply = (text: string): boolean => /^\d{3} [^\n]*\n/m.test(text)
  const isGoAhead = (text: string): boolean => /^(?:354|[45]\d\d) [^\n]*\n/m.test(text)
  const login = async (): Promise<net.Socket> => {
    const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
    socket.setNoDelay(true)
    await answer(socket, isReply)
    socket.write('EHLO bench.test\r\n')
    await answer(socket, isReply)
    socket.write(`AUTH PLAIN ${Buffer.from(`\0apikey\0${key}`).toString('base64')}\r\n`)
    const reply = await answer(socket, isReply)
    if (!reply.startsWith('235')) throw new Error(reply)
    return socket
  }
  const sockets = await Promise.all(Array.from({ length: connections }, login))
  const submit = async (socket: net.Socket, more: () => boolean): Promise<void> => {
    while (more()) {
      socket.write(`MAIL FROM:<${from}>\r\nRCPT TO:<${to(number++)}>\r\nDATA\r\n`)
      const go = await answer(socket, isGoAhead)
      if (!go.includes('354 ')) throw new Error(go)
      socket.write(data)
      const reply = await answer(socket, isReply)
      if (!reply.startsWith('250')) throw new Error(reply)
    }
  }
  return { send: (messages) => spread(sockets, messages, submit), close: () => closeAll(sockets) }
}

async function spread(
  sockets: readonly net.Socket[],
  messages: number,
  work: (socket: net.Socket, more: () => boolean) => Promise<void>,
): Promise<void> {
  let left = messages
  const more = (): boolean => left-- > 0
  await Promise.all(sockets.map((socket) => work(socket, more)))
}

function answer(socket: net.Socket, isWhole: (text: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const done = (): void => {
      socket.off('data', hear).off('error', fail).off('close', fail)
    }
    const hear = (chunk: Buffer): void => {
      text += chunk.toString('latin1')
      if (!isWhole(text)) return
      done()
      resolve(text)
    }
    const fail = (error?: unknown): void => {
      done()
      reject(error instanceof Error ? error : new Error(`the connection closed after: ${text}`))
    }
    socket.on('data', hear).on('error', fail).on('close', fail)
  })
}

function closeAll(sockets: readonly net.Socket[]): void {
  for (const socket of sockets) socket.destroy()
}
