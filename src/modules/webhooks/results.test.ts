// Which results count: those of the attempt that holds the lease, and for an endpoint those since its last success.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startWorld, type TestAccount, type World } from '../../../test/world/world.ts'
import { statement } from '../../platform/db.ts'
import { EVENT_TYPES } from '../events/index.ts'
import { enqueue } from './fan-out.ts'
import { type Ended, recordEnded } from './record-results.ts'
import * as sql from './sql.ts'

const PATH = '/api/v1/customer/webhooks'
const URL = 'http://127.0.0.1:9/hook'
const HELD = statement('test_held', 'select attempt, lease from webhook_queue where id = $1')
const AGE = statement(
  'test_age_failing',
  `update webhook set failing_since = failing_since - interval '5 days' where id = $1`,
)

let world: World
before(async () => {
  world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
})
after(() => world[Symbol.asyncDispose]())

async function endpoint(account: TestAccount): Promise<string> {
  return (await account.api.post(PATH, { url: URL, events: ['*'] })).body.data.id
}

/** A finished attempt. */
function ended(account: TestAccount, webhookId: string, success: boolean, given: Partial<Ended> = {}): Ended {
  const { ids, clock } = world.rooms.ground
  const facts = {
    http_status: success ? 200 : 500,
    duration_ms: 1,
    response_body: null,
    error: success ? null : 'http',
  }
  const event = EVENT_TYPES['suppression.created']
  return {
    ...{ id: ids.next(), lease: ids.next(), webhookId, eventId: ids.next(), attempt: 0, leading: false, wasSent: true },
    ...{ url: URL, startedAt: clock.now(), result: { success, gone: false, retryAfter: null, facts } },
    logged: { accountId: account.accountId, eventAt: clock.now(), event, emailId: null },
    ...given,
  }
}

const record = (results: readonly Ended[]): Promise<readonly string[]> =>
  recordEnded({ ...world.rooms, clock: world.rooms.ground.clock, onDisabled: async () => undefined }, results)

for (const success of [true, false]) {
  test(`a late ${success ? 'success' : 'failure'} leaves a delivery alone that is being attempted anew`, async () => {
    const account = await world.newAccount()
    const webhookId = await endpoint(account)
    const { database, ground } = world.rooms
    const { ids, clock } = ground
    const now = clock.now()
    const event = {
      ...{ eventId: ids.next(), at: now, accountId: account.accountId, domainId: null, emailId: null },
      type: 'suppression.created' as const,
    }
    const own = { id: ids.next(), accountId: account.accountId, webhookId, event, leading: false, held: false }
    await enqueue(database.system, [{ ...own, due: now }])
    const claimed = async (at: Date): Promise<string> => {
      const lease = ids.next()
      const rows = await database.system.query(sql.claim, [
        [webhookId],
        [1],
        [0],
        at,
        lease,
        new Date(at.getTime() + 60_000),
      ])
      assert.equal(rows.length, 1)
      return lease
    }
    const first = await claimed(now)
    const second = await claimed(new Date(now.getTime() + 61_000))
    const held = (): Promise<{ attempt: number; lease: string | null } | null> => database.system.one(HELD, [own.id])
    const late = { id: own.id, eventId: event.eventId, lease: first }
    await record([ended(account, webhookId, success, late)])
    await database.system.execute(sql.release, [[own.id], first, now])
    assert.deepEqual(await held(), { attempt: 0, lease: second })
    await record([ended(account, webhookId, success, { ...late, lease: second })])
    assert.deepEqual(await held(), success ? null : { attempt: 1, lease: null })
  })
}

// Each row: what happens to an endpoint that has failed for five days, and whether the next failure disables it.
const TURNS: [what: string, turn: (account: TestAccount, id: string) => Promise<unknown>, isActive: boolean][] = [
  ['nothing', async () => undefined, false],
  ['a success', (account, id) => record([ended(account, id, true)]), true],
  [
    'a success before another failure',
    (account, id) => record([true, false].map((ok) => ended(account, id, ok))),
    true,
  ],
  [
    'its being switched off and on',
    async (account, id) => {
      for (const is_active of [false, true]) await account.api.put(`${PATH}/${id}`, { is_active })
    },
    true,
  ],
]
for (const [what, turn, isActive] of TURNS) {
  test(`after ${what} a failing endpoint is ${isActive ? 'kept' : 'disabled'} at its next failure`, async () => {
    const account = await world.newAccount()
    const id = await endpoint(account)
    await record([ended(account, id, false)])
    await world.rooms.database.system.execute(AGE, [id])
    await turn(account, id)
    await record([ended(account, id, false)])
    assert.equal((await account.api.get(`${PATH}/${id}`)).body.data.is_active, isActive)
  })
}

test('an attempt that sent nothing says nothing against its endpoint; a rename leaves a disabled one as it is', async () => {
  const account = await world.newAccount()
  const id = await endpoint(account)
  const shown = async () => (await account.api.get(`${PATH}/${id}`)).body.data
  await record([ended(account, id, false, { wasSent: false })])
  assert.deepEqual([(await shown()).consecutive_failures, (await shown()).last_delivery_status], [0, null])
  const { result } = ended(account, id, false)
  await record([ended(account, id, false, { result: { ...result, gone: true } })])
  const { is_active, disabled_reason, disabled_at } = await shown()
  assert.deepEqual([is_active, disabled_reason], [false, 'gone'])
  assert.equal((await account.api.put(`${PATH}/${id}`, { name: 'Old' })).status, 200)
  const renamed = await shown()
  assert.deepEqual([renamed.name, renamed.is_active, renamed.disabled_reason], ['Old', false, 'gone'])
  assert.equal(renamed.disabled_at, disabled_at)
})
