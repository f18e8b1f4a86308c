// What probes that wait for one another, or for a server, do to each other, through the API against receivers on real sockets.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Receiver, type ReceiverScript, startReceiver } from '../../../test/world/receiver.ts'
import { startWorld, type World } from '../../../test/world/world.ts'
import { AT_ONCE_PER_HOST } from './probe-limits.ts'

const VALIDATE = '/api/v1/address/validate'
const PORT = 3_100 + (process.pid % 400)
const UNKNOWN = '550 5.1.1 no such user'

let world: World
const receivers: Receiver[] = []

async function serverOf(domain: string, script: ReceiverScript): Promise<Receiver> {
  const ip = `127.0.46.${receivers.length + 2}`
  const receiver = await startReceiver({ host: ip, port: PORT, ...script })
  receivers.push(receiver)
  world.zones.declare({ [domain]: { MX: [`10 mx.${domain}`] }, [`mx.${domain}`]: { A: [ip] } })
  return receiver
}

before(async () => {
  world = await startWorld({ settings: { POSTHORN_SMTP_PORT: String(PORT) } })
})
after(async () => {
  await world[Symbol.asyncDispose]()
  for (const receiver of receivers) await receiver.close()
})

const ask = async (email: string) => (await world.api.post(VALIDATE, { email })).body

test('an answer does not wait longer than its own 10 s for what another probe asks about the domain', async () => {
  await serverOf('slow.test', {
    rcpt: (address) => {
      if (address.startsWith('bob@')) return { reply: '250 OK', afterMs: 5_000 }
      return address.startsWith('anna@') ? '250 OK' : { then: 'stall' }
    },
  })
  const from = process.hrtime.bigint()
  const bob = ask('bob@slow.test').then((body) => ({ body, ms: Number((process.hrtime.bigint() - from) / 1_000_000n) }))
  await delay(4_000)
  const anna = ask('anna@slow.test')
  const { body, ms } = await bob
  // Anna's question about the domain ends 4 s later.
  assert.ok(ms < 13_000, `${ms} ms`)
  assert.equal(body.smtp_result, 'deliverable')
  assert.match(body.suggestions.join(), /could not be found out/)
  assert.equal((await anna).smtp_result, 'deliverable')
})

test('a server is not taken for silent because callers ran out of time while they waited for their turn', async () => {
  const receiver = await serverOf('unhurried.test', { rcpt: { reply: UNKNOWN, afterMs: 6_000 } })
  const emails = Array.from({ length: 2 * AT_ONCE_PER_HOST }, (_, index) => `known${index}@unhurried.test`)
  const results = (await Promise.all(emails.map(ask))).map((body) => body.smtp_result).sort()
  assert.deepEqual(results, [...Array(5).fill('rejected'), ...Array(5).fill('timeout')])
  receiver.script({ rcpt: UNKNOWN })
  assert.equal((await ask('next@unhurried.test')).smtp_result, 'rejected')
})

test('a server that is the second one of many domains is spared as well', async () => {
  const receiver = await serverOf('backup.test', { rcpt: { reply: UNKNOWN, afterMs: 500 } })
  const domains = Array.from({ length: 20 }, (_, index) => `down${index}.test`)
  for (const domain of domains) {
    world.zones.declare({
      [domain]: { MX: [`10 mx.${domain}`, '20 mx.backup.test'] },
      [`mx.${domain}`]: { A: ['127.0.47.1'] },
    })
  }
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, receiver.openCount)
  }, 20)
  const results = await Promise.all(domains.map((domain) => ask(`anna@${domain}`)))
  clearInterval(watch)
  assert.ok(most <= AT_ONCE_PER_HOST, `${most} at once`)
  assert.ok(
    results.every((body) => body.smtp_result === 'rejected'),
    JSON.stringify(results.map((b) => b.smtp_result)),
  )
})
