// PostgreSQL refuses to run as root. There are four ways to give it a user, each with a place for the cluster:
//
// - self: we are an ordinary user, and it runs as the same one. The cluster is in the data directory.
// - namespace: we are root. It runs in its own user namespace, which maps root to another uid: the files stay root's, and
//   parent folders with mode 0700 do not matter. The cluster is in the data directory.
// - owner: we are root, and the cluster in the data directory belongs to an ordinary user, who started it first.
// - apart: we are root and namespaces are forbidden (usual in containers) or get us nowhere (in a closed folder of another
//   user). It runs under a uid of its own, with the
//   binaries and the cluster copied to /var/lib/posthorn/<hash of the data directory>, because that user could not pass
//   a folder with mode 0700. A file in the data directory, `postgres.apart`, records this and is followed from then on.
//
// Unlike the server, initdb insists on a uid that has a name on the machine. Containers often run under a uid without one,
// so initdb gets a named uid where possible: inside the namespace, or as root before the files change owner.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, chown, cp, lstat, mkdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { replaceFile } from '../files/data-folder.ts'
import { type Binaries, binariesAt } from './binaries.ts'
import { processesIn } from './processes.ts'

export interface Place {
  /** The folder that holds the cluster, and the socket if its path is short enough. */
  readonly home: string
  /** The user that owns the cluster; null = our own user. */
  readonly uid: number | null
}

export interface ServerUser extends Place {
  readonly kind: 'self' | 'namespace' | 'owner' | 'apart'
  readonly binaries: Binaries
  /** Prefixes a command with what makes it run as that user. The pid stays that of the command. */
  wrap(file: string, args: readonly string[]): Command
  /** The ways to run initdb, in the order in which to try them. The files are given to the cluster's user afterwards. */
  readonly initdb: readonly Wrap[]
}

type Wrap = (file: string, args: readonly string[]) => Command

export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly identity: { readonly uid?: number; readonly gid?: number }
}

/** 'namespace' and 'apart' force one of root's two ways; 'auto' uses a namespace where the system grants one. */
export type UserKind = 'auto' | 'namespace' | 'apart'

const APART_ROOT = '/var/lib/posthorn'
// A uid that no distribution assigns to people (up to 60000) or to system services (below 1000, or between 61184 and
// 65519 where systemd allocates them).
const APART_UID = 60_870
// Shown for files of users that a namespace does not know: our own uid should not be mistaken for it.
const NOBODY = 65_534
const UNNAMED = 1_000
const run = promisify(execFile)

/** The place of a data directory's cluster, if it has one. Changes nothing. */
export async function findPlace(dataDir: string): Promise<Place> {
  const apart = await readApart(dataDir)
  if (apart !== null) return { home: apart, uid: APART_UID }
  const owner = process.getuid?.() === 0 ? await ownerOf(path.join(dataDir, 'postgres')) : null
  return { home: dataDir, uid: owner === 0 ? null : owner }
}

/**
 * Decides how to run. May move the cluster, so the caller must hold the lock of the data directory.
 *
 * @param dataDir exists, absolute
 */
export async function findServerUser(
  dataDir: string,
  binaries: Binaries,
  wanted: UserKind = 'auto',
): Promise<ServerUser> {
  const apart = await readApart(dataDir)
  const me = process.getuid?.()
  if (me !== 0) {
    if (apart !== null) throw new Error(`the database of ${dataDir} was started by root; run this as root as well`)
    const owner = await ownerOf(path.join(dataDir, 'postgres'))
    if (owner !== null && me !== undefined && owner !== me) {
      throw new Error(`the database in ${dataDir} belongs to user ${owner}; run this as that user or as root`)
    }
    const unshare = await workingUnshare()
    const initdb = unshare === null ? [plain] : [plain, unshare]
    return { kind: 'self', binaries, home: dataDir, uid: null, wrap: plain, initdb }
  }
  if (apart !== null) return apartAt(apart, binaries)
  const owner = await ownerOf(path.join(dataDir, 'postgres'))
  if (owner !== null && owner !== 0) return asUser('owner', owner, binaries, dataDir)
  if (wanted !== 'apart') {
    const unshare = await workingUnshare()
    // A cluster of root's has already run in a namespace.
    const known = wanted === 'namespace' || owner !== null
    if (unshare !== null && (known || (await reaches(unshare, binaries, dataDir)))) {
      return { kind: 'namespace', binaries, home: dataDir, uid: null, wrap: unshare, initdb: [unshare] }
    }
    if (wanted === 'namespace') throw new Error('this system grants no user namespaces (unshare --user)')
  }
  return moveApart(dataDir, binaries)
}

/** Gives a file or folder in the cluster's home to the cluster's user. */
export async function giveToCluster({ uid }: Place, file: string): Promise<void> {
  if (uid !== null) await chown(file, uid, uid)
}

const plain: Wrap = (file, args) => ({ file, args, identity: {} })

function as(uid: number): Wrap {
  return (file, args) => ({ file, args, identity: { uid, gid: uid } })
}

async function asUser(kind: 'owner' | 'apart', uid: number, binaries: Binaries, home: string): Promise<ServerUser> {
  return { kind, binaries, home, uid, wrap: as(uid), initdb: [as(await namedUid())] }
}

/** Runs a command in its own user namespace; null where the system grants none. */
async function workingUnshare(): Promise<Wrap | null> {
  const number = await namedUid()
  const options = ['--user', `--map-user=${number}`, `--map-group=${number}`, '--']
  for (const unshare of ['/usr/bin/unshare', '/bin/unshare']) {
    const works = await run(unshare, [...options, '/bin/true'], { timeout: 10_000 }).then(
      () => true,
      () => false,
    )
    if (works) return (file, args) => ({ file: unshare, args: [...options, file, ...args], identity: {} })
  }
  return null
}

// A namespace has root's rights over root's files only: below another user's folder with mode 0700, such as a home that
// `sudo npm start` is called in, it can neither run our binaries nor open the data directory.
async function reaches(wrap: Wrap, { initdb }: Binaries, dataDir: string): Promise<boolean> {
  const { file, args } = wrap('/bin/sh', ['-c', 'test -x "$0" && test -w "$1"', initdb, dataDir])
  return run(file, [...args], { timeout: 10_000 }).then(
    () => true,
    () => false,
  )
}

/** The uid of a user of this machine that has a name and is not root. */
async function namedUid(): Promise<number> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const uids = passwd.split('\n').map((line) => Number(line.split(':')[2] ?? 0))
  return uids.find((uid) => uid > 0 && uid !== NOBODY) ?? uids.find((uid) => uid > 0) ?? UNNAMED
}

async function ownerOf(file: string): Promise<number | null> {
  return stat(file).then(
    ({ uid }) => uid,
    () => null,
  )
}

const markOf = (dataDir: string): string => path.join(dataDir, 'postgres.apart')

async function readApart(dataDir: string): Promise<string | null> {
  const text = await readFile(markOf(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return text.split('\n').find((line) => line.startsWith('/')) ?? null
}

// The mark is written last: after a crash before that, the cluster in the data directory stays valid and is copied again. Without
// one there, a cluster apart is no unfinished copy: it is the database of a data directory whose disk is not mounted, or that
// lost its mark. The caller holds the lock of the data directory.
async function moveApart(dataDir: string, binaries: Binaries): Promise<ServerUser> {
  const hash = createHash('sha256')
    .update(await realpath(dataDir))
    .digest('hex')
  const home = path.join(APART_ROOT, hash.slice(0, 16))
  const cluster = path.join(dataDir, 'postgres')
  const begun = await ownerOf(cluster)
  if (begun === null && (await ownerOf(path.join(home, 'postgres'))) !== null)
    throw new Error(
      `the database of ${dataDir} is in ${home}, but the file ${path.basename(markOf(dataDir))} that says so is missing: mount the disk of the data directory, or restore its files; to create a new instance, move ${home} away`,
    )
  await mkdir(APART_ROOT, { recursive: true, mode: 0o755 })
  await rm(home, { recursive: true, force: true })
  await mkdir(home, { mode: 0o700 })
  if (begun !== null) {
    const running = await processesIn(cluster)
    if (running.length > 0)
      throw new Error(`a PostgreSQL server is still running on ${cluster}; stop it first (${running})`)
    await cp(cluster, path.join(home, 'postgres'), { recursive: true, preserveTimestamps: true })
    await chmod(path.join(home, 'postgres'), 0o700)
    await run('chown', ['-R', `${APART_UID}:${APART_UID}`, path.join(home, 'postgres')])
    await run('sync', ['-f', home])
  }
  const serverUser = await apartAt(home, binaries)
  await replaceFile(markOf(dataDir), `${APART_NOTE}\n${home}\n`, 0o666)
  if (begun !== null) await rename(cluster, path.join(dataDir, 'postgres.moved'))
  return serverUser
}

const APART_NOTE =
  'PostgreSQL refuses to run as root and no user namespace can be used for it here, so the database of this data directory\n' +
  'lives in the folder below, under a user number of its own. Back it up and move it together with this directory.'

async function apartAt(home: string, binaries: Binaries): Promise<ServerUser> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  await chown(home, APART_UID, APART_UID)
  const copy = binariesAt(path.join(home, `native-${binaries.version}`), binaries.version)
  if ((await lstat(copy.root).catch(() => null)) === null) {
    const half = `${copy.root}.${process.pid}`
    await cp(binaries.root, half, { recursive: true, verbatimSymlinks: true })
    await run('chmod', ['-R', 'a+rX', half])
    await rename(half, copy.root).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
      await rm(half, { recursive: true, force: true })
    })
  }
  return asUser('apart', APART_UID, copy, home)
}
