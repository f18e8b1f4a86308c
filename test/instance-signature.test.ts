// POSTHORN_DKIM_DOMAIN: a domain of the instance signs all mail beside the sender's.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { examineDatabase } from '../src/operator/doctor.ts'
import { type Receiver, startReceiver } from './world/receiver.ts'
import { startWorld, type World } from './world/world.ts'

const INSTANCE = 'posthorn.example'
const ZONES = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } }
const MAIL = { to: 'b@example.net', subject: 'Hi', html: '<p>Hi</p>', override_soft_block: true }

const startSigning = (mx: Receiver): Promise<World> =>
  startWorld({
    zones: ZONES,
    settings: {
      POSTHORN_SMTP_PORT: String(mx.port),
      POSTHORN_DELIVERY: 'direct',
      POSTHORN_DKIM_DOMAIN: INSTANCE.toUpperCase(),
    },
  })

/** The domains whose signatures of a message are good, in the order in which they stand. */
async function signers(world: World, message: Buffer): Promise<readonly string[]> {
  const { results } = await dkimVerify(message, {
    resolver: async (name: string) => {
      const answer = await world.zones.txt(name)
      return answer.kind === 'found' ? answer.records.map((record) => [record]) : []
    },
  })
  assert.ok(results.every(({ status }) => status.result === 'pass'))
  return results.map(({ signingDomain }) => signingDomain ?? '')
}

test('mail of every domain is signed by that of the instance too, once, and the raw view shows the same bytes', async () => {
  await using mx = await startReceiver()
  await using world = await startSigning(mx)
  const owner = await world.newAccount()
  await world.verifiedDomain(INSTANCE, owner)
  await world.verifiedDomain('shop.example')
  const sent = await world.api.post('/api/v1/send', { ...MAIL, from: 'a@shop.example' })
  assert.equal(sent.status, 202, JSON.stringify(sent.body))
  await owner.api.post('/api/v1/send', { ...MAIL, from: `a@${INSTANCE}` })
  const messages = await mx.received(2)
  const [shop, own] = [`a@shop.example`, `a@${INSTANCE}`].map(
    (from) => messages.find(({ data }) => data.includes(`From: ${from}`))?.data ?? Buffer.alloc(0),
  )
  assert.deepEqual(await signers(world, shop ?? Buffer.alloc(0)), ['shop.example', INSTANCE])
  assert.deepEqual(await signers(world, own ?? Buffer.alloc(0)), [INSTANCE])
  const raw = await fetch(`${world.url}/api/v1/emails/${sent.body.data.email_id}/raw`, {
    headers: { 'x-api-key': world.account.apiKey },
  })
  assert.ok(Buffer.from(await raw.arrayBuffer()).equals(shop ?? Buffer.alloc(0)))
})

test('while nobody has verified the domain of the instance, mail goes out without its signature, and the doctor says so', async () => {
  await using mx = await startReceiver()
  await using world = await startSigning(mx)
  await world.verifiedDomain('shop.example')
  await world.api.post('/api/v1/customer/domains', { domain: INSTANCE })
  await world.api.post('/api/v1/send', { ...MAIL, from: 'a@shop.example' })
  const [first] = await mx.received(1)
  assert.deepEqual(await signers(world, first?.data ?? Buffer.alloc(0)), ['shop.example'])
  const state = async (): Promise<string | undefined> => {
    const { config, ground, database } = world.rooms
    const options = { config, ...ground, clock: ground.clock } as never
    return (await examineDatabase(database, options)).find(({ check }) => check === 'DKIM of the instance')?.state
  }
  assert.equal(await state(), 'fail')
  const owner = await world.newAccount()
  await world.verifiedDomain(INSTANCE, owner)
  assert.equal(await state(), 'ok')
  world.clock.advance(10_000)
  for (let count = 2; ; count++) {
    await world.api.post('/api/v1/send', { ...MAIL, from: 'a@shop.example' })
    const message = (await mx.received(count)).at(-1)
    const [, second] = await signers(world, message?.data ?? Buffer.alloc(0))
    if (second === INSTANCE) break
    assert.ok(count < 10, 'its signature does not come')
    await delay(200)
  }
})
