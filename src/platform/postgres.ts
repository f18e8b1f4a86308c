// The embedded PostgreSQL: a real one, from npm, on a unix socket in the data directory.
//
// One process owns a data directory, the one that holds the lock on `<data>/posthorn.lock`: only the owner starts, adopts
// and stops the database. `embeddedPostgres` is the owner for the lifetime of a service: it restarts the database when it
// dies, and a second one on the same directory refuses to start. `attachOrStart` is for a command: it uses a running
// database, whoever runs it, or else starts one and leaves it without an owner, so that a service started meanwhile can
// adopt it. The last command to leave stops an ownerless database; commands see one another by an advisory lock.
//
// After a kill -9 of the owner the database keeps running without one; the next owner adopts it.

import { chown, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import type { Clock } from './clock.ts'
import { ensureDataFolder } from './files/data-folder.ts'
import { lastingFault } from './lasting-fault.ts'
import { NEVER, type Service } from './lifecycle.ts'
import type { Logger } from './log.ts'
import { installedBinaries } from './postgres/binaries.ts'
import {
  boundLog,
  clusterOf,
  ensureCluster,
  ensureSocketDir,
  findSocketDir,
  type Settings,
  USER,
} from './postgres/cluster.ts'
import { type Lock, tryLock } from './postgres/lock.ts'
import {
  bringDown,
  bringUp,
  clientOn,
  ensureDatabase,
  type Postmaster,
  type Surroundings,
} from './postgres/postmaster.ts'
import { recordedPostmaster } from './postgres/processes.ts'
import { findPlace, findServerUser, type UserKind } from './postgres/unprivileged.ts'
import { type Upgraded, type UpgradeOptions, upgradeCluster } from './postgres/upgrade.ts'

export { assertDurable, type Queryable } from './postgres/durable.ts'

export interface EmbeddedOptions {
  readonly dataDir: string
  readonly log: Logger
  readonly clock: Clock
  /** PostgreSQL settings on top of ours, such as `{ shared_buffers: '1GB' }`. */
  readonly settings?: Settings
  /** How to run as root; for tests. */
  readonly serverUser?: UserKind
  /** Ends a start that is under way, such as the replay of a long log; it then rejects with the reason. */
  readonly signal?: AbortSignal
}

export interface EmbeddedPostgres extends Service {
  /** The connection string of the cluster's superuser. Throws before `start`. */
  url(): string
  /** The postmaster's pid; null while there is none. */
  pid(): number | null
}

// Usually a command that starts or stops the database holds the lock no longer than this.
const LOCK_WITHIN_MS = 5_000
const ATTACH_WITHIN_MS = 60_000
const FIRST_WAIT_MS = 100
const LEAVE_POLL_MS = 20
const LONGEST_WAIT_MS = 5_000
// A database that ran this long before it died resets the waits.
const HEALTHY_MS = 10_000
const LOG_WATCH_MS = 60_000
const PRESENCE_KEY = 7_461_838

export function embeddedPostgres(options: EmbeddedOptions): EmbeddedPostgres {
  const { log, clock } = options
  const dataDir = path.resolve(options.dataDir)
  const stopping = new AbortController()
  let lock: Lock | null = null
  let around: Surroundings | null = null
  let current: Postmaster | null = null
  let watching: Promise<void> = Promise.resolve()
  let bounding: NodeJS.Timeout | undefined

  const watch = async (surroundings: Surroundings): Promise<void> => {
    let waitMs = FIRST_WAIT_MS
    const fault = lastingFault({
      ...{ log, clock, settledMs: 0 },
      lasts: 'postgres does not start',
      ended: 'postgres starts again',
    })
    while (!stopping.signal.aborted) {
      if (current !== null) {
        const upAt = clock.monotonicMs()
        await Promise.race([current.ended, aborted(stopping.signal)])
        if (stopping.signal.aborted) return
        if (clock.monotonicMs() - upAt > HEALTHY_MS) waitMs = FIRST_WAIT_MS
        log.error({ pid: current.pid }, 'postgres ended by itself, starting it again')
        current = null
      }
      try {
        await clock.sleep(waitMs, stopping.signal)
        waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
        current = await bringUp(surroundings, stopping.signal)
        fault.absent()
      } catch (error) {
        if (!stopping.signal.aborted) fault.met({ err: String(error) })
      }
    }
  }

  return {
    name: 'postgres',
    start: async () => {
      lock = await becomeOwner(dataDir, clock)
      try {
        // First of all: the first start of a database may outlast the wait of other processes, which then report who owns it.
        await writeFile(pidFile(dataDir), `${process.pid}\n`)
        around = await prepare(options, dataDir)
        current = await bringUp(around, AbortSignal.any([stopping.signal, options.signal ?? NEVER]))
        await ensureDatabase(around.socketDir)
      } catch (error) {
        if (current !== null && around !== null) await bringDown(current.pid, around, NEVER)
        current = null
        await rm(pidFile(dataDir), { force: true })
        lock.release()
        throw error
      }
      watching = watch(around)
      bounding = setInterval(() => void boundLog(dataDir).catch(() => undefined), LOG_WATCH_MS).unref()
    },
    stop: async (deadline) => {
      stopping.abort(new Error('postgres is stopping'))
      clearInterval(bounding)
      await watching
      if (current !== null && around !== null) await bringDown(current.pid, around, deadline)
      current = null
      await rm(pidFile(dataDir), { force: true })
      lock?.release()
    },
    url: () => {
      if (around === null) throw new Error('the embedded postgres has not been started')
      return urlOn(around.socketDir)
    },
    pid: () => current?.pid ?? null,
  }
}

export interface Attached extends AsyncDisposable {
  /** The connection string of the cluster's superuser. */
  url(): string
  /** Releases the database, and stops it when nobody owns or uses it. */
  close(): Promise<void>
}

/**
 * The database of a data directory, for one command: the running one, or one started for the call. The returned object
 * does not keep the process alive.
 */
export async function attachOrStart(options: EmbeddedOptions): Promise<Attached> {
  const { clock, signal = NEVER } = options
  const dataDir = path.resolve(options.dataDir)
  await ensureDataFolder(dataDir)
  const giveUpAt = clock.monotonicMs() + ATTACH_WITHIN_MS
  for (;;) {
    const socketDir = await findSocketDir(await findPlace(dataDir), dataDir)
    const presence = socketDir === null ? null : await bePresent(socketDir)
    if (presence !== null && socketDir !== null) return attached(options, dataDir, socketDir, presence)
    const lock = await lockOf(dataDir)
    if (lock !== null) await startOwnerless(options, dataDir, lock)
    else if (clock.monotonicMs() > giveUpAt) throw new Error(`the database in ${dataDir} does not answer`)
    else await clock.sleep(FIRST_WAIT_MS, signal)
  }
}

/** Upgrades the cluster to our server's major version while holding the data directory. @throws Error when it is in use */
export async function upgradeDatabase(options: UpgradeOptions): Promise<Upgraded | null> {
  const dataDir = path.resolve(options.dataDir)
  const lock = await becomeOwner(dataDir, options.clock)
  try {
    return await upgradeCluster({ ...options, dataDir })
  } finally {
    lock.release()
  }
}

/** The cluster folder of a data directory that has a cluster. */
export async function embeddedCluster(dataDir: string): Promise<string> {
  return clusterOf(await findPlace(path.resolve(dataDir)))
}

/** The cluster's folder, and that of its log, which operators like to put on a disk of its own. */
export async function embeddedFolders(dataDir: string): Promise<readonly string[]> {
  const cluster = await embeddedCluster(dataDir)
  return [cluster, path.join(cluster, 'pg_wal')]
}

async function startOwnerless(options: EmbeddedOptions, dataDir: string, lock: Lock): Promise<void> {
  try {
    const around = await prepare(options, dataDir)
    await bringUp(around, options.signal ?? NEVER)
    await ensureDatabase(around.socketDir)
  } finally {
    lock.release()
  }
}

function attached(options: EmbeddedOptions, dataDir: string, socketDir: string, presence: pg.Client): Attached {
  let closing: Promise<void> | null = null
  keepsAlive(presence, false)
  const leave = async (): Promise<void> => {
    keepsAlive(presence, true)
    // Before the lock: of commands that end together, the one that gets it last must find all others gone.
    const isLeaving = await noLongerPresent(presence)
    const lock = isLeaving ? await lockOfCommands(options.clock, dataDir) : null
    try {
      if (lock === null || !(await isAlone(presence))) return
      const around = await prepare(options, dataDir)
      const pid = await recordedPostmaster(clusterOf(around.serverUser))
      if (pid !== null) await bringDown(pid, around, NEVER)
    } finally {
      await presence.end().catch(() => undefined)
      lock?.release()
    }
  }
  const close = (): Promise<void> => (closing ??= leave())
  return { url: () => urlOn(socketDir), close, [Symbol.asyncDispose]: close }
}

// The driver has these methods, its types do not.
function keepsAlive(client: pg.Client, process: boolean): void {
  const { ref, unref } = client as unknown as Record<'ref' | 'unref', () => void>
  ;(process ? ref : unref).call(client)
}

/** @returns null when the database does not answer, or is about to be stopped */
async function bePresent(socketDir: string): Promise<pg.Client | null> {
  const client = clientOn(socketDir)
  try {
    await client.connect()
    const { rows } = await client.query(`select pg_try_advisory_lock_shared(${PRESENCE_KEY}) as present`)
    if (rows[0].present === true) return client
  } catch {
    // It is starting or stopping: the caller tries again.
  }
  await client.end().catch(() => undefined)
  return null
}

/** @returns false when the database no longer answers */
async function noLongerPresent(presence: pg.Client): Promise<boolean> {
  return presence.query(`select pg_advisory_unlock_shared(${PRESENCE_KEY})`).then(
    () => true,
    () => false,
  )
}

/** Whether no other command uses the database; none can from now on. */
async function isAlone(presence: pg.Client): Promise<boolean> {
  return presence.query(`select pg_try_advisory_lock(${PRESENCE_KEY}) as alone`).then(
    ({ rows }) => rows[0].alone === true,
    () => false,
  )
}

/** Waits while another command that ends has it. @returns null when a service owns the directory */
async function lockOfCommands(clock: Clock, dataDir: string): Promise<Lock | null> {
  const giveUpAt = clock.monotonicMs() + LOCK_WITHIN_MS
  for (;;) {
    const lock = await lockOf(dataDir)
    const isOwned = await stat(pidFile(dataDir)).then(
      () => true,
      () => false,
    )
    if (lock !== null || isOwned || clock.monotonicMs() > giveUpAt) return lock
    await clock.sleep(LEAVE_POLL_MS, NEVER)
  }
}

async function prepare(options: EmbeddedOptions, dataDir: string): Promise<Surroundings> {
  const serverUser = await findServerUser(dataDir, await installedBinaries(), options.serverUser)
  await ensureCluster(serverUser, options.settings?.['fsync'] !== 'off')
  const socketDir = await ensureSocketDir(serverUser, dataDir)
  return { serverUser, dataDir, socketDir, settings: options.settings ?? {}, clock: options.clock, log: options.log }
}

// Root may run a command on an ordinary user's data directory: the lock file keeps that user as owner.
async function lockOf(dataDir: string): Promise<Lock | null> {
  const file = path.join(dataDir, 'posthorn.lock')
  const lock = tryLock(file)
  if (process.getuid?.() === 0) {
    const { uid, gid } = await stat(dataDir)
    await chown(file, uid, gid)
  }
  return lock
}

async function becomeOwner(dataDir: string, clock: Clock): Promise<Lock> {
  await ensureDataFolder(dataDir)
  const giveUpAt = clock.monotonicMs() + LOCK_WITHIN_MS
  for (;;) {
    const lock = await lockOf(dataDir)
    if (lock !== null) return lock
    if (clock.monotonicMs() > giveUpAt) {
      const pid = (await readFile(pidFile(dataDir), 'utf8').catch(() => '')).trim()
      throw new Error(`another Posthorn${pid === '' ? '' : ` (process ${pid})`} is running on ${dataDir}`)
    }
    await clock.sleep(FIRST_WAIT_MS, NEVER)
  }
}

const pidFile = (dataDir: string): string => path.join(dataDir, 'posthorn.pid')

function urlOn(socketDir: string): string {
  return `postgresql://${USER}@/${USER}?host=${encodeURIComponent(socketDir)}`
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
