import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { ACCOUNT, fixture, KEY } from '../../../test/world/delivery-fixture.ts'
import { startReceiver } from '../../../test/world/receiver.ts'
import { publicKeyOf } from '../../mail/authentication/dkim.ts'
import { parseMessage } from '../../mail/mime/parse.ts'
import { SETTLED_AFTER_MS } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { NewEmail } from '../outbox/index.ts'
import { listInbox, oneInboxMail } from './inbox.ts'

const MINUTE = 60_000
const ZONE = { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.2'] } }

test('a mail is signed and delivered, and its dialogue is recorded', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2')
  const id = await h.put('bob@example.net')
  assert.equal(await h.delivery.turn(), 1)
  const [message] = await mx.received(1)
  assert.match(message?.from ?? '', /^b\+[a-z2-7]{61}@mail\.posthorn\.test$/)
  const text = message?.data.toString('latin1') ?? ''
  assert.match(text, /^DKIM-Signature: v=1; a=rsa-sha256;/)
  assert.match(text, new RegExp(`Message-ID: <${id}@shop.example>`))
  assert.match(text, /Feedback-ID: tag_one:/)
  assert.ok(!text.includes('unsubscribe}}'))
  const { email, attempts, events } = await h.story(id)
  assert.equal(await h.status(id), 'delivered')
  assert.equal(email.attempts_count, 1)
  assert.equal(await h.queued(), 0)
  const [attempt] = attempts
  assert.equal(attempt?.outcome, 'delivered')
  assert.equal(attempt?.detail['mx'], 'mx.example.net')
  assert.equal(attempt?.detail['ip'], '127.0.0.2')
  assert.equal(attempt?.detail['smtp_code'], 250)
  assert.ok(((attempt?.detail['dialogue'] ?? []) as unknown[]).length > 8)
  assert.equal(events.length, 1)
  assert.equal(events[0]?.event, 'email.delivered')
  assert.equal(events[0]?.data['attempts'], 1)
  assert.deepEqual(events[0]?.data['remote_mta'], { host: 'mx.example.net', ip: '127.0.0.2' })
  assert.deepEqual(h.logged, [])
})

// Each row: the receiver's answer, and the resulting event, bounce and suppression.
const REPLIES: [rcpt: string, event: string, type: string | null, suppressed: string | null][] = [
  ['250 2.1.5 ok', 'email.delivered', null, null],
  ['550 5.1.1 no such user', 'email.bounced', 'hard', 'hard_bounce'],
  ['552 5.2.2 mailbox full', 'email.bounced', 'soft', null],
  ['550 5.7.1 blocked by our policy', 'email.bounced', 'block', null],
  ['550 <news@shop.example> User unknown', 'email.bounced', 'block', null],
  ['550 mail.posthorn.test does not exist', 'email.bounced', 'block', null],
  ['451 4.2.0 try again later', 'email.deferred', null, null],
]
for (const [rcpt, event, type, suppressed] of REPLIES) {
  test(`a recipient answered "${rcpt}" gives ${event}`, async () => {
    await using h = await fixture(ZONE)
    await h.receiver('127.0.0.2', { rcpt })
    const id = await h.put('bob@example.net')
    await h.delivery.turn()
    const last = await h.last(id)
    assert.equal(last.event, event)
    assert.equal(last.data['type'] ?? null, type)
    assert.equal(await h.suppressed('bob@example.net'), suppressed)
    if (type !== null) assert.equal(last.data['suppressed'], suppressed !== null)
    assert.deepEqual(h.logged, [])
  })
}

test('a deferred mail is retried at the scheduled times with the same bytes, and delivered once', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { dot: '451 4.3.0 not now' })
  const id = await h.put('bob@example.net')
  await h.delivery.turn()
  assert.equal(await h.status(id), 'deferred')
  assert.equal((await h.last(id)).data['attempt'], 1)
  h.clock.advance(5 * MINUTE)
  assert.equal(await h.delivery.turn(), 0)
  mx.script({ dot: 'default' })
  h.clock.advance(2 * MINUTE)
  assert.equal(await h.delivery.turn(), 1)
  assert.equal(await h.status(id), 'delivered')
  const { email, attempts, events } = await h.story(id)
  assert.deepEqual(
    attempts.map(({ outcome }) => outcome),
    ['deferred', 'delivered'],
  )
  assert.equal(email.attempts_count, 2)
  assert.deepEqual(
    events.map(({ event }) => event),
    ['email.deferred', 'email.delivered'],
  )
  assert.equal(events[1]?.data['attempts'], 2)
  const [first, second] = mx.messages
  assert.ok(first !== undefined && second !== undefined && first.data.equals(second.data))
})

test('mail deferred by a clock two hours ahead is tried once that is put back, and then at the scheduled times', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { dot: '451 4.3.0 not now' })
  const [before, meanwhile] = [await h.put('bob@example.net'), 120 * MINUTE]
  h.clock.advance(meanwhile)
  const ahead = await h.put('eve@example.net')
  assert.equal(await h.delivery.turn(), 2)
  h.clock.advance(-meanwhile)
  assert.equal(await h.delivery.turn(), 0, 'the clock may be corrected yet')
  h.clock.wait(SETTLED_AFTER_MS)
  assert.equal(await h.delivery.turn(), 2)
  assert.equal(await h.delivery.turn(), 0)
  mx.script({ dot: 'default' })
  h.clock.advance(20 * MINUTE)
  assert.equal(await h.delivery.turn(), 2)
  assert.deepEqual([await h.status(before), await h.status(ahead)], ['delivered', 'delivered'])
})

test('an email that the receiver defers for 72 hours fails, and counts as one soft bounce', async () => {
  await using h = await fixture(ZONE)
  await h.receiver('127.0.0.2', { rcpt: '452 4.2.2 mailbox full' })
  const id = await h.put('bob@example.net')
  let attempts = 0
  for (let hours = 0; hours < 73; hours++) {
    attempts += await h.delivery.turn()
    h.clock.advance(60 * MINUTE)
  }
  const last = await h.last(id)
  assert.equal(last.event, 'email.failed')
  assert.equal(last.data['reason'], 'retry_exhausted')
  assert.equal(last.data['last_smtp_code'], 452)
  assert.equal(last.data['attempts'], attempts)
  assert.equal((await h.story(id)).attempts.at(-1)?.outcome, 'deferred')
  assert.equal(await h.bounces(), 1)
  assert.ok(attempts >= 14 && attempts <= 18, `${attempts} attempts`)
  assert.equal(await h.queued(), 0)
})

test('a null MX is a hard bounce at once, without a connection', async () => {
  await using h = await fixture({ 'example.net': { MX: ['0 .'] } })
  const id = await h.put('bob@example.net')
  await h.delivery.turn()
  const last = await h.last(id)
  assert.equal(last.event, 'email.bounced')
  assert.equal(last.data['category'], 'bad_domain')
  assert.equal(await h.suppressed('bob@example.net'), 'hard_bounce')
})

test('mail to a missing domain bounces when the domain is still missing after 15 minutes, not before', async () => {
  await using h = await fixture()
  const id = await h.put('bob@missing.test')
  for (const minutes of [0, 7, 5]) {
    h.clock.advance(minutes * MINUTE)
    await h.delivery.turn()
    assert.equal(await h.status(id), 'deferred')
  }
  h.clock.advance(5 * MINUTE)
  await h.delivery.turn()
  assert.equal(await h.status(id), 'bounced')
  assert.equal((await h.last(id)).data['category'], 'bad_domain')
})

test('no domain counts as missing while most names are missing', async () => {
  await using h = await fixture()
  const emails = []
  for (let n = 0; n < 12; n++) emails.push(await h.put(`bob@missing${n}.test`))
  for (const minutes of [0, 17]) {
    h.clock.advance(minutes * MINUTE)
    await h.delivery.turn()
  }
  for (const id of emails) assert.equal(await h.status(id), 'deferred')
})

test('when the first host is dead or busy, the next one gets the mail; when it refuses the mail, none does', async () => {
  await using h = await fixture({
    'example.net': { MX: ['10 one.example.net', '20 two.example.net'] },
    'one.example.net': { A: ['127.0.0.3'] },
    'two.example.net': { A: ['127.0.0.2'] },
  })
  const two = await h.receiver('127.0.0.2')
  const dead = await h.put('bob@example.net')
  await h.delivery.turn()
  assert.equal(await h.status(dead), 'delivered')
  const one = await h.receiver('127.0.0.3', { rcpt: { 'busy@example.net': '451 4.2.0 later', '*': '550 5.1.1 no' } })
  const busy = await h.put('busy@example.net')
  const bad = await h.put('bad@example.net')
  const other = h.another()
  await other.turn()
  assert.equal(await h.status(busy), 'delivered')
  assert.equal(await h.status(bad), 'bounced')
  assert.equal(one.messageCount, 0)
  assert.equal(two.messageCount, 2)
})

test('no connection is made to a private address unless that is allowed', async () => {
  await using h = await fixture(ZONE, { allowPrivateNetworks: false })
  const mx = await h.receiver('127.0.0.2')
  const id = await h.put('bob@example.net')
  await h.delivery.turn()
  assert.equal(await h.status(id), 'failed')
  assert.equal((await h.last(id)).data['reason'], 'dns_failure')
  assert.equal(mx.connectionCount, 0)
})

test('a destination that answers 421 is left alone for a while, and gets all its mail in the end', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { mail: { reply: '421 4.7.0 too many connections', then: 'close' } })
  const first = await h.put('a@example.net')
  const began = performance.now()
  await h.delivery.turn()
  assert.equal(await h.status(first), 'deferred')
  mx.script({ mail: 'default' })
  const second = await h.put('b@example.net')
  const sent = await h.delivery.turn()
  // On a machine slower than the pause the check proves nothing.
  if (performance.now() - began < 1_000) assert.equal(sent, 0)
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  h.clock.advance(7 * MINUTE)
  await h.delivery.turn()
  assert.equal(await h.status(first), 'delivered')
  assert.equal(await h.status(second), 'delivered')
})

test('a mail that requires TLS is never sent in clear, and fails with tls_required in the end', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2')
  const plain = await h.put('a@example.net')
  const id = await h.put('b@example.net', {
    tlsRequired: true,
    expiresAt: new Date(h.clock.now().getTime() + 10 * MINUTE),
  })
  await h.delivery.turn()
  assert.equal(await h.status(plain), 'delivered')
  assert.equal(await h.status(id), 'deferred')
  h.clock.advance(7 * MINUTE)
  await h.delivery.turn()
  assert.equal(await h.status(id), 'deferred')
  h.clock.advance(3 * MINUTE)
  await h.delivery.turn()
  assert.deepEqual([await h.status(id), (await h.last(id)).data['reason']], ['failed', 'tls_required'])
  assert.equal(mx.messageCount, 1)
})

test('mail that requires TLS from a host without it does not hold up other mail', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2')
  for (let n = 0; n < 6; n++) {
    const id = await h.put(`b${n}@example.net`, { tlsRequired: true })
    await h.delivery.turn()
    assert.equal(await h.status(id), 'deferred')
  }
  const plain = await h.put('a@example.net')
  await h.delivery.turn()
  assert.equal(await h.status(plain), 'delivered')
  assert.equal(mx.messageCount, 1)
})

test('attempts at domains whose hosts share an address record the host name of each domain', async () => {
  await using h = await fixture({ ...ZONE, 'example.org': { A: ['127.0.0.2'] } })
  await h.receiver('127.0.0.2')
  for (const [to, host] of [
    ['a@example.net', 'mx.example.net'],
    ['a@example.org', 'example.org'],
  ] as const) {
    const id = await h.put(to)
    await h.delivery.turn()
    assert.deepEqual((await h.last(id)).data['remote_mta'], { host, ip: '127.0.0.2' })
    assert.equal((await h.story(id)).attempts[0]?.detail['mx'], host)
  }
})

test('a mail that requires TLS goes out inside TLS', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { tls: true })
  const id = await h.put('b@example.net', { tlsRequired: true })
  await h.delivery.turn()
  const [message] = await mx.received(1)
  assert.equal(message?.tls, true)
  assert.equal((((await h.last(id)).data['tls'] as Record<string, unknown>) ?? {})['verified'], 'none')
})

test('an address suppressed after acceptance gets no mail', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { rcpt: '550 5.1.1 no such user' })
  const first = await h.put('bob@example.net')
  await h.delivery.turn()
  mx.script({ rcpt: 'default' })
  const second = await h.put('bob@example.net')
  await h.delivery.turn()
  assert.equal(await h.status(first), 'bounced')
  assert.equal(await h.status(second), 'suppressed')
  const last = await h.last(second)
  assert.deepEqual([last.event, last.data['reason']], ['email.suppressed', 'hard_bounce'])
  assert.equal(mx.messageCount, 0)
})

test('mail of a removed domain ends, with the reason', async () => {
  await using h = await fixture(ZONE, { signingKeys: async () => new Map() })
  const id = await h.put('bob@example.net')
  await h.delivery.turn()
  assert.equal((await h.last(id)).data['reason'], 'domain_removed')
})

test('a dead destination among many delays nobody', async () => {
  const zones: Record<string, { MX?: string[]; A?: string[] }> = { 'dead.test': { A: ['127.0.0.9'] } }
  for (let n = 0; n < 20; n++) zones[`d${n}.test`] = { A: ['127.0.0.2'] }
  await using h = await fixture(zones, { timeouts: { banner: 60_000, connect: 60_000 } })
  const mx = await h.receiver('127.0.0.2')
  await h.receiver('127.0.0.9', { banner: { then: 'stall' } })
  for (let n = 0; n < 200; n++) await h.put(`u${n}@dead.test`)
  for (let n = 0; n < 20; n++) await h.put(`bob@d${n}.test`)
  await h.delivery.start()
  // Sooner than the first timeout of the dead one.
  await mx.received(20, 50_000)
})

test('when a node dies with a mail, another sends it with the same Message-ID; the late result is dropped', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { dot: { then: 'stall' } })
  const id = await h.put('bob@example.net')
  const dying = h.delivery.turn()
  while (mx.messageCount < 1) await new Promise((resolve) => setTimeout(resolve, 10))
  await h.database.system.execute({
    name: 'test_kill',
    text: "update node set lease_until = now() - interval '1 second'",
  })
  mx.script({ dot: 'default' })
  const other = h.another()
  await other.turn()
  assert.equal(await h.status(id), 'delivered')
  await h.delivery.stop(AbortSignal.timeout(50))
  await dying.catch(() => undefined)
  assert.equal((await h.events(id)).filter(({ event }) => event === 'email.delivered').length, 1)
  assert.equal((await h.events(id)).length, 1)
  const ids = mx.messages.map(({ data }) => /Message-ID: (\S+)/.exec(data.toString('latin1'))?.[1])
  assert.deepEqual(new Set(ids), new Set([`<${id}@shop.example>`]))
})

test('a mail whose connection a stop breaks before anything was said about it is retried at once', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { tls: true, handshake: { then: 'stall' } })
  const id = await h.put('bob@example.net')
  await h.delivery.start()
  while (!mx.dialogue.includes('C: STARTTLS')) await new Promise((resolve) => setTimeout(resolve, 10))
  await h.delivery.stop(AbortSignal.timeout(50))
  assert.equal(await h.status(id), 'queued')
  mx.script({ handshake: 'default' })
  await h.another().turn()
  assert.equal(await h.status(id), 'delivered')
  assert.equal((await h.story(id)).attempts.length, 1)
})

test('a stop neither loses nor duplicates mail', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2', { dot: { reply: '250 2.0.0 ok', afterMs: 5 } })
  const emails: string[] = []
  for (let n = 0; n < 300; n++) emails.push(await h.put(`u${n}@example.net`))
  await h.delivery.start()
  await mx.received(50)
  await h.delivery.stop(AbortSignal.timeout(5_000))
  const taken = mx.messages.length
  assert.ok(taken >= 50 && taken < 300, `${taken} at the stop`)
  assert.equal(await h.queued(), 300 - taken)
  await h.another().turn()
  assert.equal(await h.queued(), 0)
  const recipients = mx.messages.flatMap((message) => message.recipients)
  assert.equal(recipients.length, 300)
  assert.equal(new Set(recipients).size, 300)
})

const SANDBOX: [result: NewEmail['sandboxResult'], status: string, events: string[], suppressed: string | null][] = [
  ['deliver', 'delivered', ['email.delivered'], null],
  ['bounce', 'bounced', ['email.bounced'], 'hard_bounce'],
  ['defer', 'deferred', ['email.deferred'], null],
  ['fail', 'failed', ['email.failed'], null],
  ['suppress', 'suppressed', ['email.suppressed'], null],
  ['complain', 'complained', ['email.delivered', 'email.complained'], 'complaint'],
]
for (const [sandboxResult, status, events, suppressed] of SANDBOX) {
  test(`sandbox mail with result "${sandboxResult}" is signed, is in the inbox and ends ${status}`, async () => {
    await using h = await fixture(ZONE)
    const mx = await h.receiver('127.0.0.2')
    const id = await h.put('Bob@example.net', { sandbox: true, sandboxResult })
    await h.delivery.turn()
    const filter = { to: 'bob@example.net', subject: 'grÜ', emailId: id, from: null, before: null }
    const { rows, total } = await listInbox(h.database, ACCOUNT, filter, { limit: 10, offset: 0, cursor: null })
    assert.equal(total, 1)
    const mail = await oneInboxMail(h.database, ACCOUNT, rows[0]?.id ?? '')
    assert.match(mail.raw.toString('latin1'), /^DKIM-Signature: /)
    assert.equal(await h.status(id), status)
    const told = await h.events(id)
    assert.deepEqual(
      told.map(({ event }) => event),
      events,
    )
    assert.ok(told.every(({ data }) => data['sandbox'] === true))
    assert.equal(await h.suppressed('bob@example.net'), suppressed)
    assert.equal(mx.connectionCount, 0)
    assert.deepEqual(h.logged, [])
  })
}

test('outgoing mail verifies with the key of its domain; every relevant field is signed once more than it occurs', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2')
  await h.put('bob@example.net', {}, { html: `<p>${'ü'.repeat(5_000)}</p>`, text: null })
  await h.delivery.turn()
  const [message] = await mx.received(1)
  const publicKey = publicKeyOf(KEY)
  const { results } = await dkimVerify(message?.data ?? '', {
    resolver: async () => [[`v=DKIM1; k=rsa; p=${publicKey}`]],
  })
  assert.equal(results[0]?.status.result, 'pass')
  assert.match(message?.data.toString('latin1') ?? '', /Content-Type: text\/plain/)
})

test('a large mail is read when a connection is free for it, and arrives whole', async () => {
  await using h = await fixture(ZONE, { limits: { maxLargeBytes: 1_000_000 } })
  const mx = await h.receiver('127.0.0.2')
  const content = randomBytes(700_000)
  const attachment = {
    filename: 'a.bin',
    contentType: 'application/x-a',
    contentId: null,
    disposition: 'attachment',
  } as const
  for (let n = 0; n < 4; n++) await h.put(`u${n}@example.net`, {}, { attachments: [{ ...attachment, content }] })
  await h.delivery.turn()
  const [first] = await mx.received(4)
  const { attachments } = await parseMessage(first?.data ?? Buffer.alloc(0))
  assert.ok(attachments[0]?.content.equals(content))
})

test('a relay gets all mail, after the log-in', async () => {
  const relay = await startReceiver({ login: { username: 'u', password: 'p' }, tls: true })
  await using _ = relay
  await using h = await fixture(
    {},
    {
      mode: 'relay',
      relay: { host: '127.0.0.1', port: relay.port, tls: 'offered', username: 'u', password: 'p' },
    },
  )
  const id = await h.put('bob@nowhere.test')
  await h.delivery.turn()
  const [message] = await relay.received(1)
  assert.deepEqual([message?.authenticatedAs, message?.tls], ['u', true])
  assert.equal(await h.status(id), 'delivered')
})

test('while the database refuses results they are retried, and no mail is sent twice', async () => {
  let away = 3
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2')
  const id = await h.put('bob@example.net')
  const gone = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })
  const delivery = h.another({
    database: {
      ...h.database,
      transaction: (work) => {
        if (mx.messageCount > 0 && away-- > 0) return Promise.reject(gone)
        return h.database.transaction(work)
      },
    },
  })
  await delivery.turn()
  assert.equal(await h.status(id), 'delivered')
  assert.equal(mx.messageCount, 1)
  assert.ok(away <= 0)
})

test('a claim whose answer was lost leaves nothing behind: the mail is sent under the next epoch', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2')
  let lost = 0
  const system: Db = {
    ...h.database.system,
    query: async (what, values) => {
      const rows = await h.database.system.query<never>(what, values)
      if (what.name !== 'outbox_claim' || lost++ > 0) return rows
      throw Object.assign(new Error('lost'), { code: 'ECONNRESET' })
    },
  }
  const delivery = h.another({ database: { ...h.database, system } })
  const id = await h.put('bob@example.net')
  await assert.rejects(delivery.turn(), /lost/)
  assert.equal(await h.status(id), 'queued')
  await delivery.turn()
  assert.equal(await h.status(id), 'delivered')
  assert.equal(mx.messageCount, 1)
})
