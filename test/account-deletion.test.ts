// What the operator's endpoint for deleting an account answers, and what ends with its answer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from './world/accounts-fixture.ts'
import { everyDoor } from './world/every-endpoint.ts'
import { startWorld } from './world/world.ts'

const NO_ID = '0192f000-0000-7000-8000-00000000dead'
const SYSTEM_ID = '00000000-0000-0000-0000-000000000000'

test('an account is deleted once its address confirms it, and its keys, session and place in the lists end', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const headers = await everyDoor(world)
  const owner = await world.newAccount('Soon gone')
  const api = world.apiWith(null)
  const path = `/api/v1/operator/accounts/${owner.accountId}`
  const { email } = (await api.get(path, headers)).body.data
  const remove = (confirm: unknown, where = path) => api.post(`${where}/delete`, { confirm }, headers)

  for (const confirm of ['', 'someone@else.test', 7, undefined]) {
    const { status, body } = await remove(confirm)
    assert.deepEqual([status, body.details.fields[0].field], [422, 'confirm'], String(confirm))
  }
  for (const id of [NO_ID, SYSTEM_ID])
    assert.equal((await remove(email, `/api/v1/operator/accounts/${id}`)).status, 404, id)
  const ours = (await api.get('/api/v1/operator/accounts?search=operator@posthorn.test', headers)).body.data[0]
  const refused = await remove(ours.email, `/api/v1/operator/accounts/${ours.id}`)
  assert.deepEqual([refused.status, refused.body.code], [409, 'invalid_state'])
  assert.equal((await owner.api.get('/api/v1/emails')).status, 200)

  assert.equal((await api.post(`${path}/open`, undefined, headers)).status, 204)
  assert.equal((await remove(email.toUpperCase())).status, 204)
  assert.equal(
    (await api.get('/api/v1/session', headers)).body.data.acting,
    false,
    'who looked into it is at home again',
  )
  await until(async () => (await owner.api.get('/api/v1/emails')).status === 401)
  assert.equal((await api.get(path, headers)).status, 404)
  assert.equal((await remove(email)).status, 404)
  for (const verb of ['suspend', 'resume', 'open'])
    assert.equal((await api.post(`${path}/${verb}`, undefined, headers)).status, 404, verb)
  assert.deepEqual((await api.get(`/api/v1/operator/accounts?search=${owner.accountId}`, headers)).body.data, [])
  const { data: log } = (await api.get(`/api/v1/operator/actions?account_id=${owner.accountId}`, headers)).body
  assert.deepEqual(
    [log[0].action, log[0].operator, log[0].account_name],
    ['account.delete', 'operator@posthorn.test', null],
  )
})
