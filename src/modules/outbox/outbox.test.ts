import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { type Clock, systemClock } from '../../platform/clock.ts'
import { connect, type Database, statement } from '../../platform/db.ts'
import { type Ids, systemIds } from '../../platform/ids.ts'
import { ensureEventPartitions, eventsOfEmail } from '../events/index.ts'
import {
  type Claimed,
  cancelEmail,
  claim,
  complete,
  databaseTime,
  decodeContent,
  encodeContent,
  enqueue,
  ensureOutboxPartitions,
  fetchBody,
  fetchQueuedEmails,
  handBack,
  joinAsNode,
  leaveAsNode,
  type NewEmail,
  promote,
  type Result,
  recall,
  renewLease,
  rescheduleEmail,
  retryEmail,
  siteIds,
  takeOver,
} from './index.ts'

interface Fixture extends AsyncDisposable {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  put(emails: readonly Partial<NewEmail>[]): Promise<readonly NewEmail[]>
  take(
    epoch: number,
    more?: { limit?: number; defaultFree?: number; free?: Map<number, number>; suspended?: string[] },
  ): Promise<readonly Claimed[]>
}

const PIECES = statement(
  'test_pieces',
  `select octet_length(body) as bytes from (
     select 0 as piece, body from email_body union all select piece, body from email_body_piece) p order by piece`,
)
const [FIRST_ID, LAST_ID] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'] as const
const BODY = encodeContent({
  kind: 'composed',
  from: { name: 'Shöp', address: 'a@shop.example' },
  to: [{ name: '', address: 'b@example.net' }],
  cc: [],
  replyTo: [],
  subject: 'ü',
  headers: [['X-One', '1']],
  html: '<p>ü</p>',
  text: 'ü',
  attachments: [
    {
      filename: 'a.bin',
      contentType: 'application/x-a',
      contentId: null,
      disposition: 'attachment',
      content: Buffer.from([0, 1, 255]),
    },
  ],
  treatment: { trackOpens: false, trackClicks: true, unsubscribeHeader: false },
})

async function fixture(): Promise<Fixture> {
  const fresh = await freshDb()
  const database = connect({ url: fresh.url, onError: () => undefined })
  const clock = systemClock()
  const ids = systemIds()
  await ensureOutboxPartitions(database.system, clock.now())
  await ensureEventPartitions(database.system, clock.now())
  const sites = siteIds(database.system)
  return {
    database,
    clock,
    ids,
    put: async (emails) => {
      const made = emails.map((email) => newEmail(ids.next(), clock.now(), email))
      const numbers = await sites.of(made.map(({ site }) => site))
      const bodies = made.map(({ id, accountId }) => ({ id, accountId, stretches: [BODY] }))
      await database.transaction((db) => enqueue(db, made, bodies, numbers))
      return made
    },
    take: async (epoch, { limit = 100, defaultFree = 20, free = new Map(), suspended = [] } = {}) => {
      const ask = { epoch, limit, cursor: null, free, defaultFree, suspended, now: clock.now() }
      return (await claim(database.system, ask)).claimed
    },
    [Symbol.asyncDispose]: async () => {
      await database.close()
      await fresh[Symbol.asyncDispose]()
    },
  }
}

const ACCOUNT = '01980000-0000-7000-8000-00000000000a'
const OTHER = '01980000-0000-7000-8000-00000000000b'

function newEmail(id: string, now: Date, given: Partial<NewEmail>): NewEmail {
  return {
    id,
    accountId: ACCOUNT,
    domainId: null,
    bodyId: id,
    createdAt: now,
    status: 'queued',
    from: { name: '', address: 'a@shop.example' },
    recipient: 'b@example.net',
    recipientKey: 'b@example.net',
    cc: [],
    replyTo: [],
    site: 'example.net',
    subject: 'Hi',
    messageId: `${id}@shop.example`,
    stream: 'transactional',
    bulk: false,
    sandbox: false,
    sandboxResult: 'deliver',
    tag: null,
    metadata: null,
    sizeBytes: 100,
    scheduledAt: null,
    expiresAt: new Date(now.getTime() + 72 * 3_600_000),
    tlsRequired: false,
    risk: null,
    ...given,
  }
}

function outcome(row: Claimed, at: Date, given: Partial<Result> = {}): Result {
  return {
    id: row.id,
    accountId: row.accountId,
    fence: row.fence,
    status: 'delivered',
    next: null,
    at,
    smtpCode: 250,
    response: '250 ok',
    sizeBytes: null,
    attempt: {
      number: row.fence,
      startedAt: at,
      durationMs: 5,
      outcome: 'delivered',
      detail: { mx: 'mx.example.net' },
    },
    ...given,
  }
}

test('content comes back as it was stored, for any bytes', () => {
  const content = decodeContent(BODY)
  assert.equal(content.kind, 'composed')
  assert.deepEqual(decodeContent(encodeContent(content)), content)
  assert.throws(() => decodeContent(BODY.subarray(0, BODY.length - 1)), /torn/)
  const raw = {
    kind: 'submitted' as const,
    message: Buffer.from([0, 200, 13, 10]),
    treatment: { trackOpens: true, trackClicks: false, unsubscribeHeader: true },
  }
  assert.deepEqual(decodeContent(encodeContent(raw)), raw)
})

test('a large content is stored in pieces of half a megabyte, all of them or none, and comes back byte for byte', async () => {
  await using h = await fixture()
  const node = await joinAsNode(h.database.system, h.clock, 'a')
  const stretches = [1, 524_287, 3, 1_500_000, 0, 77].map((bytes, i) => Buffer.alloc(bytes, 97 + i))
  const whole = Buffer.concat(stretches)
  const store = async (fails: boolean): Promise<NewEmail> => {
    const email = newEmail(h.ids.next(), h.clock.now(), {})
    const sites = await siteIds(h.database.system).of([email.site])
    await h.database.transaction(async (db) => {
      await enqueue(db, [email], [{ id: email.id, accountId: ACCOUNT, stretches }], sites)
      if (fails) throw new Error('not this one')
    })
    return email
  }
  await assert.rejects(store(true), /not this one/)
  const pieces = async (): Promise<readonly number[]> => {
    const rows = await h.database.system.query<{ bytes: number }>(PIECES)
    return rows.map(({ bytes }) => bytes)
  }
  assert.deepEqual(await pieces(), [])
  const stored = await store(false)
  assert.deepEqual(await pieces(), [524_288, 524_288, 524_288, whole.length - 3 * 524_288])

  const [row] = await h.take(node.epoch)
  const [email] = await fetchQueuedEmails(h.database.system, row === undefined ? [] : [row], 100_000_000)
  assert.deepEqual([email?.id, email?.body, email?.bodyBytes], [stored.id, null, whole.length])
  const body = email === undefined ? null : await fetchBody(h.database.system, email)
  assert.ok(body?.equals(whole))
})

test('a claimed email comes with its content, ends once, and a second result finds nothing', async () => {
  await using h = await fixture()
  const [stored] = await h.put([{}])
  const node = await joinAsNode(h.database.system, h.clock, 'a')
  const [row] = await h.take(node.epoch)
  assert.equal(row?.id, stored?.id)
  const [email] = await fetchQueuedEmails(h.database.system, row === undefined ? [] : [row], 1_000_000)
  assert.deepEqual(email?.body, BODY)
  const result = outcome(row as Claimed, h.clock.now())
  const write = (): Promise<ReadonlySet<string>> => h.database.transaction((db) => complete(db, node.epoch, [result]))
  assert.equal((await write()).size, 1)
  assert.equal((await write()).size, 0)
  assert.equal((await h.take(node.epoch)).length, 0)
})

test('a result under another number or another epoch changes nothing', async () => {
  await using h = await fixture()
  await h.put([{}])
  const node = await joinAsNode(h.database.system, h.clock, 'a')
  const [row] = await h.take(node.epoch)
  const write = (epoch: number, given: Partial<Result>): Promise<ReadonlySet<string>> =>
    h.database.transaction((db) => complete(db, epoch, [outcome(row as Claimed, h.clock.now(), given)]))
  assert.equal((await write(node.epoch, { fence: 7 })).size, 0)
  assert.equal((await write(node.epoch + 1, {})).size, 0)
  assert.equal((await write(node.epoch, {})).size, 1)
})

test('an email that was claimed and handed back 32,767 times is claimed again, and blocks no other', async () => {
  await using h = await fixture()
  const [one] = await h.put([{}, {}])
  await h.database.system.execute(statement('test_often', 'update queue set attempt = 32766 where id = $1'), [one?.id])
  const { epoch } = await joinAsNode(h.database.system, h.clock, 'a')
  const fences: (number | undefined)[] = []
  for (let n = 0; n < 3; n++) {
    const claimed = await h.take(epoch)
    assert.equal(claimed.length, 2)
    fences.push(claimed.find(({ id }) => id === one?.id)?.fence)
    await handBack(h.database.system, epoch, claimed)
  }
  assert.deepEqual(fences, [32_767, 1, 2])
})

test('one destination and one account with many emails leave room for all others', async () => {
  await using h = await fixture()
  await h.put(Array.from({ length: 300 }, () => ({})))
  await h.put([{ accountId: OTHER }, { site: 'small.example' }, { accountId: OTHER, site: 'other.example' }])
  const node = await joinAsNode(h.database.system, h.clock, 'a')
  const taken = await h.take(node.epoch, { limit: 100, defaultFree: 20 })
  assert.equal(taken.length, 23)
  assert.equal(taken.filter(({ accountId }) => accountId === OTHER).length, 2)
})

test('a saturated destination and a suspended account give nothing', async () => {
  await using h = await fixture()
  const [email] = await h.put([{}, { accountId: OTHER, site: 'other.example' }])
  const node = await joinAsNode(h.database.system, h.clock, 'a')
  const site = (await siteIds(h.database.system).of(['example.net'])).get('example.net') ?? 0
  assert.equal((await h.take(node.epoch, { free: new Map([[site, 0]]), suspended: [OTHER] })).length, 0)
  const [row] = await h.take(node.epoch, { suspended: [OTHER] })
  assert.equal(row?.id, email?.id)
})

test('the scan goes on where it stopped until every pair has been visited', async () => {
  await using h = await fixture()
  await h.put(Array.from({ length: 30 }, (_, i) => ({ site: `d${i}.example` })))
  const node = await joinAsNode(h.database.system, h.clock, 'a')
  const seen = new Set<string>()
  let cursor = null as Awaited<ReturnType<typeof claim>>['cursor']
  for (let turn = 0; turn < 10; turn++) {
    const answer = await claim(h.database.system, {
      epoch: node.epoch,
      limit: 7,
      cursor,
      free: new Map(),
      defaultFree: 20,
      suspended: [],
      now: h.clock.now(),
    })
    for (const { id } of answer.claimed) seen.add(id)
    cursor = answer.cursor
  }
  assert.equal(seen.size, 30)
})

test('two nodes never lease the same email', async () => {
  await using h = await fixture()
  await h.put(Array.from({ length: 200 }, (_, i) => ({ site: `d${i % 5}.example` })))
  const nodes = await Promise.all(['a', 'b'].map((name) => joinAsNode(h.database.system, h.clock, name)))
  const taken = (
    await Promise.all(
      nodes.flatMap(({ epoch }) => [h.take(epoch, { defaultFree: 100 }), h.take(epoch, { defaultFree: 100 })]),
    )
  ).flat()
  assert.equal(new Set(taken.map(({ id }) => id)).size, taken.length)
  assert.equal(taken.length, 200)
})

const AHEAD = statement('test_ahead', `update node set lease_until = lease_until + interval '3 days'`)
const BEHIND = statement('test_behind', `update node set lease_until = lease_until - interval '3 days'`)
const EXPIRE = statement(
  'test_expire_node',
  `update node set lease_until = now() - interval '1 second' where epoch = $1`,
)

test('destinations keep their numbers when more are named than are cached', async () => {
  await using h = await fixture()
  const sites = siteIds(h.database.system, 3)
  const first = await sites.of(['a.example', 'b.example'])
  const [both, more] = await Promise.all([
    sites.of(['b.example', 'c.example', 'd.example']),
    sites.of(['a.example', 'e.example', 'f.example', 'g.example']),
  ])
  assert.deepEqual([...both.keys()].sort(), ['b.example', 'c.example', 'd.example'])
  assert.deepEqual([both.get('b.example'), more.get('a.example')], [first.get('b.example'), first.get('a.example')])
  const again = await sites.of([...both.keys(), ...more.keys()])
  assert.deepEqual(again, new Map([...both, ...more]))
})

test('an expired node is fenced out: its leases go to others, its late result writes nothing', async () => {
  await using h = await fixture()
  await h.put([{}])
  const [dead, alive] = [
    await joinAsNode(h.database.system, h.clock, 'dead'),
    await joinAsNode(h.database.system, h.clock, 'alive'),
  ]
  const [row] = await h.take(dead.epoch)
  await h.database.system.execute(EXPIRE, [dead.epoch])
  assert.equal(await takeOver(h.database.system, databaseTime(alive, h.clock)), 1)
  assert.equal(await renewLease(h.database.system, h.clock, dead), null)
  assert.equal((await h.take(dead.epoch)).length, 0)
  const [again] = await h.take(alive.epoch)
  assert.deepEqual([again?.id, again?.fence], [row?.id, 2])
  const late = h.database.transaction((db) => complete(db, dead.epoch, [outcome(row as Claimed, h.clock.now())]))
  assert.equal((await late).size, 0)
})

test('leaving gives every lease back', async () => {
  await using h = await fixture()
  await h.put([{}, {}])
  const node = await joinAsNode(h.database.system, h.clock, 'a')
  const [one] = await h.take(node.epoch, { limit: 1 })
  await handBack(h.database.system, node.epoch, [one as Claimed])
  assert.equal((await h.take(node.epoch)).length, 2)
  await leaveAsNode(h.database.system, node)
  const next = await joinAsNode(h.database.system, h.clock, 'b')
  assert.equal((await h.take(next.epoch)).length, 2)
})

test('after the database clock is set back, a node that died before loses its leases, one that renewed does not', async () => {
  await using h = await fixture()
  await h.put([{}, {}])
  const [dead, joined] = [
    await joinAsNode(h.database.system, h.clock, 'dead'),
    await joinAsNode(h.database.system, h.clock, 'alive'),
  ]
  assert.equal((await h.take(dead.epoch, { limit: 1 })).length, 1)
  assert.equal((await h.take(joined.epoch, { limit: 1 })).length, 1)
  await h.database.system.execute(AHEAD)
  const before = new Date(databaseTime(joined, h.clock).getTime() + 3 * 86_400_000)
  assert.equal(await takeOver(h.database.system, before), 0)
  const alive = (await renewLease(h.database.system, h.clock, joined)) ?? assert.fail('it lives')
  assert.equal(await takeOver(h.database.system, databaseTime(alive, h.clock)), 1)
  assert.ok((await renewLease(h.database.system, h.clock, alive)) !== null)
})

test('while the database clock is ahead and nobody has renewed, no node is dead', async () => {
  await using h = await fixture()
  await h.put([{}])
  const node = await joinAsNode(h.database.system, h.clock, 'alive')
  await h.take(node.epoch)
  await h.database.system.execute(BEHIND)
  const before = new Date(databaseTime(node, h.clock).getTime() - 3 * 86_400_000)
  assert.equal(await takeOver(h.database.system, before), 0)
})

test('emails deferred under a wrong clock come back at once when it is put right, scheduled ones do not', async () => {
  await using h = await fixture()
  const [far, near] = [3 * 86_400_000, 3_600_000].map((ms) => new Date(h.clock.now().getTime() + ms))
  await h.put([{}, {}, { status: 'scheduled', scheduledAt: far ?? null }])
  const node = await joinAsNode(h.database.system, h.clock, 'a')
  const rows = await h.take(node.epoch)
  assert.equal(rows.length, 2)
  const ended = rows.map((row, n) =>
    outcome(row, h.clock.now(), { status: 'deferred', next: (n === 0 ? far : near) ?? null }),
  )
  await h.database.transaction((db) => complete(db, node.epoch, ended))
  const [now, all] = [h.clock.now(), { fromId: FIRST_ID, beforeId: LAST_ID, claims: 100 }]
  const latest = new Date(now.getTime() + 7 * 3_600_000)
  const none = { latest: new Date(now.getTime() + 1_000) }
  const beside = [
    { ...all, ...none, claims: 0 },
    { ...all, ...none, beforeId: rows[0]?.id ?? '' },
    { ...all, ...none, fromId: LAST_ID },
  ]
  assert.equal(await recall(h.database.system, now, beside), 0)
  assert.equal(await recall(h.database.system, now, [...beside, { ...all, latest }]), 1)
  assert.deepEqual(
    (await h.take(node.epoch)).map(({ id }) => id),
    [rows[0]?.id],
  )
})

test('a deferred email comes back when it is due and not before', async () => {
  await using h = await fixture()
  await h.put([{}])
  const node = await joinAsNode(h.database.system, h.clock, 'a')
  const [row] = await h.take(node.epoch)
  const due = new Date(h.clock.now().getTime() + 60_000)
  await h.database.transaction((db) =>
    complete(db, node.epoch, [outcome(row as Claimed, h.clock.now(), { status: 'deferred', next: due })]),
  )
  assert.equal(await promote(h.database.system, h.ids, h.clock.now()), 0)
  assert.equal((await h.take(node.epoch)).length, 0)
  assert.equal(await promote(h.database.system, h.ids, due), 1)
  assert.equal((await h.take(node.epoch)).length, 1)
})

test('a scheduled email is sent when it is due, and can be rescheduled until then', async () => {
  await using h = await fixture()
  const later = new Date(h.clock.now().getTime() + 3_600_000)
  const [email] = await h.put([{ status: 'scheduled', scheduledAt: later }])
  const { id = '' } = email ?? {}
  const options = { ...h, onQueued: () => undefined }
  const moved = new Date(later.getTime() + 3_600_000)
  await rescheduleEmail(options, ACCOUNT, id, moved)
  assert.equal(await h.database.transaction((db) => promote(db, h.ids, later)), 0)
  assert.equal(await h.database.transaction((db) => promote(db, h.ids, moved)), 1)
  const told = await eventsOfEmail(h.database.system, ACCOUNT, id)
  assert.deepEqual(
    told.map(({ event }) => event),
    ['email.sent'],
  )
  await assert.rejects(rescheduleEmail(options, ACCOUNT, id, later), { code: 'invalid_state' })
})

test('a canceled email is never claimed, a leased one is not canceled, a foreign one is not found', async () => {
  await using h = await fixture()
  const [one, two] = await h.put([{}, {}])
  const options = { ...h, onQueued: () => undefined }
  await assert.rejects(cancelEmail(options, OTHER, one?.id ?? ''), { code: 'not_found' })
  await cancelEmail(options, ACCOUNT, one?.id ?? '')
  const node = await joinAsNode(h.database.system, h.clock, 'a')
  assert.deepEqual(
    (await h.take(node.epoch)).map(({ id }) => id),
    [two?.id],
  )
  await assert.rejects(cancelEmail(options, ACCOUNT, two?.id ?? ''), { code: 'not_cancelable' })
  await assert.rejects(cancelEmail(options, ACCOUNT, one?.id ?? ''), { code: 'not_cancelable' })
})

test('an ended email is retried anew, but not one that is delivered or whose content has gone', async () => {
  await using h = await fixture()
  await h.put([{}, {}, {}])
  const options = { ...h, onQueued: () => undefined, retryRefusal: async () => null }
  const node = await joinAsNode(h.database.system, h.clock, 'a')
  const [bad, good, bare] = await h.take(node.epoch)
  await h.database.transaction((db) =>
    complete(db, node.epoch, [
      outcome(bad as Claimed, h.clock.now(), { status: 'bounced', smtpCode: 550 }),
      outcome(good as Claimed, h.clock.now()),
      outcome(bare as Claimed, h.clock.now(), { status: 'failed' }),
    ]),
  )
  await h.database.system.execute(statement('test_bare', 'delete from email_body where id = $1'), [bare?.id])
  await assert.rejects(retryEmail(options, ACCOUNT, bare?.id ?? ''), { code: 'invalid_state' })
  await assert.rejects(retryEmail(options, ACCOUNT, good?.id ?? ''), { code: 'invalid_state' })
  await retryEmail(options, ACCOUNT, bad?.id ?? '')
  assert.deepEqual(
    (await h.take(node.epoch)).map(({ id }) => id),
    [bad?.id],
  )
})

test('twice as many concurrent retries as there are connections all succeed', async () => {
  await using h = await fixture()
  const made = await h.put(Array.from({ length: 16 }, () => ({})))
  const options = { ...h, onQueued: () => undefined, retryRefusal: async () => null }
  const node = await joinAsNode(h.database.system, h.clock, 'a')
  const claimed = await h.take(node.epoch)
  await h.database.transaction((db) =>
    complete(
      db,
      node.epoch,
      claimed.map((one) => outcome(one, h.clock.now(), { status: 'bounced', smtpCode: 550 })),
    ),
  )
  await Promise.all(made.map(({ id }) => retryEmail(options, ACCOUNT, id)))
  assert.equal((await h.take(node.epoch)).length, made.length)
})
