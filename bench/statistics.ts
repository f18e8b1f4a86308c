// Time of the statistics endpoints with many events in one account, next to the same account with few.
//
//   npm run bench -- statistics [--events 2000000] [--few 20000] [--days 90] [--calls 60] [--keep FOLDER]
//
// The bar is 20,000,000 events. The database itself makes the raw events and the roll-ups, with 5 domains and 20 tags and all
// kinds mixed; the followers' cursors are set behind them. The service is a process of its own. With --keep the data stays in
// the folder and is reused by the next run on the same day.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { connect, type Database, statement } from '../src/platform/db.ts'
import { scratch } from '../test/peers/fixture.ts'
import { type Account, type Posthorn, startPosthorn } from '../test/peers/posthorn.ts'
import { commandLine } from './fixture-options.ts'
import { ROLL_UP, ROLL_UP_PROVIDERS } from './fixture-rollups.ts'
import { percentile } from './fixture-world.ts'

const {
  events: EVENTS,
  few: FEW,
  days: DAYS,
  calls: CALLS,
  keep: KEEP,
} = commandLine({ events: 2_000_000, few: 20_000, days: 90, calls: 60, keep: '' })
const SENT_SHARE = 0.4
const DAY_MS = 86_400_000

const PARTITIONS = statement('bench_partitions', `select ensure_partitions('event', false, $1::date, $2)`)

// $1 account, $2 how many, $3 time of the first, $4 milliseconds between two. Of ten: four sent, three delivered, one opened,
// one clicked, one bounced.
const RAW = statement(
  'bench_raw',
  `insert into event (at, event_id, account_id, domain_id, email_id, type, stream, sandbox, tag, data)
   select $3::timestamptz + (n * $4::float8) * interval '1 millisecond', gen_random_uuid(), $1::uuid,
     ('0189aaaa-0000-7000-8000-00000000000' || n % 5)::uuid, gen_random_uuid(), (array[1, 1, 1, 1, 2, 2, 2, 3, 4, 5])[n % 10 + 1],
     n / 10 % 2, false, 'tag ' || n / 10 % 20, null
   from generate_series(0, $2::bigint - 1) n`,
)
const STAND_BEHIND = statement(
  'bench_stand_behind',
  `insert into follower (name, xid, seq, at) select f.name, e.xid, e.seq, now()
   from (values ('statistics'), ('webhooks'), ('notices')) f(name),
     (select xid, max(seq) as seq from event group by xid order by xid desc limit 1) e
   on conflict (name) do update set xid = excluded.xid, seq = excluded.seq, at = excluded.at`,
)
const SLOW = statement('bench_slow', `set statement_timeout = 0`)
const USED = statement(
  'bench_used',
  `insert into usage (account_id, resource, month, used) values ($1, 'emails', date_trunc('month', now())::date, $2)`,
)

/** Fills day by day, evenly up to now. */
async function fill(database: Database, account: Account, events: number): Promise<void> {
  const first = Math.floor(Date.now() / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS
  await database.system.query(PARTITIONS, [new Date(first), DAYS + 1])
  const stepMs = (Date.now() - first) / events
  for (let day = first; day < Date.now(); day += DAY_MS) {
    const many = Math.floor((Math.min(day + DAY_MS, Date.now()) - day) / stepMs)
    await database.transaction(async (db) => {
      await db.execute(SLOW)
      await db.execute(RAW, [account.account_id, many, new Date(day), stepMs])
      const whole = [account.account_id, new Date(day), new Date(day + DAY_MS)]
      await db.execute(ROLL_UP, whole)
      await db.execute(ROLL_UP_PROVIDERS, whole)
    })
  }
  await database.system.execute(USED, [account.account_id, Math.round(events * SENT_SHARE)])
}

interface Accounts {
  readonly few: Account
  readonly many: Account
}

async function accountsIn(folder: string, posthorn: Posthorn): Promise<Accounts> {
  const kept = path.join(folder, 'accounts.json')
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8')) as Accounts
  const socket = path.join(posthorn.env['POSTHORN_DATA_DIR'] ?? '', 'run')
  const url = `postgres://posthorn@localhost/posthorn?host=${encodeURIComponent(socket)}`
  const database = connect({ url, maxConnections: 1, onError: (error) => console.error(error) })
  const accounts = { few: await posthorn.account('few'), many: await posthorn.account('many') }
  const began = performance.now()
  await fill(database, accounts.few, FEW)
  await fill(database, accounts.many, EVENTS)
  await database.transaction(async (db) => {
    await db.execute(SLOW)
    await db.execute(STAND_BEHIND)
  })
  await database.close()
  console.log(`${EVENTS} events made in ${Math.round((performance.now() - began) / 1_000)} s`)
  writeFileSync(kept, JSON.stringify(accounts))
  return accounts
}

const V1 = '/api/v1/stats/outbound'
const period = (days: number): string => {
  const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10)
  return `from_date=${from}&to_date=${new Date().toISOString().slice(0, 10)}`
}
const DOMAIN = '0189aaaa-0000-7000-8000-000000000002'
const REPORTS = ['', '/sends', '/bounces', '/spam', '/opens', '/opens/platforms', '/clicks', '/providers']
const PATHS: readonly string[] = [
  '/api/v1/customer/usage',
  ...REPORTS.map((name) => `${V1}${name}?${period(DAYS)}`),
  ...REPORTS.map((name) => `${V1}${name}?${period(DAYS)}&timezone=Asia/Kathmandu`),
  `${V1}?${period(DAYS)}&tag=tag 7`,
  `${V1}?${period(DAYS)}&domain_id=${DOMAIN}`,
  `${V1}?${period(DAYS)}&domain_id=${DOMAIN}&tag=tag 7`,
  `${V1}?${period(DAYS)}&timezone=America/New_York`,
  `${V1}/clicks?${period(DAYS)}&timezone=America/New_York&stream=broadcast`,
]

async function timesOf(
  posthorn: Posthorn,
  account: Account,
  where: string,
): Promise<readonly [p50: number, p95: number]> {
  const took: number[] = []
  for (let i = -10; i < CALLS; i++) {
    const began = performance.now()
    const { status } = await posthorn.call(account.api_key, 'GET', where)
    if (status !== 200) throw new Error(`${where}: ${status}`)
    if (i >= 0) took.push(performance.now() - began)
  }
  return [percentile(took, 0.5), percentile(took, 0.95)]
}

await using house = await scratch('bench-statistics')
const folder = KEEP === '' ? house.path : KEEP
await mkdir(folder, { recursive: true })
await using posthorn = await startPosthorn(folder, { POSTHORN_ROLES: 'api', POSTHORN_RATE_LIMITS: 'off' })
const { few, many } = await accountsIn(folder, posthorn)
const round = (ms: number): number => Number(ms.toFixed(1))
const rows: object[] = []
for (const where of PATHS) {
  const less = await timesOf(posthorn, few, where)
  const more = await timesOf(posthorn, many, where)
  rows.push({
    endpoint: where.replace(/from_date=[^&]*&to_date=[^&]*/, `${DAYS} days`),
    few_p50: round(less[0]),
    few_p95: round(less[1]),
    many_p50: round(more[0]),
    many_p95: round(more[1]),
    times: round(more[0] / less[0]),
  })
}
console.table(rows)
console.log(JSON.stringify(rows))
