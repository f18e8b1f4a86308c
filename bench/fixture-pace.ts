// Sends requests at a constant rate from a process of its own, as prepared bytes on raw sockets. The same load against a server
// that only answers shows what the generator itself costs and adds. Latency counts from when a request was due, so a stall of
// the server (or of this process) counts for every request that it delayed.
//
// As a program: `pace PORT RATE SECONDS` reads the paths of the requests from its input, one per line; `echo` is that server,
// and prints its port.

import { spawn } from 'node:child_process'
import net from 'node:net'
import { text } from 'node:stream/consumers'

export interface Paced {
  readonly answered: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
  /** The longest delay between a request being due and being written. */
  readonly late: number
}

const CONNECTIONS = 128
const ANSWER = `HTTP/1.1 200 OK\r\ncontent-type: image/gif\r\ncontent-length: 43\r\nConnection: keep-alive\r\n\r\n${'x'.repeat(43)}`

/** @param head the header fields of the request, with their line ends */
export async function paced(
  port: number,
  rate: number,
  seconds: number,
  paths: readonly string[],
  head: string,
): Promise<Paced> {
  const child = spawn(
    process.execPath,
    [import.meta.filename, 'pace', String(port), String(rate), String(seconds), head],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  child.stdin.end(paths.join('\n'))
  return JSON.parse(await text(child.stdout)) as Paced
}

async function pace(port: number, rate: number, seconds: number, head: string): Promise<void> {
  const paths = (await text(process.stdin)).split('\n')
  const requests = paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\n${head}\r\n`))
  const total = rate * seconds
  const times = new Float64Array(total)
  const free: net.Socket[] = []
  const due = new Map<net.Socket, number>()
  const waiting: number[] = []
  let answered = 0
  let late = 0
  const done = Promise.withResolvers<void>()
  const send = (socket: net.Socket, number: number): void => {
    due.set(socket, number)
    late = Math.max(late, performance.now() - dueAt(number))
    socket.write(requests[number % requests.length] as Buffer)
  }
  const opened = Array.from({ length: CONNECTIONS }, async () => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
    socket.on('data', () => {
      const number = due.get(socket) ?? 0
      times[answered++] = performance.now() - dueAt(number)
      const next = waiting.shift()
      if (next === undefined) free.push(socket)
      else send(socket, next)
      if (answered === total) done.resolve()
    })
    socket.on('error', done.reject)
    socket.on('close', () => done.reject(new Error('a connection was closed')))
    await new Promise((resolve) => socket.once('connect', resolve))
    free.push(socket)
  })
  await Promise.all(opened)
  const began = performance.now() + 5
  const dueAt = (number: number): number => began + (number * 1_000) / rate
  let sent = 0
  const ticking = setInterval(() => {
    for (; sent < total && dueAt(sent) <= performance.now(); sent++) {
      const socket = free.shift()
      if (socket === undefined) waiting.push(sent)
      else send(socket, sent)
    }
  }, 1)
  await done.promise
  clearInterval(ticking)
  times.sort()
  const at = (share: number): number => times[Math.min(total - 1, Math.floor(total * share))] ?? 0
  const found: Paced = { answered, p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1), late }
  process.stdout.write(JSON.stringify(found), () => process.exit())
}

function echo(): void {
  const server = net.createServer({ noDelay: true }, (socket) => {
    socket.on('data', () => void socket.write(ANSWER))
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1', () => console.log((server.address() as net.AddressInfo).port))
}

/** A server that only answers. */
export const ECHO = [import.meta.filename, 'echo'] as const

if (process.argv[1] === import.meta.filename) {
  const [what, port, rate, seconds, head = ''] = process.argv.slice(2)
  if (what === 'echo') echo()
  else await pace(Number(port), Number(rate), Number(seconds), head)
}
