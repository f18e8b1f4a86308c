// A connection string may name several servers, as in libpq: `postgresql://user@one:5432,two:5432/db`, with or without
// `target_session_attrs=read-write`. Exactly one of them is the primary; the others follow it, and one of them replaces it
// when it fails. A connection goes to the server that last worked, and only counts when that server reports that it takes
// writes (`in_hot_standby`, which servers report by themselves since version 14). Otherwise the next connection tries the
// next server; so it does after a TCP connect that gets no reply within a second and a half, since a dead machine sends none.
// So a failover costs each process as many failed attempts as there are servers, and nobody changes a setting.

import { isIP, type Socket } from 'node:net'
import pg from 'pg'

export interface Servers {
  /** Connects to the server assumed to be the primary; rejects when it is not the primary or not reachable. */
  readonly Client: new (
    config?: pg.ClientConfig,
  ) => pg.Client
  /** The number of servers. */
  readonly count: number
}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void)

const REACHED_WITHIN_MS = 1_500

/** Start-up options of every connection: what our statements and their readers rely on, where the server has other defaults. */
export const SESSION =
  '-c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres -c bytea_output=hex -c extra_float_digits=1 ' +
  '-c standard_conforming_strings=on -c default_transaction_isolation=read\\ committed -c row_security=on ' +
  '-c array_nulls=on -c idle_session_timeout=0'

const MULTI_HOST = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]*,[^/?]*)(.*)$/

/**
 * A connection string whose `sslmode` means to the driver what it means in libpq: `require` encrypts, `verify-ca` and
 * `verify-full` also verify the server. By itself the driver verifies in all of them, and providers' strings with `require`
 * then fail.
 */
export function withModesOfLibpq(url: string): string {
  const hasMode = /[?&]sslmode=(?:prefer|require|verify-ca|verify-full)(?:&|$)/.test(url)
  return hasMode && !/[?&]uselibpqcompat=/.test(url) ? `${url}&uselibpqcompat=true` : url
}

const MODES_OF_TLS: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/**
 * Reads a connection string as connections will, with its certificate files. Found only by a connection, such a fault would be
 * taken for a server that is not up yet.
 *
 * @throws Error with the fault, which never repeats the string: it may contain a password
 */
export function assertConnectionString(url: string): void {
  const mode = /[?&]sslmode=([^&]*)/.exec(url)?.[1]
  if (mode !== undefined && !MODES_OF_TLS.includes(mode))
    throw new Error(`sslmode is not one of ${MODES_OF_TLS.join(', ')}`)
  for (const connectionString of serverUrls(url)) new pg.Client({ connectionString })
}

/** One connection string for each server. */
export function serverUrls(url: string): readonly string[] {
  const [, before = '', hosts, after = ''] = MULTI_HOST.exec(url) ?? []
  if (hosts === undefined) return [url]
  const rest = after.replace(/([?&])target_session_attrs=[^&]*&?/, '$1').replace(/[?&]$/, '')
  return hosts.split(',').map((host) => `${before}${host}${rest}`)
}

export function serversOf(url: string): Servers {
  const urls = serverUrls(url)
  if (urls.length === 1) return { Client: pg.Client, count: 1 }
  let current = 0

  class PrimaryClient extends pg.Client {
    readonly #server: number
    #standby = false

    constructor(config?: pg.ClientConfig) {
      const server = current
      super({ ...config, connectionString: urls[server] ?? url })
      this.#server = server
      const { connection } = this as unknown as { readonly connection: NodeJS.EventEmitter }
      connection.on(
        'parameterStatus',
        (status: { readonly parameterName: string; readonly parameterValue: string }) => {
          if (status.parameterName === 'in_hot_standby') this.#standby = status.parameterValue === 'on'
        },
      )
    }

    // The pool passes a callback, all other callers use the promise.
    override connect(): Promise<pg.Client>
    override connect(callback: Connected): void
    override connect(callback?: Connected): Promise<pg.Client> | void {
      const connected = this.#connect()
      if (callback === undefined) return connected
      const done = callback as (error: Error | null, client?: pg.Client) => void
      connected.then((client) => done(null, client), done)
    }

    async #connect(): Promise<pg.Client> {
      try {
        await Promise.all([super.connect(), this.#isReachable()])
        if (this.#standby) throw Object.assign(new Error('this server is a standby'), { code: '57P03' })
        return this
      } catch (error) {
        // Other connections may have moved on meanwhile: only one that tried the current server moves to the next.
        if (current === this.#server) current = (this.#server + 1) % urls.length
        if (this.#standby) await this.end().catch(() => undefined)
        throw error
      }
    }

    /** Resolves when the machine has accepted or refused the connection, which a merely slow server does too. */
    #isReachable(): Promise<void> {
      const { connection } = this as unknown as { readonly connection: { readonly stream: Socket } }
      const { stream } = connection
      return new Promise((resolve) => {
        const giveUp = (): void => {
          if (stream.connecting)
            stream.destroy(Object.assign(new Error('the server cannot be reached'), { code: 'ETIMEDOUT' }))
        }
        let timer: NodeJS.Timeout | undefined
        const wait = (): void => {
          // Reads pending events first: this process itself may have stood still.
          timer = setTimeout(() => setImmediate(giveUp), REACHED_WITHIN_MS)
        }
        const end = (): void => {
          clearTimeout(timer)
          resolve()
        }
        stream.once('connect', end).once('close', end)
        if (isIP(this.host) !== 0) wait()
        else stream.once('lookup', wait)
      })
    }
  }
  return { Client: PrimaryClient, count: urls.length }
}

/** One connection to the primary, trying each server once. @throws the last server's error */
export async function connectToPrimary(
  config: pg.ClientConfig & { readonly connectionString: string },
): Promise<pg.Client> {
  const { Client, count } = serversOf(config.connectionString)
  for (let tried = 1; ; tried++) {
    const client = new Client(config)
    try {
      await client.connect()
      return client
    } catch (error) {
      if (tried >= count) throw error
    }
  }
}

/** For a proxy in front of PostgreSQL that drops the role and settings with which a connection starts. */
export function optionsDropped(): Error {
  return new Error(
    'DATABASE_URL: a proxy such as PgBouncer drops the start-up options of connections; connect to PostgreSQL directly',
  )
}
