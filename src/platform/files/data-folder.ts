// The folder that POSTHORN_DATA_DIR names, created when it is missing. Errors about it name that setting.

import { closeSync, openSync } from 'node:fs'
import { access, chown, constants, mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** Where a restore puts the cluster until the whole backup is there. */
export const RESTORING = 'postgres.restoring'
/** In the root of an ext4 file system from its creation, and root's: a disk or volume mounted as a folder is empty beside it. */
export const LOST_AND_FOUND = 'lost+found'
/** Signs of an embedded database: its cluster, the note that this is elsewhere, an upgrade that has not ended. */
const CLUSTERS: readonly string[] = ['postgres', 'postgres.apart', 'upgrade']

/**
 * Created with access for our user only.
 *
 * @throws Error naming the setting, when it cannot be used as a folder or holds a half-restored instance
 */
export async function ensureDataFolder(folder: string): Promise<void> {
  await ensureFolder(folder)
  if (!isHalfRestored(await readdir(folder))) return
  const advice = 'run posthorn restore again, or empty the folder to create a new instance'
  throw new Error(`POSTHORN_DATA_DIR: the restore into "${folder}" was not finished; ${advice}`)
}

/**
 * A new instance there would be empty, with a different secret beside the restored data. If a cluster is there all the
 * same, an older release has created it.
 *
 * @param names the entries of the data directory
 */
export function isHalfRestored(names: readonly string[]): boolean {
  return names.includes(RESTORING) && !names.includes('postgres') && !names.includes('postgres.apart')
}

/** The names in a folder, without that of the file system. */
export async function contentsOf(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name !== LOST_AND_FOUND)
}

/** Like `ensureDataFolder`, but ignores the contents. */
export async function ensureFolder(folder: string): Promise<void> {
  try {
    await makeFolder(path.resolve(folder))
    await assertOurs(folder)
  } catch (cause) {
    throw new Error(`POSTHORN_DATA_DIR: "${folder}" cannot be used`, { cause })
  }
}

/**
 * For commands that query an instance and must not create one: in the wrong folder, or without POSTHORN_DATA_DIR, they
 * would get their answers from an empty instance, or back that up. Changes nothing.
 *
 * @throws Error naming the setting, when no embedded database was ever created in the folder or it cannot be used
 */
export async function assertBegun(folder: string): Promise<void> {
  const there = await stat(folder).catch(() => null)
  if (there !== null) await ensureDataFolder(folder)
  const names = there === null ? [] : await readdir(folder)
  // An operator who moved the database to a server of their own leaves its log behind, and maybe a cluster under another name.
  if (names.some((name) => CLUSTERS.includes(name))) return
  throw new Error(
    `POSTHORN_DATA_DIR: there is no instance in "${folder}"; set it to the folder of your instance, or create one with posthorn start, serve or migrate`,
  )
}

/** @throws Error naming the folder's owner when we may not work in it */
async function assertOurs(folder: string): Promise<void> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { uid } = await stat(folder)
    if (uid === process.getuid?.()) throw error
    throw new Error(`it belongs to user ${uid}: run this as that user or as root`, { cause: error })
  }
}

/**
 * Creates a folder and those above it, with access for our user only. One level at a time: `recursive` of mkdir loops forever
 * where the parent exists and mkdir in it still answers ENOENT, as in /proc.
 */
export async function makeFolder(folder: string): Promise<void> {
  const made = await attempt(folder)
  if (made !== 'ENOENT') return
  await makeFolder(path.dirname(folder))
  if ((await attempt(folder)) === 'ENOENT') throw new Error(`cannot create a folder in ${path.dirname(folder)}`)
}

/** @returns null when the folder exists, ENOENT when its parent seems to be missing */
async function attempt(folder: string): Promise<'ENOENT' | null> {
  try {
    await mkdir(folder, { mode: 0o700 })
    return null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return code
    const there = await stat(folder).catch(() => null)
    if (there?.isDirectory() === true) return null
    throw there === null ? error : new Error('it is not a folder')
  }
}

/**
 * Gives a file that root made in a folder to the folder's owner: otherwise a command run by root would leave files that
 * the service cannot read. Does nothing for other users, nor in a folder that root owns.
 */
export async function giveToOwner(folder: string, made: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  if (uid !== 0) await chown(made, uid, gid)
}

/**
 * For root's commands: the service runs as the user that its data directory belongs to, and may not read what root can. Does
 * nothing for other users, nor about a file that is not there: reading it fails for everybody.
 *
 * @param setting the one that names the file
 * @throws Error naming the setting and the user
 */
export async function assertOwnerReads(folder: string, file: string, setting: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  if (uid === 0) return
  // Nothing else of this process may run meanwhile, so no promises.
  process.setegid?.(gid)
  process.seteuid?.(uid)
  try {
    closeSync(openSync(file, 'r'))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EACCES') return
    throw new Error(`${setting}: ${file} cannot be read by user ${uid}, whose service uses ${folder}`, { cause })
  } finally {
    process.seteuid?.(0)
    process.setegid?.(0)
  }
}

/** Writes a new file and renames it, so that readers find the complete old or new text, even after a power failure. */
export async function replaceFile(file: string, text: string, mode = 0o600): Promise<void> {
  await writeFile(`${file}.new`, text, { mode, flush: true })
  await giveToOwner(path.dirname(file), `${file}.new`)
  await rename(`${file}.new`, file)
}
