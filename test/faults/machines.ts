// Machines: network namespaces on one bridge, each with one address. Two run PostgreSQL, the second as the synchronous
// standby of the first. Three run Posthorn. Needs root and `ip`.
//
// The harness supervises the database itself (in production Patroni does this): when the primary has not answered for a
// second and a half, the supervisor stops it for good and promotes the standby.

import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chmod, chown, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { run, waitFor } from '../peers/fixture.ts'

export interface Machine {
  readonly namespace: string
  readonly address: string
  /** Removes its routes to these addresses; `joinAgain` restores them. */
  cutOff(from: readonly string[]): Promise<void>
  joinAgain(to: readonly string[]): Promise<void>
  /** Takes its link down, without closing any connection; `plugIn` brings it up again. */
  unplug(): Promise<void>
  plugIn(): Promise<void>
  /** kill -9 of every process there. */
  killAll(): Promise<void>
}

export interface Network extends AsyncDisposable {
  /** Address of the bridge, where the actors listen. */
  readonly address: string
  /** More addresses of the bridge. */
  readonly farm: readonly string[]
  machine(name: string, number: number): Promise<Machine>
}

const FARM = 8
const FIRST_OF_FARM = 101

export async function startNetwork(): Promise<Network> {
  const tag = `ph${process.pid % 10_000}`
  const subnet = `10.231.${process.pid % 250}`
  const ip = (...words: string[]): Promise<string> => run('ip', words)
  const namespaces: string[] = []
  await ip('link', 'add', tag, 'type', 'bridge')
  await ip('addr', 'add', `${subnet}.1/24`, 'dev', tag)
  const farm = Array.from({ length: FARM }, (_, n) => `${subnet}.${FIRST_OF_FARM + n}`)
  for (const address of farm) await ip('addr', 'add', `${address}/24`, 'dev', tag)
  await ip('link', 'set', tag, 'up')
  return {
    address: `${subnet}.1`,
    farm,
    machine: async (name, number) => {
      const namespace = `${tag}-${name}`
      const [outside, address] = [`${tag}${name}`, `${subnet}.${number}`]
      await ip('netns', 'add', namespace)
      namespaces.push(namespace)
      await ip('link', 'add', outside, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace)
      await ip('link', 'set', outside, 'master', tag, 'up')
      const inside = (...words: string[]): Promise<string> => ip('-n', namespace, ...words)
      await inside('link', 'set', 'lo', 'up')
      await inside('addr', 'add', `${address}/24`, 'dev', 'eth0')
      await inside('link', 'set', 'eth0', 'up')
      const routes = async (verb: string, to: readonly string[]): Promise<void> => {
        for (const target of to) await inside('route', verb, 'blackhole', `${target}/32`)
      }
      return {
        namespace,
        address,
        cutOff: (from) => routes('add', from),
        joinAgain: (to) => routes('del', to),
        unplug: async () => void (await ip('link', 'set', outside, 'down')),
        plugIn: async () => void (await ip('link', 'set', outside, 'up')),
        killAll: async () => {
          for (const pid of (await ip('netns', 'pids', namespace)).split('\n').filter((line) => line !== '')) {
            try {
              process.kill(Number(pid), 'SIGKILL')
            } catch {
              // It has just ended by itself.
            }
          }
        },
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const namespace of namespaces) await ip('netns', 'del', namespace).catch(() => '')
      await ip('link', 'del', tag).catch(() => '')
    },
  }
}

export interface Pair extends AsyncDisposable {
  /** Names both servers; the client finds the one that accepts writes. */
  readonly url: string
  readonly addresses: readonly string[]
  /** kill -9 of every process of the primary. Resolves once the supervisor has promoted the standby. */
  killPrimary(): Promise<void>
}

const PORT = 5432
const LOOK_EVERY_MS = 500
const GONE_AFTER = 3

/** Starts a primary, its synchronous standby, and their supervisor. */
export async function startPair(folder: string, first: Machine, second: Machine): Promise<Pair> {
  const bin = readdirSync('/usr/lib/postgresql')
    .map((version) => `/usr/lib/postgresql/${version}/bin`)
    .findLast((place) => existsSync(path.join(place, 'initdb')))
  if (bin === undefined) throw new Error('no PostgreSQL of Debian is installed')
  const home = path.join(folder, 'postgres')
  const uid = Number(await run('id', ['-u', 'postgres']))
  await mkdir(home)
  await chmod(folder, 0o755)
  await chown(home, uid, uid)
  const on = (machine: Machine, ...words: string[]): Promise<string> =>
    run('ip', ['netns', 'exec', machine.namespace, 'runuser', '-u', 'postgres', '--', ...words])
  const data = (machine: Machine): string => path.join(home, machine === first ? 'first' : 'second')
  const control = (machine: Machine, ...words: string[]): Promise<string> =>
    on(machine, path.join(bin, 'pg_ctl'), '-D', data(machine), '-s', '-w', ...words)
  const start = (machine: Machine, more: string): Promise<string> => {
    const settings = `-p ${PORT} -c unix_socket_directories= -c listen_addresses=${machine.address} -c max_connections=200 ${more}`
    return control(machine, '-o', settings, '-l', `${data(machine)}.log`, 'start')
  }
  await on(first, path.join(bin, 'initdb'), '-D', data(first), '-A', 'trust', '-E', 'UTF8', '--no-sync')
  const network = `${first.address.split('.').slice(0, 3).join('.')}.0/24`
  const allowed = `host all all ${network} trust\nhost replication all ${network} trust\n`
  await appendFile(path.join(data(first), 'pg_hba.conf'), allowed)
  await start(first, '')
  const from = ['-h', first.address, '-p', String(PORT), '-U', 'postgres']
  await on(second, path.join(bin, 'pg_basebackup'), ...from, '-D', data(second), '-R', '-X', 'stream', '-c', 'fast')
  await start(second, '')
  await control(first, '-m', 'fast', 'stop')
  await start(first, "-c synchronous_standby_names='*'")
  const ask = (sql: string): Promise<string> => run('psql', [...from, '-d', 'postgres', '-Atc', sql])
  await waitFor(
    'the synchronous standby',
    async () => (await ask('select sync_state from pg_stat_replication')).trim() === 'sync',
  )
  let watching = true
  const promoted = Promise.withResolvers<void>()
  const supervise = async (): Promise<void> => {
    for (let silent = 0; watching; await delay(LOOK_EVERY_MS)) {
      const answers = await run(path.join(bin, 'pg_isready'), [
        '-q',
        '-t',
        '1',
        '-h',
        first.address,
        '-p',
        String(PORT),
      ])
        .then(() => true)
        .catch(() => false)
      silent = answers ? 0 : silent + 1
      if (silent < GONE_AFTER) continue
      await control(first, '-m', 'immediate', 'stop').catch(() => '')
      await control(second, 'promote')
      promoted.resolve()
      return
    }
  }
  const supervisor = supervise().catch((error: unknown) => promoted.reject(error))
  return {
    url: `postgresql://postgres@${first.address}:${PORT},${second.address}:${PORT}/postgres?target_session_attrs=read-write`,
    addresses: [first.address, second.address],
    killPrimary: async () => {
      await first.killAll()
      await promoted.promise
    },
    [Symbol.asyncDispose]: async () => {
      watching = false
      await supervisor
      for (const machine of [first, second]) await control(machine, '-m', 'immediate', 'stop').catch(() => '')
    },
  }
}
