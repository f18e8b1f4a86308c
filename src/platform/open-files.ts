// The limit of open files and connections. Node raises its limit to the hard limit at its start; a small one set by a shell
// or a container (`ulimit -n 64`) shows only when some file cannot be opened, as whatever error that causes there.

import { readFile } from 'node:fs/promises'

/** Below this a busy service runs out: each connection is one file, and some eighty are open at rest. */
export const OPEN_FILES_WANTED = 1_024

/** @returns this process's limit (`Max open files` of proc(5)); null when there is none or the system does not report it */
export async function openFilesLimit(): Promise<number | null> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? []
  return soft === undefined ? null : Number(soft)
}
