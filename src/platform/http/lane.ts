// A quick lane beside the framework, for endpoints that are asked very often and answer in a few bytes. It reads what a
// fresh connection brings; a plain GET of such an endpoint is answered at once, and the connection is read on. Whatever
// else comes (another path, another method, half a head, two at once, a field that asks for more) is given back to the
// server together with its connection, for good: Node's parser and the framework are the only judges of all that is not
// plain. So a connection that brings nothing whole is under the server's time limits, and one that brings nothing at all
// under the same one here.
//
// Each connection has one answer under way. A piece that comes meanwhile waits, and nothing is read behind it; a client that
// does not read its answers is not read from either.

import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import proxyAddress from '@fastify/proxy-addr'
import type { Clock } from '../clock.ts'
import { platformErrors } from '../errors.ts'
import { type Ids, timeOfId } from '../ids.ts'
import type { Answer, AnyEndpoint } from './endpoint.ts'
import { errorBody } from './errors.ts'
import { type LaneHead, laneHeadOf, MAX_HEAD_BYTES } from './lane-head.ts'

export interface Lane {
  /** The endpoint's `plainly` is asked for each plain GET of its path. */
  add(endpoint: Pick<AnyEndpoint, 'path' | 'plainly'>): void
  /** Takes a fresh connection. @param giveBack called when it brings something else, which then is the socket's again */
  take(socket: Socket, giveBack: () => void): void
  /** Takes new connections before the server does. After everybody else who listens for them. */
  before(server: Server, event: 'connection' | 'secureConnection'): void
  /** Idle connections are closed, the others after their answer. */
  close(): void
}

export interface LaneOptions {
  readonly clock: Clock
  readonly ids: Ids
  readonly trustedProxies: readonly string[]
  readonly firstWithinMs: number
  readonly idleMs: number
  readonly onAnswered: (answered: { method: string; route: string; status: number; seconds: number }) => void
  readonly onError: (error: unknown) => void
}

/** What is the same whenever an answer is given. */
interface Parts {
  readonly head: string
  readonly content: string
}

interface Route {
  readonly path: string
  readonly plainly: NonNullable<AnyEndpoint['plainly']>
}

const EVENTS = ['data', 'drain', 'end', 'timeout', 'error', 'close'] as const
/** Of an id: up to its millisecond. */
const MS_CHARS = 13
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const REASONS: Readonly<Record<number, string>> = { 200: 'OK', 302: 'Found' }

export function quickLane(options: LaneOptions): Lane {
  const { clock, ids } = options
  const routes = new Map<string, Route>()
  const open = new Set<Connection>()
  const addressOf = clientAddress(options.trustedProxies)
  let closing = false
  /** Up to the milliseconds of an id. */
  let dateOf = ''
  let date = ''
  /** Of answers with a body that is bytes: it is one and the same each time. */
  const parts = new WeakMap<Answer, Parts>()
  const partsOf = ({ headers = {}, body }: Answer): Parts => {
    let head = `x-content-type-options: nosniff\r\n`
    for (const name in headers) {
      const value = headers[name] ?? ''
      if (!VALUE.test(value)) throw new TypeError(`not a value of ${name}`)
      head += `${name}: ${value}\r\n`
    }
    if (headers['content-type'] === undefined) head += 'content-type: text/plain; charset=utf-8\r\n'
    const content = typeof body === 'string' ? body : (body as Buffer).toString('latin1')
    return { head: `${head}content-length: ${content.length}\r\nDate: `, content }
  }
  const keptAlive = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(options.idleMs / 1_000)}\r\n\r\n`
  const textOf = (answer: Answer): string => {
    let made = parts.get(answer)
    if (made === undefined) {
      made = partsOf(answer)
      if (typeof answer.body !== 'string') parts.set(answer, made)
    }
    const id = ids.next()
    if (!id.startsWith(dateOf) || dateOf === '') {
      dateOf = id.slice(0, MS_CHARS)
      date = timeOfId(id).toUTCString()
    }
    const end = closing ? '\r\nConnection: close\r\n\r\n' : keptAlive
    return `HTTP/1.1 ${answer.status} ${REASONS[answer.status]}\r\nx-request-id: ${id}\r\n${made.head}${date}${end}${made.content}`
  }
  /** Null: it is not for this lane. */
  const answered = (socket: Socket, head: LaneHead): Asked | null => {
    const route = routes.get(head.folder)
    const ip = socket.remoteAddress
    if (route === undefined || ip === undefined) return null
    const answer = route.plainly({ name: head.name, userAgent: head.userAgent, ip: addressOf(ip, head.forwardedFor) })
    if (answer === null) return null
    const began = clock.monotonicMs()
    return {
      answer,
      text: (made) => {
        const seconds = (clock.monotonicMs() - began) / 1_000
        options.onAnswered({ method: 'GET', route: route.path, status: made.status, seconds })
        return textOf(made)
      },
      refusal: () => {
        const seconds = (clock.monotonicMs() - began) / 1_000
        options.onAnswered({ method: 'GET', route: route.path, status: 500, seconds })
        return refusalOf(ids.next())
      },
    }
  }
  const take = (socket: Socket, giveBack: () => void): void => {
    const connection = connectionOf(socket, { ...options, answered, giveBack, isClosing: () => closing })
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

/** Contract section 2. It is the last answer of its connection. */
function refusalOf(id: string): string {
  const body = JSON.stringify(errorBody(platformErrors.internal_error(), id))
  return `HTTP/1.1 500 Internal Server Error\r\nx-request-id: ${id}\r\nx-content-type-options: nosniff\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
}

interface Connection {
  endWhenIdle(): void
  /** Called when the connection is closed, or no longer this lane's. */
  over: () => void
}

interface Asked {
  readonly answer: Promise<Answer>
  /** When it is there. */
  readonly text: (answer: Answer) => string
  /** When there is none. */
  readonly refusal: () => string
}

interface ConnectionOptions extends LaneOptions {
  readonly answered: (socket: Socket, head: LaneHead) => Asked | null
  readonly giveBack: () => void
  readonly isClosing: () => boolean
}

function connectionOf(socket: Socket, options: ConnectionOptions): Connection {
  const { answered, giveBack, isClosing } = options
  let busy = false
  let ended = false
  let waiting: Buffer | null = null
  const connection: Connection = {
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
    const asked = askedIn(bytes)
    if (asked === null) {
      leave(bytes)
      return
    }
    busy = true
    asked.answer.then((made) => reply(asked, made)).catch((error) => fail(asked, error))
  }
  /** Null: it is not for this lane. A bug met before anything was begun is the framework's to answer, too. */
  const askedIn = (bytes: Buffer): Asked | null => {
    try {
      const head = bytes.length > MAX_HEAD_BYTES ? null : laneHeadOf(bytes.toString('latin1'))
      return head === null ? null : answered(socket, head)
    } catch (error) {
      options.onError(error)
      return null
    }
  }
  const fail = ({ refusal }: Asked, error: unknown): void => {
    options.onError(error)
    socket.end(refusal(), 'latin1')
  }
  const reply = ({ text }: Asked, made: Answer): void => {
    socket.write(text(made), 'latin1')
    if (isClosing()) socket.end()
    else if (!socket.writableNeedDrain) goOn()
  }
  /** The answer is out: what came meanwhile is next. */
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
    else socket.setTimeout(options.idleMs)
  }
  const listeners = {
    data: (chunk: Buffer) => {
      if (!busy) {
        take(chunk)
        return
      }
      // Behind it nothing comes, not even the end, before it is taken.
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
    // Its close follows, and is all there is to do.
    error: () => undefined,
    close: () => connection.over(),
  }
  for (const event of EVENTS) socket.on(event, listeners[event])
  socket.setTimeout(options.firstWithinMs)
  return connection
}

/** As the framework finds it: the last address that no trusted proxy has. */
function clientAddress(
  trustedProxies: readonly string[],
): (socketAddress: string, forwardedFor: string | undefined) => string {
  if (trustedProxies.length === 0) return (socketAddress) => socketAddress
  const trusts = proxyAddress.compile([...trustedProxies])
  return (socketAddress, forwardedFor) => {
    const request = { socket: { remoteAddress: socketAddress }, headers: { 'x-forwarded-for': forwardedFor } }
    return proxyAddress(request as unknown as ServerResponse['req'], trusts)
  }
}
