import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { explainPrepared } from '../../../test/world/plan.ts'
import { connect, type Db, type Statement, statement } from '../../platform/db.ts'
import { accountOverviews, operatorActions } from './sql-operator.ts'

const FILL = statement(
  'test_fill_accounts',
  `with a as (
     insert into account (account_id, email, name, plan, created_at)
     select gen_random_uuid(), n || '@a.example', n::text, 'starter', now() from generate_series(1, 60) n returning account_id)
   insert into operator_action (id, at, operator, action, account_id)
   select gen_random_uuid(), now(), 'op@a.example', 'suspend', account_id from a`,
)
const PAGE = { limit: 10, offset: 50 }
const FILTER = {
  month: '2026-03-01',
  but: '00000000-0000-0000-0000-000000000000',
  search: null,
  plan: null,
  suspended: null,
}

test('the last page of accounts, and of actions, looks nothing up for those on the pages before', async () => {
  await using store = await freshDb()
  const database = connect({ url: store.url, onError: () => undefined })
  const { system } = database
  await system.execute(FILL)
  const asked: [Statement, readonly unknown[]][] = []
  const spy: Db = {
    ...system,
    query: (what, values = []) => {
      asked.push([what, values])
      return system.query(what, values)
    },
  }
  assert.equal((await accountOverviews(spy, FILTER, PAGE)).length, 10)
  assert.equal((await operatorActions(spy, null, PAGE)).length, 10)
  for (const [what, values] of asked) {
    const literals = values.map((value) => (value === null ? 'null' : `'${value as string | number}'`))
    const plan = await explainPrepared<string>(database, what, 'analyze, costs off, timing off, summary off', literals)
    const lookups = plan
      .filter((line) => /Scan .*loops=/.test(line))
      .map((line) => Number(/loops=(\d+)/.exec(line)?.[1]))
    assert.ok(lookups.length > 1 && Math.max(...lookups) <= PAGE.limit, plan.join('\n'))
  }
  await database.close()
})
