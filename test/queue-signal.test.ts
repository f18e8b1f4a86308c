// Mail that one process accepts and another delivers, without waiting for the other's next look at the queue.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { LIMITS } from '../src/modules/delivery/options.ts'
import { queueAnnouncer } from '../src/modules/outbox/index.ts'
import { fixture } from './world/delivery-fixture.ts'
import { startWorld } from './world/world.ts'

const ZONES = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } }
const HOUR_MS = 3_600_000

test('a worker that would look at the queue in an hour delivers what another process has announced', async () => {
  await using f = await fixture(ZONES)
  const mx = await f.receiver('127.0.0.1')
  const worker = f.another({ limits: { ...LIMITS, claimEveryMs: HOUR_MS } })
  await worker.start()
  try {
    const announce = queueAnnouncer(f.database)
    for (let n = 1; n <= 3; n++) {
      // It has looked by then, and rests.
      await worker.idle()
      await delay(300)
      await f.put(`user${n}@example.net`)
      announce()
      await mx.received(n)
    }
  } finally {
    await worker.stop(AbortSignal.timeout(5_000))
  }
})

test('a process that delivers nothing itself announces the mail that it accepts', async () => {
  let url = ''
  const way = async (own: string): Promise<string> => {
    url = own
    return own
  }
  await using world = await startWorld({ way, settings: { POSTHORN_ROLES: 'api' } })
  await world.verifiedDomain('shop.example')
  const listener = new pg.Client({ connectionString: url })
  await listener.connect()
  try {
    await listener.query('listen posthorn_queued')
    const heard = once(listener, 'notification')
    const mail = { from: 'a@shop.example', to: 'b@example.net', subject: 's', text: 't' }
    assert.equal((await world.api.post('/api/v1/send', mail)).status, 202)
    await heard
    // It is committed by then.
    const { rows } = await listener.query('select count(*)::int as n from posthorn.queue where state = 0')
    assert.equal(rows[0].n, 1)
  } finally {
    await listener.end()
  }
})
