import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '../../../test/world/world.ts'

const PATH = '/api/v1/customer/webhooks'

test('an endpoint whose domain was deleted can be written back as it was read, and does not widen', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const account = await world.newAccount()
  const other = await world.newAccount()
  const kept = await world.verifiedDomain('kept.example', account)
  const gone = await world.verifiedDomain('gone.example', account)
  const all = { url: 'http://x.test/hook', events: ['*'] }
  const { id } = (await account.api.post(PATH, { ...all, domain_ids: [kept, gone] })).body.data
  assert.equal((await account.api.delete(`/api/v1/customer/domains/${gone}`)).status, 200)
  const { name, url, events, domain_ids, is_active } = (await account.api.get(`${PATH}/${id}`)).body.data
  assert.deepEqual(domain_ids, [kept, gone])
  const written = await account.api.put(`${PATH}/${id}`, { name, url, events, domain_ids, is_active })
  assert.deepEqual([written.status, written.body.data.domain_ids], [200, [kept, gone]])
  assert.equal((await other.api.post(PATH, all)).status, 201)
  const foreign = await other.api.post(PATH, { ...all, domain_ids: [gone] })
  assert.equal(foreign.status, 422)
  assert.equal((await account.api.put(`${PATH}/${id}`, { domain_ids: [kept] })).status, 200)
  const again = await account.api.put(`${PATH}/${id}`, { domain_ids: [kept, gone] })
  assert.equal(again.status, 422, 'no endpoint has it any more')
})
