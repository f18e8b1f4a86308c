// The sandbox inbox through the front door.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld, type World } from './world.ts'

const MAIL = { from: 'Shop <a@shop.example>', to: 'bob@example.net', subject: 'Grüße', html: '<p>Hello</p>' }

async function events(world: World, id: string): Promise<string[]> {
  const { body } = await world.api.get(`/api/v1/emails/${id}`)
  return body.data.events.map(({ event }: { event: string }) => event)
}

test('sandbox mail stands in the inbox of the account, for its keys alone', async () => {
  await using world = await startWorld()
  const { testApi } = world.account
  const sent = await testApi.post('/api/v1/send', { ...MAIL, from: 'you@example.com', to: 'bounce@sandbox.test' })
  const id = sent.body.data.email_id
  let list = await world.api.get(`/api/v1/inbox?email_id=${id}`)
  for (let tries = 0; list.body.pagination.total === 0 && tries < 2_400; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 25))
    list = await world.api.get(`/api/v1/inbox?email_id=${id}`)
  }
  assert.equal(list.body.pagination.total, 1)
  const [mail] = list.body.data
  assert.deepEqual([mail.from, mail.to, mail.subject], ['you@example.com', 'bounce@sandbox.test', 'Grüße'])
  const since = async (from: string): Promise<number> =>
    (await testApi.get(`/api/v1/inbox?from=${from}`)).body.pagination.total
  assert.equal(await since(mail.received_at), 1)
  assert.equal(await since('2999-01-01T00:00:00Z'), 0)
  assert.equal((await testApi.get('/api/v1/inbox?from=yesterday')).body.details.parameter, 'from')
  const one = await testApi.get(`/api/v1/inbox/${mail.id}`)
  assert.equal(one.body.data.html.trim(), '<p>Hello</p>')
  assert.equal(one.body.data.text.trim(), 'Hello')
  const raw = await testApi.get(`/api/v1/inbox/${mail.id}/raw`)
  assert.equal(raw.headers.get('content-type'), 'message/rfc822')
  assert.deepEqual(await events(world, id), ['email.sent', 'email.bounced'])
  const other = await world.newAccount()
  assert.equal((await other.api.get('/api/v1/inbox')).body.pagination.total, 0)
  assert.equal((await other.api.get(`/api/v1/inbox/${mail.id}`)).status, 404)
  assert.equal((await other.api.delete(`/api/v1/inbox/${mail.id}`)).status, 404)
  assert.equal((await world.api.get('/api/v1/inbox?email_id=x')).status, 400)
  assert.equal((await world.apiWith(null).get('/api/v1/inbox')).status, 401)
  assert.equal((await world.api.delete(`/api/v1/inbox/${mail.id}`)).status, 200)
  assert.equal((await world.api.get(`/api/v1/inbox/${mail.id}/raw`)).status, 404)
  assert.equal((await world.api.delete('/api/v1/inbox')).body.data.deleted, 0)
})

test('the inbox page runs its own script and nothing else', async () => {
  await using world = await startWorld()
  for (const where of ['/', '/inbox']) {
    const page = await world.apiWith(null).get(where)
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'sha256-/)
    assert.match(page.body, /sandbox=""/)
  }
})
