// The files of the embedded cluster: initdb, the settings, the folder of the socket, the log.
//
// <home>/postgres        the cluster; created under another name and renamed, so a crash in initdb leaves no partial one
// <home>/upgrade         what an upgrade to another major version has made so far (upgrade.ts)
// <home>/run             the folder of the socket, mode 0700: access to it means login as any user, so nobody else has it
// <data>/postgres.log    PostgreSQL's output, at most LOG_BYTES and one older file of the same size
//
// A socket's path may have at most 107 bytes. Where <home>/run is too long, the socket is in a folder of its own in /tmp,
// and the file <data>/postgres.socket names it.

import { execFile } from 'node:child_process'
import {
  chmod,
  chown,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { LITTLE_MEMORY_BYTES, systemMemory } from '../memory.ts'
import { type Command, giveToCluster, type Place, type ServerUser } from './unprivileged.ts'

/** The superuser of the embedded cluster, and the name of its database. */
export const USER = 'posthorn'
export const PORT = 5432
const LONGEST_SOCKET_PATH = 107
const LOG_BYTES = 8 * 1024 * 1024
export const MAJOR = '18'
/** PostgreSQL refuses a cluster with these: the group may read it, nobody else. */
const REFUSED_MODES = 0o027
/** It takes a second on a disk, and may take more than a minute on a memory card; a failure begins anew. */
const INITDB_WITHIN_MS = 300_000
const run = promisify(execFile)

export type Settings = Readonly<Record<string, string | number>>

// Sized for a small machine; raise shared_buffers on a large one. With partitions a statement locks many tables at once.
// Neither statement texts nor row values are logged: they hold people's addresses.
const SETTINGS: Settings = {
  listen_addresses: '',
  port: PORT,
  unix_socket_permissions: '0700',
  max_connections: 100,
  huge_pages: 'off',
  max_locks_per_transaction: 256,
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
  autovacuum_naptime: '10s',
  random_page_cost: 1.1,
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] %q%a ',
  log_checkpoints: 'off',
  log_autovacuum_min_duration: '-1',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
}

export const clusterOf = ({ home }: Place): string => path.join(home, 'postgres')

/**
 * Creates the cluster if there is none. The caller holds the lock of the data directory.
 *
 * @param durable false for tests: does not wait for the disk
 */
export async function ensureCluster(serverUser: ServerUser, durable: boolean): Promise<void> {
  const cluster = clusterOf(serverUser)
  if ((await versionOf(cluster)) === null) await finishSwap(serverUser.home)
  const found = await versionOf(cluster)
  if (found === MAJOR) return closeToOthers(cluster)
  if (found !== null) {
    throw new Error(
      `${cluster} was created by PostgreSQL ${found}, and this is PostgreSQL ${MAJOR}: run \`posthorn upgrade-database\``,
    )
  }
  if ((await lstat(cluster).catch(() => null)) !== null) {
    throw new Error(`${cluster} exists and is not a PostgreSQL cluster; move it away`)
  }
  const half = `${cluster}.new`
  const faults: unknown[] = []
  for (const wrap of serverUser.initdb) {
    await rm(half, { recursive: true, force: true })
    try {
      await initdb(serverUser, wrap(serverUser.binaries.initdb, initdbArguments(serverUser, half, durable)), half)
      await rename(half, cluster)
      return
    } catch (error) {
      faults.push(error)
    }
  }
  // The message of such an error contains what the command said, and its whole call.
  const { stderr = '' } = faults[0] as { stderr?: string }
  throw stderr === '' ? new Error('initdb failed', { cause: faults[0] }) : new Error(`initdb failed: ${stderr.trim()}`)
}

// A plain copy (cp -r, scp -r) has the modes that its user's umask gives.
async function closeToOthers(cluster: string): Promise<void> {
  const { mode } = await stat(cluster)
  if ((mode & REFUSED_MODES) !== 0) await chmod(cluster, 0o700)
}

/** The major version that created a cluster; null when there is none. */
export async function versionOf(cluster: string): Promise<string | null> {
  try {
    return (await readFile(path.join(cluster, 'PG_VERSION'), 'utf8')).trim()
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    // Copied or restored by another user, for instance: there is a cluster, and it must not be taken for none.
    throw new Error(`${cluster} cannot be read by the user of the data directory: ${message}`, { cause })
  }
}

/** Exists once an upgrade has copied everything; contains the old version. */
export const markOf = (home: string): string => path.join(home, 'upgrade', 'complete')

/**
 * Replaces the old cluster by the fully copied new one; steps done before a crash are not repeated. The caller holds the
 * lock.
 *
 * @returns the folder of the old cluster; null when there is nothing to finish
 */
export async function finishSwap(home: string): Promise<string | null> {
  const from = (await readFile(markOf(home), 'utf8').catch(() => '')).trim()
  if (from === '') return null
  const cluster = path.join(home, 'postgres')
  const fresh = path.join(home, 'upgrade', 'postgres')
  const kept = `${cluster}.before-${MAJOR}`
  if ((await versionOf(cluster)) === from) await rename(cluster, kept)
  if ((await versionOf(cluster)) === null && (await versionOf(fresh)) === MAJOR) await rename(fresh, cluster)
  const folder = await open(home)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
  await rm(path.join(home, 'upgrade'), { recursive: true, force: true })
  return kept
}

// The built-in locale: lower case by Unicode, sorted by code point; neither depends on the machine's libraries.
function initdbArguments(serverUser: ServerUser, folder: string, durable: boolean): readonly string[] {
  const cluster = ['-D', folder, '-U', USER, '-E', 'UTF8', '--auth-local=trust', '--auth-host=reject', '-k']
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '-L', shareOf(serverUser)]
  return [...cluster, ...locale, ...(durable ? [] : ['--no-sync'])]
}

// When initdb runs as another user than the cluster's, that user owns the folder while it is filled, the cluster's afterwards.
async function initdb(serverUser: ServerUser, { file, args, identity }: Command, folder: string): Promise<void> {
  if (identity.uid !== undefined) {
    await mkdir(folder, { mode: 0o700 })
    await chown(folder, identity.uid, identity.uid)
    await chown(serverUser.home, identity.uid, identity.uid)
  }
  try {
    await run(file, [...args], { ...identity, cwd: '/', env: ENVIRONMENT, timeout: INITDB_WITHIN_MS })
  } finally {
    await giveToCluster(serverUser, serverUser.home)
  }
  if (serverUser.uid !== null) await run('chown', ['-R', `${serverUser.uid}:${serverUser.uid}`, folder])
}

const shareOf = ({ binaries }: ServerUser): string => path.join(binaries.root, 'share', 'postgresql')

// Makes backends return freed memory to the system: with its own limits glibc keeps up to 32 MB, and more after each large
// message.
export const ENVIRONMENT = {
  PATH: '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}

/** 128 MB; under a memory limit of less than a gigabyte, a sixteenth of it but at least 16 MB. */
function sharedBuffers(limitBytes = systemMemory().limitBytes): string {
  return limitBytes < LITTLE_MEMORY_BYTES ? `${Math.max(16, Math.floor(limitBytes / 16 / 1_048_576))}MB` : '128MB'
}

/** POSIX shared memory is files in /dev/shm. Where the server cannot write there, it uses System V's, as initdb chooses. */
async function sharedMemory(serverUser: ServerUser): Promise<'posix' | 'sysv'> {
  const { file, args, identity } = serverUser.wrap('/bin/sh', ['-c', 'test -w /dev/shm && test -x /dev/shm'])
  return run(file, [...args], { ...identity, cwd: '/' }).then(
    () => 'posix',
    () => 'sysv',
  )
}

/** Rewrites postgresql.conf: it holds what this release wants, whatever it held before. */
export async function writeSettings(serverUser: ServerUser, socketDir: string, wanted: Settings): Promise<void> {
  const own = { shared_buffers: sharedBuffers(), dynamic_shared_memory_type: await sharedMemory(serverUser) }
  const all = { ...SETTINGS, ...own, ...wanted, unix_socket_directories: socketDir }
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${String(value).replaceAll("'", "''")}'`)
  const file = path.join(clusterOf(serverUser), 'postgresql.conf')
  await writeFile(`${file}.new`, `# Written at every start. Do not edit.\n${lines.join('\n')}\n`, { mode: 0o600 })
  await giveToCluster(serverUser, `${file}.new`)
  await rename(`${file}.new`, file)
}

/** The folder of the socket, or null when none has been created yet. */
export async function findSocketDir(place: Place, dataDir: string): Promise<string | null> {
  const near = path.join(place.home, 'run')
  const dir = fits(near) ? near : (await readFile(path.join(dataDir, 'postgres.socket'), 'utf8').catch(() => '')).trim()
  if (dir === '') return null
  const found = await lstat(dir).catch(() => null)
  if (found === null) return null
  const ours = place.uid ?? process.getuid?.() ?? found.uid
  return found.isDirectory() && found.uid === ours && (found.mode & 0o077) === 0 ? dir : null
}

/** Creates the folder of the socket when there is none that only we can access. The caller holds the lock. */
export async function ensureSocketDir(place: Place, dataDir: string): Promise<string> {
  const found = await findSocketDir(place, dataDir)
  if (found !== null) return found
  const near = path.join(place.home, 'run')
  if (fits(near)) {
    await rm(near, { recursive: true, force: true })
    await mkdir(near, { mode: 0o700 })
    await giveToCluster(place, near)
    return near
  }
  const dir = await mkdtemp('/tmp/posthorn-')
  await giveToCluster(place, dir)
  await writeFile(path.join(dataDir, 'postgres.socket'), `${dir}\n`)
  return dir
}

const socketIn = (dir: string): string => path.join(dir, `.s.PGSQL.${PORT}`)
const fits = (dir: string): boolean => Buffer.byteLength(socketIn(dir)) <= LONGEST_SOCKET_PATH

const logOf = (dataDir: string): string => path.join(dataDir, 'postgres.log')
const oldLogOf = (dataDir: string): string => `${logOf(dataDir)}.old`

/**
 * Opens the log for a postmaster to inherit. In append mode, so that it can be truncated while in use. No server writes an overlong
 * one now, so it needs no copy, for which a full disk has no room.
 */
export async function openLog(dataDir: string): ReturnType<typeof open> {
  if (await isOverlong(dataDir)) await rename(logOf(dataDir), oldLogOf(dataDir))
  return open(logOf(dataDir), 'a', 0o600)
}

/** Moves an overlong log to `postgres.log.old` and starts it anew while a server writes it; a few lines may be lost. */
export async function boundLog(dataDir: string): Promise<void> {
  if (!(await isOverlong(dataDir))) return
  await copyFile(logOf(dataDir), oldLogOf(dataDir))
  await truncate(logOf(dataDir))
}

async function isOverlong(dataDir: string): Promise<boolean> {
  return stat(logOf(dataDir)).then(
    ({ size }) => size > LOG_BYTES,
    () => false,
  )
}

/** The last lines of the log, for a message that says why PostgreSQL does not start. */
export async function logTail(dataDir: string): Promise<string> {
  const file = await open(logOf(dataDir), 'r').catch(() => null)
  if (file === null) return ''
  try {
    const { size } = await file.stat()
    const buffer = Buffer.alloc(Math.min(size, 2_000))
    await file.read(buffer, 0, buffer.length, Math.max(0, size - buffer.length))
    return buffer.toString('utf8').trimEnd().split('\n').slice(-6).join('\n')
  } finally {
    await file.close()
  }
}
