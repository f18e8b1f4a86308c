// Mail to many does not hold up an account's other mail to the same destination.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startReceiver } from './world/receiver.ts'
import { startWorld } from './world/world.ts'

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

test("an account's mail does not wait for what another sends to many", async () => {
  await using mx = await startReceiver({ dot: { reply: '250 ok', afterMs: 150 } })
  await using world = await startWorld({ zones: ZONES, settings: { POSTHORN_SMTP_PORT: String(mx.port) } })
  const other = await world.newAccount('Other')
  const accounts = [
    { api: world.api, domain: 'shop.example' },
    { api: other.api, domain: 'other.example' },
  ]
  await world.verifiedDomain('shop.example')
  await world.verifiedDomain('other.example', other)
  const send = ({ domain }: { domain: string }, to: string, more: object): object => ({
    ...{ ...MAIL, from: `a@${domain}`, to, subject: to, ...more },
  })
  for (const [flooding, single] of [accounts, accounts.toReversed()]) {
    if (flooding === undefined || single === undefined) continue
    const seen = mx.messages.length
    await flooding.api.post('/api/v1/send', send(flooding, 'first@example.net', {}))
    await mx.received(seen + 1)
    const messages = Array.from({ length: MANY }, (_, n) =>
      send(flooding, `n${n}@example.net`, { stream: 'broadcast' }),
    )
    assert.equal((await flooding.api.post('/api/v1/send/batch', { messages })).body.summary.accepted, MANY)
    await mx.received(seen + 20)
    const before = mx.messages.length
    const code = `code@example.net`
    assert.equal((await single.api.post('/api/v1/send', send(single, code, {}))).status, 202)
    await mx.received(seen + MANY + 2)
    const place = mx.messages.findIndex(({ recipients }, n) => n >= before && recipients[0] === code)
    assert.ok(
      place >= before && place - before < MANY / 2,
      `${single.domain} came as number ${place}, after ${before} were in`,
    )
  }
})
