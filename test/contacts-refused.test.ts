// Contacts that complained or whose address bounced, after the account has removed the entry from the list.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { statement } from '../src/platform/db.ts'
import { untilBlocked } from './world/blocked.ts'
import { CONTACTS } from './world/contacts-world.ts'
import { type Reply, startWorld } from './world/world.ts'

const HOUR_MS = 3_600_000

const CONFIRM = statement('test_contacts_confirm', "update contact set status = 'subscribed' where id = $1")
const HOLD = statement('test_contacts_hold', 'select id from contact where id = $1 for update')
const DELIVERED = statement('test_contacts_delivered', 'update email set status = 3 where id = $1')

// Nothing is delivered: a domain that does not exist would bounce the mail in the midst of a story.
const world = await startWorld({ settings: { POSTHORN_ROLES: 'api,worker,tracking' } })
after(() => world[Symbol.asyncDispose]())
await world.verifiedDomain('shop.example')

/** A contact that was asked by a live mail, with its link. */
async function asked(email: string): Promise<{ id: string; emailId: string; link: string }> {
  const made = await world.api.post(CONTACTS, { email })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const [mail] = (await world.api.get(`/api/v1/emails?recipient=${email}`)).body.data
  const { text } = (await world.api.get(`/api/v1/emails/${mail.id}`)).body.data
  const [link] = /http\S+\/confirm\/\S+/.exec(text) ?? []
  assert.ok(link !== undefined)
  return { id: made.body.data.id, emailId: mail.id, link: world.url + new URL(link).pathname }
}

/** Reports what became of the mail, and removes the entry that this made. */
async function report(kind: 'bounces' | 'complaints', body: { email_id: string }, email: string): Promise<void> {
  await world.rooms.database.system.execute(DELIVERED, [body.email_id])
  const { status, body: answer } = await world.api.post(`/api/v1/inbound/${kind}`, body)
  assert.deepEqual([status, answer.data.suppressed], [202, true], JSON.stringify(answer))
  assert.equal((await world.api.delete(`/api/v1/customer/suppressions/${email}`)).status, 200)
}

const shown = async (id: string): Promise<Reply['body']> => (await world.api.get(`${CONTACTS}/${id}`)).body.data

test('a contact that complained stays so when the entry is removed: its link subscribes nobody, and it is not asked again', async () => {
  const email = 'angry@reader.example'
  const { id, emailId, link } = await asked(email)
  await report('complaints', { email_id: emailId }, email)
  assert.deepEqual([(await shown(id)).status, (await shown(id)).suppressed], ['complained', false])
  for (const method of ['GET', 'POST']) assert.equal((await fetch(link, { method })).status, 409, method)
  assert.equal((await shown(id)).confirmed_at, null)
  assert.equal((await world.api.get('/api/v1/events?event=contact.confirmed')).body.data.length, 0)
  const listed = (await world.api.get(`${CONTACTS}?status=complained`)).body.data as { id: string }[]
  assert.deepEqual(
    listed.map((one) => one.id),
    [id],
  )
  world.clock.advance(HOUR_MS)
  const again = await world.api.post(`${CONTACTS}/${id}/resend-confirmation`)
  assert.deepEqual([again.status, again.body.code, again.body.details.status], [409, 'invalid_state', 'complained'])
})

test('a contact whose hard bounce was removed is asked again with override_soft_block, on creation too', async () => {
  const email = 'back@reader.example'
  const { id, emailId, link } = await asked(email)
  await report('bounces', { email_id: emailId, type: 'hard' } as { email_id: string }, email)
  assert.equal((await shown(id)).status, 'pending_confirmation')
  world.clock.advance(HOUR_MS)
  const resend = `${CONTACTS}/${id}/resend-confirmation`
  for (const body of [{}, { override_soft_block: false }, { override_soft_block: null }]) {
    const refused = await world.api.post(resend, body)
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.details.overridable],
      [422, 'previous_hard_bounce', true],
    )
  }
  const sent = await world.api.post(resend, { override_soft_block: true })
  assert.deepEqual([sent.status, sent.body.data?.resend_count], [200, 1], JSON.stringify(sent.body))
  assert.equal((await world.api.delete(`${CONTACTS}/${id}`)).status, 200)
  assert.equal((await world.api.post(CONTACTS, { email })).body.code, 'previous_hard_bounce')
  const made = await world.api.post(CONTACTS, { email, override_soft_block: true })
  assert.deepEqual([made.status, made.body.data?.confirmation_sent_at !== null], [201, true], JSON.stringify(made.body))
  assert.equal((await fetch(link, { method: 'POST' })).status, 404)
})

test('who unsubscribes while a click on the link is under way is not confirmed by it', async () => {
  const { database } = world.rooms
  const email = 'no@reader.example'
  const { id, link } = await asked(email)
  const clicked = await database.transaction(async (db) => {
    await db.query(HOLD, [id])
    const click = fetch(link, { method: 'POST' })
    await untilBlocked(database, 1)
    assert.equal((await world.api.post('/api/v1/customer/unsubscribes', { email })).status, 201)
    return { click }
  })
  assert.equal((await clicked.click).status, 409)
  assert.deepEqual([(await shown(id)).status, (await shown(id)).confirmed_at], ['unsubscribed', null])
})

test('who confirms while they are asked again gets no further mail', async () => {
  const { database } = world.rooms
  const email = 'yes@reader.example'
  const { id } = await asked(email)
  const { again } = await database.transaction(async (db) => {
    await db.execute(CONFIRM, [id])
    const again = world.api.post(`${CONTACTS}/${id}/resend-confirmation`)
    await untilBlocked(database, 1)
    return { again }
  })
  const refused = await again
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.details?.status],
    [409, 'invalid_state', 'subscribed'],
  )
  assert.equal((await world.api.get(`/api/v1/emails?recipient=${email}`)).body.data.length, 1)
})
