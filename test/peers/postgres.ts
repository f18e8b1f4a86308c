// Debian's PostgreSQL on a free port, as the shared database of several machines.

import { existsSync, readdirSync } from 'node:fs'
import { chmod, chown, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { freePort, run } from './fixture.ts'

export interface Postgres extends AsyncDisposable {
  readonly url: string
  start(): Promise<void>
  /** A fast shutdown, as by an administrator: it cuts connections. */
  stop(): Promise<void>
}

/** Its last checkpoint writes out hundreds of tables, which on a busy disk takes longer than the default of a minute. */
const WITHIN_SECONDS = 180

/** @param env for the server's processes */
export async function startPostgres(folder: string, env: Record<string, string> = {}): Promise<Postgres> {
  const bin = readdirSync('/usr/lib/postgresql')
    .map((version) => `/usr/lib/postgresql/${version}/bin`)
    .findLast((place) => existsSync(path.join(place, 'initdb')))
  if (bin === undefined) throw new Error('no PostgreSQL of Debian is installed')
  const home = path.join(folder, 'postgres')
  const data = path.join(home, 'data')
  const uid = Number(await run('id', ['-u', 'postgres']))
  await mkdir(home)
  // PostgreSQL's user must be able to reach its folder.
  await chmod(folder, 0o711)
  await chown(home, uid, uid)
  const as = (...words: string[]): Promise<string> => run('runuser', ['-u', 'postgres', '--', ...words], undefined, env)
  const port = await freePort()
  await as(path.join(bin, 'initdb'), '-D', data, '-A', 'trust', '-E', 'UTF8', '--no-sync')
  const settings = `-p ${port} -k ${home} -c listen_addresses=127.0.0.1 -c max_connections=300`
  const log = path.join(home, 'log')
  const control = (...words: string[]): Promise<string> =>
    as(path.join(bin, 'pg_ctl'), '-D', data, '-s', '-w', '-t', String(WITHIN_SECONDS), ...words)
  const start = async (): Promise<void> => {
    await control('-o', settings, '-l', log, 'start')
  }
  const stop = async (): Promise<void> => {
    try {
      await control('-m', 'fast', 'stop')
    } catch (cause) {
      // The remaining processes, and the end of the log.
      const left = await run('ps', ['-u', 'postgres', '-o', 'pid=,ppid=,stat=,wchan:20=,args='])
      throw new Error(`${(cause as Error).message}\n${left}\n${await run('tail', ['-n', '30', log])}`, { cause })
    }
  }
  await start()
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    start,
    stop,
    [Symbol.asyncDispose]: () => stop().catch(() => undefined),
  }
}
