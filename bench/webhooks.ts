// Reading the log, and signed webhook deliveries per second to a receiver on this machine.
//
// --deliveries=20000 to one endpoint, then spread over four; --seconds=10 of 5,000 new events a second, by a writer next to
// the followers. The receiver is a process of its own on the same cores; PostgreSQL writes to the disk.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { append, followerLags, type NewEvent } from '../src/modules/events/index.ts'
import type { TestAccount, World } from '../test/world/world.ts'
import { commandLine } from './fixture-options.ts'
import { durableWorld } from './fixture-world.ts'

const {
  deliveries: DELIVERIES,
  seconds: SECONDS,
  rate: EVENTS_A_SECOND,
} = commandLine({ deliveries: 20_000, seconds: 10, rate: 5_000 })

/** Answers 200 at once; GET / returns how many POSTs there were. */
const RECEIVER = `
const http = require('node:http')
let heard = 0
const server = http.createServer((request, reply) => {
  if (request.method === 'GET') return reply.end(String(heard))
  if (!/^[0-9a-f]{64}$/.test(request.headers['x-webhook-signature'] ?? '')) return reply.writeHead(400).end()
  request.resume().on('end', () => { heard++; reply.end() })
})
server.keepAliveTimeout = 60000
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly heard: () => Promise<number>
}

async function startReceiver(): Promise<Receiver> {
  const child: ChildProcess = spawn(process.execPath, ['-e', RECEIVER], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  const url = `http://127.0.0.1:${String(port).trim()}`
  return {
    url,
    heard: async () => Number(await (await fetch(url)).text()),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

function sent(world: World, account: TestAccount, tag: string | null): NewEvent {
  const { clock, ids } = world.rooms.ground
  const at = clock.now()
  return {
    eventId: ids.next(),
    at,
    accountId: account.accountId,
    domainId: null,
    emailId: ids.next(),
    type: 'email.sent',
    stream: 'transactional',
    sandbox: false,
    tag,
    data: { queued_at: at.toISOString() },
    facts: {
      recipient: 'ann@customer.example',
      from: 'shop@sender.example',
      from_name: 'Shop',
      subject: 'Your order 4711 has been shipped',
      message_id: 'm@sender.example',
      metadata: { order: 4_711 },
    },
  }
}

/** One email as two events, the common case in the log. */
function mail(world: World, account: TestAccount, i: number): readonly NewEvent[] {
  const first = sent(world, account, i % 3 === 0 ? 'news' : null)
  const data = { delivered_at: first.at.toISOString(), smtp_code: 250, response: 'ok', attempts: 1 }
  return [first, { ...first, eventId: world.rooms.ground.ids.next(), type: 'email.delivered', data, facts: null }]
}

async function deliver(world: World, receiver: Receiver, endpoints: number, accounts: number): Promise<number> {
  const made = await Promise.all(Array.from({ length: accounts }, () => world.newAccount()))
  for (let i = 0; i < endpoints; i++) {
    const body = { url: `${receiver.url}/${i}`, events: ['email.sent'] }
    await made[i % accounts]?.api.post('/api/v1/customer/webhooks', body)
  }
  const share = endpoints / accounts
  const before = await receiver.heard()
  const began = performance.now()
  const each = Math.floor(DELIVERIES / endpoints)
  for (const account of made) {
    for (let i = 0; i < each; i += 1_000) {
      const some = Array.from({ length: Math.min(1_000, each - i) }, () => sent(world, account, null))
      await append(world.rooms.database.system, some)
    }
  }
  const goal = before + each * share * accounts
  while ((await receiver.heard()) < goal) await new Promise((resolve) => setTimeout(resolve, 50))
  const seconds = (performance.now() - began) / 1_000
  return (goal - before) / seconds
}

async function followAlong(world: World): Promise<{ lag: number; wrote: number; caughtUpMs: number }> {
  const account = await world.newAccount()
  const { system } = world.rooms.database
  const began = performance.now()
  let wrote = 0
  let lag = 0
  const worst = async (): Promise<number> =>
    Math.max(...(await followerLags(system, new Date())).map(({ lagSeconds }) => lagSeconds))
  while (performance.now() - began < SECONDS * 1_000) {
    const due = Math.floor(((performance.now() - began) / 1_000) * EVENTS_A_SECOND)
    const some: NewEvent[] = []
    while (wrote + some.length < due && some.length < 500) some.push(...mail(world, account, some.length))
    if (some.length > 0) await append(system, some)
    wrote += some.length
    if (wrote % 5 === 0) lag = Math.max(lag, await worst())
    if (wrote >= due) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const ended = performance.now()
  while ((await worst()) > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  return { lag, wrote: wrote / ((ended - began) / 1_000), caughtUpMs: performance.now() - ended }
}

await using house = await durableWorld()
await using receiver = await startReceiver()
const { world } = house
await deliver(world, receiver, 1, 1)
const one = await deliver(world, receiver, 1, 1)
const four = await deliver(world, receiver, 4, 2)
const following = await followAlong(world)
const figures = {
  deliveries_per_second_one_endpoint: Math.round(one),
  deliveries_per_second_four_endpoints: Math.round(four),
  events_written_per_second: Math.round(following.wrote),
  worst_lag_seconds: Number(following.lag.toFixed(2)),
  caught_up_after_ms: Math.round(following.caughtUpMs),
}
console.table(figures)
console.log(JSON.stringify(figures))
