import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { explainPrepared } from '../../../test/world/plan.ts'
import { connect, type Statement, statement } from '../../platform/db.ts'
import * as sql from './sql.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const ENDPOINTS = 500
const PAGE = 50
// Endpoint n has a delivery that is tried again in n minutes.
const FILL = statement(
  'test_fill_endpoints',
  `with w as (
     insert into webhook (account_id, id, name, url, events, is_active, secret, secret_last4, created_at, updated_at, active_since)
     select gen_random_uuid(), gen_random_uuid(), n::text, 'https://down.example/', '{*}', true, '', '', $1, $1, $1
     from generate_series(1, $2::int) n returning account_id, id, name)
   insert into webhook_queue (id, account_id, webhook_id, event_id, event_at, event, due, attempt)
   select gen_random_uuid(), account_id, id, gen_random_uuid(), $1, 1, $1::timestamptz + name::int * interval '1 minute', 1 from w`,
)

test('a claim reads what is due, not every endpoint that waits for a later try', async () => {
  await using store = await freshDb()
  const database = connect({ url: store.url, onError: () => undefined })
  const { system } = database
  await system.execute(FILL, [NOW, ENDPOINTS])
  const dueAfter = async (minutes: number, of: Statement, more: readonly unknown[]): Promise<readonly string[]> => {
    const at = new Date(NOW.getTime() + minutes * 60_000)
    return (await system.query<{ webhook_id: string }>(of, [at, ...more])).map(({ webhook_id: id }) => id).sort()
  }
  assert.deepEqual(await dueAfter(0, sql.firstDue, [PAGE]), [])
  assert.equal((await dueAfter(3, sql.firstDue, [PAGE])).length, 3)
  assert.deepEqual(await dueAfter(3, sql.firstDue, [PAGE]), await dueAfter(3, sql.allDue, []))
  assert.equal((await dueAfter(ENDPOINTS, sql.firstDue, [PAGE])).length, PAGE)
  assert.equal((await dueAfter(ENDPOINTS, sql.allDue, [])).length, ENDPOINTS)
  const plan = (await explainPrepared<string>(database, sql.firstDue, 'costs off', ['now()', `${PAGE}`])).join('\n')
  assert.match(plan, /Index (?:Only )?Scan using webhook_queue_soonest on webhook_queue\n +Index Cond: \(due <= \$1\)/)
  await database.close()
})
