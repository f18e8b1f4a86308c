// What one event adds, and where the first opening of an email counts when an earlier one is learned of later.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startWorld, type World } from '../../../test/world/world.ts'
import { statement } from '../../platform/db.ts'
import { append, type EventType, ensureEventPartitions } from '../events/index.ts'
import { countersOf, firstsOf } from './counters.ts'
import { followStatistics } from './jobs.ts'

const DAY_MS = 86_400_000
const WAITING = statement(
  'test_waiting',
  `select exists (select from event e, follower f where f.name = 'statistics' and (e.xid, e.seq) > (f.xid, f.seq)) as more`,
)

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world[Symbol.asyncDispose]())

test('a complaint is no bounce, an email that its receiver kept deferring is a soft one, and other failures are none', () => {
  const counted = (type: EventType, data: Record<string, unknown>) => countersOf({ type, data })
  assert.deepEqual(counted('email.bounced', { type: 'complaint' }), [])
  assert.deepEqual(counted('email.bounced', { type: 'of another version' }), ['unknown_bounces'])
  assert.deepEqual(counted('email.failed', { listed_as: 'soft' }), ['failed', 'soft'])
  assert.deepEqual(counted('email.failed', { listed_as: null }), ['failed'])
})

test('an opening is no first when the earlier ones are no longer known', () => {
  const firsts = (data: Record<string, unknown>) => firstsOf({ type: 'email.opened', data })
  assert.deepEqual(firsts({ is_machine: false, open_count: 1 }), ['opened', 'any_opened'])
  assert.deepEqual(firsts({ is_machine: true, open_count: 1 }), ['any_opened'])
  assert.deepEqual(firsts({ is_machine: false, open_count: null }), [])
})

test('an earlier opening or click that is learned of later takes the first from its day, and adds none', async () => {
  const { database, ground } = world.rooms
  const { clock, ids } = ground
  const { accountId, api } = await world.newAccount()
  const of = { accountId, domainId: null, emailId: ids.next(), tag: null, sandbox: false, facts: null }
  const now = clock.now().getTime()
  await ensureEventPartitions(database.system, new Date(now - 4 * DAY_MS))
  const data = { platform: 'desktop', is_machine: false }
  for (const daysAgo of [0, 2, 1]) {
    const at = new Date(now - daysAgo * DAY_MS)
    await append(
      database.system,
      (['email.opened', 'email.clicked'] as const).map((type) => {
        return { ...of, eventId: ids.next(), at, type, stream: 'transactional' as const, data }
      }),
    )
    // Each day in a stretch of its own.
    do await followStatistics(database)
    while ((await database.system.one<{ more: boolean }>(WAITING))?.more !== false)
  }
  for (const [report, all, unique] of [
    ['opens', 'opens', 'unique_opens'],
    ['clicks', 'clicks', 'unique_clicks'],
  ] as const) {
    const { data: days, totals } = (await api.get(`/api/v1/stats/outbound/${report}`)).body
    assert.deepEqual([totals[all], totals[unique]], [3, 1])
    assert.deepEqual(
      days.filter((day: Record<string, number>) => day[unique] !== 0).map((day: { date: string }) => day.date),
      [new Date(now - 2 * DAY_MS).toISOString().slice(0, 10)],
    )
  }
})
