// A domain that its account loses while mail of it waits: removed during an attempt, or no longer verified.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { statement } from '../src/platform/db.ts'
import { type Receiver, startReceiver } from './world/receiver.ts'
import { startWorld, type World } from './world/world.ts'

const HOUR_MS = 3_600_000
const LOCK_USAGE = statement('test_lock_usage', 'select used from usage where account_id = $1 for update')
const WAITS_FOR_ME = statement(
  'test_removal_waits_for_me',
  'select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid)) limit 1',
)

let world: World
let mx: Receiver
before(async () => {
  mx = await startReceiver({
    rcpt: { 'late@example.net': { reply: '451 4.3.0 later', afterMs: 3_000 }, '*': 'default' },
  })
  world = await startWorld({
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await mx[Symbol.asyncDispose]()
})

// biome-ignore lint/suspicious/noExplicitAny: an email as the API shows it
async function untilIs(id: string, status: string): Promise<any> {
  for (const end = performance.now() + 30_000; ; ) {
    const { body } = await world.api.get(`/api/v1/emails/${id}`)
    if (body.data.status === status) return body.data
    if (performance.now() > end) throw new Error(`${body.data.status}, not ${status}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

async function send(more: object): Promise<string> {
  const sent = await world.api.post('/api/v1/send', { to: 'b@example.net', subject: 's', text: 't', ...more })
  assert.equal(sent.status, 202, JSON.stringify(sent.body))
  return sent.body.data.email_id
}

test('an email under an attempt when its domain is removed ends as soon as the attempt has ended', async () => {
  const domain = await world.verifiedDomain('removed.example')
  const id = await send({ from: 'a@removed.example', to: 'late@example.net' })
  while (mx.connectionCount === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  const removed = await world.api.delete(`/api/v1/customer/domains/${domain}`)
  assert.equal(removed.status, 200)
  assert.equal((await untilIs(id, 'queued')).attempts_count, 0, 'the attempt was under way')
  const { attempts_count: attempts, next_attempt_at: next, events } = await untilIs(id, 'failed')
  assert.deepEqual([attempts, next, events.at(-1).data.reason], [1, null, 'domain_removed'])
})

test('mail scheduled while its domain is being removed ends at once, like that which was there before', async () => {
  const domain = await world.verifiedDomain('leaving.example')
  await untilIs(await send({ from: 'a@leaving.example' }), 'delivered')
  const { sending } = await world.rooms.database.transaction(async (db) => {
    // The acceptance has found its sender, and waits here.
    await db.execute(LOCK_USAGE, [world.account.accountId])
    const sending = send({ from: 'a@leaving.example', scheduled_at: inAnHour() })
    while ((await db.one(WAITS_FOR_ME, [])) === null) await new Promise(setImmediate)
    assert.equal((await world.api.delete(`/api/v1/customer/domains/${domain}`)).status, 200)
    return { sending }
  })
  const { attempts_count: attempts, events } = await untilIs(await sending, 'failed')
  assert.deepEqual([attempts, events.at(-1).data.reason], [0, 'domain_removed'])
})

test('scheduled mail of a domain that is no longer verified waits, and goes out once it is verified again', async () => {
  const domain = await world.verifiedDomain('lost.example')
  const { accountId } = world.account
  const id = await send({ from: 'a@lost.example', scheduled_at: inAnHour() })
  await world.rooms.domains.setStatus(accountId, domain, 'failed')
  world.clock.advance(HOUR_MS)
  const waiting = await untilIs(id, 'deferred')
  assert.deepEqual(
    [waiting.attempts_count, waiting.last_response],
    [0, '4.7.0 not tried: the sending domain is not verified'],
  )
  await world.rooms.domains.setStatus(accountId, domain, 'verified')
  world.clock.advance(HOUR_MS)
  assert.equal((await untilIs(id, 'delivered')).attempts_count, 1)

  await world.rooms.domains.setStatus(accountId, domain, 'failed')
  const freed = await world.api.patch('/api/v1/customer/profile', { enforce_sender_verification: false })
  assert.equal(freed.status, 200)
  await untilIs(await send({ from: 'a@lost.example' }), 'delivered')
})

function inAnHour(): string {
  return new Date(world.clock.now().getTime() + HOUR_MS - 1_000).toISOString()
}
