// What the statistics endpoints take with many events in one account, beside the same account with few.
//
// --events=2000000 over --days=90 (the bar is 20,000,000), --few=20000, --calls=60 of each endpoint. The raw events and the
// roll-ups are made by the database itself, 5 domains and 20 tags of them, all kinds mixed; the follower stands behind them.

import { statement } from '../src/platform/db.ts'
import type { TestAccount, World } from '../test/world.ts'
import { durableWorld, option, percentile } from './ground-world.ts'

const EVENTS = option('events', 2_000_000)
const FEW = option('few', 20_000)
const DAYS = option('days', 90)
const CALLS = option('calls', 60)
const SENT_SHARE = 0.4

const PARTITIONS = statement('bench_partitions', `select ensure_partitions('event', false, $1::date, $2)`)

// $1 account, $2 how many, $3 days, $4 the first moment. Of ten: four sent, three delivered, one opened, one clicked, one bounced.
const RAW = statement(
  'bench_raw',
  `insert into event (at, event_id, account_id, domain_id, email_id, type, stream, sandbox, tag, data)
   select $4::timestamptz + (n * ($3 * 86400000.0 / $2)) * interval '1 millisecond', gen_random_uuid(), $1::uuid,
     ('0189aaaa-0000-7000-8000-00000000000' || n % 5)::uuid, gen_random_uuid(), (array[1, 1, 1, 1, 2, 2, 2, 3, 4, 5])[n % 10 + 1],
     n % 2, false, 'tag ' || n % 20, null
   from generate_series(0, $2::bigint - 1) n`,
)
const ROLL_UP = statement(
  'bench_roll_up',
  `insert into stat_bucket (account_id, scope, span, domain_id, tag, bucket, stream, sandbox, sent, delivered, hard, opens,
     unique_opens, clicks, unique_clicks, webmail)
   select account_id, scope, span, case when scope in (1, 3) then domain_id else '00000000-0000-0000-0000-000000000000' end,
     case when scope in (2, 3) then tag else '' end, bucket, stream, false,
     count(*) filter (where type = 1), count(*) filter (where type = 2), count(*) filter (where type = 5),
     count(*) filter (where type = 3), count(*) filter (where type = 3), count(*) filter (where type = 4),
     count(*) filter (where type = 4), count(*) filter (where type = 3)
   from (
     select e.*, scope, span, case when span = 1 then date_trunc('day', at)
       else date_bin('15 minutes', at, '2000-01-01Z') end as bucket
     from event e, generate_series(0, 3) scope, generate_series(0, 1) span where account_id = $1::uuid
   ) r group by 1, 2, 3, 4, 5, 6, 7`,
)
const STAND_BEHIND = statement(
  'bench_stand_behind',
  `insert into follower (name, xid, seq, at) select f.name, e.xid, e.seq, now()
   from (values ('statistics'), ('webhooks'), ('notices')) f(name),
     (select xid, max(seq) as seq from event group by xid order by xid desc limit 1) e
   on conflict (name) do update set xid = excluded.xid, seq = excluded.seq, at = excluded.at`,
)
const SLOW = statement('bench_slow', `set statement_timeout = 0`)
const ANALYZE = statement('bench_analyze', 'analyze stat_bucket')
const USED = statement(
  'bench_used',
  `insert into usage (account_id, resource, month, used) values ($1, 'emails', date_trunc('month', now())::date, $2)`,
)

async function fill(world: World, account: TestAccount, events: number): Promise<void> {
  const { system } = world.rooms.database
  const first = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000 - (DAYS - 1) * 86_400_000)
  await system.query(PARTITIONS, [first, DAYS + 1])
  const days = DAYS - 1 + (Date.now() % 86_400_000) / 86_400_000
  const database = world.rooms.database
  await database.transaction(async (db) => {
    await db.execute(SLOW)
    await db.execute(RAW, [account.accountId, events, days, first])
  })
  await database.transaction(async (db) => {
    await db.execute(SLOW)
    await db.execute(ROLL_UP, [account.accountId])
    await db.execute(STAND_BEHIND)
  })
  await system.execute(USED, [account.accountId, Math.round(events * SENT_SHARE)])
}

const V1 = '/api/v1/stats/outbound'
const period = (days: number): string => {
  const from = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10)
  return `from_date=${from}&to_date=${new Date().toISOString().slice(0, 10)}`
}
const ENDPOINTS: readonly string[] = [
  '/api/v1/customer/usage',
  V1,
  ...['sends', 'bounces', 'spam', 'opens', 'opens/platforms', 'clicks'].map((name) => `${V1}/${name}`),
].flatMap((path) => (path.endsWith('usage') ? [path] : [`${path}?${period(DAYS)}`]))
const FILTERED: readonly string[] = [
  `${V1}?${period(DAYS)}&tag=tag 7`,
  `${V1}?${period(DAYS)}&domain_id=0189aaaa-0000-7000-8000-000000000002`,
  `${V1}?${period(DAYS)}&domain_id=0189aaaa-0000-7000-8000-000000000002&tag=tag 7`,
  `${V1}/sends?${period(DAYS)}&timezone=Asia/Kathmandu`,
  `${V1}?${period(DAYS)}&timezone=America/New_York&stream=broadcast`,
]

async function times(account: TestAccount, path: string): Promise<{ p50: number; p95: number }> {
  const took: number[] = []
  for (let i = -5; i < CALLS; i++) {
    const began = performance.now()
    const { status } = await account.api.get(path)
    if (status !== 200) throw new Error(`${path}: ${status}`)
    if (i >= 0) took.push(performance.now() - began)
  }
  return { p50: percentile(took, 0.5), p95: percentile(took, 0.95) }
}

await using house = await durableWorld({ POSTHORN_ROLES: 'api' })
const { world } = house
const few = await world.newAccount()
const many = await world.newAccount()
await fill(world, few, FEW)
const began = performance.now()
await fill(world, many, EVENTS)
await world.rooms.database.transaction((db) => db.execute(ANALYZE)).catch(() => undefined)
console.log(`${EVENTS} events made in ${Math.round((performance.now() - began) / 1_000)} s`)
const table: Record<string, object> = {}
for (const path of [...ENDPOINTS, ...FILTERED]) {
  const less = await times(few, path)
  const more = await times(many, path)
  const name = path.replace(/from_date=[^&]*&to_date=[^&]*/, `${DAYS} days`)
  const round = (ms: number): number => Number(ms.toFixed(1))
  table[name] = {
    'few p50': round(less.p50),
    'few p95': round(less.p95),
    'many p50': round(more.p50),
    'many p95': round(more.p95),
    times: round(more.p50 / less.p50),
  }
}
console.table(table)
console.log(JSON.stringify(table))
