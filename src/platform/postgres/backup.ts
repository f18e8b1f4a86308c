// Backup of a running instance, and its restore. Uses PostgreSQL's own procedure (manual, «Making a Base Backup Using the
// Low Level API»): after `pg_backup_start` the files are copied as they are, torn pages included; the log written meanwhile
// is copied after `pg_backup_stop` and repairs them when the copy is started. A temporary replication slot keeps the log
// from being recycled until it is copied.
//
//   <backup>/base            the cluster, with the log it needs in pg_wal
//   <backup>/data            the rest of the data directory: the secret key, certificates, data not yet in the database
//   <backup>/manifest.json   size and SHA-256 of each file; written last, so a backup without one is unfinished
//
// The backup contains the instance's secret key: anyone who has it can read everything. Without that key the sealed
// secrets in the cluster are useless.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, type Dirent } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { chmod, lstat, mkdir, open, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { UsageError } from '../command.ts'
import {
  contentsOf,
  ensureFolder,
  giveToOwner,
  isHalfRestored,
  LOST_AND_FOUND,
  makeFolder,
  RESTORING,
  replaceFile,
} from '../files/data-folder.ts'
import { assertDiskRoom } from '../files/disk.ts'
import { NEVER } from '../lifecycle.ts'
import { tryLock } from './lock.ts'

export interface BackupManifest {
  readonly format: 1
  readonly postgres: string
  readonly created_at: string
  readonly folders: readonly string[]
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[]
}

export interface BackupOptions {
  /** Connection string of the cluster's superuser. */
  readonly url: string
  /** Absolute. */
  readonly dataDir: string
  /** The folder of the cluster. */
  readonly cluster: string
  /** Created if missing; must be empty. */
  readonly target: string
  readonly now: () => Date
  /** Ends the backup, which then has failed. Default: never */
  readonly signal?: AbortSignal
}

// Recreated at every start, or meaningless in a copy (manual, same chapter). Their folders stay.
const EMPTIED = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
])
const LEFT_OUT = new Set([
  ...['postmaster.pid', 'postmaster.opts', 'backup_label', 'tablespace_map', 'pg_internal.init'],
  // Where pg_wal has a file system of its own.
  LOST_AND_FOUND,
])
const COPIED_AT_ONCE = 1_048_576
const WAL_SEGMENT = /^[0-9A-F]{24}$/
/** Names in the data directory that are not copied: the cluster itself, and files of running processes. */
const OF_PROCESSES = /^(?:postgres|postgres\..*|upgrade|run|posthorn\.(?:lock.*|pid))$/

/**
 * A backup within what it copies would contain itself, without end.
 *
 * @param target may not exist yet
 * @throws UsageError
 */
export async function assertOutside(dataDir: string, target: string): Promise<void> {
  if (isIn(await placeOf(dataDir), await placeOf(target)))
    throw new UsageError('the backup folder must be outside the data directory')
}

/** Where a path leads, links followed; its end may not exist. */
async function placeOf(file: string): Promise<string> {
  return realpath(file).catch(async () => path.join(await placeOf(path.dirname(file)), path.basename(file)))
}

/** Both without links. */
function isIn(folder: string, place: string): boolean {
  const inside = path.relative(folder, place)
  return inside === '' || !(inside === '..' || inside.startsWith(`..${path.sep}`) || path.isAbsolute(inside))
}

interface Copied {
  readonly files: number
  readonly bytes: number
}

interface Taken extends Copied {
  /** False: the secret does not come from a file, and who restores the backup needs it from elsewhere. */
  readonly hasSecretKey: boolean
}

/**
 * A failed or interrupted backup removes what it has copied: it may have filled the disk that the instance needs, and could not be
 * resumed.
 */
export async function takeBackup(options: BackupOptions): Promise<Taken> {
  const { target } = options
  await emptyFolder(target)
  try {
    return await copyInstance(options)
  } catch (cause) {
    for (const name of await contentsOf(target)) await rm(path.join(target, name), { recursive: true, force: true })
    throw new Error(`the backup into ${target} failed, and what it had copied was removed`, { cause })
  }
}

async function copyInstance({ url, dataDir, cluster, target, now, signal = NEVER }: BackupOptions): Promise<Taken> {
  const secretBefore = await secretOf(dataDir)
  const copy = copierTo(target, signal)
  const client = new pg.Client({ connectionString: url, application_name: 'posthorn_backup' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(`select pg_create_physical_replication_slot('posthorn_backup_${process.pid}', true, true)`)
    const started = await client.query(`select pg_walfile_name(pg_backup_start('posthorn', true)) as segment`)
    await copy.tree(cluster, 'base', (relative, entry) => !leavesOut(relative, entry))
    const stopped = await client.query(
      `select pg_walfile_name(lsn) as segment, labelfile, version() as version from pg_backup_stop(false)`,
    )
    const { segment: last, labelfile, version } = stopped.rows[0] as Record<'segment' | 'labelfile' | 'version', string>
    const stoppedAt = now()
    const first = (started.rows[0] as { segment: string }).segment
    const segments = (await readdir(path.join(cluster, 'pg_wal'))).filter(
      (name) => WAL_SEGMENT.test(name) && name >= first && name <= last,
    )
    if (!segments.includes(last)) throw new Error(`the log ${last} is missing in pg_wal`)
    for (const name of segments)
      if (!(await copy.file(path.join(cluster, 'pg_wal', name), `base/pg_wal/${name}`)))
        throw new Error(`the log ${name} disappeared from pg_wal`)
    await copy.text('base/backup_label', labelfile)
    await copy.tree(dataDir, 'data', (relative) => {
      const [top = ''] = relative.split('/')
      return top !== LOST_AND_FOUND && !OF_PROCESSES.test(top)
    })
    // The copies of the cluster and of the key file are from different times: a change in between would make them differ.
    if ((await secretOf(dataDir)) !== secretBefore)
      throw new Error('the secret was changed during the backup: back up again')
    return { ...(await copy.finish(version, stoppedAt)), hasSecretKey: secretBefore !== null }
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Null: the secret does not come from a file. */
async function secretOf(dataDir: string): Promise<string | null> {
  return readFile(path.join(dataDir, 'secret.key'), 'utf8').catch(() => null)
}

function leavesOut(relative: string, entry: Dirent): boolean {
  const [top = '', ...below] = relative.split('/')
  if (LEFT_OUT.has(entry.name) || entry.name.startsWith('pgsql_tmp')) return true
  return below.length > 0 && EMPTIED.has(top) && !(top === 'pg_wal' && entry.isDirectory())
}

async function emptyFolder(target: string): Promise<void> {
  await makeFolder(path.resolve(target))
  if ((await contentsOf(target)).length > 0) throw new Error(`${target} is not empty`)
  await chmod(target, 0o700)
}

interface Copier {
  tree(from: string, to: string, wanted: (relative: string, entry: Dirent) => boolean): Promise<void>
  /** @returns false when there is none */
  file(from: string, to: string): Promise<boolean>
  text(to: string, text: string): Promise<void>
  finish(postgres: string, now: Date): Promise<Copied>
}

function copierTo(target: string, signal: AbortSignal): Copier {
  const folders: string[] = []
  const files: BackupManifest['files'][number][] = []
  const folder = async (to: string): Promise<void> => {
    await mkdir(path.join(target, to), { recursive: true, mode: 0o700 })
    folders.push(to)
  }
  const copier: Copier = {
    tree: async (from, to, wanted) => {
      await folder(to)
      const places = [await realpath(from), await realpath(target)]
      const walk = async (relative: string): Promise<void> => {
        for (const entry of await readdir(path.join(from, relative), { withFileTypes: true })) {
          const here = relative === '' ? entry.name : `${relative}/${entry.name}`
          if (!wanted(here, entry)) continue
          const kind = await kindOf(path.join(from, here), entry, places)
          if (kind === 'folder') {
            await folder(`${to}/${here}`)
            await walk(here)
          } else if (kind === 'file') await copier.file(path.join(from, here), `${to}/${here}`)
        }
      }
      await walk('')
    },
    file: async (from, to) => {
      const source = await open(from).catch((error: NodeJS.ErrnoException) => {
        // A table that was dropped meanwhile: replaying the log drops it again.
        if (error.code === 'ENOENT') return null
        throw error
      })
      if (source === null) return false
      files.push({ path: to, ...(await copyOpen(source, path.join(target, to), signal)) })
      return true
    },
    text: async (to, text) => {
      await writeFile(path.join(target, to), text, { mode: 0o600, flush: true })
      files.push({ path: to, bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') })
    },
    finish: async (postgres, now) => {
      const manifest: BackupManifest = { format: 1, postgres, created_at: now.toISOString(), folders, files }
      await onDisk(target)
      await replaceFile(path.join(target, 'manifest.json'), `${JSON.stringify(manifest, null, 1)}\n`)
      return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
    },
  }
  return copier
}

/**
 * What to copy of an entry: operators put `pg_wal` or the key on another disk and leave a link, whose end is copied.
 *
 * @param places a link to a folder that contains one of these would lead around in a circle
 */
async function kindOf(file: string, entry: Dirent, places: readonly string[]): Promise<'folder' | 'file' | 'other'> {
  const there = entry.isSymbolicLink() ? await stat(file).catch(() => null) : entry
  if (there === null) return 'other'
  if (there.isFile()) return 'file'
  if (!there.isDirectory()) return 'other'
  if (!entry.isSymbolicLink()) return 'folder'
  const end = await realpath(file)
  return places.some((place) => isIn(end, place)) ? 'other' : 'folder'
}

/** Waits until everything on the file system of `folder` is on disk: once, not for each of a thousand files. */
async function onDisk(folder: string): Promise<void> {
  await promisify(execFile)('sync', ['-f', folder])
}

interface FileCopied {
  readonly bytes: number
  readonly sha256: string
}

/** Copies a file that may grow or shrink meanwhile. @throws ENOENT */
async function copyFile(from: string, to: string): Promise<FileCopied> {
  return copyOpen(await open(from), to)
}

async function copyOpen(source: FileHandle, to: string, signal: AbortSignal = NEVER): Promise<FileCopied> {
  const hash = createHash('sha256')
  let bytes = 0
  await pipeline(
    source.createReadStream({ highWaterMark: COPIED_AT_ONCE }),
    async function* counted(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        bytes += chunk.length
        yield chunk
      }
    },
    createWriteStream(to, { mode: 0o600 }),
    { signal },
  )
  return { bytes, sha256: hash.digest('hex') }
}

/** @throws when there is none, or its format is unknown to this release */
export async function readManifest(backup: string): Promise<BackupManifest> {
  const text = await readFile(path.join(backup, 'manifest.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
      throw new Error(`${backup} does not contain a finished backup`)
    throw error
  })
  const manifest = parsed(backup, text)
  if (manifest?.format !== 1) throw new Error(`${backup} has a backup format that this release does not know`)
  return manifest
}

function parsed(backup: string, text: string): BackupManifest | null {
  try {
    return JSON.parse(text) as BackupManifest | null
  } catch (cause) {
    throw new Error(`${backup} is not a usable backup: its manifest.json is damaged`, { cause })
  }
}

/**
 * Reads a whole backup and compares each file with the manifest.
 *
 * @throws when files are missing or differ: the message has their number and the first ten
 */
export async function checkBackup(backup: string): Promise<BackupManifest> {
  const manifest = await readManifest(backup)
  const damaged: string[] = []
  for (const { path: name, sha256 } of manifest.files) {
    const place = path.join(backup, ...partsOf(name))
    const found = await sha256Of(place).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (found !== sha256) damaged.push(name)
  }
  if (damaged.length > 0) {
    const named = damaged.slice(0, DAMAGED_NAMED).join(', ')
    const counted = `${damaged.length} of ${manifest.files.length} files are missing or do not match the manifest`
    throw new Error(`${backup} is damaged: ${counted}: ${named}${damaged.length > DAMAGED_NAMED ? ', ...' : ''}`)
  }
  return manifest
}

const DAMAGED_NAMED = 10

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file, { highWaterMark: COPIED_AT_ONCE }), hash)
  return hash.digest('hex')
}

/** The parts of a name in a manifest. @throws when it leads out of the two folders of a backup */
function partsOf(name: string): readonly string[] {
  const parts = name.split('/')
  if (parts.includes('..') || (parts[0] !== 'base' && parts[0] !== 'data'))
    throw new Error(`the manifest names ${name}`)
  return parts
}

/**
 * Restores a backup into a data directory that holds no instance. The cluster becomes consistent at its next start. Files
 * restored by root belong to the owner of the directory. An unfinished restore leaves a directory in which only another
 * restore can start, which clears it first.
 *
 * @throws when there is an instance or too little disk space, or a file does not match the manifest: then the restore stays
 *   unfinished
 */
export async function restoreBackup(backup: string, dataDir: string): Promise<BackupManifest> {
  const manifest = await readManifest(backup)
  await ensureFolder(dataDir)
  await assertFree(dataDir)
  const lock = tryLock(path.join(dataDir, LOCK_FILE))
  if (lock === null) throw new Error(`another Posthorn process or restore is using ${dataDir}`)
  try {
    await giveToOwner(dataDir, path.join(dataDir, LOCK_FILE))
    await clear(dataDir)
    await assertDiskRoom(
      dataDir,
      manifest.files.reduce((sum, { bytes }) => sum + bytes, 0),
      'the restored instance',
    )
    await copyBack(manifest, backup, dataDir)
  } finally {
    lock.release()
  }
  const folder = await lstat(dataDir)
  if ((folder.mode & 0o077) !== 0) await chmod(dataDir, 0o700)
  return manifest
}

const LOCK_FILE = 'posthorn.lock'
/** Lists which names beside the cluster belong to the restore under way. */
const NAMES_FILE = `${RESTORING}.names`

async function assertFree(dataDir: string): Promise<void> {
  const there = (await contentsOf(dataDir)).filter((name) => !name.startsWith(LOCK_FILE))
  if (there.length > 0 && !isHalfRestored(there)) throw new Error(`${dataDir} is not empty; restore into a new folder`)
}

/** Names that never stand for something to remove; backups of earlier releases may contain the last one. */
const KEPT = new Set(['', '.', '..', LOST_AND_FOUND])

/** Removes what an unfinished restore has made, and nothing else. @throws when something else is there */
async function clear(dataDir: string): Promise<void> {
  await assertFree(dataDir)
  const names = await readFile(path.join(dataDir, NAMES_FILE), 'utf8').catch(() => '')
  const made = names.split('\n').filter((name) => path.basename(name) === name && !KEPT.has(name))
  for (const name of [...made, NAMES_FILE]) await rm(path.join(dataDir, name), { recursive: true, force: true })
  const others = (await contentsOf(dataDir)).filter((name) => name !== RESTORING && !name.startsWith(LOCK_FILE))
  if (others.length > 0)
    throw new Error(`${dataDir} is half restored and also contains ${others.join(', ')}: empty it first`)
  await rm(path.join(dataDir, RESTORING), { recursive: true, force: true })
}

async function copyBack({ folders, files }: BackupManifest, backup: string, dataDir: string): Promise<void> {
  const placeOf = (name: string): string => {
    const [top, ...rest] = partsOf(name)
    return path.join(dataDir, top === 'base' ? RESTORING : '.', ...rest)
  }
  const names = [...folders, ...files.map((file) => file.path)]
  const places = names.map(placeOf)
  // First of all: from here on nothing else starts in the folder.
  await mkdir(path.join(dataDir, RESTORING), { mode: 0o700 })
  const beside = new Set(names.map((name) => name.split('/')).flatMap(([top, name]) => (top === 'data' && name) || []))
  await replaceFile(path.join(dataDir, NAMES_FILE), [...beside, ''].join('\n'))
  for (const name of folders) await mkdir(placeOf(name), { recursive: true, mode: 0o700 })
  for (const { path: name, bytes, sha256 } of files) {
    const size = await stat(path.join(backup, name)).then(
      (found) => found.size,
      () => null,
    )
    const copied = size === bytes ? await copyFile(path.join(backup, name), placeOf(name)) : null
    if (copied?.sha256 !== sha256) {
      const advice = 'the service cannot start from it: restore another backup into it, or empty it'
      throw new Error(`${name} does not match the backup's manifest; ${dataDir} is half restored, and ${advice}`)
    }
  }
  for (const place of places) await giveToOwner(dataDir, place)
  await onDisk(dataDir)
  // The cluster gets its name last: until then there is none.
  await rename(path.join(dataDir, RESTORING), path.join(dataDir, 'postgres'))
  await rm(path.join(dataDir, NAMES_FILE))
}
