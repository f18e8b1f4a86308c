// A pair of Debian's PostgreSQL under Patroni, with a synchronous standby. Each server has its own network namespace, and
// their etcd runs in a third. Needs the packages patroni, python3-etcd, etcd-server and postgresql.
//
// The times are the shortest that Patroni accepts: it replaces a dead primary after about 20 seconds.
// `synchronous_mode` without `_strict`: Patroni promotes only a standby that has every commit, and a primary without a
// standby keeps accepting writes. With `_strict` a promoted server would accept no mail until the dead one is back, which is
// what the pair is meant to prevent.

import { existsSync, readdirSync } from 'node:fs'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Running, run, start, waitFor } from '../peers/fixture.ts'
import type { Machine } from './machines.ts'

export interface Patroni extends AsyncDisposable {
  /** Names both servers; the client finds the one that accepts writes. */
  readonly url: string
  readonly addresses: readonly string[]
  /** kill -9 of the primary and its Patroni. Resolves once the other server is the primary. */
  killPrimary(): Promise<void>
  /** Takes the primary's link down. Resolves once the other server is the primary. */
  unplugPrimary(): Promise<void>
  /** Starts or plugs in the server that the last blow hit. Resolves once there is a synchronous standby again. */
  mend(): Promise<void>
}

const [PORT, API_PORT, ETCD_PORT, ETCD_PEER_PORT] = [5432, 8008, 2379, 2380]
const TIMES = { ttl: 20, loop_wait: 1, retry_timeout: 3 }
const LIMIT_MS = 120_000

interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
}

export async function startPatroni(
  folder: string,
  pair: readonly [Machine, Machine],
  third: Machine,
): Promise<Patroni> {
  const home = path.join(folder, 'patroni')
  const uid = Number(await run('id', ['-u', 'postgres']))
  await mkdir(home)
  await chown(home, uid, uid)
  await using stack = new AsyncDisposableStack()
  const as = (machine: Machine, ...words: string[]): Running =>
    start('ip', ['netns', 'exec', machine.namespace, 'runuser', '-u', 'postgres', '--', ...words])
  stack.use(as(third, 'etcd', ...etcdOptions(path.join(home, 'etcd'), third.address)))
  const running: Running[] = []
  const startOn = async (n: number): Promise<void> => {
    const machine = pair[n] as Machine
    const file = path.join(home, `${n}.yml`)
    await writeFile(file, JSON.stringify(configOf(home, n, machine.address, third.address)))
    running[n] = as(machine, 'patroni', file)
  }
  stack.defer(async () => {
    for (const machine of pair) await machine.killAll()
    for (const one of running) await one[Symbol.asyncDispose]()
  })
  const members = async (): Promise<readonly Member[]> => {
    const asked = pair.map(async ({ address }) => {
      const answer = await fetch(`http://${address}:${API_PORT}/cluster`, { signal: AbortSignal.timeout(2_000) })
      return ((await answer.json()) as { members: Member[] }).members
    })
    // A server that is cut off reports its last known state.
    const told = (await Promise.allSettled(asked)).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    return told.at(-1) ?? []
  }
  const said = (): string => running.map((one) => one.said().slice(-2_000)).join('\n')
  const until = async (what: string, is: (all: readonly Member[]) => boolean): Promise<void> => {
    await waitFor(what, async () => is(await members()), LIMIT_MS).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${said()}`)
    })
  }
  const leader = (): Promise<number> =>
    waitFor('a primary', async () => {
      const name = (await members()).find((one) => one.role === 'leader' && one.state === 'running')?.name
      return name === undefined ? null : { n: Number(name.slice(1)) }
    }).then(({ n }) => n)
  const isWhole = (all: readonly Member[]): boolean =>
    ['leader', 'sync_standby'].every((role) => all.some((one) => one.role === role && one.state !== 'stopped'))

  await startOn(0)
  await until('the primary', (all) => all.some(({ role, state }) => role === 'leader' && state === 'running'))
  await startOn(1)
  await until('the synchronous standby', isWhole)
  let mend = async (): Promise<void> => undefined
  const strike = async (blow: (n: number) => Promise<void>, undo: (n: number) => Promise<void>): Promise<void> => {
    const struck = await leader()
    mend = () => undo(struck)
    await blow(struck)
    const { address } = pair[1 - struck] as Machine
    const ask = ['-h', address, '-p', String(PORT), '-U', 'postgres', '-Atc', 'select pg_is_in_recovery()']
    await waitFor('the promotion', async () => (await run('psql', ask)).trim() === 'f', LIMIT_MS)
  }
  const owned = stack.move()
  return {
    url: `postgresql://postgres@${pair.map(({ address }) => `${address}:${PORT}`).join(',')}/postgres?target_session_attrs=read-write`,
    addresses: pair.map(({ address }) => address),
    killPrimary: () =>
      strike(
        async (n) => pair[n]?.killAll(),
        (n) => startOn(n),
      ),
    unplugPrimary: () =>
      strike(
        async (n) => pair[n]?.unplug(),
        async (n) => pair[n]?.plugIn(),
      ),
    mend: async () => {
      await mend()
      await until('the synchronous standby', isWhole)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function etcdOptions(data: string, address: string): readonly string[] {
  const [clients, peers] = [`http://${address}:${ETCD_PORT}`, `http://${address}:${ETCD_PEER_PORT}`]
  return [
    ...['--name', 'one', '--data-dir', data, '--log-level', 'error'],
    ...['--listen-client-urls', clients, '--advertise-client-urls', clients],
    ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers, '--initial-cluster', `one=${peers}`],
  ]
}

function configOf(home: string, n: number, address: string, etcd: string): object {
  const bin = readdirSync('/usr/lib/postgresql')
    .map((version) => `/usr/lib/postgresql/${version}/bin`)
    .findLast((place) => existsSync(path.join(place, 'initdb')))
  if (bin === undefined) throw new Error('no PostgreSQL of Debian is installed')
  const network = `${address.split('.').slice(0, 3).join('.')}.0/24`
  return {
    scope: 'posthorn',
    name: `p${n}`,
    restapi: { listen: `${address}:${API_PORT}`, connect_address: `${address}:${API_PORT}` },
    etcd3: { host: `${etcd}:${ETCD_PORT}` },
    bootstrap: {
      dcs: {
        ...TIMES,
        synchronous_mode: true,
        synchronous_mode_strict: false,
        postgresql: { use_pg_rewind: true, use_slots: true, parameters: { max_connections: 200 } },
      },
      initdb: [{ encoding: 'UTF8' }, { 'auth-host': 'trust' }, { 'auth-local': 'trust' }, 'data-checksums'],
    },
    postgresql: {
      listen: `${address}:${PORT}`,
      connect_address: `${address}:${PORT}`,
      data_dir: path.join(home, `data${n}`),
      bin_dir: bin,
      pgpass: path.join(home, `pgpass${n}`),
      authentication: { superuser: { username: 'postgres' }, replication: { username: 'postgres' } },
      parameters: { unix_socket_directories: '' },
      pg_hba: [
        `host all all ${network} trust`,
        `host replication all ${network} trust`,
        'host all all 127.0.0.1/32 trust',
      ],
    },
  }
}
