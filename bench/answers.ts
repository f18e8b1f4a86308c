// Receivers that take their time to answer the final dot, as those that scan for spam do: how many mails a second one process delivers.
//
//   npm run bench -- answers [--messages 4000] [--latencies 0,100,300,1000] [--destinations 200]
//
// Emails of 10 KB are accepted by a process without the role delivery; then one with all roles delivers them to as many
// destinations, each a host of its own at a loopback address with the same answering time. The figure is mails over the time from
// the end of the first tenth to the last. `unanswered`: mails past their final dot when the most were, of which a kill may send
// as many twice. Needs root and bind9.

import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Bind, startBind } from '../test/peers/bind.ts'
import { scratch } from '../test/peers/fixture.ts'
import { startPosthorn } from '../test/peers/posthorn.ts'
import { startReceiver } from '../test/world/receiver.ts'
import { receipt } from './fixture.ts'
import { commandLine } from './fixture-options.ts'

const {
  messages: MESSAGES,
  latencies: LATENCIES,
  destinations: DESTINATIONS,
} = commandLine({ messages: 4_000, latencies: [0, 100, 300, 1_000], destinations: 200 })
const SENDER = 'bench.test'
const IN_A_BATCH = 500
const LOOK_MS = 5
const LIMIT_MS = 300_000

const number = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i)
const zone = number(DESTINATIONS).flatMap((i) => [`d${i} MX 10 m${i}`, `m${i} A 127.0.1.${i + 1}`])

/** Mails a second, and the most that waited for their answers. */
async function measure(folder: string, latencyMs: number, bind: Bind): Promise<{ perSecond: number; most: number }> {
  const waiting = { now: 0, most: 0 }
  const receiver = await startReceiver({
    host: '0.0.0.0',
    keep: false,
    dot: () => {
      waiting.most = Math.max(waiting.most, ++waiting.now)
      const over = delay(latencyMs).then(() => void waiting.now--)
      return { reply: '250 2.0.0 taken', after: over }
    },
  })
  await using _receiver = receiver
  const settings = {
    POSTHORN_DELIVERY: 'direct',
    POSTHORN_SMTP_PORT: String(receiver.port),
    POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTHORN_DNS_SERVERS: bind.server,
    POSTHORN_HOSTNAME: `mail.${SENDER}`,
    POSTHORN_RATE_LIMITS: 'off',
  }
  const home = path.join(folder, String(latencyMs))
  const accepting = await startPosthorn(home, { ...settings, POSTHORN_ROLES: 'api' })
  const { api_key: key } = await accepting.account('Bench')
  await accepting.call(key, 'PATCH', '/api/v1/customer/profile', { enforce_sender_verification: false })
  await accepting.call(key, 'POST', '/api/v1/customer/domains', { domain: SENDER })
  const mail = { from: `news@${SENDER}`, ...receipt() }
  for (let first = 0; first < MESSAGES; first += IN_A_BATCH) {
    const messages = number(Math.min(IN_A_BATCH, MESSAGES - first)).map((i) => ({
      ...mail,
      to: `user${first + i}@d${(first + i) % DESTINATIONS}.dest.test`,
    }))
    const { body } = await accepting.call(key, 'POST', '/api/v1/send/batch', { messages })
    if (body.summary?.accepted !== messages.length) throw new Error(JSON.stringify(body).slice(0, 1_000))
  }
  await accepting.stop()
  await using _delivering = await startPosthorn(home, settings)
  const until = async (count: number): Promise<number> => {
    const end = performance.now() + LIMIT_MS
    while (receiver.messageCount < count) {
      if (performance.now() > end) throw new Error(`${receiver.messageCount} of ${count} were delivered`)
      await delay(LOOK_MS)
    }
    return performance.now()
  }
  const began = await until(MESSAGES / 10)
  const ended = await until(MESSAGES)
  return { perSecond: ((MESSAGES * 0.9) / (ended - began)) * 1_000, most: waiting.most }
}

await using folder = await scratch('answers')
await using bind = await startBind(folder.path, { [SENDER]: [], 'dest.test': zone })
const table: object[] = []
for (const latency of LATENCIES) {
  const { perSecond, most } = await measure(folder.path, latency, bind)
  table.push({ answer_ms: latency, per_second: Math.round(perSecond), unanswered: most })
}
console.table(table)
console.log(JSON.stringify({ messages: MESSAGES, destinations: DESTINATIONS, table }))
