// Preview and send judge alike: random pairs through the API, listed addresses, unverified and foreign senders included.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { startWorld, type World } from './world.ts'

const PREVIEW = '/api/v1/risk/preview'
const PAIRS = 60

let world: World
before(async () => {
  world = await startWorld()
  await world.verifiedDomain('good.example')
  await world.api.post('/api/v1/customer/domains', { domain: 'unproved.example' })
  await world.api.post('/api/v1/customer/suppressions', { email: 'listed@example.net', reason: 'manual' })
  await world.api.post('/api/v1/customer/unsubscribes', { email: 'gone@example.net' })
})
after(() => world[Symbol.asyncDispose]())

const mail = fc.record({
  to: fc.constantFrom(
    'a@example.net',
    'listed@example.net',
    'gone@example.net',
    'info@example.org',
    'deliver@sandbox.test',
  ),
  from: fc.constantFrom('x@good.example', 'x@unproved.example', 'x@foreign.example'),
  subject: fc.constantFrom('Your receipt', 'WIN $$$ NOW!!! Act fast', ''),
  text: fc.constantFrom('Thank you for your order.', 'You have won 1,000,000 dollars. Click here now: http://bit.ly/x'),
  is_bulk: fc.boolean(),
})

test('preview and send give the same decision and the same code', async () => {
  await fc.assert(
    fc.asyncProperty(mail, fc.boolean(), async (message, isSandboxKey) => {
      const api = isSandboxKey ? world.account.testApi : world.api
      const preview = await api.post(PREVIEW, message)
      const sent = await api.post('/api/v1/send', message)
      if (preview.status === 403) {
        assert.deepEqual([sent.status, sent.body.code], [403, preview.body.code])
        return
      }
      assert.equal(preview.status, 200, JSON.stringify(preview.body))
      assert.equal(sent.status, preview.body.would_block ? 422 : 202, JSON.stringify([preview.body, sent.body]))
      if (preview.body.would_block) assert.equal(sent.body.code, preview.body.reason_code)
      else assert.equal(sent.body.data.risk.action, preview.body.action)
    }),
    { numRuns: PAIRS },
  )
})

test('a preview costs one credit, a faulty one none, and statistics count them', async () => {
  const account = await world.newAccount('Counted')
  const empty = await account.api.get('/api/v1/risk/stats')
  assert.deepEqual([empty.status, empty.body.used, empty.body.average_score], [200, 0, null])
  const { status, body } = await account.api.post(PREVIEW, { to: 'a@example.net', subject: 'Hello' })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.action, body.reason_code, body.quota.used], ['block', 'sender_not_verified', 1])
  assert.deepEqual(body.data.breakdown, { recipient: 0, content: 0, sender: 75, behavior: 0 })
  const faulty = await account.api.post(PREVIEW, { to: 'nobody', unknown: 1 })
  assert.deepEqual(faulty.body.details.fields.map(({ field }: { field: string }) => field).sort(), [
    'subject',
    'to',
    'unknown',
  ])
  const stats = (await account.api.get('/api/v1/risk/stats')).body
  assert.deepEqual([stats.used, stats.total_previews, stats.by_action.block, stats.average_score], [1, 1, 1, 75])
  assert.deepEqual(stats.top_reason_codes, [{ reason_code: 'sender_not_verified', count: 1 }])
})

test('without from the sender is the oldest domain in use', async () => {
  const { body } = await world.api.post(PREVIEW, { to: 'a@example.net', subject: 'Hello' })
  assert.deepEqual([body.action, body.would_block], ['allow', false])
})

test('a content score costs one check and says what to mend', async () => {
  const account = await world.newAccount('Scored')
  const html = '<a href="http://evil.example/">www.bank.example.com</a>'
  const { status, body } = await account.api.post('/api/v1/content-score', { subject: 'Hello', html })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.status, body.usage.used, body.usage.limit, body.data.score], ['ok', 1, 1_000, body.score])
  assert.ok(
    body.matches.some(({ rule, location }: Record<string, string>) => rule === 'link_mismatch' && location === 'html'),
  )
  const long = await account.api.post('/api/v1/content-score', { subject: 'x'.repeat(1_001) })
  assert.deepEqual([long.status, long.body.code], [422, 'validation_error'])
})
