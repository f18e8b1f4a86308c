import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { connect, type Database, type Statement, statement } from '../../platform/db.ts'
import { ensureEventPartitions } from '../events/index.ts'
import { rebuildStatistics } from './jobs.ts'

const ACCOUNTS = 130
const DAY_MS = 86_400_000

// Every account has figures of an old day and of a recent one; the log of each second one is complete only since between them.
const FILL = statement(
  'test_fill_figures',
  `with a as (select gen_random_uuid() as id, n from generate_series(1, $1) n),
   days as (select d from unnest(array[$2::timestamptz, $3]) d),
   b as (insert into stat_bucket (account_id, scope, span, domain_id, tag, bucket, stream, sandbox, sent)
     select id, 0, 1, '00000000-0000-0000-0000-000000000000', '', d, 0, false, 1 from a, days),
   p as (insert into stat_provider (account_id, scope, span, domain_id, tag, bucket, stream, sandbox, provider, accepted)
     select id, 0, 1, '00000000-0000-0000-0000-000000000000', '', d, 0, false, 'google', 1 from a, days),
   f as (insert into stat_first (account_id, email_id, opened, clicked)
     select id, gen_random_uuid(), $2, null from a union all select id, gen_random_uuid(), $2, $3 from a union all select id, gen_random_uuid(), $3, $3 from a)
   insert into forgetting (account_id, begun_before) select id, $4 from a where n % 2 = 0`,
)
const FIGURES = statement(
  'test_figures',
  `select (select count(*)::int from stat_bucket where bucket = $1) as old_buckets,
     (select count(*)::int from stat_bucket where bucket = $2) as buckets,
     (select count(*)::int from stat_provider where bucket = $1) as old_answers,
     (select count(*)::int from stat_provider where bucket = $2) as answers,
     (select count(*)::int from stat_first) as firsts, (select count(*)::int from stat_first where opened = $1) as opened,
     (select count(*)::int from stat_first where clicked is not null) as clicked`,
)

test('a rebuild deletes the figures of many accounts a few accounts at a time, of each what its log has', async () => {
  await using store = await freshDb()
  const database = connect({ url: store.url, onError: () => undefined })
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const ago = (days: number): Date => new Date(today - days * DAY_MS)
  await ensureEventPartitions(database.system, ago(20))
  await database.system.execute(FILL, [ACCOUNTS, ago(10), ago(2), ago(5)])
  const deleted: { readonly name: string; readonly accounts: number }[] = []
  await rebuildStatistics(
    watched(database, (what, [accounts]) => {
      if (Array.isArray(accounts)) deleted.push({ name: what.name, accounts: accounts.length })
    }),
  )
  const kept = ACCOUNTS / 2
  assert.deepEqual(await database.system.one(FIGURES, [ago(10), ago(2)]), {
    old_buckets: kept,
    buckets: 0,
    old_answers: kept,
    answers: 0,
    firsts: 2 * kept,
    opened: 2 * kept,
    clicked: 0,
  })
  for (const [name, some] of Map.groupBy(deleted, ({ name }) => name)) {
    assert.equal(
      some.reduce((sum, { accounts }) => sum + accounts, 0),
      ACCOUNTS,
      name,
    )
    assert.ok(Math.max(...some.map(({ accounts }) => accounts)) <= 50, name)
  }
  await database.close()
})

function watched(database: Database, onExecute: (what: Statement, values: readonly unknown[]) => void): Database {
  return {
    ...database,
    transaction: (work) =>
      database.transaction((db, posting) => {
        const execute: typeof db.execute = (what, values = []) => {
          onExecute(what, values)
          return db.execute(what, values)
        }
        return work({ ...db, execute }, posting)
      }),
  }
}
