// The connection to the database is cut exactly at COMMIT: before the server has it, after the server has done it and before
// the client has the answer, or with the commit still on its way when the client tries again. What was not committed is never
// answered 2xx or 250; what was committed is, once the store has confirmed it. Repeating a send with its key makes one email.
// Mail that the worker was sending is neither lost nor sent twice.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { statement } from '../src/platform/db.ts'
import { type DatabaseProxy, databaseProxy, type Fault, type SeenStatement } from './world/database-proxy.ts'
import { type Receiver, startReceiver } from './world/receiver.ts'
import { plain, type SmtpSession, smtpSession } from './world/submission.ts'
import { type Reply, startWorld, type World } from './world/world.ts'

const WITHIN_MS = 30_000
const EMAILS = statement('test_emails', 'select id, status from email where recipient = $1')
const QUEUED = statement('test_queued', 'select count(*)::int as count from queue')
const BLOCKED = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

let mx: Receiver
let proxy: DatabaseProxy
let world: World
let smtp: SmtpSession
let owner: pg.Client
let recipients = 0
before(async () => {
  mx = await startReceiver()
  world = await startWorld({
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
    way: async (url) => {
      proxy = await databaseProxy(url)
      return proxy.url
    },
  })
  await world.verifiedDomain('shop.example')
  owner = new pg.Client({ connectionString: world.rooms.store.adminUrl })
  await owner.connect()
  smtp = await smtpSession(world.submissionPorts.implicitTls[0] ?? 0, { secure: true })
  await smtp.ask('EHLO client.example')
  assert.match(await smtp.ask(`AUTH PLAIN ${plain('apikey', world.account.apiKey)}`), /^235/)
})
after(async () => {
  smtp.close()
  await owner.end()
  await world[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
  await mx[Symbol.asyncDispose]()
})

async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = AbortSignal.timeout(WITHIN_MS)
  while (!(await holds())) {
    if (deadline.aborted) throw new Error(`not within ${WITHIN_MS} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const count = async (): Promise<number> =>
  (await world.rooms.database.system.one<{ count: number }>(QUEUED))?.count ?? 0
const emailsTo = (to: string): Promise<readonly { id: string; status: number }[]> =>
  world.rooms.database.system.query<{ id: string; status: number }>(EMAILS, [to])
const copiesTo = (to: string): number => mx.messages.filter(({ recipients: [first] }) => first === to).length

/** Waits until everything accepted is sent and recorded. @returns for each: copies at the receiver, emails in the store */
async function settled(...to: readonly string[]): Promise<readonly (readonly [number, number])[]> {
  await until('nothing is queued', async () => (await count()) === 0)
  return Promise.all(to.map(async (one) => [copiesTo(one), (await emailsTo(one)).length] as const))
}

const commitOf =
  (name: string) =>
  (seen: SeenStatement): boolean =>
    seen.name === 'commit' && seen.transaction.includes(name)
const isAcceptance = commitOf('outbox_add_emails')
const isResult = commitOf('outbox_complete')

/** Applies the fault to the first statement that matches. */
function once(isIt: (seen: SeenStatement) => boolean, fault: Fault): { readonly hasMet: () => boolean } {
  let met = false
  proxy.fault = (seen) => {
    if (met || !isIt(seen)) return null
    met = true
    return fault
  }
  return { hasMet: () => met }
}

const newRecipient = (): string => `r${++recipients}@example.net`
const mailTo = (to: string): object => ({ from: 'a@shop.example', to, subject: 's', text: 't' })
const send = (to: string, key?: string): Promise<Reply> =>
  world.api.post('/api/v1/send', mailTo(to), key === undefined ? {} : { 'idempotency-key': key })

function assertAway({ status, body, headers }: Reply): void {
  assert.equal(status, 503, JSON.stringify(body))
  assert.equal(body.code, 'service_unavailable')
  assert.ok(Number(headers.get('retry-after')) > 0)
  assert.doesNotMatch(JSON.stringify(body), /\.ts|at |Connection|pg/)
}

function assertKept({ status, body }: Reply): void {
  assert.equal(status, 202, JSON.stringify(body))
}

for (const [where, fault, kept] of [
  ['before the server has it', 'before', 0],
  ['before its answer', 'after', 1],
] as const) {
  const assertTold = kept === 1 ? assertKept : assertAway
  const told = kept === 1 ? /^250 / : /^451 4\.3\.\d /
  const said = kept === 1 ? 'accepted' : 'put off'

  test(`a send cut ${where} is ${said}, and repeating it with its key makes one email`, async () => {
    const to = newRecipient()
    const cut = once(isAcceptance, fault)
    assertTold(await send(to, to))
    assert.ok(cut.hasMet())
    assert.equal((await emailsTo(to)).length, kept)
    const again = await send(to, to)
    assert.equal(again.status, 202)
    assert.deepEqual(
      (await emailsTo(to)).map(({ id }) => id),
      [again.body.data.email_id],
    )
    assert.deepEqual(await settled(to), [[1, 1]])
  })

  test(`a send without a key cut ${where} is ${said}, and goes out as often as it is stored`, async () => {
    const to = newRecipient()
    const cut = once(isAcceptance, fault)
    const reply = await send(to)
    assertTold(reply)
    assert.ok(cut.hasMet())
    assert.deepEqual(await settled(to), [[kept, kept]])
    if (kept === 1) await assertDeliveredOnce(reply.body.data.email_id)
  })

  test(`sends that share a commit cut ${where} are each ${said}, and each is one email under its key`, async () => {
    const to = Array.from({ length: 12 }, newRecipient)
    let cuts = 0
    proxy.fault = (seen) => (isAcceptance(seen) && cuts++ < 12 ? fault : null)
    for (const reply of await Promise.all(to.map((one) => send(one, one)))) assertTold(reply)
    assert.ok(cuts > 0)
    proxy.fault = () => null
    for (const reply of await Promise.all(to.map((one) => send(one, one)))) assert.equal(reply.status, 202)
    assert.deepEqual(
      await settled(...to),
      to.map(() => [1, 1]),
    )
  })

  test(`a batch cut ${where} is ${said}, and repeating it with its key makes each email once`, async () => {
    const to = [newRecipient(), newRecipient()]
    const cut = once(isAcceptance, fault)
    const batch = (): Promise<Reply> =>
      world.api.post('/api/v1/send/batch', { messages: to.map(mailTo) }, { 'idempotency-key': to[0] ?? '' })
    const first = await batch()
    if (kept === 0) assertAway(first)
    else assert.equal(first.body.summary?.accepted, 2, JSON.stringify(first.body))
    assert.ok(cut.hasMet())
    assert.equal((await batch()).status, 200)
    assert.deepEqual(await settled(...to), [
      [1, 1],
      [1, 1],
    ])
  })

  test(`a submission cut ${where} is ${said}, and repeating it with its key makes one email`, async () => {
    const to = newRecipient()
    const cut = once(isAcceptance, fault)
    assert.match(await submit(to, `X-Idempotency-Key: ${to}\r\n`), told)
    assert.ok(cut.hasMet())
    assert.equal((await emailsTo(to)).length, kept)
    const again = await submit(to, `X-Idempotency-Key: ${to}\r\n`)
    assert.match(again, /^250 /)
    assert.deepEqual(
      (await emailsTo(to)).map(({ id }) => `250 2.0.0 queued as ${id}`),
      [again],
    )
    assert.deepEqual(await settled(to), [[1, 1]])
  })

  test(`a submission without a key cut ${where} is ${said}, and goes out as often as it is stored`, async () => {
    const to = newRecipient()
    const cut = once(isAcceptance, fault)
    assert.match(await submit(to), told)
    assert.ok(cut.hasMet())
    assert.deepEqual(await settled(to), [[kept, kept]])
  })

  test(`a result whose commit is cut ${where} is recorded once, and the mail is not sent again`, async () => {
    const to = newRecipient()
    const cut = once(isResult, fault)
    const { body } = await send(to)
    assert.deepEqual(await settled(to), [[1, 1]])
    assert.ok(cut.hasMet())
    await assertDeliveredOnce(body.data.email_id)
  })
}

async function assertDeliveredOnce(id: string): Promise<void> {
  const { data } = (await world.api.get(`/api/v1/emails/${id}`)).body
  assert.equal(data.status, 'delivered')
  assert.equal(data.attempts.length, 1)
  assert.deepEqual(
    data.events.map(({ event }: { event: string }) => event),
    ['email.sent', 'email.delivered'],
  )
}

async function submit(to: string, headers = ''): Promise<string> {
  await smtp.ask('RSET')
  assert.match(await smtp.ask('MAIL FROM:<a@shop.example>'), /^250/)
  assert.match(await smtp.ask(`RCPT TO:<${to}>`), /^250/)
  assert.match(await smtp.ask('DATA'), /^354/)
  return smtp.ask(`From: a@shop.example\r\nTo: ${to}\r\n${headers}Subject: s\r\n\r\nt\r\n.`)
}

test('a send repeated while its commit is still on its way waits for the commit and gets its email', async () => {
  const to = newRecipient()
  const arrives = Promise.withResolvers<void>()
  const cut = once(isAcceptance, { until: arrives.promise })
  const reply = await send(to, to)
  assertAway(reply)
  assert.deepEqual(reply.body.details, { outcome: 'unknown' })
  assert.ok(cut.hasMet())
  const again = send(to, to)
  await until('the second waits', isBlocked)
  arrives.resolve()
  assert.equal((await again).status, 202)
  assert.deepEqual(await settled(to), [[1, 1]])
})

test('the service waits for a commit that is still on its way: a client without a key gets its email', async () => {
  for (const door of ['rest', 'smtp']) {
    const to = newRecipient()
    const arrives = Promise.withResolvers<void>()
    const cut = once(isAcceptance, { until: arrives.promise })
    const first = door === 'rest' ? send(to) : submit(to)
    await until('the cut', cut.hasMet)
    assert.equal((await emailsTo(to)).length, 0)
    arrives.resolve()
    const said = await first
    if (typeof said === 'string') assert.match(said, /^250 /)
    else assert.equal(said.status, 202)
    assert.deepEqual(await settled(to), [[1, 1]])
  }
})

test('when the server keeps breaking connections after the commit, the SMTP client still learns the outcome', async () => {
  const to = newRecipient()
  let refused = -1
  proxy.fault = (seen) => {
    if (refused < 0 && !isAcceptance(seen)) return null
    return refused++ < 0 ? 'after' : refused < 20 ? 'before' : null
  }
  assert.match(await submit(to), /^250 /)
  assert.ok(refused >= 20)
  proxy.fault = () => null
  assert.deepEqual(await settled(to), [[1, 1]])
})

const isBlocked = async (): Promise<boolean> => (await owner.query(BLOCKED)).rowCount !== 0

test('a result that is written again while its commit is still on its way is recorded once', async () => {
  const to = newRecipient()
  const arrives = Promise.withResolvers<void>()
  const cut = once(isResult, { until: arrives.promise })
  const { body } = await send(to)
  await until('the second waits', isBlocked)
  assert.ok(cut.hasMet())
  arrives.resolve()
  assert.deepEqual(await settled(to), [[1, 1]])
  await assertDeliveredOnce(body.data.email_id)
})

test('an acceptance that loses a deadlock is retried: the send is accepted and is one email', async () => {
  const to = newRecipient()
  const met = once(({ name }) => name === 'sending_claim_keys', { state: '40P01' })
  assert.equal((await send(to, to)).status, 202)
  assert.ok(met.hasMet())
  assert.deepEqual(await settled(to), [[1, 1]])
})

test('claims that the server completes but whose answers are lost: the mail goes out once', async () => {
  const to = newRecipient()
  let isStored = false
  let cuts = 0
  proxy.fault = (seen) => {
    isStored ||= isAcceptance(seen)
    return isStored && seen.name === 'outbox_claim' && cuts++ < 3 ? 'after' : null
  }
  const { status, body } = await send(to)
  assert.equal(status, 202)
  assert.deepEqual(await settled(to), [[1, 1]])
  assert.ok(cuts >= 3)
  await assertDeliveredOnce(body.data.email_id)
})
