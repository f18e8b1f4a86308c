// Manual control of an email, between and after its attempts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCOUNT, type Fixture, fixture } from '../../../test/world/delivery-fixture.ts'
import type { ApiError } from '../../platform/errors.ts'
import { removeSuppression, resubscribe, suppress, unsubscribe } from '../suppression/index.ts'
import { cancelEmail, retryEmail } from './index.ts'

const HOUR = 3_600_000
const ZONE = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.2'] } }

const retry = (h: Fixture, id: string): Promise<void> =>
  retryEmail({ ...h, onQueued: () => undefined, retryRefusal: async () => null }, ACCOUNT, id)
const cancel = (h: Fixture, id: string): Promise<void> => cancelEmail(h, ACCOUNT, id)

test('a deferred email that is retried is due now, and shows it', async () => {
  await using h = await fixture(ZONE)
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

test('a bounced email is retried anew for 72 hours', async () => {
  await using h = await fixture(ZONE)
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

test('an email that suppressed its recipient stays bounced until the suppression is removed', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { rcpt: '550 5.1.1 no such user' })
  const id = await h.put('bob@example.net')
  await h.delivery.turn()
  assert.equal(await h.suppressed('bob@example.net'), 'hard_bounce')
  await assert.rejects(retry(h, id), (error: ApiError) => {
    assert.deepEqual([error.status, error.code], [409, 'invalid_state'])
    assert.deepEqual([error.details['list'], error.details['reason']], ['suppression', 'hard_bounce'])
    assert.match(error.message, /is suppressed \(hard_bounce\): remove the suppression first/)
    return true
  })
  await h.delivery.turn()
  assert.deepEqual([await h.status(id), await h.queued()], ['bounced', 0])
  mx.script({ rcpt: 'default' })
  await h.database.transaction((db) => removeSuppression(db, h, ACCOUNT, 'bob@example.net', { keyId: null }))
  await retry(h, id)
  await h.delivery.turn()
  assert.equal(await h.status(id), 'delivered')
})

test('a deferred email is not retried for a recipient who has unsubscribed meanwhile', async () => {
  await using h = await fixture(ZONE)
  await h.receiver('127.0.0.2', { rcpt: '451 4.2.0 try again later' })
  const recipient = 'bob@example.net'
  const id = await h.put(recipient)
  await h.delivery.turn()
  const { next_attempt_at: due } = (await h.story(id)).email
  const entry = { accountId: ACCOUNT, recipient, sandbox: false, source: 'api', reason: null, mail: null } as const
  await h.database.transaction((db) => unsubscribe(db, h, entry))
  await assert.rejects(retry(h, id), { code: 'invalid_state', message: /has unsubscribed: take them off/ })
  assert.deepEqual([await h.status(id), (await h.story(id)).email.next_attempt_at], ['deferred', due])
  await h.database.transaction((db) => resubscribe(db, h, ACCOUNT, recipient, { keyId: null }))
  await retry(h, id)
})

test('entries that do not hold back a send do not hold back a retry', async () => {
  await using h = await fixture(ZONE)
  await h.receiver('127.0.0.2', { rcpt: '550 5.7.1 not from there' })
  const now = h.clock.now()
  const entry = { accountId: ACCOUNT, reason: 'manual', source: 'api', details: null, bounceId: null } as const
  const nothing = { domainId: null, emailId: null }
  await h.database.transaction((db) =>
    suppress(db, h, [
      { ...entry, ...nothing, recipient: 'over@example.net', sandbox: false, expiresAt: now },
      { ...entry, ...nothing, recipient: 'trial@example.net', sandbox: true, expiresAt: null },
      {
        ...entry,
        ...nothing,
        accountId: h.ids.next(),
        recipient: 'other@example.net',
        sandbox: false,
        expiresAt: null,
      },
    ]),
  )
  for (const name of ['over', 'trial', 'other']) {
    const id = await h.put(`${name}@example.net`)
    await h.delivery.turn()
    assert.equal(await h.status(id), 'bounced', name)
    await retry(h, id)
    assert.equal(await h.status(id), 'queued', name)
  }
})

test('a sandbox email is retried despite the suppression that its own bounce left', async () => {
  await using h = await fixture(ZONE)
  const id = await h.put('bob@example.net', { sandbox: true, sandboxResult: 'bounce' })
  await h.delivery.turn()
  assert.equal(await h.status(id), 'bounced')
  await retry(h, id)
  assert.equal(await h.status(id), 'queued')
})

test('the refusal to cancel an email says what its status is', async () => {
  await using h = await fixture(ZONE)
  await h.receiver('127.0.0.2')
  const [id, sent] = [await h.put('bob@example.net'), await h.put('eve@example.net')]
  await cancel(h, id)
  await assert.rejects(cancel(h, id), { code: 'not_cancelable', message: 'The email is canceled already' })
  await h.delivery.turn()
  await assert.rejects(cancel(h, sent), { code: 'not_cancelable', message: 'The email is delivered already' })
})
