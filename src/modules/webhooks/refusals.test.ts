// The refusals of endpoints by an instance that calls nobody in private networks.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startWorld, type World } from '../../../test/world/world.ts'
import { statement } from '../../platform/db.ts'

const PATH = '/api/v1/customer/webhooks'
const QUEUE = statement(
  'test_queue',
  `insert into webhook_queue (id, account_id, webhook_id, event_id, event_at, event, due)
   select gen_random_uuid(), $1, $2, gen_random_uuid(), $4, 1, $4 from generate_series(1, $3)`,
)

let world: World
before(async () => {
  world = await startWorld({ settings: { POSTHORN_ROLES: 'api', POSTHORN_ALLOW_PRIVATE_NETWORKS: 'false' } })
})
after(() => world[Symbol.asyncDispose]())

const URLS = [
  ['http://hooks.example/', 'scheme', /https:\/\//],
  ['https://127.0.0.1/', 'private_address', /public internet/],
  ['https://localhost/', 'private_address', /public internet/],
  ['https://ann:secret@hooks.example/', 'userinfo', /no user and no password/],
  ['https://hooks.example:25/', 'port', /443, 8443/],
  ['nonsense', 'url', /absolute URL/],
] as const
for (const [url, rule, wanted] of URLS) {
  test(`an endpoint at ${url} is refused with the reason`, async () => {
    const { status, body } = await world.api.post(PATH, { url, events: ['*'] })
    assert.deepEqual([status, body.code, body.details.fields.length], [422, 'validation_error', 1])
    const [fault] = body.details.fields
    assert.deepEqual([fault.field, fault.rule], ['url', rule])
    assert.match(fault.message, wanted)
  })
}

test('a replay that is not possible says why', async () => {
  const { id } = (await world.api.post(PATH, { url: 'https://hooks.example/', events: ['*'] })).body.data
  await world.api.post(`${PATH}/${id}/test`)
  const [tried] = (await world.api.get(`${PATH}/${id}/deliveries`)).body.data
  const again = await world.api.post(`${PATH}/deliveries/${tried.id}/replay`)
  assert.deepEqual(
    [again.status, again.body.code, again.body.error],
    [409, 'invalid_state', 'A test is not delivered again'],
  )
  await world.api.put(`${PATH}/${id}`, { is_active: false })
  const period = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }
  const inactive = await world.api.post(`${PATH}/${id}/replay`, period)
  assert.deepEqual(
    [inactive.status, inactive.body.code, inactive.body.error],
    [409, 'invalid_state', 'The endpoint is not active'],
  )
})

test('a period is not replayed to an endpoint while 100,000 deliveries to it wait', async () => {
  const { id } = (await world.api.post(PATH, { url: 'https://hooks.example/', events: ['*'] })).body.data
  const now = world.clock.now()
  const queue = (deliveries: number): Promise<number> =>
    world.rooms.database.system.execute(QUEUE, [world.account.accountId, id, deliveries, now])
  const replay = () =>
    world.api.post(`${PATH}/${id}/replay`, { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' })
  await queue(99_999)
  assert.equal((await replay()).status, 200)
  await queue(1)
  const { status, body } = await replay()
  assert.deepEqual([status, body.code, body.details], [409, 'invalid_state', { limit: 100_000 }])
  assert.match(body.error, /wait/)
})
