// A fast path beside the framework, for endpoints that are called very often and answer in a few bytes. The fast path reads
// fresh connections first. It answers a plain GET of such an endpoint at once and reads on. For anything else (another
// path or method, part of a head, two requests at once, a header field that needs more) it hands the connection, with
// what it has read, back to the server for good: only Node's parser and the framework judge what is not plain. A
// connection that never sends a whole request is thus under the server's time limits; one that sends nothing at all is
// under the same limit here.
//
// Calls that wait for the same promise are answered together: first every answer is built, then they are written one
// after the other. Waking a client for each answer while it is about to sleep costs more than the answer itself.
//
// Each connection has one answer in progress. A chunk that arrives meanwhile waits, and reading pauses after it. A client
// that does not read its answers is not read from either.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'
import { platformErrors } from '../errors.ts'
import { type Ids, timeOfId } from '../ids.ts'
import { clientAddress } from './client-address.ts'
import type { Answer, AnyEndpoint, PlainAnswer } from './endpoint.ts'
import { errorBody } from './errors.ts'
import { type FastPathHead, fastPathHeads, MAX_HEAD_BYTES } from './fast-path-head.ts'

export interface FastPath {
  /** Calls the endpoint's `plainly` for each plain GET of its path. */
  add(endpoint: Pick<AnyEndpoint, 'path' | 'plainly'>): void
  /** Takes over a fresh connection. @param giveBack called when the connection is handed back to the server */
  take(socket: Socket, giveBack: () => void): void
  /** Takes new connections before the server's own listeners. Call after all other listeners are registered. */
  before(server: Server, event: 'connection' | 'secureConnection'): void
  /** Closes idle connections at once, the others after their answer. */
  close(): void
}

export interface FastPathOptions {
  readonly clock: Clock
  readonly ids: Ids
  readonly trustedProxies: readonly string[]
  readonly firstWithinMs: number
  readonly idleMs: number
  readonly onAnswered: (answered: { method: string; route: string; status: number; seconds: number }) => void
  readonly onError: (error: unknown) => void
}

/** The parts of an answer that stay the same each time it is sent, within one second. */
interface Parts {
  readonly head: string
  readonly content: string
  /** Everything after the request id (and location), as of `date`. */
  tail: string
  date: string
}

interface Route {
  readonly path: string
  readonly plainly: NonNullable<AnyEndpoint['plainly']>
}

const EVENTS = ['data', 'drain', 'end', 'timeout', 'error', 'close'] as const
/** Length of an id's prefix down to the millisecond. */
const MS_CHARS = 13
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const REASONS: Readonly<Record<number, string>> = { 200: 'OK', 302: 'Found' }

export function fastPath(options: FastPathOptions): FastPath {
  const { clock, ids } = options
  const routes = new Map<string, Route>()
  const open = new Set<Connection>()
  const addressOf = clientAddress(options.trustedProxies)
  const headOf = fastPathHeads()
  let closing = false
  /** The id prefix, down to the millisecond, that `date` was made from. */
  let dateOf = ''
  let date = ''
  /** Rendered parts, by answer object. */
  const parts = new WeakMap<Answer, Parts>()
  const partsOf = ({ headers = {}, body }: Answer): Parts => {
    let head = `x-content-type-options: nosniff\r\n`
    for (const [name, value] of Object.entries(headers)) head += field(name, value)
    if (headers['content-type'] === undefined) head += 'content-type: text/plain; charset=utf-8\r\n'
    const content = typeof body === 'string' ? body : (body as Buffer).toString('latin1')
    return { head: `${head}content-length: ${content.length}\r\nDate: `, content, tail: '', date: '' }
  }
  const keptAlive = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(options.idleMs / 1_000)}\r\n\r\n`
  const textOf = ({ answer, location, requestId }: PlainAnswer): string => {
    const id = requestId ?? ids.next()
    let made = parts.get(answer)
    if (made === undefined) {
      made = partsOf(answer)
      parts.set(answer, made)
    }
    if (!id.startsWith(dateOf) || dateOf === '') {
      dateOf = id.slice(0, MS_CHARS)
      date = timeOfId(id).toUTCString()
    }
    if (made.date !== date || closing) {
      const end = closing ? '\r\nConnection: close\r\n\r\n' : keptAlive
      made.tail = `${made.head}${date}${end}${made.content}`
      made.date = date
    }
    const where = location === null ? '' : field('location', location)
    return `HTTP/1.1 ${answer.status} ${REASONS[answer.status]}\r\nx-request-id: ${id}\r\n${where}${made.tail}`
  }
  /** @returns null when the request is not for the fast path */
  const asked = (socket: Socket, head: FastPathHead): Asked | null => {
    const route = routes.get(head.folder)
    const ip = socket.remoteAddress
    if (route === undefined || ip === undefined) return null
    const { name, host, userAgent } = head
    const plain = route.plainly({ name, host, userAgent, ip: addressOf(ip, head.forwardedFor) })
    return plain === null ? null : { route: route.path, plain, beganMs: clock.monotonicMs() }
  }
  const answered = ({ route, beganMs }: Asked, status: number): void => {
    const seconds = (clock.monotonicMs() - beganMs) / 1_000
    options.onAnswered({ method: 'GET', route, status, seconds })
  }
  const fail = (connection: Connection, of: Asked, error: unknown): void => {
    options.onError(error)
    connection.end(refusalOf(ids.next()))
    answered(of, 500)
  }
  const give = (all: readonly Waiting[]): void => {
    const ready: (Waiting & { readonly text: string })[] = []
    for (const { connection, of } of all) {
      try {
        ready.push({ connection, of, text: textOf(of.plain) })
      } catch (error) {
        fail(connection, of, error)
      }
    }
    for (const { connection, text } of ready) connection.write(text)
    for (const { connection, of } of ready) {
      connection.goOn()
      answered(of, of.plain.answer.status)
    }
  }
  let last: { readonly after: Promise<unknown>; readonly all: Waiting[] } | null = null
  const wait = (connection: Connection, of: Asked): void => {
    const { after } = of.plain
    if (after === null) {
      give([{ connection, of }])
      return
    }
    if (last?.after !== after) {
      const group = { after, all: [] as Waiting[] }
      last = group
      const over = (): void => {
        if (last === group) last = null
      }
      after.then(
        () => {
          over()
          give(group.all)
        },
        (error) => {
          over()
          for (const { connection: each, of: one } of group.all) fail(each, one, error)
        },
      )
    }
    last.all.push({ connection, of })
  }
  const take = (socket: Socket, giveBack: () => void): void => {
    const connection = connectionOf(socket, { ...options, headOf, asked, wait, giveBack, isClosing: () => closing })
    open.add(connection)
    connection.over = () => open.delete(connection)
  }
  return {
    add: ({ path, plainly }) => {
      const folder = path.slice(0, path.lastIndexOf('/') + 1)
      if (plainly !== undefined) routes.set(folder, { path, plainly })
    },
    before: (server, event) => {
      const others = server.listeners(event)
      server.removeAllListeners(event)
      server.on(event, (socket: Socket) => {
        take(socket, () => {
          for (const each of others) Reflect.apply(each, server, [socket])
        })
      })
    },
    take,
    close: () => {
      closing = true
      for (const connection of open) connection.endWhenIdle()
    },
  }
}

/** @throws TypeError for a value with a line break or another character that no field value may have */
function field(name: string, value: string): string {
  if (!VALUE.test(value)) throw new TypeError(`not a value of ${name}`)
  return `${name}: ${value}\r\n`
}

/** Contract section 2. It is the last answer on its connection. */
function refusalOf(id: string): string {
  const body = JSON.stringify(errorBody(platformErrors.internal_error(), id))
  return `HTTP/1.1 500 Internal Server Error\r\nx-request-id: ${id}\r\nx-content-type-options: nosniff\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
}

interface Connection {
  write(text: string): void
  /** The answer is written: continues with the connection's next request. */
  goOn(): void
  /** Writes the last answer and ends the connection. */
  end(text: string): void
  endWhenIdle(): void
  /** Called when the connection closes or leaves the fast path. */
  over: () => void
}

interface Asked {
  readonly route: string
  readonly plain: PlainAnswer
  readonly beganMs: number
}

interface Waiting {
  readonly connection: Connection
  readonly of: Asked
}

interface ConnectionOptions extends FastPathOptions {
  readonly headOf: (text: string) => FastPathHead | null
  /** @returns null when the request is not for the fast path */
  readonly asked: (socket: Socket, head: FastPathHead) => Asked | null
  readonly wait: (connection: Connection, of: Asked) => void
  readonly giveBack: () => void
  readonly isClosing: () => boolean
}

function connectionOf(socket: Socket, options: ConnectionOptions): Connection {
  const { headOf, asked, wait, giveBack, isClosing } = options
  let busy = false
  let ended = false
  let waiting: Buffer | null = null
  const connection: Connection = {
    write: (text) => void socket.write(text, 'latin1'),
    goOn: () => {
      if (isClosing()) socket.end()
      else if (!socket.writableNeedDrain) goOn()
    },
    end: (text) => void socket.end(text, 'latin1'),
    endWhenIdle: () => {
      if (!busy) socket.destroy()
    },
    over: () => undefined,
  }
  const leave = (bytes: Buffer): void => {
    socket.setTimeout(0)
    for (const event of EVENTS) socket.off(event, listeners[event])
    connection.over()
    giveBack()
    socket.unshift(bytes)
    socket.resume()
  }
  const take = (bytes: Buffer): void => {
    const of = askedIn(bytes)
    if (of === null) {
      leave(bytes)
      return
    }
    busy = true
    wait(connection, of)
  }
  /** Null: not for the fast path. An error thrown before anything began is left to the framework to answer, too. */
  const askedIn = (bytes: Buffer): Asked | null => {
    try {
      const head = bytes.length > MAX_HEAD_BYTES ? null : headOf(bytes.toString('latin1'))
      return head === null ? null : asked(socket, head)
    } catch (error) {
      options.onError(error)
      return null
    }
  }
  /** The answer is sent: continues with what arrived meanwhile. */
  const goOn = (): void => {
    busy = false
    const next = waiting
    waiting = null
    if (next !== null) {
      take(next)
      return
    }
    socket.resume()
    if (ended || isClosing()) socket.end()
    else if (socket.timeout !== options.idleMs) socket.setTimeout(options.idleMs)
  }
  const listeners = {
    data: (chunk: Buffer) => {
      if (!busy) {
        take(chunk)
        return
      }
      // Nothing is read after this chunk, not even the end, until it is taken.
      waiting = waiting === null ? chunk : Buffer.concat([waiting, chunk])
      socket.pause()
    },
    drain: () => {
      if (busy) goOn()
    },
    end: () => {
      ended = true
      if (!busy) socket.end()
    },
    timeout: () => socket.destroy(),
    // A close follows, and does all there is to do.
    error: () => undefined,
    close: () => connection.over(),
  }
  for (const event of EVENTS) socket.on(event, listeners[event])
  socket.setTimeout(options.firstWithinMs)
  return connection
}
