// A recipient suppressed while the mail is in the process, behind a server that is slow to greet, gets no mail.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ACCOUNT, fixture } from '../../../test/world/delivery-fixture.ts'
import type { Db } from '../../platform/db.ts'
import { suppress, unsubscribe } from '../suppression/index.ts'
import { WHO_SAID_NO } from '../suppression/sql.ts'

const ZONE = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.2'] } }
const MAIL = { domainId: null, emailId: null, bounceId: null, details: null, expiresAt: null }

/** At 127.0.0.2: greets only when `greet` resolves, then passes everything to the receiver at 127.0.0.3. */
async function slowToGreet(port: number, greet: Promise<void>) {
  let connected = 0
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    connected++
    void greet.then(() => {
      const inner = connect(port, '127.0.0.3')
      inner.on('error', () => undefined)
      socket.pipe(inner).pipe(socket)
    })
  }).listen(port, '127.0.0.2')
  await once(server, 'listening')
  return { connected: () => connected, [Symbol.dispose]: () => void server.close() }
}

test('a recipient suppressed or unsubscribed after the claim, while the mail waits, gets no RCPT TO; others do', async () => {
  await using h = await fixture(ZONE)
  let waitedMs = 0
  const delivery = h.another({
    clock: { ...h.clock, monotonicMs: () => h.clock.monotonicMs() + waitedMs },
  })
  const asked: string[] = []
  const mx = await h.receiver('127.0.0.3', {
    rcpt: (address) => {
      asked.push(address)
      return 'default'
    },
  })
  const greet = Promise.withResolvers<void>()
  using slow = await slowToGreet(mx.port, greet.promise)
  const bob = await h.put('bob@example.net')
  const ann = await h.put('ann@example.net')
  const eve = await h.put('eve@example.net')
  const turn = delivery.turn()
  // Each mail has been checked before its connection, so none is checked between here and the greeting.
  while (slow.connected() < 3) await delay(5)
  waitedMs = 3_000
  const context = { ids: h.ids, clock: h.clock }
  await h.database.transaction((db) =>
    suppress(db, context, [
      { ...MAIL, accountId: ACCOUNT, recipient: 'bob@example.net', sandbox: false, reason: 'manual', source: 'api' },
    ]),
  )
  const no = { accountId: ACCOUNT, recipient: 'eve@example.net', sandbox: false, reason: null, mail: null }
  await h.database.transaction((db) => unsubscribe(db, context, { ...no, source: 'link' }))
  greet.resolve()
  await turn
  assert.deepEqual(asked, ['ann@example.net'])
  assert.deepEqual(
    [await h.status(bob), await h.status(ann), await h.status(eve)],
    ['suppressed', 'delivered', 'suppressed'],
  )
  assert.equal((await h.last(bob)).data['reason'], 'manual')
  assert.equal((await h.last(eve)).data['reason'], 'unsubscribed')
})

test('mail that has waited is not sent while the database is away, but claimed again', async () => {
  await using h = await fixture(ZONE)
  const story: string[] = []
  const mx = await h.receiver('127.0.0.3', {
    rcpt: () => {
      story.push('RCPT TO')
      return 'default'
    },
  })
  const greet = Promise.withResolvers<void>()
  using slow = await slowToGreet(mx.port, greet.promise)
  const system: Db = {
    ...h.database.system,
    query: async (what, values) => {
      if (what.name === WHO_SAID_NO.name && story.length === 1) {
        story.push('no answer')
        throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })
      }
      const rows = await h.database.system.query<never>(what, values)
      if (what.name === 'outbox_claim' && (rows[0]?.['id'] ?? null) !== null) story.push('claim')
      return rows
    },
  }
  let waitedMs = 0
  const clock = { ...h.clock, monotonicMs: () => h.clock.monotonicMs() + waitedMs }
  const delivery = h.another({ clock, database: { ...h.database, system } })
  const bob = await h.put('bob@example.net')
  const turn = delivery.turn()
  while (slow.connected() < 1) await delay(5)
  waitedMs = 3_000
  greet.resolve()
  await turn
  await delivery.turn()
  assert.deepEqual(story, ['claim', 'no answer', 'claim', 'RCPT TO'])
  assert.equal(await h.status(bob), 'delivered')
})
