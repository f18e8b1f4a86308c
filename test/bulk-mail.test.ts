// Mail to many does not hold up an account's other mail to the same destination.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startReceiver } from './receiver.ts'
import { startWorld } from './world.ts'

const MANY = 400
const ZONES = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } }
const MAIL = { from: 'a@shop.example', html: '<p>Hello</p>', override_soft_block: true }

for (const bulk of [{ stream: 'broadcast' }, { is_bulk: true }]) {
  test(`a mail to one person overtakes ${JSON.stringify(bulk)} mail that was accepted before it`, async () => {
    await using mx = await startReceiver({ dot: { reply: '250 ok', afterMs: 150 } })
    await using world = await startWorld({ zones: ZONES, settings: { POSTHORN_SMTP_PORT: String(mx.port) } })
    await world.verifiedDomain('shop.example')
    const send = (to: string, more: object): object => ({ ...MAIL, to, subject: to, ...more })
    await world.api.post('/api/v1/send', send('first@example.net', {}))
    await mx.received(1)
    const messages = Array.from({ length: MANY }, (_, n) => send(`n${n}@example.net`, bulk))
    const batch = await world.api.post('/api/v1/send/batch', { messages })
    assert.equal(batch.body.summary.accepted, MANY, JSON.stringify(batch.body.data[0]))
    await mx.received(20)
    const before = mx.messages.length
    assert.equal((await world.api.post('/api/v1/send', send('code@example.net', {}))).status, 202)
    await mx.received(1 + MANY + 1)
    const place = mx.messages.findIndex(({ recipients }) => recipients[0] === 'code@example.net')
    assert.ok(place - before < MANY / 2, `it came as number ${place}, after ${before} were in`)
    assert.ok(before < MANY / 2, `${before} were in already`)
  })
}
