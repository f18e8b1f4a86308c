// A new source address beside an established one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startReceiver } from './world/receiver.ts'
import { startWorld } from './world/world.ts'

const OLD = '127.0.0.21'
const NEW = '127.0.0.22'
const ZONES = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } }
const DAY_MS = 86_400_000
/** A mail may be under way on each connection when the allowance ends. */
const LANES = 20

test('a new address carries its share, the other one the rest, and a kept connection ends with the share', async () => {
  await using mx = await startReceiver()
  const midnight = Math.ceil(Date.now() / DAY_MS) * DAY_MS
  await using world = await startWorld({
    zones: ZONES,
    settings: {
      POSTHORN_DELIVERY: 'direct',
      POSTHORN_SMTP_PORT: String(mx.port),
      POSTHORN_SOURCE_IPS: `${OLD},${NEW}`,
      POSTHORN_WARM_UP_IPS: `${NEW}=${new Date(midnight).toISOString().slice(0, 10)}`,
    },
  })
  await world.verifiedDomain('shop.example')
  // The allowance of the first hour is 9.
  world.clock.advance(midnight + 60_000 - world.clock.now().getTime())
  const sendMany = async (first: number, last: number): Promise<void> => {
    const messages = Array.from({ length: last - first }, (_, n) => ({
      from: 'a@shop.example',
      to: `r${first + n}@example.net`,
      subject: 'Hello',
      text: 'Hello',
    }))
    const { body } = await world.api.post('/api/v1/send/batch', { messages })
    assert.equal(body.summary.accepted, messages.length)
    await mx.received(last)
  }
  const carried = (): number => mx.messages.filter(({ client }) => client === NEW).length
  await sendMany(0, 80)
  const share = carried()
  assert.ok(share >= 5 && share <= 9 + LANES, String(share))
  await sendMany(80, 120)
  const spent = carried()
  assert.ok(spent <= Math.max(9, share), `${spent} of ${share}`)
  world.clock.advance(30 * DAY_MS)
  await sendMany(120, 200)
  assert.ok(carried() > spent, `${carried()} of ${spent}`)
})
