// Quotas and rates as a client of the API meets them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setLimits } from '../src/modules/accounts/index.ts'
import { startWorld } from './world.ts'

const MAIL = { from: 'a@shop.example', to: 'b@example.net', subject: 'Hi', text: 'Hi' }

test('of 100 sends at once with one credit left one succeeds, and a refused call costs nothing', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'relay:127.0.0.1:9' } })
  await world.verifiedDomain('shop.example')
  const { api, operator, account } = world
  await setLimits(operator, account.accountId, { emails: 1 })
  const used = async () => (await api.get('/api/v1/customer/limits')).body.data.usage.emails.used
  const refused = await api.post('/api/v1/send', { ...MAIL, to: 'no address' })
  assert.equal(refused.status, 422)
  assert.equal(await used(), 0)
  const answers = await Promise.all(Array.from({ length: 100 }, () => api.post('/api/v1/send', MAIL)))
  assert.equal(answers.filter(({ status }) => status === 202).length, 1)
  assert.equal(answers.filter(({ body }) => body.code === 'quota_exceeded').length, 99)
  assert.equal(await used(), 1)
})

test('20 calls pass at once, the 21st is told when to come back', async () => {
  await using world = await startWorld({ settings: { POSTHORN_RATE_LIMITS: 'on' } })
  const answers = await Promise.all(Array.from({ length: 25 }, () => world.api.get('/api/v1/customer/domains')))
  const passed = answers.filter(({ status }) => status === 200).length
  assert.ok(passed >= 20 && passed <= 23, `${passed} passed`)
  const late = answers.find(({ status }) => status === 429)
  assert.deepEqual(late?.body.details, { limit: 20, window_seconds: 2, retry_after: 1 })
})
