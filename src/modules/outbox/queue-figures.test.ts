import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { explainPrepared } from '../../../test/world/plan.ts'
import { connect, statement } from '../../platform/db.ts'
import { queueFigures } from './queue-figures.ts'
import { queueByState } from './sql.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const ACCOUNTS = ['01980000-0000-7000-8000-00000000000a', '01980000-0000-7000-8000-00000000000b']
const HELD = '01980000-0000-7000-8000-00000000000c'
// Of each account one email a minute for an hour, the held ones before the others; every second waits.
const FILL = statement(
  'test_fill_queue',
  `insert into queue (id, account_id, site_id, at, state, recipient_key)
   select gen_random_uuid(), a, s.id, $2::timestamptz - n * interval '1 minute' - case when a = $3 then interval '1 day' else '0' end,
     case when n % 2 = 0 then 2 else 0 end, 'to@a.example'
   from unnest($1::uuid[]) a, generate_series(1, 60) n, site s where s.name = 'a.example'`,
)
const SITE = statement('test_site', `insert into site (name) values ('a.example')`)

test('the figures of the queue: the oldest is that of no suspended account, who is looked for once an account', async () => {
  await using store = await freshDb()
  const database = connect({ url: store.url, onError: () => undefined })
  const { system } = database
  await system.execute(SITE)
  await system.execute(FILL, [[...ACCOUNTS, HELD], NOW, HELD])
  const figures = async (suspended: readonly string[]) =>
    (await queueFigures(system, NOW, suspended)).map(({ emails, oldestSeconds }) => [emails, oldestSeconds])
  assert.deepEqual(await figures([]), [
    [90, 86_400 + 59 * 60],
    [0, 0],
    [90, 86_400 + 3_600],
  ])
  assert.deepEqual(await figures([HELD]), [
    [90, 59 * 60],
    [0, 0],
    [90, 3_600],
  ])
  assert.deepEqual(await figures([HELD, ...ACCOUNTS]), [
    [90, 0],
    [0, 0],
    [90, 0],
  ])
  const plan = (await explainPrepared<string>(database, queueByState, 'verbose, costs off', [`'{}'`])).join('\n')
  assert.match(plan, /min\(a\.oldest\) FILTER \(WHERE \(a\.account_id <> ALL \(\$1\)\)\)/)
  assert.doesNotMatch(plan, /q\.account_id <> ALL/)
  await database.close()
})
