// A PostgreSQL for the tests, and a fresh database for each.
//
// `node test/run.mjs` starts one server for the whole run and passes its URL in TEST_DATABASE_URL. A test file that is run
// alone attaches to a server that all such runs of this user share, in a folder of the system's temporary directory; the last
// run to leave stops it. Its cluster stays, so the next start takes 50 ms. The test servers do not fsync and may lose data in
// a power cut. Durability is tested elsewhere.
//
// Migrations run once for each state of the migrations folder, into a template that fresh databases copy through the WAL:
// copying files takes half as long, but needs checkpoints that the other tests wait for.

import { randomBytes } from 'node:crypto'
import { mkdirSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { systemClock } from '../../src/platform/clock.ts'
import { migrate, schemaVersion } from '../../src/platform/db/migrate.ts'
import { connect } from '../../src/platform/db.ts'
import { createLogger } from '../../src/platform/log.ts'
import { type Attached, attachOrStart } from '../../src/platform/postgres.ts'

export interface TestDatabase extends AsyncDisposable {
  readonly name: string
  /** For the server's superuser, or the user in DATABASE_URL. */
  readonly url: string
}

export const TEST_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: 300,
  autovacuum_naptime: '60s',
}

const TEMPLATE_LOCK = 7_461_840
// Most templates kept; those of older states of the migrations folder are dropped.
const KEPT_TEMPLATES = 12

/** A migrated, empty database. Dropped at the end, even with open connections. */
export async function freshDb(): Promise<TestDatabase> {
  return create(await ensureTemplate())
}

/** The same, with the partitions of the days around today, which a service creates at its start. */
export async function freshDbOfToday(): Promise<TestDatabase> {
  return create(await templateOfToday())
}

/** A database without tables, for tests of the migrations themselves. */
export async function emptyDb(): Promise<TestDatabase> {
  return create('template0')
}

/** One without tables whose texts are folded and sorted by an ICU locale, such as `tr-TR`. */
export async function emptyDbOfLocale(locale: string): Promise<TestDatabase> {
  return create(`template0 locale_provider icu icu_locale '${locale}'`)
}

/** Makes the template of the current migrations unless it exists. @returns its name */
export async function ensureTemplate(): Promise<string> {
  templates ??= makeTemplate()
  return templates
}

let templates: Promise<string> | undefined
let shared: Promise<Attached> | undefined

/** The server's maintenance database. */
export async function serverUrl(): Promise<string> {
  const given = process.env['TEST_DATABASE_URL'] ?? process.env['DATABASE_URL']
  if (given !== undefined && given !== '') return given
  shared ??= attachShared()
  return (await shared).url()
}

async function attachShared(): Promise<Attached> {
  const uid = process.getuid?.() ?? 0
  const dataDir = path.join(os.tmpdir(), `posthorn-test-${uid}`)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (statSync(dataDir).uid !== uid) throw new Error(`${dataDir} belongs to somebody else`)
  const attached = await attachOrStart({
    dataDir,
    log: createLogger('warn'),
    clock: systemClock(),
    settings: TEST_SETTINGS,
  })
  // The connection that marks this process as present must not keep a finished test alive: it closes when nothing else runs.
  process.once('beforeExit', () => void attached.close())
  return attached
}

async function create(template: string): Promise<TestDatabase> {
  const server = await serverUrl()
  const name = `posthorn_test_${randomBytes(6).toString('hex')}`
  await onServer(server, (client) => client.query(`create database ${name} template ${template} strategy wal_log`))
  const drop = (): Promise<unknown> =>
    onServer(server, (client) => client.query(`drop database if exists ${name} with (force)`))
  return { name, url: withDatabase(server, name), [Symbol.asyncDispose]: async () => void (await drop()) }
}

async function makeTemplate(): Promise<string> {
  const name = `posthorn_template_${(await schemaVersion()).slice(0, 12)}`
  return templateMadeOnce(name, 'template0', migrate)
}

async function templateOfToday(): Promise<string> {
  const bare = await ensureTemplate()
  const now = systemClock().now()
  return templateMadeOnce(`${bare}_${now.toISOString().slice(0, 10).replaceAll('-', '')}`, bare, async (url) => {
    // Imported only to make the template: it loads half of the service, which most tests of a database do not need.
    const { ensurePartitions } = await import('../../src/composition/housekeeping.ts')
    const database = connect({ url, onError: () => undefined })
    try {
      await ensurePartitions(database.system, now)
    } finally {
      await database.close()
    }
  })
}

/** @param fill gets the URL of a copy of `origin` and leaves no connection to it open */
async function templateMadeOnce(
  name: string,
  origin: string,
  fill: (url: string) => Promise<unknown>,
): Promise<string> {
  const server = await serverUrl()
  await onServer(server, async (client) => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    const { rows } = await client.query('select datname from pg_database where datname = $1', [name])
    if (rows.length > 0) return
    await dropOldTemplates(client)
    const half = `${name}_half`
    await client.query(`drop database if exists ${half} with (force)`)
    await client.query(`create database ${half} template ${origin}`)
    await fill(withDatabase(server, half))
    await client.query(`alter database ${half} rename to ${name}`)
  })
  return name
}

async function dropOldTemplates(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select datname from pg_database where datname like 'posthorn\\_template\\_%' order by oid desc offset ${KEPT_TEMPLATES}`,
  )
  for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`)
}

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The same server and user, but another database. */
export function withDatabase(url: string, name: string): string {
  const [head = '', query = ''] = url.split('?')
  return `${head.replace(/\/[^/@]*$/, '')}/${name}${query === '' ? '' : `?${query}`}`
}
