import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from './world/accounts-fixture.ts'
import { startReceiver } from './world/receiver.ts'
import { startWorld } from './world/world.ts'

test('the last code and the last response of an email are of the same attempt', async () => {
  await using mx = await startReceiver({ rcpt: '452 4.2.2 mailbox full' })
  await using world = await startWorld({
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  await world.verifiedDomain('shop.example')
  const mail = { from: 'a@shop.example', to: 'b@example.net', subject: 's', text: 't' }
  const { email_id: id } = (await world.api.post('/api/v1/send', mail)).body.data
  const shown = async () => (await world.api.get(`/api/v1/emails/${id}`)).body.data
  const afterTries = (tries: number) => until(async () => (await shown()).attempts_count === tries)
  await afterTries(1)
  assert.deepEqual([(await shown()).last_smtp_code, (await shown()).last_response], [452, '452 4.2.2 mailbox full'])
  await mx.close()
  world.clock.advance(7 * 60_000)
  await afterTries(2)
  const { last_smtp_code: code, last_response: response, attempts } = await shown()
  assert.equal(attempts.at(-1).smtp_code, null)
  assert.equal(code, null)
  assert.match(response, /refused the connection$/)
})
