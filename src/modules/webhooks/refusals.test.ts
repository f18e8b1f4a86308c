// The refusals of endpoints by an instance that calls nobody in private networks.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startWorld, type World } from '../../../test/world.ts'

const PATH = '/api/v1/customer/webhooks'

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
