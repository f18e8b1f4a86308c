// A proxy to the database that can cut the connection at any statement of the protocol. It divides what a client sends into
// statements (all up to a Sync, or one simple Query) and what the server answers into answers (all up to ReadyForQuery). So a
// test knows what the server has done when the client loses its connection, however many statements travel together.
//
//   await using proxy = await databaseProxy(url)
//   proxy.fault = ({ name }) => (name === 'outbox_claim' ? 'after' : null)
//   connect({ url: proxy.url, ... })

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { reset } from './reset.ts'

export interface SeenStatement {
  /** Counted from 1 over all connections. */
  readonly number: number
  /** Name of the prepared statement; a simple query has its text in lower case (`begin`, `commit`). */
  readonly name: string
  /** Names of the earlier statements of its transaction, without `begin`; empty outside a transaction. */
  readonly transaction: readonly string[]
}

/**
 * `before`: neither the statement nor what follows reaches the server. `after`: the server executes it, and its answer is
 * lost. `state`: the server refuses it with this SQLSTATE. `until`: the client is cut off at once, and the server gets the
 * statement once the promise settles.
 */
export type Fault = 'before' | 'after' | { readonly state: string } | { readonly until: Promise<void> }

export interface DatabaseProxy extends AsyncDisposable {
  readonly url: string
  /** Called for every statement; null lets it pass. */
  fault: (seen: SeenStatement) => Fault | null
}

export async function databaseProxy(url: string): Promise<DatabaseProxy> {
  const { host, port, user, password, database } = new pg.Client({ connectionString: url })
  const where = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  const sockets = new Set<Socket>()
  let count = 0
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect(where)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    }
    const ask = (name: string, transaction: readonly string[]): Fault | null =>
      proxy.fault({ number: ++count, name, transaction })
    carry(client, upstream, ask)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const login = `${encodeURIComponent(user ?? '')}${password ? `:${encodeURIComponent(password)}` : ''}`
  const proxy: DatabaseProxy = {
    url: `postgresql://${login}@127.0.0.1:${(server.address() as AddressInfo).port}/${database}`,
    fault: () => null,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
  return proxy
}

type Ask = (name: string, transaction: readonly string[]) => Fault | null

function carry(client: Socket, upstream: Socket, ask: Ask): void {
  const prepared = new Map<string, string>()
  let transaction: string[] | null = null
  /** Faults of the statements that the server has not answered, oldest first; the start-up counts as one. */
  const asked: (Fault | null)[] = [null]
  let isCut = false

  const cutClient = (): void => {
    isCut = true
    reset(client)
  }
  const cut = (): void => {
    cutClient()
    upstream.destroy()
  }
  const nameOf = (messages: readonly Buffer[]): string => {
    let name = ''
    for (const message of messages) {
      const text = (at: number): string => message.toString('utf8', at, message.indexOf(0, at))
      if (message[0] === PARSE) prepared.set(text(5), text(5) || text(6).slice(0, 60))
      else if (message[0] === BIND) name = prepared.get(text(message.indexOf(0, 5) + 1)) ?? ''
      else if (message[0] === QUERY) name = text(5).toLowerCase()
    }
    return name
  }
  const pass = (messages: readonly Buffer[]): void => {
    const name = nameOf(messages)
    const isEnd = name === 'commit' || name === 'rollback'
    const fault = ask(name, transaction ?? [])
    if (name === 'begin') transaction = []
    else if (isEnd) transaction = null
    else transaction?.push(name)
    if (fault === 'before') {
      cut()
      return
    }
    asked.push(fault)
    if (fault !== null && typeof fault === 'object' && 'until' in fault) {
      cutClient()
      void fault.until.then(() => upstream.write(Buffer.concat(messages)))
    } else if (fault !== null && typeof fault === 'object') upstream.write(failing(fault.state))
    else upstream.write(Buffer.concat(messages))
  }

  let statement: Buffer[] = []
  const fromClient = divider(true, (message) => {
    if (isCut || asked.includes('after')) return
    if (![PARSE, BIND, DESCRIBE, EXECUTE, CLOSE, SYNC, QUERY].includes(message[0] ?? 0)) {
      upstream.write(message)
      return
    }
    statement.push(message)
    if (message[0] !== SYNC && message[0] !== QUERY) return
    const whole = statement
    statement = []
    pass(whole)
  })
  const fromServer = divider(false, (message) => {
    const [fault] = asked
    if (!isCut && fault !== 'after') client.write(message)
    if (message[0] !== READY) return
    asked.shift()
    if (fault === 'after') cut()
    else if (isCut && asked.length === 0) upstream.destroy()
  })
  client.on('data', fromClient)
  upstream.on('data', fromServer)
  client.on('error', () => undefined)
  upstream.on('error', () => undefined)
  client.on('close', () => isCut || upstream.destroy())
  upstream.on('close', () => client.destroy())
}

const [PARSE, BIND, DESCRIBE, EXECUTE, CLOSE, SYNC, QUERY, READY] = [...Buffer.from('PBDECSQZ')]

/** Calls `take` with each whole message. The first message of a client has no type and is not subject to faults. */
function divider(hasStart: boolean, take: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  let head = hasStart ? 0 : 1
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= head + 4) {
      const length = head + rest.readUInt32BE(head)
      if (rest.length < length) return
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      // A start-up message begins with its length, whose first byte is zero: no message type.
      head = 1
      take(message)
    }
  }
}

/** A statement that fails on the server with this SQLSTATE. */
function failing(state: string): Buffer {
  const text = `do $$ begin raise exception 'refused by the test' using errcode = '${state}'; end $$\0`
  const head = Buffer.alloc(5)
  head[0] = QUERY ?? 0
  head.writeUInt32BE(4 + Buffer.byteLength(text), 1)
  return Buffer.concat([head, Buffer.from(text)])
}
