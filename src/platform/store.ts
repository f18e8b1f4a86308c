// The store of an instance, opened: the embedded PostgreSQL or the one that is named, checked, migrated, connected; and
// the instance's secret, which every machine of one installation must share.

import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Clock } from './clock.ts'
import { connect, type Database, statement } from './db.ts'
import type { Service } from './lifecycle.ts'
import type { Logger } from './log.ts'
import { migrate } from './migrate.ts'
import { assertDurable, attachOrStart, embeddedPostgres } from './postgres.ts'
import { SECRET_BYTES, type Secrets, sameSecret, secretsFrom } from './secrets.ts'
import { connectToPrimary } from './servers.ts'

export interface StoreOptions {
  readonly dataDir: string
  /** Null: the embedded database in the data directory. */
  readonly databaseUrl: string | null
  /** Null: the file `secret.key` in the data directory, made when it is not there. */
  readonly secretKey: string | null
  readonly log: Logger
  readonly clock: Clock
  readonly maxConnections?: number
}

export interface Store {
  /** A connection string with the right to migrate. */
  readonly adminUrl: string
  readonly database: Database
  readonly secrets: Secrets
  close(): Promise<void>
}

const STOP_WITHIN_MS = 20_000

/** For a service: owns the embedded database, and supervises it until `close`. */
export async function openStore(options: StoreOptions): Promise<Store> {
  await privateFolder(options.dataDir)
  if (options.databaseUrl !== null) return prepared(options, options.databaseUrl, async () => undefined)
  const embedded: Service & { url(): string } = embeddedPostgres(options)
  await embedded.start()
  const stop = (): Promise<void> => embedded.stop(AbortSignal.timeout(STOP_WITHIN_MS))
  try {
    return await prepared(options, embedded.url(), stop)
  } catch (error) {
    await stop()
    throw error
  }
}

/** For a command: uses the database that is up, or starts it for the call. */
export async function attachStore(options: StoreOptions): Promise<Store> {
  await privateFolder(options.dataDir)
  if (options.databaseUrl !== null) return prepared(options, options.databaseUrl, async () => undefined)
  const attached = await attachOrStart(options)
  return prepared(options, attached.url(), () => attached.close())
}

async function prepared(options: StoreOptions, adminUrl: string, stop: () => Promise<void>): Promise<Store> {
  await checkServer(adminUrl)
  await migrate(adminUrl, { onFile: (name) => options.log.info({ migration: name }, 'migrating') })
  const database = connect({
    url: adminUrl,
    ...(options.maxConnections !== undefined && { maxConnections: options.maxConnections }),
    onError: (err) => options.log.warn({ err }, 'a database connection broke'),
  })
  const close = async (): Promise<void> => {
    await database.close()
    await stop()
  }
  try {
    const secrets = secretsFrom(await instanceSecret(options))
    await checkSecret(database, secrets)
    return { adminUrl, database, secrets, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function privateFolder(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
}

async function checkServer(url: string): Promise<void> {
  const client = await connectToPrimary({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined)
  try {
    await assertDurable(client)
  } finally {
    await client.end()
  }
}

async function instanceSecret({ secretKey, dataDir }: StoreOptions): Promise<Buffer> {
  if (secretKey !== null) return Buffer.from(secretKey)
  const file = path.join(dataDir, 'secret.key')
  const known = await readSecret(file)
  if (known !== null) return known
  try {
    const handle = await open(file, 'wx', 0o600)
    await handle.writeFile(`${randomBytes(SECRET_BYTES).toString('base64')}\n`)
    await handle.sync()
    await handle.close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  await chmod(file, 0o600)
  const made = await readSecret(file)
  if (made === null) throw new Error(`${file} is not a secret key`)
  return made
}

async function readSecret(file: string): Promise<Buffer | null> {
  try {
    const secret = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64')
    if (secret.length < SECRET_BYTES) throw new Error(`${file} holds no secret key; restore it from a backup`)
    return secret
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

const ADD_CHECK = statement(
  'platform_add_secret_check',
  `insert into instance (name, value) values ('secret_check', $1) on conflict (name) do nothing`,
)
const READ_CHECK = statement('platform_read_secret_check', `select value from instance where name = 'secret_check'`)

/** @throws when the database was set up under another secret: what it holds sealed could not be opened */
async function checkSecret(database: Database, secrets: Secrets): Promise<void> {
  const check = secrets.mac('instance check', 'posthorn').toString('hex')
  await database.system.execute(ADD_CHECK, [check])
  const row = await database.system.one<{ value: string }>(READ_CHECK)
  if (row === null || !sameSecret(row.value, check)) {
    throw new Error('this database was set up under another POSTHORN_SECRET_KEY (or secret.key in the data directory)')
  }
}
