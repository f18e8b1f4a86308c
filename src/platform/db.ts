// PostgreSQL, with SQL written as SQL. One database has two faces: `system` is the service itself, `tenant` is the API
// acting for one account. Row level security shows the tenant only that account's rows, in addition to the scoping in
// each statement. Statements are named, so the server parses and plans each once per connection.
//
// Connections are pipelined: statements issued without awaiting one another travel together. In a transaction, a failed
// statement fails all that follow it, so rows may be written with `Promise.all`. Once the transaction has ended, its late
// statements are refused: they would run alone or in somebody else's transaction.
//
// A server that disappears silently (power, network) neither answers nor closes anything. Its connections are given up:
// those with a statement under way after some nine seconds, if it accepts no new connection either (silent-servers.ts), idle ones
// after some 20. If it accepts connections but does not answer, after a minute.

import type { Duplex } from 'node:stream'
import pg from 'pg'
import { answerWithin } from './db/answer-timeout.ts'
import { connectionShare } from './db/connection-share.ts'
import { isReadOnly, isUnavailable, UnknownCommitOutcome } from './db/errors.ts'
import { arrayText } from './db/pg-array.ts'
import { optionsDropped, SESSION, serversOf } from './db/servers.ts'
import { type SilentServerWatch, type Watchable, watchSilentServers } from './db/silent-servers.ts'

export {
  isBrokenOff,
  isPassing,
  isReadOnly,
  isUnavailable,
  lacksDay,
  mayLackPartition,
  sqlState,
  UnknownCommitOutcome,
} from './db/errors.ts'

/** A statement and the name under which connections prepare it. Names are `room_what`, unique in the code base. */
export interface Statement {
  readonly name: string
  readonly text: string
}

export function statement(name: string, text: string): Statement {
  return { name, text }
}

/** Something that runs statements: the pool (each statement its own transaction) or one transaction. */
export interface Db {
  /** Resolves to the rows. Bigints come as numbers, timestamps as Date, jsonb parsed, bytea as Buffer. */
  query<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<readonly Row[]>
  /** Resolves to the first row, or null. */
  one<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row | null>
  /** Resolves to the number of rows that the statement affected. */
  execute(statement: Statement, values?: readonly unknown[]): Promise<number>
}

/** Writes only, reads nothing. */
export type Writer = Pick<Db, 'execute'>

export interface Database {
  /** As the service: sees the rows of all accounts. */
  readonly system: Db
  /**
   * One transaction as the service. Commits when `work` resolves, rolls back when it rejects.
   *
   * Statements that `work` executes through `posting` are sent without waiting: `execute` resolves to 0 at once. The commit
   * follows them in the same stream, so a failed one still undoes everything, and the transaction rejects with its error.
   * For the last writes of a transaction that many wait for: it saves them one round trip.
   */
  transaction<T>(work: (db: Db, posting: Writer) => Promise<T>): Promise<T>
  /** One transaction as one account, which has at most half of the connections. */
  tenant<T>(accountId: string, work: (db: Db) => Promise<T>): Promise<T>
  /**
   * The same, read-only: the server refuses writes. The result of `work` is delivered at once, because the end of such a
   * transaction cannot change it; the connection is free again one round trip later.
   *
   * @param gone aborted when nobody waits for the result any more: what still runs a moment later is broken off
   */
  reading<T>(accountId: string, work: (db: Db) => Promise<T>, gone?: AbortSignal): Promise<T>
  /**
   * Calls `heard` for every NOTIFY on `channel`, and with null when notifications may have been missed (after the
   * connection was lost and re-established). Resolves once the server listens.
   */
  listen(channel: string, onNotification: (payload: string | null) => void): Promise<void>
  /** The connections of this process. `waiting`: requests that wait for one. */
  pools(): readonly { readonly name: string; readonly open: number; readonly idle: number; readonly waiting: number }[]
  /** Rejects when the database does not answer within `withinMs`. */
  ping(withinMs: number): Promise<void>
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** A connection string (servers.ts), or the one that the embedded supervisor returns. */
  readonly url: string
  /** The most connections of each face. */
  readonly maxConnections?: number
  /** A connection whose statement gets no answer for this long is given up. Longer than any statement may take. */
  readonly answerWithinMs?: number
  /** Once a connection has waited for this long, we check whether its server is still there. */
  readonly silentAfterMs?: number
  /**
   * Checks every new connection before it is used, besides the check that it started with our options. Rejects for a
   * server that must not be used: after a failover it is another one, and settings change. The request that wanted the
   * connection then fails as if the database were unavailable.
   */
  readonly admit?: (client: pg.Client) => Promise<void>
  readonly onError: (error: unknown) => void
}

const CONNECT_WITHIN_MS = 4_000
const CLOSE_WITHIN_MS = 3_000
const ANSWER_WITHIN_MS = 60_000
const SILENT_AFTER_MS = 5_000
const KEEP_ALIVE_AFTER_MS = 10_000
const IDLE_MS = 60_000
const LISTEN_RETRY_MS = 500
/** Breaking off costs a connection, so what is over within this time may run to its end. */
const GONE_MS = 500
// Without `jit=off` a server before 18 compiles every small statement: a disabled plan type costs so much on paper that
// compiling seems to pay. It took 280 ms per query.
const COMMON = `${SESSION} -c jit=off -c search_path=posthorn -c statement_timeout=30s -c idle_in_transaction_session_timeout=15s -c lock_timeout=0`
// The service's statements were designed for these plans: one that relied on statistics of an empty table ran 1,000 times
// slower. They never apply to the API's role, whose lists need the planner.
const SYSTEM_PLANS =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c enable_bitmapscan=off'
// The filters of a list are null when unset: a plan for all values walks an account from its newest row whatever is asked
// for (one recipient among a million emails: 3 s). So these statements are planned for the actual values.
const TENANT_PLANS = '-c plan_cache_mode=force_custom_plan'
// A server notices a closed connection only when it sends the answer, unless it is told to look.
const LOOK_FOR_US = '-c client_connection_check_interval=1s'

pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)
// Otherwise a Date goes out in the machine's time zone, and a statement that takes its day gets another one.
pg.defaults.parseInputDatesAsUTC = true

export function connect(options: DatabaseOptions): Database {
  const { url, maxConnections = 8, answerWithinMs = ANSWER_WITHIN_MS } = options
  let closing = false
  // A stopping server may break off connections that are being closed: not an error.
  const onError = (error: unknown): void => {
    if (!closing) options.onError(error)
  }
  const watch = watchSilentServers(options.silentAfterMs ?? SILENT_AFTER_MS)
  const { Client } = serversOf(url)
  const pool = (role: string, plans: string): pg.Pool => {
    const made = new pg.Pool({
      connectionString: url,
      max: maxConnections,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      idleTimeoutMillis: IDLE_MS,
      options: `-c role=${role} ${COMMON} ${plans}`,
      application_name: role,
      query_timeout: answerWithinMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      pipeline: true,
      ...(options.admit !== undefined && { verify: admission(role, options.admit, onError) }),
      Client,
    } as pg.PoolConfig)
    made.on('error', onError)
    made.on('connect', (client) => watch.add(client as unknown as Watchable))
    return made
  }
  const system = pool('posthorn_system', SYSTEM_PLANS)
  const tenant = pool('posthorn_tenant', `${TENANT_PLANS} ${LOOK_FOR_US}`)
  const listener = listenOn(url, watch, onError)
  const share = connectionShare(Math.ceil(maxConnections / 2), CONNECT_WITHIN_MS)
  return {
    system: onPool(system),
    transaction: (work) => transact(system, null, work),
    tenant: (accountId, work) => share(accountId, () => transact(tenant, accountId, work)),
    reading: (accountId, work, gone) =>
      early(work, (tell) => share(accountId, () => transact(tenant, accountId, tell, 'begin read only', gone))),
    listen: listener.listen,
    pools: () =>
      Object.entries({ system, tenant }).map(([name, { totalCount, idleCount, waitingCount }]) => ({
        name,
        open: totalCount,
        idle: idleCount,
        waiting: waitingCount,
      })),
    ping: (withinMs) => ping(system, withinMs),
    close: async () => {
      closing = true
      await soon(Promise.all([listener.close(), system.end(), tenant.end()]))
      watch.close()
    },
  }
}

/** If a pooler dropped a connection's start-up options, row level security would be off and no statement would time out. */
async function assertOptions(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query(
    `select current_user = '${role}' and current_setting('statement_timeout') = '30s' as kept`,
  )
  if (rows[0]?.kept !== true) throw optionsDropped()
}

/** For the pool's `verify`. Listens for connection errors meanwhile: unheard, one would end the process. */
function admission(role: string, admit: (client: pg.Client) => Promise<void>, onError: (error: unknown) => void) {
  return (client: pg.Client, done: (error?: Error) => void): void => {
    const ignore = (): void => undefined
    client.on('error', ignore)
    Promise.all([admit(client), assertOptions(client, role)])
      .catch((error: Error) => {
        if (isUnavailable(error)) return error
        onError(error)
        return Object.assign(new Error('this server is not admitted', { cause: error }), { code: NOT_ADMITTED })
      })
      .then((failure) => {
        client.off('error', ignore)
        if (failure instanceof Error) done(failure)
        else done()
      }, onError)
  }
}

/** Does not wait long for a goodbye that a hanging server never receives. */
async function soon(goodbye: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, CLOSE_WITHIN_MS)
  try {
    await Promise.race([goodbye, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function onPool(pool: pg.Pool): Db {
  return dbOn((config) => pool.query(config))
}

function dbOn(run: (config: pg.QueryConfig) => Promise<pg.QueryResult>): Db {
  const send = ({ name, text }: Statement, values: readonly unknown[] = []): Promise<pg.QueryResult> =>
    run({ name, text, values: values.map(valueOf) })
  return {
    query: async <Row extends object>(what: Statement, values?: readonly unknown[]) =>
      (await send(what, values)).rows as readonly Row[],
    one: async <Row extends object>(what: Statement, values?: readonly unknown[]) =>
      ((await send(what, values)).rows[0] as Row | undefined) ?? null,
    execute: async (what, values) => (await send(what, values)).rowCount ?? 0,
  }
}

function valueOf(value: unknown): unknown {
  return Array.isArray(value) ? (arrayText(value) ?? value) : value
}

function isWritable(value: unknown): boolean {
  return value === null || typeof value !== 'object' || value instanceof Date || Buffer.isBuffer(value)
}

function streamOf(client: pg.PoolClient): Duplex {
  return (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection.stream
}

/** Closes the connection GONE_MS after the signal. @returns ends that */
function leavingWith(client: pg.PoolClient, gone: AbortSignal | undefined): () => void {
  if (gone === undefined) return () => undefined
  let timer: NodeJS.Timeout | undefined
  const leave = (): void => {
    timer = setTimeout(() => streamOf(client).destroy(), GONE_MS)
  }
  gone.addEventListener('abort', leave)
  return () => {
    gone.removeEventListener('abort', leave)
    clearTimeout(timer)
  }
}

/** Statements issued in the same turn travel in one packet: a system call each would cost more than many of them. */
function together(client: pg.PoolClient): (config: pg.QueryConfig) => Promise<pg.QueryResult> {
  const stream = streamOf(client)
  let held = false
  return (config) => {
    if (!held) {
      held = true
      stream.cork()
      queueMicrotask(() => {
        held = false
        stream.uncork()
      })
    }
    return client.query(config)
  }
}

const SET_ACCOUNT = statement('platform_set_account', `select set_config('app.account_id', $1, true)`)

/** Where PostgreSQL waits for the synchronous standby. It issues a warning from there when that wait is cancelled. */
const BROKEN_OFF_WAIT = 'SyncRepWaitForLSN'
/** "Cannot connect now". */
const NOT_ADMITTED = '57P03'

type Notice = { readonly routine?: string | undefined }

type Work<T> = (db: Db, posting: Writer) => Promise<T>

/** The result of `work` as soon as it is there. @param run runs it in its transaction */
function early<T>(work: Work<T>, run: (deliver: Work<T>) => Promise<T>): Promise<T> {
  const delivered = Promise.withResolvers<T>()
  const deliver: Work<T> = async (db, posting) => {
    const result = await work(db, posting)
    delivered.resolve(result)
    return result
  }
  // A failure after the result was delivered only costs the connection, which `transact` gives up.
  run(deliver).catch(delivered.reject)
  return delivered.promise
}

async function transact<T>(
  pool: pg.Pool,
  accountId: string | null,
  work: Work<T>,
  begin: 'begin' | 'begin read only' = 'begin',
  gone?: AbortSignal,
): Promise<T> {
  const client = await pool.connect()
  if (gone?.aborted) {
    client.release()
    // Counts as unavailable: nobody hears it.
    throw Object.assign(new Error('nobody waits for the result'), { code: 'ECONNABORTED' })
  }
  const stay = leavingWith(client, gone)
  let broken: Error | undefined
  // Only we hear that a checked-out connection broke; unheard, the error would end the process.
  const onConnectionError = (error: Error): void => {
    broken = error
  }
  client.on('error', onConnectionError)
  let isAlone = false
  const warned = (notice: Notice): void => {
    isAlone ||= notice.routine === BROKEN_OFF_WAIT
  }
  client.on('notice', warned)
  const send = together(client)
  let over = false
  const late = (name: string | undefined): Error => new Error(`${name} came after its transaction`)
  const db = dbOn((config) => (over ? Promise.reject(late(config.name)) : send(config)))
  const posted: Promise<unknown>[] = []
  const posting = {
    execute: async (what: Statement, values: readonly unknown[] = []) => {
      if (over) throw late(what.name)
      const ready = values.map(valueOf)
      // The driver drops a statement whose values it cannot encode, and the server, which never saw it, commits.
      if (!ready.every(isWritable)) throw new Error(`${what.name} has values that cannot be posted`)
      const answer = db.execute(what, ready)
      answer.catch(() => undefined)
      posted.push(answer)
      return 0
    },
  }
  try {
    // Sent ahead of the work without waiting. If setting the account fails, the transaction is aborted and every later
    // statement fails with it: a failure never widens what is visible.
    const begun: Promise<unknown>[] = [send({ text: begin })]
    if (accountId !== null) begun.push(db.execute(SET_ACCOUNT, [accountId]))
    const [result] = await Promise.all([work(db, posting), ...begun])
    over = true
    // If a statement failed and its caller ignored that, the server rolls back and says so only here.
    const [{ command }] = await Promise.all([client.query('commit'), ...posted])
    if (command !== 'COMMIT') throw new Error('a statement of the transaction had failed: it was rolled back')
    if (isAlone) throw new UnknownCommitOutcome('no standby has confirmed the commit', client)
    return result
  } catch (error) {
    const committing = over
    over = true
    await client.query('rollback').catch((failure: Error) => {
      broken = failure
    })
    if (isReadOnly(error)) broken = error as Error
    const isOutcomeUnknown = committing && broken !== undefined && isUnavailable(error)
    throw isOutcomeUnknown
      ? new UnknownCommitOutcome('nobody has told whether the commit was made', client, error)
      : error
  } finally {
    stay()
    client.off('error', onConnectionError)
    client.off('notice', warned)
    client.release(broken)
  }
}

async function ping(pool: pg.Pool, withinMs: number): Promise<void> {
  await answerWithin(pool.query('select 1'), withinMs)
}

interface Listener {
  listen(channel: string, onNotification: (payload: string | null) => void): Promise<void>
  close(): Promise<void>
}

function listenOn(url: string, watch: SilentServerWatch, onError: (error: unknown) => void): Listener {
  const { Client } = serversOf(url)
  const handlers = new Map<string, ((payload: string | null) => void)[]>()
  let connecting: Promise<pg.Client> | null = null
  let closed = false

  const open = (): Promise<pg.Client> => {
    if (connecting !== null) return connecting
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      options: `-c role=posthorn_system ${COMMON}`,
      application_name: 'posthorn_listen',
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    })
    const ready = async (): Promise<pg.Client> => {
      await client.connect()
      watch.add(client as unknown as Watchable)
      for (const channel of handlers.keys()) await client.query(`listen ${pg.escapeIdentifier(channel)}`)
      return client
    }
    // A connection can end long after its error, when another one has taken its place.
    const lost = (error?: unknown): void => {
      if (connecting !== own) return
      connecting = null
      client.end().catch(() => undefined)
      if (closed) return
      if (error !== undefined) onError(error)
      setTimeout(() => {
        if (closed || connecting !== null) return
        open().then(() => {
          for (const onNotification of [...handlers.values()].flat()) onNotification(null)
        }, onError)
      }, LISTEN_RETRY_MS).unref()
    }
    client.on('notification', ({ channel, payload }) => {
      for (const onNotification of handlers.get(channel) ?? []) onNotification(payload ?? '')
    })
    client.on('error', lost)
    client.on('end', () => lost())
    const own = ready().catch((error: unknown) => {
      lost()
      throw error
    })
    connecting = own
    return own
  }

  return {
    listen: async (channel, onNotification) => {
      const known = handlers.get(channel)
      if (known !== undefined) known.push(onNotification)
      else handlers.set(channel, [onNotification])
      const client = await open()
      await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    },
    close: async () => {
      closed = true
      const client = await connecting?.catch(() => null)
      await client?.end()
    },
  }
}
