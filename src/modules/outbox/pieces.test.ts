import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { explainPrepared } from '../../../test/world/plan.ts'
import { connect, type Database, type Db, statement } from '../../platform/db.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { ensureOutboxPartitions, releaseAllOfDomain, releaseDomain, siteIds } from './index.ts'
import { flushQueue } from './queue-figures.ts'
import * as sql from './sql.ts'
import { CANCEL } from './sql-cancel.ts'

const ACCOUNT = '01980000-0000-7000-8000-00000000000a'
const DOMAIN = '01980000-0000-7000-8000-00000000000d'
const OTHER = '01980000-0000-7000-8000-00000000000e'
const LATER = new Date('2026-11-22T12:00:00Z')
const NOW = new Date('2026-11-22T10:00:00Z')
const WAITING = 12_001

const FILL = statement(
  'test_fill',
  `insert into queue (id, account_id, domain_id, site_id, at, state, scheduled, recipient_key)
   select gen_random_uuid(), $1, $2, $3, $4, $5, $6, 'b@example.net' from generate_series(1, $7)`,
)
const ANALYZE = statement('test_analyze', 'analyze queue')
const COUNTED = statement(
  'test_counted',
  `select domain_id as domain, s.name as site, state, scheduled, count(*)::int as count, count(*) filter (where at = $1)::int as now
   from queue join site s on s.id = site_id group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
)
const AWAY_AGAIN = statement('test_away_again', 'update queue set state = 2 where id = any($1::uuid[])')

interface Fixture extends AsyncDisposable {
  readonly database: Database
  /** The system role; `moved` holds how many rows each statement returned. */
  readonly db: Db
  readonly moved: number[]
  /** Runs after each statement with the ids it returned. */
  onMoved: (ids: readonly string[]) => Promise<void>
  counted(): Promise<readonly object[]>
}

/** Deferred emails of two domains to two destinations, and ready and scheduled ones. */
async function fixture(): Promise<Fixture> {
  const fresh = await freshDb()
  const database = connect({ url: fresh.url, maxConnections: 4, onError: () => undefined })
  const { system } = database
  const sites = await siteIds(system).of(['example.net', 'other.test'])
  const [net, other] = [sites.get('example.net'), sites.get('other.test')]
  for (const [domain, site, state, scheduled, count] of [
    [DOMAIN, net, 2, false, WAITING],
    [DOMAIN, net, 2, true, 10],
    [DOMAIN, net, 0, false, 10],
    [OTHER, net, 2, false, 10],
    [OTHER, other, 2, false, 8_000],
  ]) {
    await system.execute(FILL, [ACCOUNT, domain, site, LATER, state, scheduled, count])
  }
  await system.execute(ANALYZE)
  const made: Fixture = {
    database,
    moved: [],
    onMoved: () => Promise.resolve(),
    counted: () => system.query<object>(COUNTED, [NOW]),
    db: {
      ...system,
      query: async <T extends object>(asked: Parameters<Db['query']>[0], values?: Parameters<Db['query']>[1]) => {
        const rows = await system.query<T>(asked, values)
        made.moved.push(rows.length)
        await made.onMoved(rows.flatMap((row) => ('id' in row ? [String(row.id)] : [])))
        return rows
      },
    },
    [Symbol.asyncDispose]: async () => {
      await database.close()
      await fresh[Symbol.asyncDispose]()
    },
  }
  return made
}

test('a destination is retried piece by piece, and an email deferred again meanwhile is left alone', async () => {
  await using h = await fixture()
  h.onMoved = (ids) => h.database.system.execute(AWAY_AGAIN, [ids]).then(() => undefined)
  assert.equal(await flushQueue(h.db, 'example.net', NOW), WAITING + 10)
  assert.deepEqual(h.moved, [5_000, 5_000, 2_011])
  assert.deepEqual(await h.counted(), [
    { domain: DOMAIN, site: 'example.net', state: 0, scheduled: false, count: 10, now: 0 },
    { domain: DOMAIN, site: 'example.net', state: 2, scheduled: false, count: WAITING, now: WAITING },
    { domain: DOMAIN, site: 'example.net', state: 2, scheduled: true, count: 10, now: 0 },
    { domain: OTHER, site: 'example.net', state: 2, scheduled: false, count: 10, now: 10 },
    { domain: OTHER, site: 'other.test', state: 2, scheduled: false, count: 8_000, now: 0 },
  ])
  h.onMoved = () => Promise.resolve()
  assert.equal(await flushQueue(h.db, null, NOW), WAITING + 10 + 8_000)
  assert.equal(await flushQueue(h.db, null, NOW), 0)
})

test('the emails of a domain are released piece by piece, the first piece in the transaction that removes it', async () => {
  await using h = await fixture()
  await releaseDomain(h.db, DOMAIN)
  assert.deepEqual(h.moved, [5_000])
  await releaseAllOfDomain(h.db, { warn: () => assert.fail() }, DOMAIN)
  assert.deepEqual(h.moved, [5_000, 5_000, 2_011])
  const waiting = (await h.counted()).filter((row) => 'state' in row && row.state === 2)
  assert.deepEqual(
    waiting.map((row) => 'domain' in row && row.domain),
    [OTHER, OTHER],
  )
})

test('a piece is found by the key from where the one before ended', async () => {
  await using h = await fixture()
  for (const [asked, values] of [
    [sql.flushQueue, ['null', 'null', 'null']],
    [sql.releaseDomain, ['null', 'null']],
  ] as const) {
    const plan = JSON.stringify(await explainPrepared(h.database, asked, 'format json', values))
    assert.doesNotMatch(plan, /"(?:Sort|Seq Scan)"/, plan)
    assert.match(plan, /"Index Cond":"\(id > \$1\)"/)
  }
})

test('a piece of a bulk cancel is looked for in its own days alone', async () => {
  await using fresh = await freshDb()
  const database = connect({ url: fresh.url, maxConnections: 1, onError: () => undefined })
  try {
    await ensureOutboxPartitions(database.system, NOW)
    const id = `'${firstIdAt(NOW)}'`
    const values = [`'${ACCOUNT}'`, `array[${id}]::uuid[]`, '7', 'now()', id, id]
    const plan = (await explainPrepared<string>(database, CANCEL, 'costs off', values)).join('\n')
    // The scans alone: PostgreSQL before 18 also names every day as one that the update could change.
    const read = Array.from(plan.matchAll(/ on (email_\d{8}) .*\n.*Index Cond/g), ([, day]) => day)
    assert.deepEqual(read, ['email_20261122'], plan)
  } finally {
    await database.close()
  }
})
