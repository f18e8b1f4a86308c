// The folder that POSTHORN_DATA_DIR names, made when it is not there. Whatever is wrong with it is told by that name.

import { access, chown, constants, mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** Where a restore puts the cluster until all of the backup is there. */
export const RESTORING = 'postgres.restoring'

/**
 * Private to our user when it is made here.
 *
 * @throws Error naming the setting, when it cannot be used as a folder, or holds half of an instance
 */
export async function ensureDataFolder(folder: string): Promise<void> {
  await ensureFolder(folder)
  if (!isHalfRestored(await readdir(folder))) return
  const advice = 'run posthorn restore again, or empty the folder to create a new instance'
  throw new Error(`POSTHORN_DATA_DIR: the restore into "${folder}" was not finished; ${advice}`)
}

/**
 * An instance begun there would be an empty one, with another secret beside what was restored. Where a cluster stands all
 * the same, an older release has begun one.
 *
 * @param names what is in the data directory
 */
export function isHalfRestored(names: readonly string[]): boolean {
  return names.includes(RESTORING) && !names.includes('postgres') && !names.includes('postgres.apart')
}

/** As `ensureDataFolder`, whatever is in it. */
export async function ensureFolder(folder: string): Promise<void> {
  try {
    await make(path.resolve(folder))
    await assertOurs(folder)
  } catch (cause) {
    throw new Error(`POSTHORN_DATA_DIR: "${folder}" cannot be used`, { cause })
  }
}

/**
 * For what asks an instance and should not begin one: a command in the wrong folder, or without POSTHORN_DATA_DIR, would
 * be answered by an empty one, and back that up. Changes nothing.
 *
 * @throws Error naming the setting, when no embedded database was ever begun in the folder or it cannot be used
 */
export async function assertBegun(folder: string): Promise<void> {
  const there = await stat(folder).catch(() => null)
  if (there !== null) await ensureDataFolder(folder)
  const names = there === null ? [] : await readdir(folder)
  // Whoever moved the cluster to a server of their own leaves the log.
  if (names.some((name) => name.startsWith('postgres') && name !== 'postgres.log')) return
  throw new Error(
    `POSTHORN_DATA_DIR: there is no instance in "${folder}"; set it to the folder of your instance, or create one with posthorn start, serve or migrate`,
  )
}

/** @throws Error saying whose the folder is, when we may not work in it */
async function assertOurs(folder: string): Promise<void> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { uid } = await stat(folder)
    if (uid === process.getuid?.()) throw error
    throw new Error(`it belongs to user ${uid}: run this as that user or as root`, { cause: error })
  }
}

// Step by step: `recursive` goes round for ever where the folder above is there and making one in it is still answered
// with ENOENT, as in /proc.
async function make(folder: string): Promise<void> {
  const made = await attempt(folder)
  if (made !== 'ENOENT') return
  await make(path.dirname(folder))
  if ((await attempt(folder)) === 'ENOENT') throw new Error(`cannot create a folder in ${path.dirname(folder)}`)
}

/** @returns null when the folder is there now, ENOENT when the one above it seems not to be */
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
 * Gives what root has made in a folder to whose the folder is: a command of root's would leave what the service cannot
 * read. Does nothing for anybody else, nor in a folder of root's own.
 */
export async function giveToOwner(folder: string, made: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  if (uid !== 0) await chown(made, uid, gid)
}

/** Writes beside and renames, so that whoever reads finds the old text or the new one, whole, whenever the power goes. */
export async function replaceFile(file: string, text: string, mode = 0o600): Promise<void> {
  await writeFile(`${file}.new`, text, { mode, flush: true })
  await giveToOwner(path.dirname(file), `${file}.new`)
  await rename(`${file}.new`, file)
}
