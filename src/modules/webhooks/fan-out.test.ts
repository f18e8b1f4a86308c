import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/world/accounts-fixture.ts'
import { startWorld } from '../../../test/world/world.ts'
import { systemClock } from '../../platform/clock.ts'
import { type Db, statement } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import { append, type FollowedEvent } from '../events/index.ts'
import { fanOut, MOST_QUEUED } from './fan-out.ts'

const ACCOUNT = '01980000-0000-7000-8000-00000000000a'
const ENDPOINTS = 100
const EVENTS = 1_000
const QUEUED = statement(
  'test_queued_by_transaction',
  `select sum(deliveries)::int as all, max(deliveries)::int as most
   from (select count(*) as deliveries from webhook_queue group by xmin::text) t`,
)
const QUEUED_OF = statement('test_queued_of', 'select count(*)::int as count from webhook_queue where account_id = $1')

test('many events for many endpoints are queued in pieces, and others have a turn between them', async () => {
  const since = new Date(0)
  const endpoints = Array.from({ length: ENDPOINTS }, (_, n) => ({
    ...{ id: `${n}`, account_id: ACCOUNT, events: ['*'], domain_ids: null, active_since: since },
    consecutive_failures: 0,
  }))
  const sizes: number[] = []
  const execute = async (_: unknown, [ids]: readonly unknown[] = []): Promise<number> => {
    sizes.push((ids as readonly string[]).length)
    return 0
  }
  const db = { query: async () => endpoints, execute } as unknown as Db
  const events = Array.from({ length: EVENTS }, (_, n) => ({
    ...{ eventId: `${n}`, at: new Date(), accountId: ACCOUNT, domainId: null, emailId: null, type: 'email.sent' },
  })) as unknown as FollowedEvent[]
  let turns = 0
  const others = setInterval(() => turns++, 0)
  assert.equal(await fanOut(db, { clock: systemClock(), ids: systemIds() }, events), ENDPOINTS * EVENTS)
  clearInterval(others)
  assert.equal(
    sizes.reduce((sum, size) => sum + size),
    ENDPOINTS * EVENTS,
  )
  assert.ok(Math.max(...sizes) <= 2_000, `${Math.max(...sizes)} in one statement`)
  assert.ok(turns > 1)
})

test('what many endpoints get of many events is queued in several transactions', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true' } })
  const { database, ground } = world.rooms
  const endpoints = Math.ceil((1.5 * MOST_QUEUED) / EVENTS)
  for (let n = 0; n < endpoints; n++) {
    const made = await world.api.post('/api/v1/customer/webhooks', { url: 'http://127.0.0.1:1/', events: ['*'] })
    assert.equal(made.status, 201, JSON.stringify(made.body))
  }
  const { accountId } = world.account
  const at = ground.clock.now()
  const about = { ...{ at, accountId, domainId: null, emailId: null }, ...{ sandbox: false, tag: null, facts: null } }
  const told = { ...about, type: 'suppression.created', stream: 'transactional', data: { email: 'a@x.test' } } as const
  await append(
    database.system,
    Array.from({ length: EVENTS }, () => ({ ...told, eventId: ground.ids.next() })),
  )
  const queued = (): Promise<{ all: number; most: number } | null> => database.system.one(QUEUED)
  await until(async () => (await queued())?.all === endpoints * EVENTS)
  assert.ok(((await queued())?.most ?? 0) <= MOST_QUEUED, JSON.stringify(await queued()))
})

test('an account with many deliveries does not hold up those of another, and gets all of its own', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true' } })
  const { database, ground } = world.rooms
  const endpoints = (2 * MOST_QUEUED) / EVENTS
  const hook = { url: 'http://127.0.0.1:1/', events: ['*'] }
  for (let n = 0; n < endpoints; n++)
    assert.equal((await world.api.post('/api/v1/customer/webhooks', hook)).status, 201)
  const other = await world.newAccount()
  assert.equal((await other.api.post('/api/v1/customer/webhooks', hook)).status, 201)
  const at = ground.clock.now()
  const about = { ...{ at, domainId: null, emailId: null }, ...{ sandbox: false, tag: null, facts: null } }
  const told = { ...about, type: 'suppression.created', stream: 'transactional', data: { email: 'a@x.test' } } as const
  const { accountId } = world.account
  const wide = Array.from({ length: 3 * EVENTS }, () => ({ ...told, accountId, eventId: ground.ids.next() }))
  await append(database.system, [...wide, { ...told, accountId: other.accountId, eventId: ground.ids.next() }])
  const waiting = async (account: string): Promise<number> =>
    (await database.system.one<{ count: number }>(QUEUED_OF, [account]))?.count ?? 0
  await until(async () => (await waiting(other.accountId)) === 1)
  assert.ok((await waiting(accountId)) < wide.length * endpoints, 'all of the others came first')
  await until(async () => (await waiting(accountId)) === wide.length * endpoints)
})
