import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { connect, type Db, statement } from '../../platform/db.ts'
import type { FollowedEvent } from '../events/index.ts'
import { stillToCount } from './roll-up.ts'

const AT = new Date('2026-03-01T12:00:00Z')
const [COUNTED = '', FORGOTTEN = ''] = ['a', 'b'].map((end) => `01980000-0000-7000-8000-00000000000${end}`)
const FORGET = statement(
  'test_forget',
  `insert into forgetting (account_id, begun_before)
   select a, $2::timestamptz + interval '1 hour' from unnest($1::uuid[]) a
   union all select gen_random_uuid(), $2::timestamptz + interval '1 hour' from generate_series(1, 50)`,
)

test('for the events it counts, the follower reads what was forgotten of their accounts, not of all', async () => {
  await using store = await freshDb()
  const database = connect({ url: store.url, onError: () => undefined })
  const { system } = database
  await system.execute(FORGET, [[FORGOTTEN], AT])
  let rows = 0
  const counting: Db = {
    ...system,
    query: async (what, values) => {
      const read = await system.query(what, values)
      rows += read.length
      return read as never
    },
  }
  const events = [COUNTED, FORGOTTEN, COUNTED].map((accountId) => ({ accountId, at: AT }) as FollowedEvent)
  assert.deepEqual(await stillToCount(counting, events), [events[0], events[2]])
  assert.equal(rows, 1)
  await database.close()
})
