// From which domains live mail may be sent, and with which keys.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { statement } from '../src/platform/db.ts'
import { until } from './world/accounts-fixture.ts'
import { type Api, startWorld, type World } from './world/world.ts'

const SET_STATUS = statement('test_set_status', 'update sending_domain set status = $2 where id = $1')

let world: World
let ours: string
before(async () => {
  world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  ours = await world.verifiedDomain('ours.example')
  await world.verifiedDomain('theirs.example')
})
after(() => world[Symbol.asyncDispose]())

const mail = (from: string): object => ({ from, to: 'b@example.net', subject: 's', text: 't' })

async function answer(api: Api, from: string): Promise<readonly [number, string | undefined]> {
  const { status, body } = await api.post('/api/v1/send', mail(from))
  return [status, body.code]
}

test('a key that is bound to domains sends from these alone', async () => {
  const made = await world.api.post('/api/v1/customer/api-keys', { name: 'k', domain_ids: [ours] })
  const bound = world.apiWith(made.body.data.key)
  assert.deepEqual(await answer(bound, 'a@ours.example'), [202, undefined])
  assert.deepEqual(await answer(bound, 'a@theirs.example'), [403, 'sender_domain_not_allowed'])
  const messages = ['ours', 'theirs'].map((name) => mail(`a@${name}.example`))
  const { data } = (await bound.post('/api/v1/send/batch', { messages })).body
  assert.deepEqual(
    data.map((one: { success: boolean; error?: { code: string } }) => one.error?.code ?? one.success),
    [true, 'sender_domain_not_allowed'],
  )
  assert.deepEqual(await answer(world.api, 'a@theirs.example'), [202, undefined])
})

test('nothing is sent from a domain that the operator has suspended', async () => {
  const held = await world.verifiedDomain('held.example')
  const { system } = world.rooms.database
  for (const [domain, expected] of [
    ['suspended', [403, 'sender_domain_not_allowed']],
    ['verified', [202, undefined]],
  ] as const) {
    await system.execute(SET_STATUS, [held, domain])
    world.clock.advance(6_000)
    await until(async () => (await answer(world.api, 'a@held.example'))[0] === expected[0])
    assert.deepEqual(await answer(world.api, 'a@held.example'), expected)
  }
})
