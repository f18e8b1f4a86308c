// Steering an email by hand, as it is between and after its attempts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCOUNT, type House, house } from '../../../test/delivery-house.ts'
import { cancelEmail, retryEmail } from './index.ts'

const HOUR = 3_600_000
const ZONE = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.2'] } }

const retry = (h: House, id: string): Promise<void> => retryEmail({ ...h, onQueued: () => undefined }, ACCOUNT, id)
const cancel = (h: House, id: string): Promise<void> => cancelEmail(h, ACCOUNT, id)

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

test('an email that bounced is tried anew, and has 72 hours for it', async () => {
  await using h = await house(ZONE)
  const mx = await h.receiver('127.0.0.2', { rcpt: '550 5.7.1 not from there' })
  const id = await h.put('bob@example.net', { expiresAt: new Date(h.clock.now().getTime() + HOUR) })
  await h.delivery.turn()
  assert.equal(await h.status(id), 'bounced')
  mx.script({ rcpt: 'default' })
  await retry(h, id)
  const { email } = await h.story(id)
  assert.equal(await h.status(id), 'queued')
  assert.ok(email.expires_at.getTime() >= h.clock.now().getTime() + 71 * HOUR)
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
