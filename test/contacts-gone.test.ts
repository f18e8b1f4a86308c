// Contacts that went: who unsubscribed and asks to come back, and who asked to be forgotten.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { mayWeSend } from '../src/modules/suppression/index.ts'
import { CONTACTS, startContacts } from './contacts-world.ts'
import type { Reply } from './world.ts'

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
  await owner.api.post(UNSUBSCRIBES, { email })
  return { id, email }
}

test('who unsubscribed and signs up again is asked, is mailed nothing else meanwhile, and comes back by the new link', async () => {
  const { id, email } = await unsubscribed()
  const gone = await shown(id)
  assert.ok(gone.status === 'unsubscribed' && gone.unsubscribed_at !== null)
  const asked = await askBack(id)
  assert.equal(asked.status, 200, JSON.stringify(asked.body))
  const { status, consent, source, earlier_consents: earlier } = asked.body.data
  assert.deepEqual([status, source, consent.consent_text], ['pending_confirmation', 'footer', NEW.consent_text])
  assert.deepEqual(earlier, [
    {
      source: 'shop',
      ...OLD,
      confirmed_at: null,
      confirmed_ip: null,
      confirmed_user_agent: null,
      unsubscribed_at: gone.unsubscribed_at,
    },
  ])
  const link = await linkTo(email)
  assert.equal((await mailsTo(email)).length, 1, 'the mail that asks passes the list')
  assert.equal((await send(email)).body.code, 'recipient_unsubscribed')
  assert.equal((await owner.api.get(`${UNSUBSCRIBES}?search=${email}`)).body.pagination.total, 1)
  assert.match(await (await fetch(link)).text(), /Yes, I want it/)
  assert.equal((await press(link)).status, 200)
  const back = await shown(id)
  assert.equal(back.status, 'subscribed')
  assert.ok(back.confirmed_at > gone.unsubscribed_at && back.unsubscribed_at === gone.unsubscribed_at)
  assert.equal((await owner.api.get(`${UNSUBSCRIBES}?search=${email}`)).body.pagination.total, 0)
  assert.equal((await send(email)).status, 202)
  const { body } = await owner.api.get(`${CONTACTS}/export`)
  const line = body.split('\r\n').find((one: string) => one.startsWith(`${email},`))
  assert.ok(
    line.includes('Weekly news') && line.includes(NEW.consent_text) && line.includes(gone.unsubscribed_at),
    line,
  )
})

test('asking back needs a new consent and an unsubscribe, goes once a week, and a link from before does not do it', async () => {
  const { id, email } = await unsubscribed()
  assert.deepEqual((await askBack(id, {})).body.code, 'invalid_state')
  const bare = await askBack(id, { source: 'footer' })
  assert.deepEqual([bare.status, bare.body.details.fields[0].field], [422, 'consent'])
  assert.equal((await askBack(id)).status, 200)
  const first = await linkTo(email)
  assert.equal((await askBack(id)).body.code, 'invalid_state', 'pending: it is asked once more without a new consent')
  await owner.api.post(UNSUBSCRIBES, { email })
  assert.equal((await shown(id)).status, 'unsubscribed', 'whoever says no once more is asked no longer')
  assert.deepEqual([(await fetch(first)).status, (await press(first)).status], [409, 409])
  assert.equal((await askBack(id)).status, 429)
  await later(7 * DAY_MS - HOUR_MS)
  assert.equal((await askBack(id)).status, 429)
  await later(HOUR_MS)
  assert.equal((await askBack(id)).status, 200)
  assert.equal((await mailsTo(email)).length, 2)
  assert.equal((await press(first)).status, 409)
  assert.equal((await shown(id)).status, 'pending_confirmation')
  await later(HOUR_MS)
  assert.equal((await askBack(id, {})).status, 200, 'and once more, as any that is pending')
  assert.equal((await mailsTo(email)).length, 3)
})

test('a no while the mail that asks back waits stops it too, and complaints and bounces are not asked back', async () => {
  const { id, email } = await unsubscribed()
  assert.equal((await askBack(id)).status, 200)
  const [{ id: emailId }] = (await owner.api.get(`/api/v1/emails?recipient=${email}`)).body.data
  const passes = async (ask: object): Promise<boolean> => {
    const whole = { accountId: owner.accountId, recipient: email, sandbox: false, ...ask }
    return (await mayWeSend(world.rooms.database.system, [whole], world.clock.now()))[0] === null
  }
  assert.deepEqual([await passes({ emailId }), await passes({ emailId: id }), await passes({})], [true, false, false])
  await owner.api.post(UNSUBSCRIBES, { email })
  assert.equal(await passes({ emailId }), false)
  for (const reason of ['complaint', 'hard_bounce', 'manual']) {
    const one = await unsubscribed()
    await owner.api.post('/api/v1/customer/suppressions', { email: one.email, reason })
    const refused = await askBack(one.id)
    assert.ok([409, 422].includes(refused.status), `${reason} ${refused.status}`)
    assert.equal((await mailsTo(one.email)).length, 0)
    assert.deepEqual((await shown(one.id)).earlier_consents, [])
  }
})

test('an unsubscribe that the account lifts leaves the contact with when it was withdrawn', async () => {
  const { id, email } = await unsubscribed()
  const { unsubscribed_at: at } = await shown(id)
  await owner.api.delete(`${UNSUBSCRIBES}/${email}`)
  const { status, unsubscribed_at: kept, consent } = await shown(id)
  assert.deepEqual([status, kept, consent.timestamp], ['subscribed', at, OLD.timestamp])
  assert.equal((await shown((await added({ email: fresh(), double_opt_in: false })).id)).unsubscribed_at, null)
})

test('a suppression by hand says nothing of what the person wants', async () => {
  const email = fresh()
  const { id } = await added({ email, double_opt_in: false })
  await owner.api.post('/api/v1/customer/suppressions', { email })
  assert.deepEqual([(await shown(id)).status, (await shown(id)).suppressed], ['subscribed', true])
  await owner.api.post(UNSUBSCRIBES, { email })
  assert.equal((await shown(id)).status, 'unsubscribed')
})

test('an erased person is in no list, and is not mailed when imported again', async () => {
  const email = fresh()
  const contact = await added({ email, double_opt_in: false })
  await owner.api.post('/api/v1/customer/unsubscribes', { email, reason: 'enough' })
  await owner.api.delete(`/api/v1/customer/unsubscribes/${email}`)
  await owner.api.post('/api/v1/customer/unsubscribes', { email })
  const erased = await owner.api.delete(`${CONTACTS}/${contact.id}?erase=true`)
  assert.deepEqual(
    [erased.status, erased.body.data],
    [200, { id: contact.id, deleted: true, erased: true, emails_canceled: 0, emails_kept_days: 90 }],
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

test('a mail that waits for whom is erased is canceled, and the answer tells how long what was sent is kept', async () => {
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
  assert.deepEqual([erased.body.data.emails_canceled, erased.body.data.emails_kept_days], [1, 90])
  await later(HOUR_MS + 60_000)
  assert.equal((await mailsTo(email)).length, 0)
  const { body } = await owner.api.get(`/api/v1/emails/${sent.body.data.email_id}`)
  assert.equal(body.data.status, 'canceled')
  const events = await owner.api.get(`/api/v1/events?event=email.canceled&email_id=${sent.body.data.email_id}`)
  assert.equal(events.body.data.length, 1)
})
