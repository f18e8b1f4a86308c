// What probes that wait for one another, or for a server, do to each other, through the API against receivers on real sockets.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Receiver, type ReceiverScript, startReceiver } from '../../../test/receiver.ts'
import { startWorld, type World } from '../../../test/world.ts'
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
