// Brings the schema up to date. The files `migrations/NNNN-name.sql` are applied in order, each in one transaction together
// with its row in `posthorn.migration`: after a kill in between, the next run resumes with the unfinished file. Migrations
// only go forward. An applied file never changes again, and a database that knows files we do not have belongs to a newer
// release: both are refused before anything is touched. An advisory lock allows one run at a time.
//
// Processes of the previous release may work meanwhile and afterwards (CONTRIBUTING.md, "a table or a migration"). A file
// that waits for a table lock blocks everybody who queues for that table behind it, so it waits two seconds at a time and
// lets them pass in between; after a minute it gives up.
//
// The first file runs as the user of the connection string and creates the roles and the schema; every later one runs as
// posthorn_owner with search_path = posthorn.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import { connectToPrimary, optionsDropped, SESSION } from './servers.ts'

export interface MigrateOptions {
  readonly folder?: string
  /** Only these files, by name: the state of an older release, to copy its rows into. */
  readonly only?: ReadonlySet<string>
  /** Called before each file is applied to a database that holds an instance. */
  readonly onFile?: (name: string) => void
  /** Called when the first files have made a new instance's tables. */
  readonly onCreated?: () => void
  /** Called now and then while another process migrates. */
  readonly onWait?: () => void
  /** Called when a file finds a table in use, and now and then while it stays so. */
  readonly onInUse?: (name: string, by: LockHolder | null) => void
  /** Ends the wait for another process or for a table, and the run between two files. */
  readonly signal?: AbortSignal
}

/** The oldest transaction that holds a lock on one of our tables. What its user keeps to itself is null. */
export interface LockHolder {
  readonly pid: number
  readonly application: string | null
  readonly user: string | null
  readonly since: Date | null
}

interface Migration {
  readonly name: string
  readonly text: string
  readonly checksum: string
}

const FOLDER = path.join(import.meta.dirname, '..', '..', '..', 'migrations')
const LOCK_KEY = 7_461_839
const CONNECT_WITHIN_MS = 10_000
const LOCK_TRIES = 20
const TRIES_BETWEEN_WORDS = 5
/** In waits of a tenth of a second. */
const WAITS_BETWEEN_WORDS = 100
const WAITS_BEFORE_A_WORD = 10
/** Lock timeout, deadlock. */
const IN_USE: ReadonlySet<string | undefined> = new Set(['55P03', '40P01'])
// The first file does this too, but not for a server from version 16 on: there, a user that is not a superuser is a member of the
// roles it has created without being allowed to become them.
const ROLES = `do $$
  declare
    name text;
    allowed text := case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end;
  begin
    foreach name in array array['posthorn_owner', 'posthorn_system', 'posthorn_tenant'] loop
      begin
        if not exists (select from pg_roles where rolname = name) then
          execute format('create role %I nologin', name);
        end if;
      exception when duplicate_object or unique_violation then
        null; -- another database of this cluster made it at the same moment
      end;
      if not pg_has_role(current_user, name, allowed) then
        execute format('grant %I to current_user', name);
      end if;
    end loop;
  end $$`
const NOT_PERMITTED = '42501'
const AS_OWNER = 'set local role posthorn_owner; set local search_path = posthorn;'
const TABLE = `${AS_OWNER}
  create table posthorn.migration (name text primary key, checksum text not null, applied_at timestamptz not null default now());
  grant select on posthorn.migration to posthorn_system`

/**
 * Applies the missing migrations.
 *
 * @param adminUrl a user that may create roles and owns the database (the superuser of the embedded one)
 * @returns the names of the files applied, in order
 */
export async function migrate(adminUrl: string, options: MigrateOptions = {}): Promise<readonly string[]> {
  const files = chosen(await readMigrations(options.folder), options.only)
  const client = await connectToPrimary({
    connectionString: adminUrl,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    application_name: 'posthorn_migrate',
    options: `${SESSION} -c statement_timeout=0 -c lock_timeout=2s -c client_min_messages=warning`,
  })
  client.on('error', () => undefined)
  try {
    // Before the lock: a pooler's connection would keep it for ever.
    const { rows } = await client.query(`select current_setting('lock_timeout') = '2s' as kept`)
    if (rows[0].kept !== true) throw optionsDropped()
    await waitForLock(client, options)
    const missing = outstanding(files, await applied(client))
    const isNew = missing.length === files.length
    for (const file of missing) {
      if (!isNew) options.onFile?.(file.name)
      await applyInTurn(client, file, file === files[0], options)
    }
    if (isNew) options.onCreated?.()
    return missing.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

function chosen(files: readonly Migration[], only: ReadonlySet<string> | undefined): readonly Migration[] {
  if (only === undefined) return files
  const newer = [...only].filter((wanted) => files.every(({ name }) => name !== wanted))
  if (newer.length > 0) throw migratedBy(newer)
  return files.filter(({ name }) => only.has(name))
}

function migratedBy(newer: readonly string[]): Error {
  return new Error(
    `the database was migrated by a newer release (${newer.join(', ')}): start that release, or restore a backup from before it`,
  )
}

/** Identifies the state that these files lead to. */
export async function schemaVersion(folder?: string): Promise<string> {
  const files = await readMigrations(folder)
  return sha256(files.map(({ name, checksum }) => `${name} ${checksum}\n`).join(''))
}

async function readMigrations(folder = FOLDER): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const files = await Promise.all(
    names.map(async (name, index) => {
      if (!/^\d{4}-[a-z0-9-]+\.sql$/.test(name) || names[index - 1]?.slice(0, 4) === name.slice(0, 4)) {
        throw new Error(`migrations/${name}: expected a name such as 0042-what.sql with a number of its own`)
      }
      const text = (await readFile(path.join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      if (/^\s*(begin|commit|rollback)\s*;/im.test(text)) {
        throw new Error(`migrations/${name} handles transactions itself; each file is one`)
      }
      return { name: name.slice(0, -'.sql'.length), text, checksum: sha256(text) }
    }),
  )
  if (files.length === 0) throw new Error(`no migrations in ${folder}`)
  return files
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

// Polls instead of waiting in the server: a waiting statement holds a snapshot, which holds back vacuum and the readers of
// the log.
async function waitForLock(client: pg.Client, { onWait, signal }: MigrateOptions): Promise<void> {
  const ask = `select pg_try_advisory_lock(${LOCK_KEY}) as locked`
  for (let waits = 0; (await client.query(ask)).rows[0].locked !== true; waits++) {
    signal?.throwIfAborted()
    if (waits % WAITS_BETWEEN_WORDS === WAITS_BEFORE_A_WORD) onWait?.()
    await client.query('select pg_sleep(0.1)')
  }
}

/** Whether this database holds an instance. */
export async function isMigrated(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(`select to_regclass('posthorn.migration') is not null as known`)
  return rows[0].known === true
}

async function applied(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  if (!(await isMigrated(client))) return new Map()
  await client.query('begin')
  await client.query('set local role posthorn_owner')
  const found = await client.query('select name, checksum from posthorn.migration order by name')
  await client.query('commit')
  return new Map(found.rows.map((row) => [row.name, row.checksum]))
}

function outstanding(files: readonly Migration[], done: ReadonlyMap<string, string>): readonly Migration[] {
  const known = new Set(files.map(({ name }) => name))
  const newer = [...done.keys()].filter((name) => !known.has(name))
  if (newer.length > 0) throw migratedBy(newer)
  for (const { name, checksum } of files) {
    if (done.has(name) && done.get(name) !== checksum) {
      throw new Error(`migration ${name} was applied with another text; add a new file instead of changing it`)
    }
  }
  const missing = files.filter(({ name }) => !done.has(name))
  if (files.slice(0, done.size).some(({ name }) => !done.has(name))) {
    throw new Error(`migration ${missing[0]?.name} comes before one that was applied`)
  }
  return missing
}

function tellAboutRoles(cause: Error & { readonly code?: string }): never {
  if (cause.code !== NOT_PERMITTED) throw cause
  throw new Error(
    `${cause.message}; let the user create roles, or create posthorn_owner, posthorn_system and posthorn_tenant and grant them to the user`,
    { cause },
  )
}

/** Repeats while a table that the file needs is locked. */
async function applyInTurn(
  client: pg.Client,
  file: Migration,
  first: boolean,
  { onInUse, signal }: MigrateOptions,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted()
    try {
      return await apply(client, file, first)
    } catch (error) {
      const { code } = (error as Error).cause as { readonly code?: string }
      if (!IN_USE.has(code)) throw error
      const holder = tries === LOCK_TRIES || tries % TRIES_BETWEEN_WORDS === 1 ? await lockHolder(client) : null
      if (tries === LOCK_TRIES) throw stillInUse(error as Error, holder)
      if (tries % TRIES_BETWEEN_WORDS === 1) onInUse?.(file.name, holder)
      await client.query('select pg_sleep(1)')
    }
  }
}

async function lockHolder(client: pg.Client): Promise<LockHolder | null> {
  const { rows } = await client.query<LockHolder>(
    `select a.pid, nullif(a.application_name, '') as application, a.usename as user, a.xact_start as since
     from pg_stat_activity a where a.pid <> pg_backend_pid() and exists (select from pg_locks l
       join pg_class c on c.oid = l.relation join pg_namespace n on n.oid = c.relnamespace
       where l.pid = a.pid and l.granted and n.nspname = 'posthorn' and l.database = (select oid from pg_database
         where datname = current_database()))
     order by a.xact_start nulls last limit 1`,
  )
  return rows[0] ?? null
}

function stillInUse({ message, cause }: Error, holder: LockHolder | null): Error {
  if (holder === null) return new Error(message, { cause })
  const { pid, application, user, since } = holder
  const known = [
    application,
    user === null ? null : `user ${user}`,
    since === null ? null : `since ${since.toISOString()}`,
  ]
  const who = [`pid ${pid}`, ...known.filter((word) => word !== null)].join(', ')
  return new Error(`${message}: the oldest transaction on our tables is ${who}; end it, and start again`, { cause })
}

async function apply(client: pg.Client, { name, text, checksum }: Migration, first: boolean): Promise<void> {
  try {
    await client.query(first ? 'begin' : `begin; ${AS_OWNER}`)
    if (first) await client.query(ROLES).catch(tellAboutRoles)
    await client.query(text)
    if (first) await client.query(TABLE)
    await client.query(AS_OWNER)
    await client.query('insert into posthorn.migration (name, checksum) values ($1, $2)', [name, checksum])
    await client.query('commit')
  } catch (cause) {
    await client.query('rollback').catch(() => undefined)
    const { position, message } = cause as { position?: string; message: string }
    const line = position === undefined ? '' : `:${text.slice(0, Number(position)).split('\n').length}`
    throw new Error(`migrations/${name}.sql${line}: ${message}`, { cause })
  }
}
