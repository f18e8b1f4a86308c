// What became of an email, and changes to it, by the client of another vendor.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Resend } from 'resend'
import { until } from '../world/accounts-fixture.ts'
import { FROM, startVendorWorld, type VendorWorld } from './world.ts'

let world: VendorWorld

before(async () => {
  world = await startVendorWorld()
})
after(() => world[Symbol.asyncDispose]())

const resend = (key = world.account.apiKey): Resend => new Resend(key, { baseUrl: world.url })

test('Resend: an email is read, put off and canceled by its own client', async () => {
  const to = world.fresh()
  const scheduledAt = new Date(world.clock.now().getTime() + 3_600_000).toISOString()
  const message = { from: FROM, to, cc: 'copy@shop.example', replyTo: 'answers@shop.example', subject: 'Later' }
  const tags = [
    { name: 'order', value: '7' },
    { name: 'category', value: 'receipt' },
  ]
  const { data: sent } = await resend().emails.send({ ...message, html: '<p>Hi</p>', text: 'Hi', tags, scheduledAt })
  const id = sent?.id ?? ''
  const { data: read } = await resend().emails.get(id)
  const ours = await world.email(id)
  assert.deepEqual(read, {
    object: 'email',
    id,
    message_id: `<${ours.message_id}>`,
    to: [to],
    from: FROM,
    created_at: ours.created_at,
    subject: 'Later',
    html: '<p>Hi</p>',
    text: 'Hi',
    bcc: [],
    cc: ['copy@shop.example'],
    reply_to: ['answers@shop.example'],
    last_event: 'scheduled',
    scheduled_at: scheduledAt,
    tags,
  })
  const { data: changed } = await resend().emails.update({ id, scheduledAt: 'in 2 hours' })
  assert.deepEqual(changed, { object: 'email', id })
  const later = new Date(Date.parse((await world.email(id)).scheduled_at)).getTime() - world.clock.now().getTime()
  assert.ok(later > 7_100_000 && later <= 7_200_000, String(later))
  const { data: canceled } = await resend().emails.cancel(id)
  assert.deepEqual(canceled, { object: 'email', id })
  assert.equal((await world.email(id)).status, 'canceled')
  assert.equal((await resend().emails.get(id)).data?.last_event, 'canceled')
})

test('Resend: what became of an email is its last event', async () => {
  const lastEvent = async (to: string, result: string): Promise<unknown> => {
    const { data } = await resend().emails.send({ from: FROM, to, subject: 's', text: 't' })
    const id = data?.id ?? ''
    await until(async () => (await world.email(id)).status === result)
    return (await resend().emails.get(id)).data?.last_event
  }
  assert.equal(await lastEvent(world.fresh(), 'delivered'), 'delivered')
  assert.equal(await lastEvent('bounce@sandbox.test', 'bounced'), 'bounced')
  assert.equal(await lastEvent('complain@sandbox.test', 'complained'), 'complained')
})

test("Resend: the calls for one email fail under Resend's names", async () => {
  const { data } = await resend().emails.send({ from: FROM, to: world.fresh(), subject: 's', text: 't' })
  const id = data?.id ?? ''
  await until(async () => (await world.email(id)).status === 'delivered')
  const unknown = '01a00000-0000-7000-8000-000000000000'
  const scheduledAt = new Date(world.clock.now().getTime() + 3_600_000).toISOString()
  const far = new Date(world.clock.now().getTime() + 31 * 86_400_000).toISOString()
  const other = await world.newAccount()
  const sendOnly = (await world.api.post('/api/v1/customer/api-keys', { name: 's', scopes: ['send'] })).body.data
  const cases: [Promise<{ readonly error: { statusCode: number | null; name: string } | null }>, number, string][] = [
    [resend().emails.get(unknown), 404, 'not_found'],
    [resend().emails.get('nonsense'), 422, 'invalid_parameter'],
    [resend('ph_live_nonsense').emails.get(id), 403, 'invalid_api_key'],
    [resend(sendOnly.key).emails.get(id), 401, 'restricted_api_key'],
    [resend(other.apiKey).emails.get(id), 404, 'not_found'],
    [resend(other.apiKey).emails.cancel(id), 404, 'not_found'],
    [resend(other.apiKey).emails.update({ id, scheduledAt }), 404, 'not_found'],
    [resend().emails.cancel(id), 409, 'validation_error'],
    [resend().emails.update({ id, scheduledAt }), 409, 'validation_error'],
    [resend().emails.update({ id, scheduledAt: 'tomorrow at 9' }), 422, 'validation_error'],
    [resend().emails.update({ id, scheduledAt: far }), 422, 'validation_error'],
    [resend().emails.update({ id: unknown, scheduledAt }), 404, 'not_found'],
  ]
  for (const [call, status, name] of cases) {
    const { error } = await call
    assert.deepEqual([error?.statusCode, error?.name], [status, name], JSON.stringify(error))
  }
})

test('Resend: without a category the first tag is the tag, also beside one whose name is a number', async () => {
  const tags = [
    { name: 'order', value: 'receipt' },
    { name: '2026', value: 'year' },
  ]
  const { data } = await resend().emails.send({ from: FROM, to: world.fresh(), subject: 'Hi', text: 'Hi', tags })
  const { tag, metadata } = await world.email(data?.id ?? '')
  assert.deepEqual([tag, metadata], ['receipt', { order: 'receipt', 2026: 'year' }])
})
