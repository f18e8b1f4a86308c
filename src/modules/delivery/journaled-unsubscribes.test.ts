// Unsubscribes that were acknowledged while the database was away reach it later: until then no mail is sent.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ACCOUNT, type Fixture, fixture } from '../../../test/world/delivery-fixture.ts'
import type { Db } from '../../platform/db.ts'
import { unsubscribe } from '../suppression/index.ts'

const ZONE = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.2'] } }

/** The journals of all processes. */
function journals(h: Fixture) {
  let since: number | null = h.clock.monotonicMs()
  return {
    knownSince: () => since,
    databaseWasAway: () => {
      since = null
    },
    /** Bob's unsubscribe, which was acknowledged during the outage, reaches the database, and the journals are empty. */
    handOn: async () => {
      const bob = { accountId: ACCOUNT, recipient: 'bob@example.net', sandbox: false, reason: null, mail: null }
      await h.database.transaction((db) => unsubscribe(db, h, { ...bob, source: 'one_click' }))
      since = h.clock.monotonicMs()
    },
  }
}

test('mail that is due waits until the unsubscribes of an outage are known', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2')
  const known = journals(h)
  const claims: string[] = []
  const system: Db = {
    ...h.database.system,
    query: (what, values) => {
      if (what.name === 'outbox_claim') claims.push(what.name)
      return h.database.system.query(what, values)
    },
  }
  const delivery = h.another({ journals: known, database: { ...h.database, system } })
  const [bob, ann] = [await h.put('bob@example.net'), await h.put('ann@example.net')]
  known.databaseWasAway()
  assert.equal(await delivery.turn(), 0)
  assert.deepEqual([claims, await h.status(ann), mx.connectionCount], [[], 'queued', 0])
  await known.handOn()
  await delivery.turn()
  assert.deepEqual([await h.status(bob), await h.status(ann), mx.messageCount], ['suppressed', 'delivered', 1])
})

test('mail that was claimed before an outage is claimed again after it', async () => {
  await using h = await fixture(ZONE)
  const greet = Promise.withResolvers<void>()
  const asked: string[] = []
  const mx = await h.receiver('127.0.0.2', {
    banner: { reply: '220 mx.example.net', after: greet.promise },
    rcpt: (address) => {
      asked.push(address)
      return 'default'
    },
  })
  const known = journals(h)
  const delivery = h.another({ journals: known })
  const [bob, ann] = [await h.put('bob@example.net'), await h.put('ann@example.net')]
  const turn = delivery.turn()
  while (mx.connectionCount < 2) await delay(5)
  known.databaseWasAway()
  await known.handOn()
  greet.resolve()
  await turn
  await delivery.turn()
  assert.deepEqual(asked, ['ann@example.net'])
  assert.deepEqual([await h.status(bob), await h.status(ann)], ['suppressed', 'delivered'])
})

test('a claim that the database does not answer tells of an outage, in which somebody may have unsubscribed', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2')
  const known = journals(h)
  let away = true
  const system: Db = {
    ...h.database.system,
    query: (what, values) =>
      away && what.name === 'outbox_claim'
        ? Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNRESET' }))
        : h.database.system.query(what, values),
  }
  const delivery = h.another({ journals: known, database: { ...h.database, system } })
  const bob = await h.put('bob@example.net')
  await assert.rejects(delivery.turn(), { code: 'ECONNRESET' })
  away = false
  assert.equal(await delivery.turn(), 0)
  await known.handOn()
  await delivery.turn()
  assert.deepEqual([await h.status(bob), mx.messageCount], ['suppressed', 0])
})
