// Which processes run in a cluster's folder. A killed PostgreSQL leaves `postmaster.pid` behind, and a new one believes it
// while any process has that pid: after a crash or a reboot that may be an unrelated process, or an unreaped zombie. Every
// PostgreSQL process, postmaster or backend, has the cluster as its working directory, so on Linux that is the criterion.

import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

/** @returns the pid in `postmaster.pid`, or null when the file is missing or not yet written */
export async function recordedPostmaster(cluster: string): Promise<number | null> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number.parseInt(text, 10)
  return pid > 1 ? pid : null
}

/** Whether a process is alive; a zombie is not. */
export async function alive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return !/^\d+ \(.*\) [ZX]/s.test(stat)
}

/** Whether the system shows the working directory of processes (Linux does). */
export async function seesFolders(): Promise<boolean> {
  return readlink('/proc/self/cwd').then(
    () => true,
    () => false,
  )
}

/** The living PostgreSQL processes of a cluster, including its backends; without /proc, only the postmaster. */
export async function processesIn(cluster: string): Promise<readonly number[]> {
  if (!(await seesFolders())) return postmastersByCommand(cluster)
  const home = await realpath(cluster).catch(() => null)
  if (home === null) return []
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))
  const found = await Promise.all(pids.map(async (pid) => ((await worksIn(Number(pid), home)) ? Number(pid) : null)))
  return found.filter((pid) => pid !== null)
}

async function worksIn(pid: number, home: string): Promise<boolean> {
  const where = await readlink(`/proc/${pid}/cwd`).catch(() => null)
  if (where !== home) return false
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return command.includes('postgres') && (await alive(pid))
}

async function postmastersByCommand(cluster: string): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('/bin/ps', ['-A', '-o', 'pid=,command='])
  const lines = stdout.split('\n').filter((line) => line.endsWith(`postgres -D ${cluster}`))
  return lines.map((line) => Number.parseInt(line, 10))
}
