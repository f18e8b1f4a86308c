// A second delivery node next to the first: what an email costs with one and with two of them over one PostgreSQL.
//
//   npm run bench -- machines [--rounds 5] [--messages 2000] [--forms waits,saturated] [--latency 20]
//
// A process with all roles but delivery accepts 10 KB emails by REST while their destination is paused. Then it is resumed, and
// one or two processes with the role delivery, already warm, sign them (RSA-2048) and deliver them to one receiver, each
// over at most twenty connections. The second process is stopped (SIGSTOP) while the first is measured alone.
// `waits`: the receiver answers everything after 20 ms, so latency is the limit and not the cores. `saturated`: at once.
//
// Rounds are interleaved. A figure is messages over the time from resuming to the last delivery, and CPU seconds per 1,000 of
// the delivery processes, of the accepting process and of PostgreSQL (Debian's, with its default durability).
// Needs root, bind9 and postgresql.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { startBind, txt } from '../test/peers/bind.ts'
import { descendants, freePort, scratch, start, waitFor } from '../test/peers/fixture.ts'
import { startPostgres } from '../test/peers/postgres.ts'
import { type Posthorn, startPosthorn } from '../test/peers/posthorn.ts'
import { calibrate, cpuGroup, median, receipt } from './fixture.ts'
import { httpLoad } from './fixture-load.ts'
import { commandLine } from './fixture-options.ts'

const {
  rounds: ROUNDS,
  messages: MESSAGES,
  forms: FORMS,
  latency,
} = commandLine({ rounds: 5, messages: 2_000, forms: ['waits', 'saturated'], latency: 20 })
const LATENCY: Readonly<Record<string, number>> = { waits: latency, saturated: 0 }
const [ZONE, DESTINATION] = ['bench.test', 'dest.test']
const WARM = 3
/** Delivery waits 6 s for a silent process (tracking/journals.ts): it may hold an unsubscribe that it has confirmed. */
const SETTLE_MS = 10_000
const LIMIT_MS = 120_000
const PARTS = ['delivery', 'beside', 'postgres'] as const

interface Figure {
  readonly perSecond: number
  /** CPU seconds per 1,000 messages, in the order of PARTS. */
  readonly cpu: readonly number[]
}

await using stack = new AsyncDisposableStack()
const folder = stack.use(await scratch('machines')).path
const postgres = stack.use(await startPostgres(folder))
const admin = new pg.Client({ connectionString: postgres.url })
await admin.connect()
stack.defer(() => admin.end())
const bind = stack.use(await startBind(folder, { [ZONE]: [], 'posthorn.test': ['mail A 127.0.0.1'] }))
const groups = PARTS.map((part) => cpuGroup(`machines-${part}`))
const postmaster = Number(readFileSync(path.join(folder, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0])
for (const pid of await descendants(postmaster)) groups[2]?.add(pid)

const sinkPort = await freePort()
const settings = {
  DATABASE_URL: postgres.url,
  POSTHORN_SECRET_KEY: 'one secret key that all processes of the benchmark share',
  POSTHORN_DELIVERY: `relay:127.0.0.1:${sinkPort}`,
  POSTHORN_RELAY_TLS: 'off',
  POSTHORN_DNS_SERVERS: bind.server,
  POSTHORN_HOSTNAME: 'mail.posthorn.test',
  POSTHORN_RATE_LIMITS: 'off',
}
const startOne = async (name: string, roles: string, group: number): Promise<Posthorn> => {
  const one = await startPosthorn(path.join(folder, name), { ...settings, POSTHORN_ROLES: roles })
  for (const pid of await descendants(one.running.child.pid ?? 0)) groups[group]?.add(pid)
  return one
}
const front = stack.use(await startOne('front', 'api,tracking,worker', 1))
const { api_key: key } = await front.account('Bench')
const made = await front.call(key, 'POST', '/api/v1/customer/domains', { domain: ZONE })
const place = `/api/v1/customer/domains/${made.body.data.id}`
const { body: asked } = await front.call(key, 'GET', `${place}/dns`)
await bind.publish(
  ZONE,
  asked.dns_records.map(({ host, value }: { host: string; value: string }) => txt(host, value)),
)
await waitFor('verification', async () => (await front.call(key, 'POST', `${place}/verify`)).body.verified)
const body = JSON.stringify({ from: `news@${ZONE}`, to: `user@${DESTINATION}`, ...receipt() })
await admin.query('insert into posthorn.site (name) values ($1) on conflict do nothing', [DESTINATION])

const hold = (held: boolean): Promise<unknown> =>
  admin.query('update posthorn.site set paused = $1 where name = $2', [held, DESTINATION])

const receiver = stack.use(
  start(process.execPath, [path.join(import.meta.dirname, 'fixture-receiver.ts'), String(sinkPort)]),
)
await waitFor('the receiver', async () => receiver.said().includes('listening'))
const count = (): number => Number([...receiver.said().matchAll(/mesg=(\d+)/g)].at(-1)?.[1] ?? 0)
const answerAfter = async (ms: number): Promise<void> => {
  const socket = net.connect(sinkPort, '127.0.0.1')
  await once(socket, 'data')
  socket.write(`XDELAY ${ms}\r\n`)
  await once(socket, 'data')
  socket.destroy()
}

stack.use(await startOne('node1', 'delivery', 0))
const second = stack.use(await startOne('node2', 'delivery', 0))
const secondPids = await descendants(second.running.child.pid ?? 0)
stack.defer(() => pause(false))

/** Stops the second node while nothing is under way there, or lets it continue. */
function pause(paused: boolean): void {
  for (const pid of secondPids) process.kill(pid, paused ? 'SIGSTOP' : 'SIGCONT')
}

async function round(form: string, nodes: number): Promise<Figure> {
  await answerAfter(LATENCY[form] ?? 0)
  await hold(true)
  pause(nodes === 1)
  const settled = delay(SETTLE_MS)
  const load = httpLoad(`${front.url}/api/v1/send`, key, body, 16)
  await load.send(MESSAGES)
  load.close()
  const alive = 'select count(*)::int as count from posthorn.node where not dead and lease_until > now()'
  await waitFor('the nodes', async () => (await admin.query(alive)).rows[0].count >= nodes)
  // By then the work after acceptance is done, and the stopped node is no longer waited for.
  await settled
  const before = groups.map((group) => group.seconds())
  const goal = count() + MESSAGES
  const began = performance.now()
  await hold(false)
  await waitFor('all deliveries', async () => count() >= goal, LIMIT_MS)
  const seconds = (performance.now() - began) / 1_000
  await delay(1_000)
  if (count() > goal) throw new Error(`${count() - goal} copies too many`)
  const cpu = groups.map((group, n) => ((group.seconds() - (before[n] ?? 0)) / MESSAGES) * 1_000)
  pause(false)
  return { perSecond: MESSAGES / seconds, cpu }
}

const figures = new Map<string, Figure[]>()
const calibrations: number[] = []
for (let n = 0; n < WARM; n++) await round('saturated', 2)
for (let n = 0; n < ROUNDS; n++) {
  for (const form of FORMS) {
    for (const nodes of n % 2 === 0 ? [1, 2] : [2, 1]) {
      calibrations.push(calibrate())
      const figure = await round(form, nodes)
      const name = `${form}, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`
      figures.set(name, [...(figures.get(name) ?? []), figure])
      const cpu = PARTS.map((part, at) => `${part} ${figure.cpu[at]?.toFixed(3)}`).join(', ')
      console.error(`round ${n + 1} ${name}: ${Math.round(figure.perSecond)}/s; CPU-s per 1,000: ${cpu}`)
    }
  }
}
const table = [...figures].toSorted().map(([name, all]) => {
  const parts = PARTS.map((_, at) => median(all.map(({ cpu }) => cpu[at] ?? 0)))
  const whole = median(all.map(({ cpu }) => cpu.reduce((sum, part) => sum + part, 0)))
  return {
    name,
    per_second: Math.round(median(all.map(({ perSecond }) => perSecond))),
    ...Object.fromEntries(PARTS.map((part, at) => [part, Number(parts[at]?.toFixed(3))])),
    cpu_s_per_1000: Number(whole.toFixed(3)),
  }
})
console.table(table)
console.log(
  JSON.stringify({ rounds: ROUNDS, messages: MESSAGES, rsa2048_signs_per_second: median(calibrations), table }),
)
