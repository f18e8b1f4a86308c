// Mail to many from source addresses of its own.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startReceiver } from './world/receiver.ts'
import { startWorld } from './world/world.ts'

const SINGLE = '127.0.0.21'
const BULK = '127.0.0.22'
const ZONES = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } }
const MAIL = { from: 'a@shop.example', html: '<p>Hello</p>', override_soft_block: true }

const settingsFor = (port: number): Record<string, string> => ({
  POSTHORN_DELIVERY: 'direct',
  POSTHORN_SMTP_PORT: String(port),
  POSTHORN_SOURCE_IPS: SINGLE,
  POSTHORN_BULK_SOURCE_IPS: BULK,
})

test('each kind of mail comes from its own address, which the attempts name', async () => {
  await using mx = await startReceiver()
  await using world = await startWorld({ zones: ZONES, settings: settingsFor(mx.port) })
  await world.verifiedDomain('shop.example')
  const kinds = [
    { to: 'code@example.net', more: {}, address: SINGLE },
    { to: 'news@example.net', more: { stream: 'broadcast' }, address: BULK },
    { to: 'many@example.net', more: { is_bulk: true }, address: BULK },
  ]
  for (const { to, more } of kinds) await world.api.post('/api/v1/send', { ...MAIL, to, subject: to, ...more })
  await mx.received(kinds.length)
  for (const { to, address } of kinds) {
    const message = mx.messages.find(({ recipients }) => recipients[0] === to)
    assert.equal(message?.client, address, to)
    const [email] = (await world.api.get(`/api/v1/emails?recipient=${to}`)).body.data
    const { attempts } = (await world.api.get(`/api/v1/emails/${email.id}`)).body.data
    assert.deepEqual(
      attempts.map(({ source_ip }: { source_ip: string }) => source_ip),
      [address],
    )
  }
})

test('a provider that turns the address of bulk mail away gets other mail at once', async () => {
  let refuses = true
  await using mx = await startReceiver({
    banner: (_connection, { client }) =>
      refuses && client === BULK
        ? { reply: '421 4.7.0 too much unsolicited mail from your address', then: 'close' }
        : 'default',
  })
  await using world = await startWorld({ zones: ZONES, settings: settingsFor(mx.port) })
  await world.verifiedDomain('shop.example')
  const send = async (to: string, more: object): Promise<string> =>
    (await world.api.post('/api/v1/send', { ...MAIL, to, subject: to, ...more })).body.data.email_id
  const status = async (id: string): Promise<string> => (await world.api.get(`/api/v1/emails/${id}`)).body.data.status
  const news = await send('news@example.net', { stream: 'broadcast' })
  while ((await status(news)) !== 'deferred') await delay(20)
  for (let n = 0; n < 5; n++) await send(`code${n}@example.net`, {})
  await mx.received(5)
  assert.ok(mx.messages.every(({ client }) => client === SINGLE))
  assert.equal(await status(news), 'deferred')
  refuses = false
  world.clock.advance(3_600_000)
  await mx.received(6)
  assert.deepEqual([mx.messages[5]?.client, mx.messages[5]?.recipients[0]], [BULK, 'news@example.net'])
})
