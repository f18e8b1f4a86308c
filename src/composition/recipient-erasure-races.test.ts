// What is written of a person at the moment the person is erased.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../test/world/accounts-fixture.ts'
import { untilBlocked } from '../../test/world/blocked.ts'
import { tablesNaming } from '../../test/world/person-rows.ts'
import { startReceiver } from '../../test/world/receiver.ts'
import { startWorld, type World } from '../../test/world/world.ts'
import { type Statement, statement } from '../platform/db.ts'
import { eraseNextRecipient } from './recipient-erasure.ts'

const NEVER = new AbortController().signal
const ERASURES = '/api/v1/customer/erasures'
const CSV = { 'content-type': 'text/csv' }
const ZONES = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } }

/** @returns whether the request is completed */
async function erased(world: World, id: string): Promise<boolean> {
  const { database, ground } = world.rooms
  world.clock.advance(301_000)
  while (await eraseNextRecipient({ database, ground }, NEVER)) {}
  return (await world.api.get(`${ERASURES}/${id}`)).body.data.status === 'completed'
}

/** Holds locks until it is disposed of; nothing of it stays. */
async function holding(world: World, ...statements: readonly Statement[]): Promise<AsyncDisposable> {
  const over = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const undone = new Error('undone')
  const transaction = world.rooms.database
    .transaction(async (db) => {
      for (const one of statements) await db.execute(one, [])
      held.resolve()
      await over.promise
      throw undone
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error
    })
  await Promise.race([held.promise, transaction])
  return {
    [Symbol.asyncDispose]: () => {
      over.resolve()
      return transaction
    },
  }
}

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('a contact and list entries that are imported at the moment of the erasure do not survive it', async () => {
  await using world = await startWorld()
  const { database } = world.rooms
  const { api, accountId } = world.account
  // Each import writes Jo first and then waits for Zoe, whom another transaction is writing.
  const zoe = `'${accountId}', 'zoe@example.net'`
  const imports = []
  {
    await using _ = await holding(
      world,
      statement(
        'test_zoe_contact',
        `insert into contact (account_id, email, id, address, status, source, tags, double_opt_in, created_at, updated_at)
         values (${zoe}, gen_random_uuid(), 'zoe@example.net', 'subscribed', 'test', '{}', false, now(), now())`,
      ),
      statement(
        'test_zoe_suppressed',
        `insert into suppression (account_id, email, sandbox, id, reason, source, created_at)
         values (${zoe}, false, gen_random_uuid(), 1, 'api', now())`,
      ),
    )
    const contacts = 'email,double_opt_in\njo@example.net,false\nzoe@example.net,false\n'
    imports.push(api.post('/api/v1/customer/contacts/import', contacts, CSV))
    const entries = 'email,reason\njo@example.net,manual\nzoe@example.net,manual\n'
    imports.push(api.post('/api/v1/customer/suppressions/import', entries, CSV))
    await untilBlocked(database, 2)
    imports.push(api.post(ERASURES, { email: 'jo@example.net' }))
    await Promise.race([imports.at(-1), untilBlocked(database, 3)])
  }
  const [contacts, entries, erasure] = await Promise.all(imports)
  assert.deepEqual([contacts?.body.data.imported, entries?.body.data.imported, erasure?.status], [2, 2, 201])
  assert.equal((await api.get('/api/v1/customer/contacts?search=jo')).body.pagination.total, 0)
  await until(() => erased(world, erasure?.body.data.id))
  assert.deepEqual(await tablesNaming(world, 'jo@example.net'), [])
  assert.deepEqual(await tablesNaming(world, 'zoe@example.net'), ['contact', 'event', 'suppression'])
})

test('a contact that is being asked at the moment of the erasure is deleted with its mail', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  const { database } = world.rooms
  const { api } = world.account
  await world.verifiedDomain('shop.example')
  const calls = []
  {
    await using _ = await holding(world, statement('test_hold_mails', 'lock table confirmation_mail in share mode'))
    calls.push(api.post('/api/v1/customer/contacts', { email: 'jo@example.net' }))
    await untilBlocked(database, 1)
    calls.push(api.post(ERASURES, { email: 'jo@example.net' }))
    await Promise.race([calls.at(-1), untilBlocked(database, 2)])
  }
  const [, erasure] = await Promise.all(calls)
  await until(() => erased(world, erasure?.body.data.id))
  assert.deepEqual(await tablesNaming(world, 'jo@example.net'), [])
})

// The reply to the final dot, and with which code the address is refused afterwards.
const REPLIES = [
  ['550 5.1.1 no jo here', 'previous_hard_bounce'],
  ['552 5.2.2 mailbox full', 'recipient_unsubscribed'],
] as const
for (const [reply, code] of REPLIES) {
  test(`mail in flight that is answered "${reply}" after the erasure leaves no address behind`, async () => {
    await using mx = await startReceiver({ dot: () => ({ reply, afterMs: 1_500 }) })
    await using world = await startWorld({ zones: ZONES, settings: { POSTHORN_SMTP_PORT: String(mx.port) } })
    const { api } = world.account
    await world.verifiedDomain('shop.example')
    const mail = { from: 'a@shop.example', to: 'jo@example.net', subject: 's', text: 't' }
    const id = (await api.post('/api/v1/send', mail)).body.data.email_id
    await until(async () => mx.messageCount === 1)
    const erasure = (await api.post(ERASURES, { email: 'jo@example.net' })).body.data.id
    // Past the time until when the request covers what is accepted.
    world.clock.advance(60_000)
    await until(async () => (await api.get(`/api/v1/emails/${id}`)).body.data.status === 'bounced')
    await until(() => erased(world, erasure))
    assert.deepEqual(await tablesNaming(world, 'jo@example.net'), [])
    assert.equal((await api.post('/api/v1/send', mail)).body.code, code)
  })
}

test('an erasure requested again while a worker completes it covers what was accepted until then', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  const { database, ground } = world.rooms
  const { api } = world.account
  await world.verifiedDomain('shop.example')
  const { id } = (await api.post(ERASURES, { email: 'jo@example.net' })).body.data
  world.clock.advance(31_000)
  let turn: Promise<boolean>
  {
    await using _ = await holding(world, statement('test_hold_bounces', 'lock table bounce in share mode'))
    turn = eraseNextRecipient({ database, ground }, NEVER)
    await untilBlocked(database, 1)
    assert.equal((await api.delete('/api/v1/customer/unsubscribes/jo@example.net')).status, 200)
    const mail = { from: 'a@shop.example', to: 'jo@example.net', subject: 's', text: 't' }
    assert.equal((await api.post('/api/v1/send', mail)).status, 202)
    assert.equal((await api.post(ERASURES, { email: 'jo@example.net' })).body.data.id, id)
    await later(50)
  }
  await turn
  assert.equal((await api.get(`${ERASURES}/${id}`)).body.data.status, 'pending')
  await until(() => erased(world, id))
  assert.deepEqual(await tablesNaming(world, 'jo@example.net'), [])
})

test('what is added by hand after an erasure stays', async () => {
  await using world = await startWorld()
  const { api } = world.account
  const { id } = (await api.post(ERASURES, { email: 'jo@example.net' })).body.data
  const contact = { email: 'jo@example.net', double_opt_in: false }
  assert.equal((await api.post('/api/v1/customer/contacts', contact)).status, 201)
  world.clock.advance(31_000)
  assert.equal((await api.post('/api/v1/customer/suppressions', { email: 'jo@example.net' })).status, 201)
  await until(() => erased(world, id))
  assert.equal((await api.get('/api/v1/customer/contacts?search=jo')).body.pagination.total, 1)
  assert.equal((await api.get('/api/v1/customer/suppressions/jo@example.net')).body.data.reason, 'manual')
})
