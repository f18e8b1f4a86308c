// Opens the store of an instance: the embedded PostgreSQL or the one in DATABASE_URL, checked, migrated and connected; and
// the instance's secret, which all machines of one installation must share.

import type pg from 'pg'
import type { CorrectableClock } from './clock.ts'
import { followDatabase } from './database-clock.ts'
import { isMigrated, migrate } from './db/migrate.ts'
import { connectToPrimary } from './db/servers.ts'
import { connect, type Database, isUnavailable } from './db.ts'
import { assertBegun, ensureDataFolder } from './files/data-folder.ts'
import type { Service } from './lifecycle.ts'
import type { Logger } from './log.ts'
import { LITTLE_MEMORY_BYTES, systemMemory } from './memory.ts'
import { assertDurable, attachOrStart, embeddedFolders, embeddedPostgres } from './postgres.ts'
import { openSecrets, type RenewedSecrets, renewSecrets } from './secrets/keys.ts'
import type { Secrets } from './secrets.ts'

export interface StoreOptions {
  readonly dataDir: string
  /** Null: the embedded database in the data directory. */
  readonly databaseUrl: string | null
  /** Null: the file `secret.key` in the data directory, created when it is missing. */
  readonly secretKey: string | null
  readonly log: Logger
  readonly clock: CorrectableClock
  readonly maxConnections?: number
}

export interface Store {
  /** A connection string with the right to migrate. */
  readonly adminUrl: string
  /** Of the embedded database, whose disks may be others than the data directory's; none for a server of DATABASE_URL. */
  readonly clusterFolders: readonly string[]
  readonly database: Database
  readonly secrets: Secrets
  /** Picks up changes of the secrets (secrets/keys.ts). */
  renewSecrets(): Promise<RenewedSecrets>
  close(): Promise<void>
}

const STOP_WITHIN_MS = 20_000
const CONNECT_WITHIN_MS = 10_000
/** A booting machine may start us before its PostgreSQL; after a crash PostgreSQL replays its log first. */
const SERVER_WITHIN_MS = 60_000
const ASK_EVERY_MS = 500
const LOG_EVERY_MS = 10_000
/** Per face of the database; a backend takes some ten megabytes for its prepared statements. */
const FEW_CONNECTIONS = 4

/**
 * For a service: owns the embedded database, and supervises it until `close`. It waits up to a minute for a server of
 * DATABASE_URL that is not up yet, but not for one that refuses.
 *
 * @param signal ends this wait, the start of the embedded database and the migration between two files; the promise then
 *   rejects with its reason
 */
export async function openStore(options: StoreOptions, signal: AbortSignal): Promise<Store> {
  await ensureDataFolder(options.dataDir)
  if (options.databaseUrl !== null) {
    await serverUp(options, options.databaseUrl, signal)
    return prepared(options, options.databaseUrl, async () => undefined, signal)
  }
  const embedded: Service & { url(): string } = embeddedPostgres({ ...options, signal })
  await embedded.start()
  const stop = (): Promise<void> => embedded.stop(AbortSignal.timeout(STOP_WITHIN_MS))
  try {
    return await prepared(options, embedded.url(), stop, signal)
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * For a command: the store of an existing instance.
 *
 * @param signal as for `attachStore`
 * @throws Error when POSTHORN_DATA_DIR or DATABASE_URL names none
 */
export async function attachBegun(options: StoreOptions, signal: AbortSignal): Promise<Store> {
  if (options.databaseUrl === null) await assertBegun(options.dataDir)
  else await checkServer(options.databaseUrl, true, assertMigrated)
  return attachStore(options, signal)
}

// With another database named by mistake, the command would create the schema there and answer from an empty instance.
async function assertMigrated(client: pg.Client): Promise<void> {
  if (!(await isMigrated(client)))
    throw new Error('there is no instance in this database; create one with posthorn start, serve or migrate')
}

/**
 * Uses the running database, or starts it for the call; creates one where there is none.
 *
 * @param signal as for `openStore`
 */
export async function attachStore(options: StoreOptions, signal: AbortSignal): Promise<Store> {
  await ensureDataFolder(options.dataDir)
  if (options.databaseUrl !== null) return prepared(options, options.databaseUrl, async () => undefined, signal)
  const attached = await attachOrStart({ ...options, signal })
  try {
    return await prepared(options, attached.url(), () => attached.close(), signal)
  } catch (error) {
    // A database started for this call would otherwise keep running.
    await attached.close()
    throw error
  }
}

async function prepared(
  options: StoreOptions,
  adminUrl: string,
  stop: () => Promise<void>,
  signal: AbortSignal,
): Promise<Store> {
  const { log, clock } = options
  await checkServer(adminUrl, options.databaseUrl !== null)
  await migrate(adminUrl, {
    onFile: (name) => log.info({ migration: name }, 'migrating'),
    onCreated: () => log.info({}, 'tables created'),
    onInUse: (name, by) => log.warn({ migration: name, by }, 'a table of this migration is in use'),
    onWait: () => log.warn({}, 'waiting for another process that migrates'),
    signal,
  })
  const usual = systemMemory().limitBytes < LITTLE_MEMORY_BYTES ? FEW_CONNECTIONS : undefined
  const { maxConnections = usual } = options
  const database = connect({
    url: adminUrl,
    ...(maxConnections !== undefined && { maxConnections }),
    admit: assertDurable,
    onError: (err) => log.warn({ err }, 'a database connection broke'),
  })
  const close = async (): Promise<void> => {
    await database.close()
    await stop()
  }
  try {
    await followDatabase({ db: database.system, clock, log })
    const secrets = await openSecrets(database, options)
    const clusterFolders = options.databaseUrl === null ? await embeddedFolders(options.dataDir) : []
    const renew = (): Promise<RenewedSecrets> => renewSecrets(database, secrets, options)
    return { adminUrl, clusterFolders, database, secrets, renewSecrets: renew, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Resolves when the server accepts us. @throws its error, when it refuses or takes too long */
async function serverUp({ clock, log }: StoreOptions, url: string, signal: AbortSignal): Promise<void> {
  const began = clock.monotonicMs()
  let logAt = began
  for (;;) {
    const waitingFor = await checkServer(url, true).then(
      () => null,
      (error: Error) => error,
    )
    if (waitingFor === null) return
    const now = clock.monotonicMs()
    if (!mayComeUp(waitingFor.cause)) throw waitingFor
    if (now - began >= SERVER_WITHIN_MS) {
      const seconds = Math.round((now - began) / 1_000)
      throw new Error(`${waitingFor.message} (waited for ${seconds} s)`, { cause: waitingFor.cause })
    }
    if (now >= logAt) {
      log.warn({ why: waitingFor.message }, 'waiting for the database server, which is not up')
      logAt = now + LOG_EVERY_MS
    }
    await clock.sleep(ASK_EVERY_MS, signal)
  }
}

/** An unknown host name is not: it is misspelt rather than late. */
function mayComeUp(error: unknown): boolean {
  return isUnavailable(error) && (error as NodeJS.ErrnoException).code !== 'ENOTFOUND'
}

/** @param named the server comes from DATABASE_URL, which errors then name */
async function checkServer(
  url: string,
  named: boolean,
  check: (client: pg.Client) => Promise<void> = assertDurable,
): Promise<void> {
  try {
    const client = await connectToPrimary({ connectionString: url, connectionTimeoutMillis: CONNECT_WITHIN_MS })
    client.on('error', () => undefined)
    try {
      await check(client)
    } finally {
      await client.end()
    }
  } catch (error) {
    if (!named) throw error
    const { message, code } = error as NodeJS.ErrnoException
    // An error that covers several addresses has no message of its own.
    throw new Error(`DATABASE_URL: ${message === '' ? code : message}`, { cause: error })
  }
}
