// How many files and connections a process may have open at once. Node takes the hard limit as its own at its start; a shell's
// or a container's that is small (`ulimit -n 64`) shows only where some file cannot be opened, under whatever name that has.

import { readFile } from 'node:fs/promises'

/** Below it a busy service runs out: each connection is one file, and some eighty are open at rest. */
export const OPEN_FILES_WANTED = 1_024

/** @returns the limit of this process (`Max open files` of proc(5)); null: there is none, or the system does not tell */
export async function openFilesLimit(): Promise<number | null> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? []
  return soft === undefined ? null : Number(soft)
}
