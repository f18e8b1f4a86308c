// What a list shows as the time of an entry is the time its `from` and `to` go by.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from './world/world.ts'

const MAIL = { from: 'a@shop.example', to: ['b@example.net', 'c@example.net'], subject: 's' }
/** Enough work that the last emails of the call get their ids well after it was accepted. */
const HTML = '<p>One <a href="https://shop.example/">link</a> of many</p>'.repeat(2_000)

test('from includes and to excludes the time that an email and its content event show', async () => {
  await using world = await startWorld()
  const { testApi } = world.account
  const sent = await testApi.post('/api/v1/send/batch', { messages: Array(50).fill({ ...MAIL, html: HTML }) })
  assert.equal(sent.body.summary.accepted, 50, JSON.stringify(sent.body))
  for (const path of ['/api/v1/emails', '/api/v1/content-events']) {
    const idsOf = async (query: string): Promise<string[]> => {
      const { body } = await testApi.get(`${path}?limit=1000&${query}`)
      return body.data.map(({ id }: { id: string }) => id)
    }
    const { body } = await testApi.get(`${path}?limit=1000`)
    const times = new Map<string, string>(
      body.data.map(({ id, created_at }: { id: string; created_at: string }) => [id, created_at]),
    )
    const inOrder = [...times.values()]
    assert.deepEqual(inOrder, inOrder.toSorted().reverse(), 'newest first')
    for (const at of [inOrder.at(-1), inOrder[50], inOrder[0]]) {
      assert.ok(at !== undefined)
      const since = [...times].filter(([, time]) => time >= at).map(([id]) => id)
      const until = [...times].filter(([, time]) => time < at).map(([id]) => id)
      assert.deepEqual(await idsOf(`from=${at}`), since, `${path} from ${at}`)
      assert.deepEqual(await idsOf(`to=${at}`), until, `${path} to ${at}`)
      const next = new Date(Date.parse(at) + 1).toISOString()
      assert.deepEqual(
        await idsOf(`from=${next}`),
        since.filter((id) => times.get(id) !== at),
        `${path} after ${at}`,
      )
    }
  }
})

test('a time with any offset from UTC is taken for the moment that it means', async () => {
  await using world = await startWorld()
  const { testApi } = world.account
  const lists = ['emails', 'events', 'content-events', 'customer/bounces'].map((name) => `/api/v1/${name}`)
  for (const path of lists) {
    for (const query of ['from=2026-01-01T23:00:00%2B23:00', 'to=2026-01-01T01:00:00-20:30']) {
      const { status, body } = await testApi.get(`${path}?${query}`)
      assert.equal(status, 200, `${path}?${query} ${JSON.stringify(body)}`)
    }
  }
})
