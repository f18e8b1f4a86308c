import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { freshDb, type TestDatabase } from '../../../test/world/database.ts'
import type { Clock } from '../../platform/clock.ts'
import { connect, type Database, statement } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import { ensureEventPartitions } from '../events/index.ts'
import { erase } from './entries.ts'
import {
  blockedSql,
  expireSuppressions,
  forgetOldSoftBounces,
  mayWeSend,
  type NewSuppression,
  type NewUnsubscribe,
  noteDelivery,
  noteSoftBounce,
  removeSuppression,
  resubscribe,
  suppress,
  unsubscribe,
} from './index.ts'

const START = new Date('2026-03-01T12:00:00Z')
const DAY_MS = 86_400_000
const HAND = { keyId: null }

let now = START
const clock: Clock = { now: () => now, monotonicMs: () => 0, sleep: async () => undefined }
const ids = systemIds()
const context = { ids, clock }

let store: TestDatabase
let database: Database
before(async () => {
  store = await freshDb()
  database = connect({ url: store.url, onError: () => undefined })
  for (let week = 0; week < 30; week++) {
    await ensureEventPartitions(database.system, new Date(START.getTime() + week * 7 * DAY_MS))
  }
})
after(async () => {
  await database.close()
  await store[Symbol.asyncDispose]()
})

function entry(accountId: string, recipient: string, over: Partial<NewSuppression> = {}): NewSuppression {
  return {
    accountId,
    recipient,
    sandbox: false,
    reason: 'hard_bounce',
    source: 'smtp',
    domainId: null,
    emailId: null,
    bounceId: null,
    details: null,
    expiresAt: null,
    ...over,
  }
}

function optOut(accountId: string, recipient: string, over: Partial<NewUnsubscribe> = {}): NewUnsubscribe {
  return { accountId, recipient, sandbox: false, source: 'link', reason: null, mail: null, ...over }
}

const suppressNow = (entries: readonly NewSuppression[]) => database.transaction((db) => suppress(db, context, entries))

const EVENTS = statement(
  'test_events',
  'select type, sandbox, data, domain_id, email_id from event where account_id = $1 order by seq',
)
const eventsOf = (accountId: string) =>
  database.system.query<{ type: number; sandbox: boolean; data: Record<string, unknown> }>(EVENTS, [accountId])

async function answer(accountId: string, recipient: string, sandbox = false): Promise<string | null> {
  const [refusal] = await mayWeSend(database.system, [{ accountId, recipient, sandbox }], now)
  return refusal ? `${refusal.list}:${refusal.reason}` : null
}

test('an address on either list may not be mailed by the account of that list', async () => {
  const [a, b] = [ids.next(), ids.next()]
  await suppressNow([entry(a, 'x@blocked.test')])
  await database.transaction((db) => unsubscribe(db, context, optOut(a, 'y@blocked.test', { reason: 'too much' })))
  const asks = ['z', 'y', 'x'].flatMap((local) =>
    [a, b].map((accountId) => ({ accountId, recipient: `${local}@blocked.test`, sandbox: false })),
  )
  const answers = await mayWeSend(database.system, asks, now)
  assert.deepEqual(
    answers.map((refusal) => refusal && [refusal.list, refusal.reason, refusal.source]),
    [null, null, ['unsubscribe', 'too much', 'link'], null, ['suppression', 'hard_bounce', 'smtp'], null],
  )
})

test('a sandbox entry stops only sandbox mail, a live entry stops both', async () => {
  const a = ids.next()
  await suppressNow([entry(a, 's@x.test', { sandbox: true }), entry(a, 'l@x.test')])
  assert.equal(await answer(a, 's@x.test', false), null)
  assert.equal(await answer(a, 's@x.test', true), 'suppression:hard_bounce')
  assert.equal(await answer(a, 'l@x.test', true), 'suppression:hard_bounce')
})

test('concurrent requests make one suppression and write one event', async () => {
  const a = ids.next()
  const results = await Promise.all(
    Array.from({ length: 20 }, () => suppressNow([entry(a, 'once@x.test', { details: '550 5.1.1 no such user' })])),
  )
  assert.equal(results.flat().filter(({ created }) => created).length, 1)
  assert.equal(new Set(results.flat().map(({ suppression }) => suppression.id)).size, 1)
  const events = await eventsOf(a)
  assert.deepEqual(
    events.map(({ type }) => type),
    [30],
  )
  assert.equal(events[0]?.data['details'], '550 5.1.1 no such user')
})

test('100 unsubscribes at once make one entry and one event', async () => {
  const a = ids.next()
  const mail = { emailId: ids.next(), domainId: ids.next(), stream: 'broadcast', tag: 't' } as const
  const results = await Promise.all(
    Array.from({ length: 100 }, () =>
      database.transaction((db) => unsubscribe(db, context, optOut(a, 'once@x.test', { source: 'one_click', mail }))),
    ),
  )
  assert.equal(results.filter(({ created }) => created).length, 1)
  assert.equal((await eventsOf(a)).length, 1)
})

test('an existing suppression becomes firmer: the heavier reason with its evidence, and the later end', async () => {
  const a = ids.next()
  const inADay = new Date(now.getTime() + DAY_MS)
  const [first] = await suppressNow([entry(a, 'f@x.test', { expiresAt: inADay, details: 'nxdomain' })])
  const [lighter] = await suppressNow([entry(a, 'f@x.test', { reason: 'manual', source: 'api', expiresAt: inADay })])
  assert.deepEqual(lighter, { suppression: first?.suppression, created: false })
  const [longer] = await suppressNow([entry(a, 'f@x.test', { reason: 'manual' })])
  assert.deepEqual(longer?.suppression, { ...first?.suppression, expires_at: null })
  const [heavier] = await suppressNow([
    entry(a, 'f@x.test', { reason: 'complaint', source: 'arf', expiresAt: inADay, details: 'abuse' }),
  ])
  assert.deepEqual(heavier?.suppression, {
    ...first?.suppression,
    expires_at: null,
    reason: 'complaint',
    source: 'arf',
    details: 'abuse',
  })
  assert.equal((await eventsOf(a)).length, 1)
})

test('several entries for one address in one call make one entry with the heaviest reason', async () => {
  const a = ids.next()
  const made = await suppressNow([
    entry(a, 'd@x.test', { reason: 'manual' }),
    entry(a, 'd@x.test', { reason: 'spamtrap' }),
    entry(a, 'e@x.test', { reason: 'manual' }),
  ])
  assert.deepEqual(
    made.map(({ suppression, created }) => [suppression.email, suppression.reason, created]),
    [
      ['d@x.test', 'spamtrap', true],
      ['d@x.test', 'spamtrap', false],
      ['e@x.test', 'manual', true],
    ],
  )
})

test('an expired suppression stops nothing and is deleted with an event and a record', async () => {
  const a = ids.next()
  now = START
  await suppressNow([entry(a, 'gone@x.test', { expiresAt: new Date(START.getTime() + 90 * DAY_MS) })])
  now = new Date(START.getTime() + 90 * DAY_MS - 1)
  assert.equal(await answer(a, 'gone@x.test'), 'suppression:hard_bounce')
  now = new Date(START.getTime() + 90 * DAY_MS)
  assert.equal(await answer(a, 'gone@x.test'), null)
  const [again] = await suppressNow([entry(a, 'gone@x.test', { reason: 'manual', expiresAt: new Date(+now + 1) })])
  assert.equal(again?.created, true, 'one that has ended is as good as absent')
  now = new Date(+now + 1)
  assert.equal(await database.transaction((db) => expireSuppressions(db, context, 100)), 1)
  assert.deepEqual(
    (await eventsOf(a)).map(({ type }) => type),
    [30, 31, 30, 31],
  )
  now = START
})

test('the expiry of a suppression is reported once, by the job, a removal, or two of them at once', async () => {
  const a = ids.next()
  now = START
  const ends = new Date(START.getTime() + DAY_MS)
  const addresses = ['one@x.test', 'two@x.test', 'three@x.test', 'four@x.test']
  await suppressNow(addresses.map((address) => entry(a, address, { expiresAt: ends })))
  now = ends
  const remove = (address: string): Promise<boolean> =>
    database.tenant(a, (db) => removeSuppression(db, context, a, address, { keyId: null }))
  const expire = (): Promise<number> => database.transaction((db) => expireSuppressions(db, context, 100))
  const failed = database.transaction(async (db) => {
    await expireSuppressions(db, context, 100)
    throw new Error('killed')
  })
  await assert.rejects(failed, /killed/)
  assert.equal(await remove('one@x.test'), false, 'it had ended')
  await Promise.all([expire(), expire(), remove('two@x.test'), suppressNow([entry(a, 'three@x.test')])])
  await expire()
  const told = (await eventsOf(a)).map(({ type, data }) => `${type} ${data?.['email']}`)
  assert.deepEqual(
    told.filter((one) => one.startsWith('31')).toSorted(),
    addresses.map((address) => `31 ${address}`).toSorted(),
  )
  now = START
})

test('a removal deletes the live and the sandbox entry and records who did it', async () => {
  const a = ids.next()
  const keyId = ids.next()
  await suppressNow([entry(a, 'r@x.test'), entry(a, 'r@x.test', { sandbox: true })])
  assert.equal(await database.tenant(a, (db) => removeSuppression(db, context, a, 'r@x.test', { keyId })), true)
  assert.equal(await database.tenant(a, (db) => removeSuppression(db, context, a, 'r@x.test', { keyId })), false)
  assert.equal(await answer(a, 'r@x.test', true), null)
  const records = await database.system.query(
    statement('test_removals', 'select list, email, removed_by, key_id, entry from list_removal where account_id = $1'),
    [a],
  )
  assert.equal(records.length, 2)
  const { entry: removed, ...record } = records[0] as { entry: { reason: number } }
  assert.deepEqual(record, { list: 'suppression', email: 'r@x.test', removed_by: 'api', key_id: keyId })
  assert.equal(removed.reason, 3)
})

// --- the rule of three

async function softBounce(accountId: string, bouncedAt: Date, emailId = ids.next()): Promise<string | null> {
  const suppressed = await database.transaction((db) =>
    noteSoftBounce(db, context, {
      accountId,
      recipient: 'soft@x.test',
      sandbox: false,
      source: 'smtp',
      domainId: null,
      emailId,
      bounceId: null,
      details: '452 4.2.2 full',
      bouncedAt,
    }),
  )
  return suppressed === null ? null : suppressed.suppression.reason
}

const day = (days: number): Date => new Date(START.getTime() + days * DAY_MS)

test('the third soft-bounced email in 14 days suppresses, and an email counts once', async () => {
  const a = ids.next()
  const email = ids.next()
  assert.equal(await softBounce(a, day(0), email), null)
  assert.equal(await softBounce(a, day(1), email), null)
  assert.equal(await softBounce(a, day(2)), null)
  assert.equal(await softBounce(a, day(14)), 'repeated_soft_bounce')
  assert.equal(await answer(a, 'soft@x.test'), 'suppression:repeated_soft_bounce')
})

test('soft bounces further apart than 14 days, or with a delivery between, suppress nothing', async () => {
  const a = ids.next()
  await softBounce(a, day(0))
  await softBounce(a, day(10))
  assert.equal(await softBounce(a, day(14.01)), null, 'the first lies too far back')
  await noteDelivery(database.system, [
    { accountId: a, recipient: 'soft@x.test', sandbox: false, emailId: ids.next() },
    { accountId: a, recipient: 'other@x.test', sandbox: false, emailId: ids.next() },
  ])
  assert.equal(await softBounce(a, day(15)), null)
  assert.equal(await softBounce(a, day(16)), null)
  assert.equal(await softBounce(a, day(17)), 'repeated_soft_bounce')
})

test('an email that was accepted and then soft-bounced is not a delivery; a real delivery resets the count', async () => {
  const a = ids.next()
  const taken = async (emailId: string): Promise<void> =>
    noteDelivery(database.system, [{ accountId: a, recipient: 'soft@x.test', sandbox: false, emailId }])
  const [first, second, third, fourth, stands] = Array.from({ length: 5 }, () => ids.next())
  assert.ok(first && second && third && fourth && stands)
  await taken(first)
  assert.equal(await softBounce(a, day(1), first), null)
  await taken(stands)
  await taken(second)
  assert.equal(await softBounce(a, day(1), second), null)
  // The next two are accepted before the report about either arrives.
  await taken(third)
  await taken(fourth)
  assert.equal(await softBounce(a, day(1), fourth), null, 'the third is taken as delivered yet')
  assert.equal(await softBounce(a, day(1), fourth), null, 'told twice')
  assert.equal(await softBounce(a, day(1), third), 'repeated_soft_bounce', 'second, third and fourth')
})

test('three soft bounces that arrive at the same moment are counted exactly', async () => {
  const a = ids.next()
  const answers = await Promise.all([1, 2, 3].map(() => softBounce(a, day(0))))
  assert.deepEqual(
    answers.filter((reason) => reason !== null),
    ['repeated_soft_bounce'],
  )
})

test('counts too old to matter are forgotten', async () => {
  const a = ids.next()
  await softBounce(a, day(-15))
  const before = await forgetOldSoftBounces(database.system, context, 1000)
  assert.ok(before >= 1)
  assert.equal(await forgetOldSoftBounces(database.system, context, 1000), 0)
})

// --- the model

type Step = { readonly kind: number; readonly who: number; readonly sandbox: boolean }
/** `erased`: the list that refuses the erased address, the same in the live and the sandbox state; null: it is not erased. */
type State = { suppressed: boolean; left: boolean; soft: number; erased: 'suppression' | 'unsubscribe' | null }
type Model = Map<string, State>

const stepsOf = (kinds: readonly number[]): Step[] => kinds.map((kind) => ({ kind, who: 0, sandbox: false }))
/** Suppressed, erased, and unsubscribed since. */
const ERASED_AND_LEFT = stepsOf([0, 5, 1])
/** Suppressed for three soft bounces, taken off the list, and bounced again. */
const COUNTED_ANEW = stepsOf([6, 6, 6, 2, 6])

test('after any sequence of operations the answer is that of a simple model', async () => {
  const steps = fc.array(
    fc.record({ kind: fc.integer({ min: 0, max: 7 }), who: fc.integer({ min: 0, max: 2 }), sandbox: fc.boolean() }),
    { maxLength: 25 },
  )
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const accountId = ids.next()
      const model: Model = new Map()
      now = START
      for (const step of sequence) await both(accountId, model, step)
      for (let who = 0; who < 3; who++) {
        for (const sandbox of [false, true]) {
          const live = stateOf(model, who, false)
          const own = stateOf(model, who, sandbox)
          const isSuppressed = live.suppressed || own.suppressed || live.erased === 'suppression'
          const hasLeft = live.left || own.left || live.erased === 'unsubscribe'
          const expected = isSuppressed ? 'suppression' : hasLeft ? 'unsubscribe' : null
          const recipient = address(who)
          const [refusal] = await mayWeSend(database.system, [{ accountId, recipient, sandbox }], now)
          assert.equal(refusal?.list ?? null, expected)
          const inClaim = await database.system.one<{ blocked: string | null }>(BLOCKED, [
            accountId,
            recipient,
            sandbox,
            now,
          ])
          const reason = refusal?.list === 'unsubscribe' ? 'unsubscribed' : (refusal?.reason ?? null)
          assert.equal(inClaim?.blocked, reason, 'the expression of the claim agrees with the question')
        }
      }
    }),
    { numRuns: 60, examples: [[ERASED_AND_LEFT], [COUNTED_ANEW]] },
  )
})

const BLOCKED = statement(
  'test_blocked',
  `select ${blockedSql({ accountId: 'a.account_id', recipient: 'a.email', sandbox: 'a.sandbox', now: '$4::timestamptz' })} as blocked
   from (select $1::uuid as account_id, $2::text as email, $3::boolean as sandbox) a`,
)

const address = (who: number): string => `p${who}@model.test`

function stateOf(model: Model, who: number, sandbox: boolean): State {
  const key = `${who} ${sandbox}`
  const state = model.get(key) ?? { suppressed: false, left: false, soft: 0, erased: null }
  model.set(key, state)
  return state
}

async function both(accountId: string, model: Model, { kind, who, sandbox }: Step): Promise<void> {
  const recipient = address(who)
  const state = stateOf(model, who, sandbox)
  const other = stateOf(model, who, !sandbox)
  if (kind === 0) {
    const [made] = await suppressNow([entry(accountId, recipient, { sandbox })])
    assert.equal(made?.created, !state.suppressed)
    state.suppressed = true
  } else if (kind === 1) {
    const made = await database.transaction((db) => unsubscribe(db, context, optOut(accountId, recipient, { sandbox })))
    assert.equal(made.created, !state.left)
    state.left = true
  } else if (kind === 2) {
    const removed = await database.tenant(accountId, (db) => removeSuppression(db, context, accountId, recipient, HAND))
    assert.equal(removed, state.suppressed || other.suppressed || state.erased === 'suppression')
    state.suppressed = other.suppressed = false
    if (state.erased === 'suppression') state.erased = other.erased = null
  } else if (kind === 3) {
    const removed = await database.tenant(accountId, (db) => resubscribe(db, context, accountId, recipient, HAND))
    assert.equal(removed, state.left || other.left || state.erased === 'unsubscribe')
    state.left = other.left = false
    if (state.erased === 'unsubscribe') state.erased = other.erased = null
  } else if (kind === 4) {
    await noteDelivery(database.system, [{ accountId, recipient, sandbox, emailId: ids.next() }])
    state.soft = 0
  } else if (kind === 5) {
    await database.transaction((db) => erase(db, context, { accountId, recipient }))
    const isSuppressed = stateOf(model, who, false).suppressed || state.erased === 'suppression'
    const erased = isSuppressed ? 'suppression' : 'unsubscribe'
    for (const one of [state, other]) Object.assign(one, { suppressed: false, left: false, soft: 0, erased })
  } else {
    const bounce = { ...entry(accountId, recipient, { sandbox }), emailId: ids.next(), bouncedAt: now }
    await database.transaction((db) => noteSoftBounce(db, context, bounce))
    if (++state.soft === 3) Object.assign(state, { suppressed: true, soft: 0 })
  }
}
