// A signing key that is damaged in the database: its domain's mail waits, and that of others goes out.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statement } from '../src/platform/db.ts'
import { until } from './world/accounts-fixture.ts'
import { startReceiver } from './world/receiver.ts'
import { startWorld } from './world/world.ts'

const DAMAGE = statement(
  'test_damage_key',
  `update sending_domain set dkim_private_key = set_byte(dkim_private_key, 40, get_byte(dkim_private_key, 40) # 1) where id = $1`,
)
const ZONES = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } }

test('mail of a domain whose signing key is damaged waits, says why, and holds up no other', async () => {
  await using mx = await startReceiver()
  await using world = await startWorld({
    zones: ZONES,
    settings: { POSTHORN_SMTP_PORT: String(mx.port), POSTHORN_DELIVERY: 'direct' },
  })
  const damaged = await world.verifiedDomain('damaged.example')
  await world.verifiedDomain('shop.example')
  await world.rooms.database.system.execute(DAMAGE, [damaged])
  const messages = ['damaged.example', 'shop.example'].map((domain) => ({
    ...{ from: `a@${domain}`, to: 'b@example.net', subject: 'Hi', text: 'Hi' },
  }))
  const sent = await world.api.post('/api/v1/send/batch', { messages })
  assert.equal(sent.body.summary.accepted, 2, JSON.stringify(sent.body))
  const [message] = await mx.received(1)
  assert.match(message?.data.toString() ?? '', /^From: a@shop\.example/m)
  const id = sent.body.data[0].data.email_id
  const waiting = async () => {
    const { status, last_response: why } = (await world.api.get(`/api/v1/emails/${id}`)).body.data
    return { status, why }
  }
  await until(async () => (await waiting()).status === 'deferred')
  assert.match((await waiting()).why, /signing key of the sending domain is damaged/)
})
