// Contacts that left: people who unsubscribed and want to come back, and people who asked to be erased.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CONTACTS, startContacts } from './world/contacts-world.ts'
import type { Reply } from './world/world.ts'

const UNSUBSCRIBES = '/api/v1/customer/unsubscribes'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const OLD = {
  source_url: 'https://shop.example/2023',
  consent_text: 'Weekly news',
  timestamp: '2023-05-06T07:08:09.000Z',
}
const NEW = { source_url: 'https://shop.example/signup', consent_text: 'News again, please' }

const { world, owner, later, fresh, added, mailsTo, linkTo, press } = await startContacts()
after(() => world[Symbol.asyncDispose]())

const shown = async (id: string): Promise<Reply['body']> => (await owner.api.get(`${CONTACTS}/${id}`)).body.data
const askBack = (id: string, body: object = { consent: NEW, source: 'footer' }): Promise<Reply> =>
  owner.api.post(`${CONTACTS}/${id}/resend-confirmation`, body)
const send = (to: string): Promise<Reply> =>
  owner.api.post('/api/v1/send', { from: 'a@shop.example', to, subject: 's', text: 't' })

async function unsubscribed(): Promise<{ id: string; email: string }> {
  const email = fresh()
  const { id } = await added({ email, consent: OLD, source: 'shop', double_opt_in: false })
  world.clock.advance(1_000)
  await owner.api.post(UNSUBSCRIBES, { email })
  return { id, email }
}

/** An unsubscribed contact that the account took off the list, as when the person fills in the form again. */
async function lifted(): Promise<{ id: string; email: string }> {
  const person = await unsubscribed()
  assert.equal((await owner.api.delete(`${UNSUBSCRIBES}/${person.email}`)).status, 200)
  return person
}

test('an unsubscribed contact gets no confirmation mail while the list has them', async () => {
  const { id, email } = await unsubscribed()
  const asked = await askBack(id)
  assert.deepEqual([asked.status, asked.body.code, asked.body.details.status], [409, 'invalid_state', 'unsubscribed'])
  assert.equal((await mailsTo(email)).length, 0)
  assert.deepEqual((await shown(id)).earlier_consents, [])
})

test('who has subscribed since they left is not asked again', async () => {
  const { id, email } = await lifted()
  assert.equal((await owner.api.delete(`${CONTACTS}/${id}`)).status, 200)
  world.clock.advance(1_000)
  const back = await added({ email, double_opt_in: false })
  assert.deepEqual([back.status, back.unsubscribed_at !== null], ['subscribed', true])
  const asked = await askBack(back.id)
  assert.deepEqual([asked.status, asked.body.code, asked.body.details?.status], [409, 'invalid_state', 'subscribed'])
  assert.equal((await mailsTo(email)).length, 0)
})

test('a contact taken off the list is asked again, and the earlier consent and its withdrawal stay on record', async () => {
  const { id, email } = await lifted()
  const { unsubscribed_at: withdrawn } = await shown(id)
  assert.notEqual(withdrawn, null)
  const asked = await askBack(id)
  assert.equal(asked.status, 200, JSON.stringify(asked.body))
  const { status, consent, source, earlier_consents: earlier } = asked.body.data
  assert.deepEqual([status, source, consent.consent_text], ['pending_confirmation', 'footer', NEW.consent_text])
  const before = { confirmed_at: null, confirmed_ip: null, confirmed_user_agent: null }
  assert.deepEqual(earlier, [{ source: 'shop', ...OLD, ...before, unsubscribed_at: withdrawn }])
  const link = await linkTo(email)
  assert.match(await (await fetch(link)).text(), /Yes, I want it/)
  assert.equal((await press(link)).status, 200)
  const back = await shown(id)
  assert.equal(back.status, 'subscribed')
  assert.ok(back.confirmed_at > withdrawn && back.unsubscribed_at === withdrawn)
  const { body } = await owner.api.get(`${CONTACTS}/export`)
  const line = body.split('\r\n').find((one: string) => one.startsWith(`${email},`))
  assert.ok(line.includes('Weekly news') && line.includes(NEW.consent_text) && line.includes(withdrawn), line)
  const other = await world.newAccount('Other')
  const file = `${body.split('\r\n')[0]}\r\n${line}\r\n`
  const moved = await other.api.post(`${CONTACTS}/import?double_opt_in=false`, file, { 'content-type': 'text/csv' })
  assert.deepEqual([moved.body.data?.imported, moved.body.data?.errors], [1, []], 'who came back is a subscriber')
  assert.equal((await askBack(id)).body.code, 'invalid_state', 'the consent stands')
})

test('asking again needs a new consent, goes once a week, and an old link does not confirm it', async () => {
  const { id, email } = await lifted()
  assert.deepEqual((await askBack(id, {})).body.code, 'invalid_state')
  const bare = await askBack(id, { source: 'footer' })
  assert.deepEqual([bare.status, bare.body.details.fields[0].field], [422, 'consent'])
  assert.equal((await askBack(id)).status, 200)
  const first = await linkTo(email)
  assert.equal((await askBack(id)).body.code, 'invalid_state', 'pending: it is asked once more without a new consent')
  assert.equal((await press(first)).status, 200)
  world.clock.advance(1_000)
  await owner.api.post(UNSUBSCRIBES, { email })
  assert.deepEqual([(await fetch(first)).status, (await press(first)).status], [409, 409])
  await owner.api.delete(`${UNSUBSCRIBES}/${email}`)
  assert.equal((await askBack(id)).status, 429)
  await later(7 * DAY_MS - HOUR_MS)
  assert.equal((await askBack(id)).status, 429)
  await later(HOUR_MS)
  assert.equal((await askBack(id)).status, 200)
  assert.equal((await mailsTo(email)).length, 2)
  assert.ok([409, 410].includes((await press(first)).status))
  assert.equal((await shown(id)).status, 'pending_confirmation')
  await later(HOUR_MS)
  assert.equal((await askBack(id, {})).status, 200, 'and once more, as any that is pending')
  assert.equal((await mailsTo(email)).length, 3)
})

test('who is asked again by several at once gets one mail, and a link from before they left does not confirm it', async () => {
  const email = fresh()
  const { id } = await added({ email, consent: OLD })
  const before = await linkTo(email)
  assert.equal((await press(before)).status, 200)
  world.clock.advance(1_000)
  await owner.api.post(UNSUBSCRIBES, { email })
  await owner.api.delete(`${UNSUBSCRIBES}/${email}`)
  world.clock.advance(1_000)
  const asked = await Promise.all([askBack(id), askBack(id), askBack(id)])
  assert.deepEqual(asked.map(({ status }) => status).sort(), [200, 409, 409])
  assert.equal((await mailsTo(email)).length, 2, 'the first one and one more')
  assert.deepEqual([(await fetch(before)).status, (await press(before)).status], [409, 409])
  assert.equal((await shown(id)).status, 'pending_confirmation')
  assert.equal((await press(await linkTo(email))).status, 200)
})

test('contacts with a complaint, a bounce or a suppression by the account are not asked again', async () => {
  for (const reason of ['complaint', 'hard_bounce', 'manual']) {
    const { id, email } = await lifted()
    await owner.api.post('/api/v1/customer/suppressions', { email, reason })
    const refused = await askBack(id)
    assert.ok([409, 422].includes(refused.status), `${reason} ${refused.status}`)
    assert.equal((await mailsTo(email)).length, 0)
    assert.deepEqual((await shown(id)).earlier_consents, [])
  }
})

test('a contact keeps the time of withdrawal when the account lifts the unsubscribe', async () => {
  const { id, email } = await unsubscribed()
  const { unsubscribed_at: at } = await shown(id)
  await owner.api.delete(`${UNSUBSCRIBES}/${email}`)
  const { status, unsubscribed_at: kept, consent } = await shown(id)
  assert.deepEqual([status, kept, consent.timestamp], ['subscribed', at, OLD.timestamp])
  assert.equal((await shown((await added({ email: fresh(), double_opt_in: false })).id)).unsubscribed_at, null)
})

test('a manual suppression is not taken for the wish of the person', async () => {
  const email = fresh()
  const { id } = await added({ email, double_opt_in: false })
  await owner.api.post('/api/v1/customer/suppressions', { email })
  assert.deepEqual([(await shown(id)).status, (await shown(id)).suppressed], ['subscribed', true])
  await owner.api.post(UNSUBSCRIBES, { email })
  assert.equal((await shown(id)).status, 'unsubscribed')
})

test('an erased person stands in no list, and is not mailed when imported again', async () => {
  const email = fresh()
  const contact = await added({ email, double_opt_in: false })
  await owner.api.post('/api/v1/customer/unsubscribes', { email, reason: 'enough' })
  await owner.api.delete(`/api/v1/customer/unsubscribes/${email}`)
  await owner.api.post('/api/v1/customer/unsubscribes', { email })
  const erased = await owner.api.delete(`${CONTACTS}/${contact.id}?erase=true`)
  assert.deepEqual(
    [erased.status, erased.body.data],
    [200, { id: contact.id, deleted: true, erased: true, emails_canceled: 0, erasure_id: erased.body.data.erasure_id }],
  )
  assert.equal((await owner.api.get(`/api/v1/customer/unsubscribes?search=${email}`)).body.pagination.total, 0)
  const kept = await world.rooms.database.system.query<{ found: string }>({
    name: '',
    text: `select query_to_xml(format('select * from %s x where x::text like %L', c.oid::regclass, '%${email}%'),
             true, true, '')::text as found
           from pg_class c where c.relnamespace = 'posthorn'::regnamespace and c.relkind = 'r'
             and c.relname in ('contact', 'suppression', 'unsubscribe', 'soft_bounce', 'past_refusal', 'list_removal', 'erased_address',
               'confirmation_mail')`,
  })
  assert.ok(kept.length === 8 && kept.every(({ found }) => !found.includes(email)))
  const again = await added({ email, double_opt_in: false })
  assert.equal(again.status, 'unsubscribed')
  const sent = await send(email)
  assert.deepEqual([sent.status, sent.body.code], [422, 'recipient_unsubscribed'])
  const other = await world.newAccount('Not theirs')
  const theirs = await other.testApi.post('/api/v1/send', { from: 'a@b.example', to: email, subject: 's', text: 't' })
  assert.equal(theirs.status, 202, 'each account has its own lists')
  assert.equal((await owner.api.delete(`/api/v1/customer/unsubscribes/${email}`)).status, 200)
  assert.equal((await send(email)).status, 202, 'until somebody who names the address takes it off')
})

test('erasing a contact cancels its waiting mail, and the answer names the erasure', async () => {
  const email = fresh()
  const contact = await added({ email, double_opt_in: false })
  const at = new Date(world.clock.now().getTime() + HOUR_MS).toISOString()
  const sent = await owner.api.post('/api/v1/send', {
    from: 'a@shop.example',
    to: email,
    subject: 's',
    text: 't',
    scheduled_at: at,
  })
  assert.equal(sent.status, 202)
  const erased = await owner.api.delete(`${CONTACTS}/${contact.id}?erase=true`)
  const { emails_canceled: canceled, erasure_id: erasure } = erased.body.data
  assert.equal(canceled, 1)
  assert.equal((await owner.api.get(`/api/v1/customer/erasures/${erasure}`)).body.data.email, email)
  await later(HOUR_MS + 60_000)
  assert.equal((await mailsTo(email)).length, 0)
  const { body } = await owner.api.get(`/api/v1/emails/${sent.body.data.email_id}`)
  assert.equal(body.data.status, 'canceled')
  const events = await owner.api.get(`/api/v1/events?event=email.canceled&email_id=${sent.body.data.email_id}`)
  assert.equal(events.body.data.length, 1)
})
