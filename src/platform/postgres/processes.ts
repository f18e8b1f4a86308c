// Who runs in a cluster's folder. PostgreSQL leaves `postmaster.pid` behind when it is killed, and believes it as long as
// any process has that number: after a crash or a reboot that may be a stranger, or a zombie nobody has reaped. Every
// PostgreSQL process, postmaster or backend, has the cluster as its working directory, so on Linux that is what counts.

import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import path from 'node:path'

/** @returns the process number in `postmaster.pid`, or null when there is no such file or it is not yet written */
export async function recordedPostmaster(cluster: string): Promise<number | null> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number.parseInt(text, 10)
  return pid > 1 ? pid : null
}

/** Whether a process lives; a zombie does not. */
export async function alive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return !/^\d+ \(.*\) [ZX]/s.test(stat)
}

/**
 * The living PostgreSQL processes of a cluster, the postmaster's backends included.
 *
 * @returns null where the system does not tell (no /proc)
 */
export async function processesIn(cluster: string): Promise<readonly number[] | null> {
  const entries: string[] = await readdir('/proc').catch(() => [])
  if (!entries.includes('self')) return null
  const home = await realpath(cluster)
  const found = await Promise.all(
    entries
      .filter((entry) => /^\d+$/.test(entry))
      .map(async (entry) => {
        const where = await readlink(`/proc/${entry}/cwd`).catch(() => null)
        if (where !== home) return null
        const command = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '')
        return /postgres/.test(command) && (await alive(Number(entry))) ? Number(entry) : null
      }),
  )
  return found.filter((pid) => pid !== null)
}
