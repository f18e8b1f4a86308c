// Faults between a claim and its record: they must neither keep mail waiting nor send it twice.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { untilBlocked } from '../../../test/world/blocked.ts'
import { ACCOUNT, type Fixture, fixture } from '../../../test/world/delivery-fixture.ts'
import { type Db, statement } from '../../platform/db.ts'
import { connector } from '../../platform/network/connect.ts'
import { transportOf } from '../transport/index.ts'

const ZONE = {
  'example.net': { MX: ['10 mx.example.net'] },
  'mx.example.net': { A: ['127.0.0.2'] },
  'example.org': { MX: ['10 mx.example.org'] },
  'mx.example.org': { A: ['127.0.0.3'] },
}
const WITHIN_MS = 30_000
const LAPSE = statement('test_lapse', "update node set lease_until = now() - interval '1 second'")
const OTHERS = statement('test_others', 'select 1 from node where lease_until > now()')
const NODES = statement('test_nodes', 'select epoch from node')
const PAST = statement(
  'test_past',
  "insert into past_refusal (account_id, email, reason, at) values ($1, $2, 'hard_bounce', now())",
)
const PAST_OF = statement('test_past_of', 'select from past_refusal where account_id = $1')
const LOCK_INBOX = statement('test_lock_inbox', 'lock table inbox in share row exclusive mode')
/** Renewals too rare to cause anything that these tests wait for. */
const RARELY = { renewEveryMs: 600_000 }

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(WITHIN_MS)
  while (!(await holds())) {
    if (deadline.aborted) throw new Error(`not within ${WITHIN_MS} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

test('after a claim whose answer was lost the next epoch begins at once, and the claimed mail is sent under it', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2')
  let lost = 0
  const system: Db = {
    ...h.database.system,
    query: async (what, values) => {
      const rows = await h.database.system.query<never>(what, values)
      if (what.name !== 'outbox_claim' || rows[0]?.['id'] === null || lost++ > 0) return rows
      throw Object.assign(new Error('lost'), { code: 'ECONNRESET' })
    },
  }
  const delivery = h.another({ database: { ...h.database, system }, limits: RARELY })
  const id = await h.put('bob@example.net')
  await delivery.start()
  await until('delivered', async () => (await h.status(id)) === 'delivered')
  assert.equal(lost > 1, true)
  assert.equal(mx.messageCount, 1)
})

test('a new epoch takes nothing from the one before that is still on its way', async () => {
  await using h = await fixture(ZONE)
  const slow = Promise.withResolvers<void>()
  const mx = await h.receiver('127.0.0.2', { dot: { reply: '250 2.0.0 taken', after: slow.promise } })
  const other = await h.receiver('127.0.0.3')
  let lost = false
  const system: Db = {
    ...h.database.system,
    query: async (what, values) => {
      const rows = await h.database.system.query<never>(what, values)
      if (what.name !== 'outbox_claim' || rows[0]?.['id'] === null || mx.messageCount === 0 || lost) return rows
      lost = true
      throw Object.assign(new Error('lost'), { code: 'ECONNRESET' })
    },
  }
  const delivery = h.another({ database: { ...h.database, system }, limits: RARELY })
  const bob = await h.put('bob@example.net')
  await delivery.start()
  await until('the final dot', async () => mx.messageCount === 1)
  const ann = await h.put('ann@example.org')
  delivery.wake()
  await until('the next epoch', async () => (await h.database.system.query(NODES)).length === 2)
  slow.resolve()
  for (const id of [bob, ann]) await until('delivered', async () => (await h.status(id)) === 'delivered')
  assert.deepEqual([lost, mx.messageCount, other.messageCount], [true, 1, 1])
})

test('claimed mail that could not be read is claimed again', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2')
  let unread = 0
  const system: Db = {
    ...h.database.system,
    query: (what, values) =>
      what.name === 'outbox_fetch_emails' && unread++ === 0
        ? Promise.reject(Object.assign(new Error('too slow'), { code: '57014' }))
        : h.database.system.query(what, values),
  }
  const delivery = h.another({ database: { ...h.database, system }, limits: RARELY })
  const id = await h.put('bob@example.net')
  await assert.rejects(delivery.turn(), { code: '57014' })
  assert.equal(delivery.held, 0)
  await delivery.turn()
  assert.deepEqual([await h.status(id), mx.messageCount], ['delivered', 1])
})

test('a lease that lapsed while the process was paused is renewed as soon as it is needed', async () => {
  await using h = await fixture(ZONE)
  await h.receiver('127.0.0.2')
  let stoodMs = 0
  const clock = { ...h.clock, monotonicMs: () => h.clock.monotonicMs() + stoodMs }
  const delivery = h.another({ clock, limits: RARELY })
  await delivery.start()
  const first = await h.put('bob@example.net')
  await until('the first is delivered', async () => (await h.status(first)) === 'delivered')
  stoodMs = 25_000
  const second = await h.put('ann@example.net')
  await until('the second is delivered', async () => (await h.status(second)) === 'delivered')
})

// Each row: where the receiver is slow, and whether it has heard of the mail by then. Another node may be sending it meanwhile.
for (const [step, reply, isNamed] of [
  ['banner', '220 mx.example.net', false],
  ['data', '354 go on', true],
] as const) {
  test(`mail whose lease lapses while a receiver is slow with its ${step} is given up, and sent under the next lease`, async () => {
    await using h = await fixture(ZONE)
    const slow = Promise.withResolvers<void>()
    const mx = await h.receiver('127.0.0.2', { [step]: { reply, after: slow.promise } })
    let stoodMs = 0
    const clock = { ...h.clock, monotonicMs: () => h.clock.monotonicMs() + stoodMs }
    const delivery = h.another({ clock, limits: RARELY })
    const id = await h.put('bob@example.net')
    const turn = delivery.turn()
    const isThere = async (): Promise<boolean> =>
      step === 'banner' ? mx.connectionCount === 1 : mx.dialogue.includes('C: DATA')
    await until('the receiver is slow', isThere)
    stoodMs = 25_000
    slow.resolve()
    await turn
    const heard = mx.dialogue.some((line) => line.startsWith('C: MAIL'))
    assert.deepEqual([heard, mx.messageCount], [isNamed, 0])
    await delivery.turn()
    assert.deepEqual([await h.status(id), mx.messageCount], ['delivered', 1])
  })
}

for (const code of ['ECONNREFUSED', '57014', '40P01']) {
  test(`when the database fails with ${code} the TLS policy is unknown: no attempt, and the DNS is not blamed`, async () => {
    await using h = await fixture(ZONE)
    const mx = await h.receiver('127.0.0.2')
    let away = 2
    const system: Db = {
      ...h.database.system,
      one: (what, values) =>
        what.name.startsWith('transport_') && away-- > 0
          ? Promise.reject(Object.assign(new Error('gone'), { code }))
          : h.database.system.one(what, values),
    }
    const out = connector({ resolver: h.zones, allowPrivate: true })
    const transport = transportOf({
      ...h.options,
      database: { ...h.database, system },
      connector: out,
      secure: null,
      port: h.options.smtpPort,
      onError: () => undefined,
    })
    const id = await h.put('bob@example.net')
    await h.another({ transport }).turn()
    assert.equal(await h.status(id), 'delivered')
    assert.equal(mx.messageCount, 1)
    assert.equal((await h.story(id)).attempts.length, 1)
    assert.ok(away <= 0)
    await out.close()
  })
}

test('after an outage longer than a lease no node takes over before others could renew: answers are recorded', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2')
  let away = false
  const gone = (): Promise<never> => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))
  const delivery = h.another({
    limits: { renewEveryMs: 100 },
    database: {
      ...h.database,
      system: {
        query: (what, values) => (away ? gone() : h.database.system.query(what, values)),
        one: (what, values) => (away ? gone() : h.database.system.one(what, values)),
        execute: (what, values) => (away ? gone() : h.database.system.execute(what, values)),
      },
      transaction: (work) => {
        away ||= mx.messageCount > 0 && !returned
        return away ? gone() : h.database.transaction(work)
      },
    },
  })
  let returned = false
  const id = await h.put('bob@example.net')
  await delivery.start()
  await until('the outage has begun', async () => away)
  await h.database.system.execute(LAPSE)
  returned = true
  await h.another().start()
  await until('the other one has had its first look', async () => (await h.database.system.one(OTHERS)) !== null)
  away = false
  await until('delivered', async () => (await h.status(id)) === 'delivered')
  assert.equal(mx.messageCount, 1)
})

/** A database in which transactions that record results fail with `faults`, one after the other, before they commit. */
function failing(
  h: Awaited<ReturnType<typeof fixture>>,
  faults: string[],
  when: () => boolean | Promise<boolean> = () => true,
): Fixture['database'] {
  return {
    ...h.database,
    transaction: (work) =>
      h.database.transaction(async (db, posting) => {
        let records = false
        const seeing: Db = {
          ...db,
          query: (what, values) => {
            records ||= what.name === 'outbox_complete'
            return db.query(what, values)
          },
        }
        const result = await work(seeing, posting)
        const code = records && (await when()) ? faults.shift() : undefined
        if (code !== undefined) throw Object.assign(new Error(`refused for ${code}`), { code })
        return result
      }),
  }
}

for (const [what, faults] of [
  ['deadlocks and time limits', ['40P01', '57014', '55P03']],
  ['a fault of the group, and a deadlock of the email alone', ['22P02', '40P01']],
] as const) {
  test(`a hard bounce that meets ${what} is recorded whole: it has its event, and its address is suppressed`, async () => {
    await using h = await fixture(ZONE)
    // While the first result is being recorded, the two others arrive, and so are one group.
    await h.receiver('127.0.0.3', { rcpt: '550 5.1.1 nobody here' })
    const recording = Promise.withResolvers<void>()
    const mx = await h.receiver('127.0.0.2', { rcpt: { reply: '550 5.1.1 nobody here', after: recording.promise } })
    const ids = [await h.put('eve@example.org'), await h.put('bob@example.net'), await h.put('ann@example.net')]
    const left = [...faults]
    let recorded = 0
    const afterTheFirst = async (): Promise<boolean> => {
      if (recorded++ > 0) return true
      recording.resolve()
      await until('both are refused', async () => mx.dialogue.filter((line) => line.startsWith('S: 550')).length === 2)
      await new Promise((resolve) => setTimeout(resolve, 300))
      return false
    }
    const delivery = h.another({ database: failing(h, left, afterTheFirst) })
    await delivery.turn()
    assert.deepEqual(left, [])
    for (const id of ids) assert.equal((await h.last(id)).event, 'email.bounced')
    assert.equal(await h.suppressed('bob@example.net'), 'hard_bounce')
    assert.equal(await h.suppressed('ann@example.net'), 'hard_bounce')
  })
}

test('mail whose history is refused is not sent again, even if the database goes away meanwhile', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2')
  const left = ['22P02', 'ECONNRESET', '40P01']
  const delivery = h.another({ database: failing(h, left) })
  const id = await h.put('bob@example.net')
  await delivery.turn()
  assert.deepEqual(left, [])
  assert.equal(await h.status(id), 'delivered')
  assert.equal(await h.queued(), 0)
  assert.equal(mx.messageCount, 1)
})

test('mail whose attempt cannot be stored is recorded as delivered without it', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2')
  const refused: Fixture['database']['transaction'] = (work) =>
    h.database.transaction((db, posting) => {
      const refusing: Db = {
        ...db,
        execute: (what, values) =>
          what.name === 'outbox_add_attempts'
            ? Promise.reject(Object.assign(new Error('refused'), { code: '22P02' }))
            : db.execute(what, values),
      }
      return work(refusing, posting)
    })
  const delivery = h.another({ database: { ...h.database, transaction: refused } })
  const id = await h.put('bob@example.net')
  await delivery.turn()
  assert.deepEqual([await h.status(id), await h.queued(), mx.messageCount], ['delivered', 0, 1])
})

test('a delivery of sandbox mail forgives no hard bounce of live mail, one of live mail does', async () => {
  await using h = await fixture(ZONE)
  await h.receiver('127.0.0.2')
  await h.database.system.execute(PAST, [ACCOUNT, 'bob@example.net'])
  const forgiven = async (sandbox: boolean): Promise<boolean> => {
    const id = await h.put('bob@example.net', { sandbox })
    await h.delivery.turn()
    assert.equal(await h.status(id), 'delivered')
    return (await h.database.system.one(PAST_OF, [ACCOUNT])) === null
  }
  assert.deepEqual([await forgiven(true), await forgiven(false)], [false, true])
})

test('results of a day without an event partition are recorded all the same', async () => {
  await using h = await fixture(ZONE)
  await h.receiver('127.0.0.2', { rcpt: '550 5.1.1 nobody here' })
  const id = await h.put('bob@example.net', { expiresAt: new Date(h.clock.now().getTime() + 40 * 86_400_000) })
  h.clock.advance(30 * 86_400_000)
  await h.delivery.turn()
  assert.equal((await h.last(id)).event, 'email.bounced')
  assert.equal(await h.suppressed('bob@example.net'), 'hard_bounce')
})

test('large mails that wait for memory leave the connection to the mail that has memory', async () => {
  await using h = await fixture(ZONE)
  const mx = await h.receiver('127.0.0.2')
  const delivery = h.another({ limits: { maxSockets: 1, maxLargeBytes: 1 } })
  for (let n = 0; n < 8; n++) await h.put(`u${n}@example.net`, {}, { text: 'large '.repeat(20_000) })
  await delivery.start()
  await mx.received(8, WITHIN_MS)
  await delivery.idle()
  assert.equal(mx.messageCount, 8)
})

test('a large mail that a receiver takes long to answer counts once, and leaves room to compose the next', async () => {
  await using h = await fixture({ 'slow.test': { A: ['127.0.0.2'] }, 'alive.test': { A: ['127.0.0.3'] } })
  const slow = await h.receiver('127.0.0.2', { dot: { then: 'stall' } })
  const mx = await h.receiver('127.0.0.3')
  const text = 'large '.repeat(20_000)
  // Room for one that is sent and one that is composed, not for two that are composed.
  const delivery = h.another({ limits: { maxLargeBytes: text.length * 5 } })
  await h.put('u@slow.test', {}, { text })
  await delivery.start()
  await until('the final dot', async () => slow.messageCount === 1)
  await h.put('u@alive.test', {}, { text })
  delivery.wake()
  await mx.received(1, WITHIN_MS)
})

test('a bug while a connection is opened leaks no socket', async () => {
  await using h = await fixture(ZONE)
  await h.receiver('127.0.0.2')
  const delivery = h.another({ hostname: 'mail\n.posthorn.test', limits: { maxSockets: 1 } })
  const ids = [await h.put('bob@example.net'), await h.put('ann@example.net'), await h.put('eve@example.net')]
  await delivery.start()
  for (const id of ids) await until('deferred', async () => (await h.status(id)) === 'deferred')
})

test('silent destinations leave half of the emails in the process to answering ones', async () => {
  const zones: Record<string, { MX?: string[]; A?: string[] }> = { 'alive.test': { A: ['127.0.0.2'] } }
  const silent = Array.from({ length: 4 }, (_, n) => `silent${n}.test`)
  for (const [n, site] of silent.entries()) zones[site] = { A: [`127.0.0.${n + 10}`] }
  const limits = { maxEmails: 80, maxSockets: 100 }
  await using h = await fixture(zones, { limits, timeouts: { banner: 120_000, connect: 120_000 } })
  const mx = await h.receiver('127.0.0.2')
  for (const n of silent.keys()) await h.receiver(`127.0.0.${n + 10}`, { banner: { then: 'stall' } })
  await h.put('ann@alive.test')
  await h.delivery.start()
  await mx.received(1, WITHIN_MS)
  for (const site of silent) for (let n = 0; n < 40; n++) await h.put(`u${n}@${site}`)
  h.delivery.wake()
  await until('the silent ones hold what they may', async () => h.delivery.held > 30)
  await until('no more is claimed', async () => {
    const held = h.delivery.held
    await new Promise((resolve) => setTimeout(resolve, 600))
    return h.delivery.held === held
  })
  await h.put('bob@alive.test')
  h.delivery.wake()
  await mx.received(2, WITHIN_MS)
})

test('a destination with much mail gives a connection up for one that has none', async () => {
  const zones = { 'many.test': { A: ['127.0.0.2'] }, 'one.test': { A: ['127.0.0.3'] } }
  await using h = await fixture(zones, { limits: { maxSockets: 1 } })
  let answer = (): void => undefined
  const after = new Promise<void>((resolve) => (answer = resolve))
  const many = await h.receiver('127.0.0.2', { dot: () => ({ reply: '250 taken', after }) })
  const one = await h.receiver('127.0.0.3')
  for (let n = 0; n < 30; n++) await h.put(`u${n}@many.test`)
  await h.delivery.start()
  await until('the first is on its way', async () => many.messageCount === 1)
  await h.put('ann@one.test')
  h.delivery.wake()
  await until('all are in the process', async () => h.delivery.held === 31)
  h.clock.wait(1_000)
  answer()
  await one.received(1, WITHIN_MS)
  assert.ok(many.messageCount < 30, 'it did not wait for the last')
  await many.received(30, WITHIN_MS)
})

test('a process that is nearly full claims again only when it has room for more than a few', async () => {
  const sites = Array.from({ length: 6 }, (_, n) => `d${n}.test`)
  const zones = Object.fromEntries(sites.map((site) => [site, { A: ['127.0.0.2'] }]))
  await using h = await fixture(zones)
  const mx = await h.receiver('127.0.0.2')
  const asked: number[] = []
  const system: Db = {
    ...h.database.system,
    query: (what, values) => {
      if (what.name === 'outbox_claim') asked.push(Number(values?.[0]))
      return h.database.system.query(what, values)
    },
  }
  const delivery = h.another({ database: { ...h.database, system }, limits: { maxEmails: 80 } })
  for (let n = 0; n < 240; n++) await h.put(`u${n}@${sites[n % sites.length]}`)
  await delivery.start()
  await mx.received(240, WITHIN_MS)
  await until('all is delivered', async () => (await h.queued()) === 0)
  assert.deepEqual(
    asked.filter((room) => room < 10),
    [],
  )
})

test('mail behind more blocked pairs than one claim visits is found in the same walk, which then ends', async () => {
  const suspended = '01980000-0000-7000-8000-00000000000b'
  const limits = { maxClaim: 2 }
  await using h = await fixture(ZONE, { limits, suspendedAccounts: () => [suspended] })
  await h.receiver('127.0.0.2')
  for (let n = 0; n < 9; n++) await h.put(`u@d${n}.test`, { accountId: suspended })
  const id = await h.put('bob@example.net')
  assert.equal(await h.delivery.turn(), 1)
  assert.equal(await h.status(id), 'delivered')
  assert.equal(await h.delivery.turn(), 0)
  assert.equal(await h.queued(), 9)
})

test('large sandbox mails are in memory one at a time, until they are stored', async () => {
  let composed = 0
  const inboxOwner = ({ accountId }: { readonly accountId: string }): string => {
    composed++
    return accountId
  }
  await using h = await fixture({}, { limits: { maxLargeBytes: 1 }, inboxOwner })
  const attachment = { filename: 'a', contentType: 'a/b', contentId: null, disposition: 'attachment' } as const
  for (let n = 0; n < 4; n++) {
    const attachments = [{ ...attachment, content: randomBytes(100_000) }]
    await h.put(`u${n}@example.net`, { sandbox: true }, { attachments })
  }
  const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const locking = h.database.transaction(async (db) => {
    await db.execute(LOCK_INBOX)
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const turn = h.delivery.turn()
  await untilBlocked(h.database, 1)
  assert.equal(composed, 1)
  release.resolve()
  await Promise.all([locking, turn])
  assert.equal(composed, 4)
})
