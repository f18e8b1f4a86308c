// Mail that ends at its time: why it waits until then, and what is recorded about it and its address.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOMAIN, fixture, KEY } from '../../../test/world/delivery-fixture.ts'

const MINUTE = 60_000
const ZONE = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.2'] } }

test('an expired email is not tried', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2')
  const id = await h.put('b@example.net', { expiresAt: new Date(h.clock.now().getTime() + MINUTE) })
  h.clock.advance(MINUTE)
  await h.delivery.turn()
  const last = await h.last(id)
  assert.deepEqual([last.event, last.data['reason'], last.data['attempts']], ['email.failed', 'expired', 0])
  assert.equal(mx.connectionCount, 0)
})

test('a greylisted email with little time is deferred until that is over, and does not count against its address', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { rcpt: '451 4.7.1 Greylisted, please try again later' })
  const expiresAt = new Date(h.clock.now().getTime() + 4 * MINUTE)
  const ids = []
  for (let n = 0; n < 3; n++) ids.push(await h.put('b@example.net', { expiresAt }))
  await h.delivery.turn()
  for (const id of ids) {
    const { email, attempts, events } = await h.story(id)
    assert.equal(await h.status(id), 'deferred')
    assert.deepEqual([email.next_attempt_at, email.ended_at, email.attempts_count], [null, null, 1])
    assert.deepEqual([attempts[0]?.outcome, attempts[0]?.detail['next_attempt_at']], ['deferred', null])
    assert.deepEqual([events.at(-1)?.event, events.at(-1)?.data['next_attempt_at']], ['email.deferred', null])
  }
  h.clock.advance(4 * MINUTE - 1_000)
  assert.equal(await h.delivery.turn(), 0)
  h.clock.advance(1_000)
  assert.equal(await h.delivery.turn(), 3)
  for (const id of ids) {
    const { email, events } = await h.story(id)
    const { event, data } = await h.last(id)
    assert.deepEqual([event, data['reason'], data['last_smtp_code']], ['email.failed', 'expired', 451])
    assert.deepEqual([email.attempts_count, events.length], [1, 2])
    assert.ok(email.ended_at !== null && email.ended_at >= expiresAt)
  }
  assert.equal(await h.bounces(), 0)
  assert.equal(await h.suppressed('b@example.net'), null)
  assert.equal(mx.messageCount, 0)
})

test('an email that ends between two attempts reports the answer to the last one', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { rcpt: '451 4.2.1 not now' })
  const id = await h.put('b@example.net', { expiresAt: new Date(h.clock.now().getTime() + 20 * MINUTE) })
  await h.delivery.turn()
  assert.equal(await h.status(id), 'deferred')
  h.clock.advance(21 * MINUTE)
  await h.delivery.turn()
  const { event, data } = await h.last(id)
  assert.deepEqual(
    [event, data['reason'], data['attempts'], data['last_smtp_code'], data['last_response']],
    ['email.failed', 'expired', 1, 451, '451 4.2.1 not now'],
  )
  assert.equal(mx.connectionCount, 1)
})

test('mail of a domain that the operator has suspended says so while it waits and when it ends', async () => {
  const key = { domain: 'shop.example', selector: 's1', privateKey: KEY, status: 'suspended' }
  await using h = await fixture(ZONE, { signingKeys: async () => new Map([[DOMAIN, key]]) })
  const id = await h.put('b@example.net', { expiresAt: new Date(h.clock.now().getTime() + 20 * MINUTE) })
  const told = '4.7.0 not tried: the operator has suspended the sending domain'
  for (const [minutes, next] of [
    [0, true],
    [7, true],
    [10, false],
  ] as const) {
    h.clock.advance(minutes * MINUTE)
    await h.delivery.turn()
    const { email } = await h.story(id)
    assert.equal(await h.status(id), 'deferred')
    assert.deepEqual([email.last_response, email.attempts_count, email.next_attempt_at !== null], [told, 0, next])
  }
  h.clock.advance(3 * MINUTE)
  await h.delivery.turn()
  const { event, data } = await h.last(id)
  assert.deepEqual([event, data['reason'], data['last_response']], ['email.failed', 'expired', told])
})

test('mail of a domain that is no longer verified waits if its account enforces it, and is sent once verified', async () => {
  const key = { domain: 'shop.example', selector: 's1', privateKey: KEY, status: 'failed', isActive: false }
  let enforced = true
  await using h = await fixture(ZONE, {
    signingKeys: async () => new Map([[DOMAIN, key]]),
    enforcesVerification: async () => enforced,
  })
  const mx = await h.receiver('127.0.0.2')
  const sandboxed = await h.put('b@example.net', { sandbox: true })
  const ids = [await h.put('b@example.net'), await h.put('c@example.net')] as const
  for (const minutes of [0, 7, 300]) {
    h.clock.advance(minutes * MINUTE)
    await h.delivery.turn()
    for (const id of ids) {
      const { email } = await h.story(id)
      assert.deepEqual(
        [await h.status(id), email.last_response, email.attempts_count],
        ['deferred', '4.7.0 not tried: the sending domain is not verified', 0],
      )
      assert.ok((email.next_attempt_at?.getTime() ?? 0) - h.clock.now().getTime() <= 60 * MINUTE)
    }
  }
  assert.equal(await h.status(sandboxed), 'delivered')
  assert.equal(mx.connectionCount, 0)

  key.isActive = true
  await h.another().turn()
  assert.equal(mx.connectionCount, 0, 'not before its time')
  h.clock.advance(61 * MINUTE)
  await h.delivery.turn()
  for (const id of ids) assert.equal(await h.status(id), 'delivered')

  key.isActive = false
  enforced = false
  const free = await h.put('d@example.net')
  await h.delivery.turn()
  assert.equal(await h.status(free), 'delivered')
})

test('live mail waits for a process that delivers: in sandbox mode it is not shown as delivered', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2')
  const inside = h.another({ mode: 'sandbox' })
  const live = await h.put('b@example.net')
  const sandboxed = await h.put('b@example.net', { sandbox: true })
  await inside.turn()
  const { email } = await h.story(live)
  assert.deepEqual(
    [await h.status(live), email.last_response, email.attempts_count],
    ['deferred', '4.7.0 not tried: this server is in sandbox mode, and the mail is to be delivered', 0],
  )
  assert.equal(await h.status(sandboxed), 'delivered')
  assert.equal(mx.connectionCount, 0)
  h.clock.advance(61 * MINUTE)
  await h.delivery.turn()
  assert.equal(await h.status(live), 'delivered')
  assert.equal(mx.connectionCount, 1)
})
