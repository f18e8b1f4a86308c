// One running PostgreSQL: started by us, or found running and adopted. The caller holds the lock of the data directory.
//
// A postmaster deliberately outlives us: it runs in a session of its own, so neither a Ctrl-C meant for us nor our death
// ends it. The next start finds it through `postmaster.pid` and the socket, and adopts it; those of its own settings that need
// no restart then apply. If it is stopping, we wait for it; if it does not answer, we end it. PostgreSQL believes its lock
// files, `postmaster.pid` and the socket's, while any process has the pid in them, be it an unrelated process or an unreaped
// zombie (common in containers). So when no process works in the cluster's folder, backends included, we remove the lock files.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import type { Clock } from '../clock.ts'
import { NEVER } from '../lifecycle.ts'
import type { Logger } from '../log.ts'
import { clusterOf, ENVIRONMENT, logTail, openLog, PORT, type Settings, USER, writeSettings } from './cluster.ts'
import { alive, processesIn, recordedPostmaster, seesFolders } from './processes.ts'
import type { ServerUser } from './unprivileged.ts'

export interface Postmaster {
  readonly pid: number
  readonly adopted: boolean
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>
}

export interface Surroundings {
  readonly serverUser: ServerUser
  readonly dataDir: string
  readonly socketDir: string
  readonly settings: Settings
  readonly clock: Clock
  readonly log: Logger
}

const POLL_MS = 20
const FIRST_WAIT_MS = 100
const WATCH_MS = 250
const CONNECT_WITHIN_MS = 5_000
// An old postmaster that neither answers nor ends in this time is killed.
const OLD_ONE_MS = 15_000
// Failing starts are repeated for this long: an old postmaster may still hold its socket or its shared memory.
const GIVE_UP_MS = 30_000
// After a crash the log is replayed, up to max_wal_size of it.
const RECOVERY_MS = 10 * 60_000
const FAST_STOP_MS = 20_000
const IMMEDIATE_STOP_MS = 5_000

/** Resolves to a PostgreSQL that answers on the socket. Rejects with the end of its log when it does not start. */
export async function bringUp(around: Surroundings, signal: AbortSignal): Promise<Postmaster> {
  const { serverUser, clock, log } = around
  const cluster = clusterOf(serverUser)
  const giveUpAt = clock.monotonicMs() + GIVE_UP_MS
  await writeSettings(serverUser, around.socketDir, around.settings)
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, 2_000)) {
    const old = await settleOld(around, signal)
    if (old !== null) return old
    if (await seesFolders()) await removeLocks(cluster, around.socketDir)
    const started = await startOne(around, signal)
    if (started !== null) return started
    if (clock.monotonicMs() > giveUpAt) {
      throw new Error(`PostgreSQL does not start; its log ends with:\n${await logTail(around.dataDir)}`)
    }
    if (waitMs === FIRST_WAIT_MS) {
      const why = (await logTail(around.dataDir)).split('\n').at(-1)
      log.warn({ why }, 'postgres did not start, trying again')
    }
    await clock.sleep(waitMs, signal)
  }
}

async function removeLocks(cluster: string, socketDir: string): Promise<void> {
  const socket = path.join(socketDir, `.s.PGSQL.${PORT}`)
  for (const file of [path.join(cluster, 'postmaster.pid'), socket, `${socket}.lock`]) await rm(file, { force: true })
}

/** Adopts a postmaster that runs in the cluster, or resolves to null once none does. */
async function settleOld(around: Surroundings, signal: AbortSignal): Promise<Postmaster | null> {
  const { clock, log } = around
  const cluster = clusterOf(around.serverUser)
  const endAt = clock.monotonicMs() + OLD_ONE_MS
  let asked = false
  for (;;) {
    const pid = await recordedPostmaster(cluster)
    const running = await processesIn(cluster)
    if (running.length === 0) return null
    const postmaster = pid !== null && running.includes(pid) ? pid : null
    if (postmaster !== null && (await answers(around.socketDir))) {
      // A killed upgrade of the cluster leaves its server read-only.
      send(postmaster, 'SIGHUP')
      log.info({ pid: postmaster }, 'adopted the running postgres')
      return { pid: postmaster, adopted: true, ended: gone(postmaster, clock) }
    }
    if (clock.monotonicMs() > endAt) {
      log.warn({ pid: postmaster }, 'an old postgres does not answer, killing it')
      for (const one of running) send(one, 'SIGKILL')
    } else if (postmaster === null && !asked) {
      // Backends whose postmaster was killed: they can no longer commit for anyone.
      for (const one of running) send(one, 'SIGQUIT')
      asked = true
    }
    await clock.sleep(POLL_MS * 2, signal)
  }
}

/** @returns null when it ended before it answered */
async function startOne(around: Surroundings, signal: AbortSignal): Promise<Postmaster | null> {
  const { serverUser, clock, log } = around
  const output = await openLog(around.dataDir)
  const { file, args, identity } = serverUser.wrap(serverUser.binaries.postgres, ['-D', clusterOf(serverUser)])
  const stdio = ['ignore' as const, output.fd, output.fd]
  const child = spawn(file, [...args], { ...identity, cwd: '/', env: ENVIRONMENT, detached: true, stdio })
  let over = false
  const ended = Promise.race([once(child, 'exit'), once(child, 'error')]).then(
    () => {
      over = true
    },
    () => {
      over = true
    },
  )
  const fault = await once(child, 'spawn').then(
    () => null,
    (error: NodeJS.ErrnoException) => error,
  )
  await output.close()
  child.unref()
  const { pid } = child
  // Only these outlast a wait; the others are a machine without memory, processes or open files to spare.
  if (fault?.code === 'EACCES' || fault?.code === 'ENOENT')
    throw new Error('PostgreSQL cannot be executed', { cause: fault })
  if (fault !== null) log.error({ err: String(fault) }, 'postgres could not be executed')
  if (pid === undefined) return null
  const recoveredBy = clock.monotonicMs() + RECOVERY_MS
  try {
    while (!over && clock.monotonicMs() < recoveredBy) {
      if (await answers(around.socketDir)) {
        log.info({ pid, server_user: serverUser.kind }, 'postgres started')
        return { pid, adopted: false, ended }
      }
      await clock.sleep(POLL_MS, signal)
    }
  } catch (error) {
    await bringDown(pid, around, NEVER)
    throw error
  }
  if (!over) await bringDown(pid, around, NEVER)
  return null
}

/** Stops a postmaster (fast, then immediate, then SIGKILL) and resolves when it has ended. Nothing committed is lost. */
export async function bringDown(pid: number, around: Surroundings, deadline: AbortSignal): Promise<void> {
  const { clock, log, serverUser } = around
  const goneWithin = async (ms: number, cut: AbortSignal): Promise<boolean> => {
    const until = clock.monotonicMs() + ms
    while (await alive(pid)) {
      if (cut.aborted || clock.monotonicMs() > until) return false
      await clock.sleep(POLL_MS, NEVER)
    }
    return true
  }
  send(pid, 'SIGINT')
  if (await goneWithin(FAST_STOP_MS, deadline)) return
  log.warn({ pid }, 'postgres did not stop in time, stopping it immediately')
  send(pid, 'SIGQUIT')
  if (await goneWithin(IMMEDIATE_STOP_MS, NEVER)) return
  log.error({ pid }, 'postgres did not stop, killing it')
  for (const one of new Set([pid, ...(await processesIn(clusterOf(serverUser)))])) send(one, 'SIGKILL')
  await goneWithin(IMMEDIATE_STOP_MS, NEVER)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function gone(pid: number, clock: Clock): Promise<void> {
  while (await alive(pid)) await clock.sleep(WATCH_MS, NEVER)
}

/** A connection to the maintenance database as the cluster's superuser. Not yet connected. */
export function clientOn(socketDir: string): pg.Client {
  const client = new pg.Client({
    host: socketDir,
    port: PORT,
    user: USER,
    password: '',
    database: 'postgres',
    ssl: false,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    application_name: 'posthorn_supervisor',
  })
  client.on('error', () => undefined)
  return client
}

async function answers(socketDir: string): Promise<boolean> {
  const client = clientOn(socketDir)
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch (error) {
    // All connections are taken: it is up.
    return (error as { code?: string }).code === '53300'
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Creates our database if it is missing. */
export async function ensureDatabase(socketDir: string): Promise<void> {
  const client = clientOn(socketDir)
  try {
    await client.connect()
    const { rows } = await client.query('select from pg_database where datname = $1', [USER])
    if (rows.length === 0) await client.query(`create database ${USER}`)
  } finally {
    await client.end().catch(() => undefined)
  }
}
