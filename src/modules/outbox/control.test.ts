// Steering an email by hand, as it is between and after its attempts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCOUNT, type House, house } from '../../../test/delivery-house.ts'
import { statement } from '../../platform/db.ts'
import { cancelEmail, retryEmail } from './index.ts'

const HOUR = 3_600_000
const ZONE = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.2'] } }
const UNLIST = statement('test_unlist', 'delete from suppression')
const UNSUBSCRIBE = statement(
  'test_unsubscribe',
  `insert into unsubscribe (id, account_id, email, source, created_at) values ($1, $2, $3, 'api', now())`,
)

const retry = (h: House, id: string): Promise<void> => retryEmail({ ...h, onQueued: () => undefined }, ACCOUNT, id)
const cancel = (h: House, id: string): Promise<void> => cancelEmail({ ...h, onQueued: () => undefined }, ACCOUNT, id)

test('a deferred email that is tried again is due now, and shows it', async () => {
  await using h = await house(ZONE)
  const mx = await h.receiver('127.0.0.2', { rcpt: '451 4.2.0 try again later' })
  const id = await h.put('bob@example.net')
  await h.delivery.turn()
  const before = h.clock.now()
  assert.ok(((await h.story(id)).email.next_attempt_at ?? before) > before)
  await retry(h, id)
  const { email } = await h.story(id)
  assert.equal(await h.status(id), 'deferred')
  assert.ok(email.next_attempt_at !== null && email.next_attempt_at >= before && email.next_attempt_at <= h.clock.now())
  mx.script({ rcpt: 'default' })
  await h.delivery.turn()
  assert.equal(await h.status(id), 'delivered')
})

for (const sandbox of [false, true]) {
  test(`a ${sandbox ? 'sandbox' : 'live'} email that bounced stays so while its address is suppressed`, async () => {
    await using h = await house(ZONE)
    const mx = await h.receiver('127.0.0.2', { rcpt: '550 5.1.1 no such user' })
    const id = await h.put('bob@example.net', { sandbox, sandboxResult: 'bounce' })
    await h.delivery.turn()
    const before = await h.story(id)
    assert.equal(await h.status(id), 'bounced')
    await assert.rejects(retry(h, id), { code: 'invalid_state', message: /suppressed \(hard_bounce\).* off .* first/ })
    assert.deepEqual(await h.story(id), before)
    assert.equal(await h.queued(), 0)
    await h.database.system.execute(UNLIST)
    mx.script({ rcpt: 'default' })
    await retry(h, id)
    const { email } = await h.story(id)
    assert.equal(await h.status(id), 'queued')
    assert.ok(email.expires_at.getTime() >= h.clock.now().getTime() + 71 * HOUR)
  })
}

test('nor is a deferred email hurried to somebody who has unsubscribed', async () => {
  await using h = await house(ZONE)
  await h.receiver('127.0.0.2', { rcpt: '451 4.2.0 try again later' })
  const id = await h.put('bob@example.net')
  await h.delivery.turn()
  await h.database.system.execute(UNSUBSCRIBE, [h.ids.next(), ACCOUNT, 'bob@example.net'])
  const before = await h.story(id)
  await assert.rejects(retry(h, id), { code: 'invalid_state', message: /has unsubscribed/ })
  assert.deepEqual(await h.story(id), before)
})

test('what cannot be canceled says what it is', async () => {
  await using h = await house(ZONE)
  await h.receiver('127.0.0.2')
  const [id, sent] = [await h.put('bob@example.net'), await h.put('eve@example.net')]
  await cancel(h, id)
  await assert.rejects(cancel(h, id), { code: 'not_cancelable', message: 'The email is canceled already' })
  await h.delivery.turn()
  await assert.rejects(cancel(h, sent), { code: 'not_cancelable', message: 'The email is delivered already' })
})
