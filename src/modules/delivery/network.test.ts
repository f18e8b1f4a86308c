// The ways out: a relay's settings, and what domains with the same hosts share.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { house } from '../../../test/delivery-house.ts'
import { startReceiver } from '../../../test/receiver.ts'

for (const tls of [false, true]) {
  const became = tls ? 'goes out inside TLS' : 'is deferred'
  test(`over a relay without TLS a mail that requires it ${became}, where the relay has ${tls ? 'it' : 'none'}`, async () => {
    await using relay = await startReceiver({ tls })
    const login = { username: null, password: null }
    await using h = await house(
      {},
      { mode: 'relay', relay: { host: '127.0.0.1', port: relay.port, tls: 'off', ...login } },
    )
    const plain = await h.put('a@nowhere.test')
    await h.delivery.turn()
    const strict = await h.put('b@nowhere.test', { tlsRequired: true })
    await h.delivery.turn()
    assert.deepEqual(
      relay.messages.map((message) => message.tls),
      tls ? [false, true] : [false],
    )
    assert.equal(await h.status(plain), 'delivered')
    assert.equal(await h.status(strict), tls ? 'delivered' : 'deferred')
  })
}
