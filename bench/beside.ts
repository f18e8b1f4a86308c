// Mail to a quick receiver beside a backlog: how long it takes from the call to the receiver.
//
//   npm run bench -- beside [--scenes slow,many] [--mails 6000] [--destinations 200] [--seconds 20]
//
// One account gives the service a backlog at once, another one sends a mail to a receiver that answers at once every 50 ms. `slow`: the
// backlog is for destinations that answer the final dot after a second. `many`: for ten times as many that answer at once, and more than
// three times as many mails. Milliseconds at the median and at p99 in each five seconds, and the mails of the backlog a second. Needs
// root and bind9.

import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startBind } from '../test/peers/bind.ts'
import { scratch } from '../test/peers/fixture.ts'
import { type Posthorn, startPosthorn } from '../test/peers/posthorn.ts'
import { startReceiver } from '../test/world/receiver.ts'
import { commandLine } from './fixture-options.ts'
import { percentile } from './fixture-world.ts'

const {
  scenes: SCENES,
  mails: MAILS,
  destinations: DESTINATIONS,
  seconds: SECONDS,
} = commandLine({ scenes: ['slow', 'many'], mails: 6_000, destinations: 200, seconds: 20 })
const SENDER = 'bench.test'
const SLOW_MS = 1_000
const IN_A_BATCH = 500
const EVERY_MS = 50
const LOOK_MS = 5_000
const MANY = { destinations: 10 * DESTINATIONS, mails: Math.ceil(MAILS * 3.3) }
const TEXT = 'Your order has left our house. '.repeat(20)

const number = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i)
const addressOf = (i: number): string => `127.${1 + Math.floor(i / 250)}.1.${(i % 250) + 1}`
const zone = [
  ...['quick MX 10 mx.quick', `mx.quick A 127.0.0.1`],
  ...number(MANY.destinations).flatMap((i) => [`d${i} MX 10 m${i}`, `m${i} A ${addressOf(i)}`]),
]

async function accountOf(posthorn: Posthorn, name: string): Promise<string> {
  const { api_key: key } = await posthorn.account(name)
  await posthorn.call(key, 'PATCH', '/api/v1/customer/profile', { enforce_sender_verification: false })
  await posthorn.call(key, 'POST', '/api/v1/customer/domains', { domain: `${name}.${SENDER}` })
  return key
}

async function measure(scene: string, folder: string, dnsServer: string): Promise<readonly object[]> {
  const isSlow = scene === 'slow'
  const { mails, destinations } = isSlow ? { mails: MAILS, destinations: DESTINATIONS } : MANY
  const sentAt = new Map<string, number>()
  let took: number[] = []
  let backlog = 0
  await using receiver = await startReceiver({
    host: '0.0.0.0',
    keep: false,
    dot: ({ recipients: [to = ''] }) => {
      const began = sentAt.get(to)
      if (began !== undefined) {
        took.push(performance.now() - began)
        return '250 2.0.0 taken'
      }
      backlog++
      return isSlow ? { reply: '250 2.0.0 taken', after: delay(SLOW_MS) } : '250 2.0.0 taken'
    },
  })
  await using posthorn = await startPosthorn(path.join(folder, scene), {
    POSTHORN_DELIVERY: 'direct',
    POSTHORN_SMTP_PORT: String(receiver.port),
    POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTHORN_DNS_SERVERS: dnsServer,
    POSTHORN_HOSTNAME: `mail.${SENDER}`,
    POSTHORN_RATE_LIMITS: 'off',
  })
  const [much, little] = [await accountOf(posthorn, 'much'), await accountOf(posthorn, 'little')]
  for (let first = 0; first < mails; first += IN_A_BATCH) {
    const messages = number(Math.min(IN_A_BATCH, mails - first)).map((i) => ({
      ...{ from: `news@much.${SENDER}`, subject: 'News', text: TEXT },
      to: `user${first + i}@d${(first + i) % destinations}.dest.test`,
    }))
    const { body } = await posthorn.call(much, 'POST', '/api/v1/send/batch', { messages })
    if (body.summary?.accepted !== messages.length) throw new Error(JSON.stringify(body).slice(0, 1_000))
  }
  const began = performance.now()
  const rows: object[] = []
  const look = (): void => {
    const [p50, p99] = [0.5, 0.99].map((share) => (took.length === 0 ? null : Math.round(percentile(took, share))))
    const second = Math.round((performance.now() - began) / 1_000)
    rows.push({ scene, second, mine: took.length, p50, p99, backlog })
    took = []
  }
  let lookedAt = began
  for (let n = 0; performance.now() - began < SECONDS * 1_000; n++) {
    const to = `user${n}@quick.dest.test`
    sentAt.set(to, performance.now())
    const mail = { from: `news@little.${SENDER}`, to, subject: 'Your order', text: TEXT }
    const { status } = await posthorn.call(little, 'POST', '/api/v1/send', mail)
    if (status !== 202) throw new Error(`answered ${status}`)
    await delay(Math.max(0, began + (n + 1) * EVERY_MS - performance.now()))
    if (performance.now() - lookedAt < LOOK_MS) continue
    look()
    lookedAt = performance.now()
  }
  look()
  return rows
}

await using folder = await scratch('beside')
await using bind = await startBind(folder.path, { [SENDER]: [], 'dest.test': zone })
const table: object[] = []
for (const scene of SCENES) table.push(...(await measure(scene, folder.path, bind.server)))
console.table(table)
console.log(JSON.stringify({ mails: MAILS, destinations: DESTINATIONS, table }))
