// A stop while a client never finishes its request: mail on the wire still gets the full time to end.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import { statement } from '../src/platform/db.ts'
import { startReceiver } from './world/receiver.ts'
import { startWorld } from './world/world.ts'

const MAILS = 300
const DELIVERED = statement('test_ended', 'select count(*)::int as count from email where ended_at is not null')

test('a client that stalls in the middle of a request takes no time from deliveries: none is cut off, none comes twice', async () => {
  await using mx = await startReceiver({ dot: () => ({ reply: '250 2.0.0 taken', afterMs: 400 }) })
  await using world = await startWorld({
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  await world.verifiedDomain('shop.example')
  const messages = Array.from({ length: MAILS }, (_, n) => ({
    from: 'a@shop.example',
    to: `u${n}@example.net`,
    subject: 's',
    text: 't',
  }))
  const stalled = net.connect(Number(new URL(world.url).port), '127.0.0.1')
  await once(stalled, 'connect')
  stalled.on('error', () => undefined)
  stalled.write(
    `POST /api/v1/send HTTP/1.1\r\nHost: x\r\nX-API-Key: ${world.account.apiKey}\r\nContent-Type: application/json\r\n`,
  )
  stalled.write('Content-Length: 100\r\n\r\n{')
  const { status } = await world.api.post('/api/v1/send/batch', { messages })
  assert.equal(status, 200)
  await mx.received(5)
  const done = world.stop(AbortSignal.timeout(3_000))
  await done.catch(() => undefined)
  const row = await world.rooms.database.system.one<{ count: number }>(DELIVERED)
  assert.ok(mx.messageCount < MAILS, 'the stop came behind the last mail')
  assert.equal(row?.count, mx.messageCount)
  stalled.destroy()
})
