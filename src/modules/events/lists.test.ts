import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { freshDb, type TestDatabase } from '../../../test/world/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, type Database, type Statement, statement } from '../../platform/db.ts'
import { ensureEventPartitions } from './index.ts'
import { count, list } from './sql.ts'
import { EVENT_TYPES, type EventType } from './types.ts'

const ACCOUNT = '01980000-0000-7000-8000-00000000000a'
const DOMAIN = '01980000-0000-7000-8000-0000000000d0'
const NEW_DOMAIN = '01980000-0000-7000-8000-0000000000d1'
const NOBODYS = '01980000-0000-7000-8000-0000000000d2'
const MANY = 4_000
const FEW = 5

const PUT = statement(
  'test_put_events',
  `insert into event (at, event_id, account_id, domain_id, email_id, type, tag)
   select now() - i * interval '1 second', gen_random_uuid(), $1::uuid, $2::uuid, gen_random_uuid(), $3::smallint, $4
   from generate_series($5::int, $5::int + $6::int - 1) i`,
)
// The service's own roles may not run `analyze`.
const AS_OWNER = statement('test_as_owner', 'set local role none')
const ANALYZE = statement('test_analyze_events', 'analyze event')
const KNOWN = statement(
  'test_known_events',
  `select count(*)::int as rows from pg_stats where tablename ~ '^event_\\d' and attname = 'tag'`,
)

let store: TestDatabase
let database: Database
before(async () => {
  store = await freshDb()
  database = connect({ url: store.url, maxConnections: 2, onError: () => undefined })
  await ensureEventPartitions(database.system, systemClock().now())
  const put = (domain: string, type: EventType, tag: string | null, from: number, many: number): Promise<number> =>
    database.system.execute(PUT, [ACCOUNT, domain, EVENT_TYPES[type], tag, from, many])
  await put(DOMAIN, 'email.sent', 'news', 0, MANY)
  await put(DOMAIN, 'email.delivered', null, 0, MANY)
  await put(DOMAIN, 'email.complained', 'news', MANY, FEW)
  await put(DOMAIN, 'email.sent', 'rare', MANY, FEW)
  await put(NEW_DOMAIN, 'email.sent', null, MANY, FEW)
})
after(async () => {
  await database.close()
  await store[Symbol.asyncDispose]()
})

interface Asked {
  readonly type?: EventType
  readonly domain?: string
  readonly tag?: string
  readonly answer?: string
}

/** The plan of an account's list, line by line, planned for these values like every call of the API's role. */
async function plan(what: Statement, { type, domain, tag, answer }: Asked): Promise<string> {
  const filter = [
    ACCOUNT,
    null,
    null,
    type === undefined ? null : EVENT_TYPES[type],
    null,
    null,
    domain ?? null,
    tag ?? null,
  ]
  const values = [...filter, null, null, true, answer ?? null, ...(what === list ? [null, null, 51, 0] : [100_000])]
  const asked = statement(`explained_${what.name}`, `explain (analyze, costs off, timing off) ${what.text}`)
  const lines = await database.tenant(ACCOUNT, (db) => db.query<{ 'QUERY PLAN': string }>(asked, values))
  return lines.map((line) => line['QUERY PLAN']).join('\n')
}

const RARE: readonly Asked[] = [
  { type: 'email.complained' },
  { type: 'email.canceled' },
  { tag: 'rare' },
  { tag: 'nobody’s' },
  { domain: NEW_DOMAIN },
  { domain: NOBODYS },
  { type: 'email.complained', tag: 'news' },
  { type: 'email.complained', domain: DOMAIN },
  { type: 'email.complained', answer: '%rate limited%' },
]

test('a count by type together with a tag or a domain reads only the index', async () => {
  for (const more of [{ tag: 'news' }, { domain: DOMAIN }]) {
    assert.match(await plan(count, { type: 'email.complained', ...more }), /Index Only Scan using event_\d+_type/)
  }
})

for (const known of [false, true]) {
  test(`a few matching events are found among many, on days with ${known ? 'full' : 'no'} planner statistics`, async () => {
    if (known) {
      await database.transaction(async (db) => {
        await db.execute(AS_OWNER)
        await db.execute(ANALYZE)
        assert.notEqual((await db.one<{ rows: number }>(KNOWN))?.rows, 0)
      })
    }
    for (const asked of RARE) {
      for (const what of [list, count]) {
        const text = await plan(what, asked)
        const passedOver = [...text.matchAll(/Rows Removed by (?:Filter|Index Recheck): (\d+)/g)].map(([, rows]) =>
          Number(rows),
        )
        const read = [...text.matchAll(/Scan.*? on event_.*?rows=(\d+)/g)].map(([, rows]) => Number(rows))
        const most = Math.max(0, ...passedOver, ...read)
        assert.ok(most <= 2 * FEW, `${JSON.stringify(asked)} reads ${most} rows\n${text}`)
      }
    }
  })
}
