import { type Statement, statement } from '../../platform/db.ts'
import { unfollowedSql } from '../events/index.ts'
import { COUNTERS, type Counter, FIRSTS } from './counters.ts'

const COLUMNS = COUNTERS.join(', ')

/** The key columns of a roll-up, with their types. */
export const KEYS: readonly (readonly [name: string, type: string])[] = [
  ['account_id', 'uuid'],
  ['scope', 'smallint'],
  ['span', 'smallint'],
  ['domain_id', 'uuid'],
  ['tag', 'text'],
  ['bucket', 'timestamptz'],
  ['stream', 'smallint'],
  ['sandbox', 'boolean'],
]

/**
 * Adds to a roll-up: one array per key, then one per counter. Sorted by key, so that a replay and a running follower cannot
 * deadlock.
 */
export function adding(name: string, table: string, keyed: typeof KEYS, counters: readonly string[]): Statement {
  const keys = keyed.map(([key]) => key).join(', ')
  const columns = counters.join(', ')
  const arrays = [...keyed.map(([, type]) => type), ...counters.map(() => 'int')]
  return statement(
    name,
    `insert into ${table} as s (${keys}, ${columns})
     select ${keys}, ${columns} from unnest(${arrays.map((type, i) => `$${i + 1}::${type}[]`).join(', ')})
       as c(${keys}, ${columns}) order by ${keys}
     on conflict (${keys}) do update set ${counters.map((counter) => `${counter} = s.${counter} + excluded.${counter}`).join(', ')}`,
  )
}

export const addCounts = adding('statistics_add', 'stat_bucket', KEYS, COUNTERS)

export const readFirsts = statement(
  'statistics_read_firsts',
  `select f.account_id, f.email_id, ${FIRSTS.map((name) => `f.${name}`).join(', ')}
   from unnest($1::uuid[], $2::uuid[]) as k(account_id, email_id)
   join stat_first f on f.account_id = k.account_id and f.email_id = k.email_id`,
)
export const writeFirsts = statement(
  'statistics_write_firsts',
  `insert into stat_first (account_id, email_id, ${FIRSTS.join(', ')})
   select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[])
   on conflict (account_id, email_id) do update set ${FIRSTS.map((name) => `${name} = excluded.${name}`).join(', ')}`,
)

const sumsOf = (counters: readonly Counter[]): string =>
  counters.map((name) => `coalesce(sum(${name}), 0)::bigint as ${name}`).join(', ')
const SUMS = sumsOf(COUNTERS)

// Report statements use generic plans, because planning took longer than running the smaller ones.
export const plans = statement(
  'statistics_plans',
  `select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
     set_config('enable_bitmapscan', 'off', true)`,
)

// $2 scope, $3 domains, $4 tag, $5 stream, $6 include the sandbox. `bucket` must be compared with a timestamptz for the index to
// find the tenant's rows: row level security keeps comparisons of other types out of the index.
export const ASKED = `account_id = $1 and scope = $2 and domain_id = any($3::uuid[]) and tag = $4
  and ($5::smallint is null or stream = $5) and ($6 or not sandbox)`
export const IN_UTC_DAYS = `${ASKED} and span = 1 and bucket >= $7::date::timestamptz and bucket < ($8::date + 1)::timestamptz`
const UTC_DAYS = `from stat_bucket where ${IN_UTC_DAYS}`

// The midnights of a zone, each counted from a midnight in UTC: by the hours since the one before it (`utc`), or, when that
// is fewer (`late`), by the hours until the one after it, the last hour in quarters. So 90 days read at most 16 rows each
// instead of 96. $9 is when each day begins, in seconds after its midnight in UTC: the database's own rules for time zones may
// be out of date.
export const midnightsOf = (days: string): string => `midnights as materialized (
     select day, at, date_trunc('day', at) as utc, date_trunc('hour', at + late * interval '59 minutes') as hour, late > 0 as late,
       date_trunc('day', at) + late * interval '1 day' as base
     from (select day, at, case when at - date_trunc('day', at) > interval '12 hours' then 1 else 0 end as late
       from (select day, day::timestamptz + seconds * interval '1 second' as at from ${days}) d) m
   )`
export const EACH_DAY =
  '(select $7::date + n::int - 1 as day, seconds from unnest($9::int[]) with ordinality as o(seconds, n)) s'
const BOTH_ENDS = 'unnest(array[$7::date, $8::date + 1], $9::int[]) as s(day, seconds)'

export const edgesOf = (columns: string, table = 'stat_bucket'): string => {
  const asked = `select ${columns} from ${table} where ${ASKED}`
  return `${asked} and span = 2 and bucket >= case when m.late then m.hour else m.utc end
       and bucket < case when m.late then m.base else m.hour end
     union all
     ${asked} and span = 0 and bucket >= least(m.at, m.hour) and bucket < greatest(m.at, m.hour)`
}

/** The statements of a report over a period, by day. $7 and $8 first and last date; for `zone` also $9, the starts of days. */
export interface DaysStatements {
  readonly utc: Statement
  /** Days in UTC, and the edges of the zone's days (`midnight` is the date). One statement, for one snapshot. */
  readonly zone: Statement
  /** The days whose starts `zone` takes, in order. The day after the period is always the last. */
  readonly edges: 'of each day' | 'of the period'
}

export function daysStatements(report: string, counters: readonly Counter[]): DaysStatements {
  const sums = sumsOf(counters)
  return {
    utc: statement(
      `statistics_utc_days_${report}`,
      `select to_char(bucket, 'YYYY-MM-DD') as date, ${sums} ${UTC_DAYS} group by bucket order by bucket`,
    ),
    zone: statement(
      `statistics_zone_days_${report}`,
      `with ${midnightsOf(EACH_DAY)}
       select to_char(m.day, 'YYYY-MM-DD') as midnight, to_char(m.utc, 'YYYY-MM-DD') as date, m.late, s.*
       from midnights m cross join lateral (select ${sums} from (${edgesOf(counters.join(', '))}) c) s
       union all
       select null, to_char(bucket, 'YYYY-MM-DD'), false, ${sums} from stat_bucket
       where ${ASKED} and span = 1 and bucket >= ($7::date - 2)::timestamptz and bucket < ($8::date + 3)::timestamptz
       group by bucket`,
    ),
    edges: 'of each day',
  }
}

/** All counters of a period in one row. In a zone: the days in UTC between its two ends, and the two edges. */
export const totals: DaysStatements = {
  utc: statement('statistics_utc_total', `select ${SUMS} ${UTC_DAYS}`),
  zone: statement(
    'statistics_zone_total',
    `with ${midnightsOf(BOTH_ENDS)}
     select ${COUNTERS.map((name) => `coalesce(sum(${name} * weight), 0)::bigint as ${name}`).join(', ')} from (
       select ${COLUMNS}, 1 as weight from stat_bucket where ${ASKED} and span = 1
         and bucket >= (select min(base) from midnights) and bucket < (select max(base) from midnights)
       union all
       select c.*, case when m.late = (m.day = $7::date) then 1 else -1 end
       from midnights m cross join lateral (${edgesOf(COLUMNS)}) c) w`,
  ),
  edges: 'of the period',
}

/** The $9 domains that sent the most in days of UTC. $3 null: of all. Removed domains are included. */
export const busiestDomains = statement(
  'statistics_busiest_domains',
  `select domain_id from stat_bucket where account_id = $1 and scope = $2 and span = 1
     and ($3::uuid[] is null or domain_id = any($3::uuid[])) and tag = $4 and ($5::smallint is null or stream = $5)
     and ($6 or not sandbox) and bucket >= $7::date::timestamptz and bucket < ($8::date + 1)::timestamptz
   group by domain_id having sum(sent) > 0 order by sum(sent) desc, domain_id limit $9`,
)

export const sumOfDays = statement(
  'statistics_sum_of_days',
  `select ${SUMS} from stat_bucket
   where account_id = $1 and scope = $2 and span = 1 and domain_id = any($3::uuid[]) and tag = ''
     and bucket >= $4 and bucket < $5 and not sandbox`,
)

/** When a domain first and last sent, to the quarter of an hour, and how much in total. */
export const sentByDomain = statement(
  'statistics_sent_by_domain',
  `with days as materialized (
     select coalesce(sum(sent), 0)::bigint as total, min(bucket) filter (where sent > 0) as first,
       max(bucket) filter (where sent > 0) as last
     from stat_bucket where account_id = $1 and scope = 1 and span = 1 and domain_id = $2 and tag = '' and not sandbox
   )
   select total, ${(['first', 'last'] as const)
     .map(
       (end) => `(select ${end === 'first' ? 'min' : 'max'}(bucket) from stat_bucket
     where account_id = $1 and scope = 1 and span = 0 and domain_id = $2 and tag = '' and not sandbox and sent > 0
       and bucket >= d.${end} and bucket < d.${end} + interval '1 day') as ${end}`,
     )
     .join(', ')}
   from days d`,
)

// The roll-ups plus what the follower has not counted yet, from one snapshot: exact at any moment.
export const monthNow = statement(
  'statistics_month_now',
  `with followed as (
     select coalesce(sum(sent), 0) as sent, coalesce(sum(delivered), 0) as delivered,
       coalesce(sum(hard + soft + block + unknown_bounces), 0) as bounced, coalesce(sum(failed), 0) as failed,
       coalesce(sum(deferred), 0) as deferred, coalesce(sum(complained), 0) as complained
     from stat_bucket where account_id = $1 and scope = 0 and span = 1 and tag = '' and bucket >= $2 and bucket < $3
       and domain_id = '00000000-0000-0000-0000-000000000000' and not sandbox
   ), waiting as (
     select count(*) filter (where type = $4) as sent, count(*) filter (where type = $5) as delivered,
       count(*) filter (where (type = $6 and data ->> 'type' is distinct from 'complaint')
         or (type = $7 and data ->> 'listed_as' = 'soft')) as bounced,
       count(*) filter (where type = $7) as failed, count(*) filter (where type = $8) as deferred,
       count(*) filter (where type = $9) as complained
     from (${unfollowedSql({ follower: `'statistics'`, accountId: '$10' })}) e
     where at >= $2 and at < $3 and not sandbox
   )
   select (f.sent + w.sent)::bigint as sent, (f.delivered + w.delivered)::bigint as delivered,
     (f.bounced + w.bounced)::bigint as bounced, (f.failed + w.failed)::bigint as failed,
     (f.deferred + w.deferred)::bigint as deferred, (f.complained + w.complained)::bigint as complained
   from followed f, waiting w`,
)

// The statements of a rebuild: $1 accounts, $2 from when on the log of each is complete.
export const WHOLE = 'unnest($1::uuid[], $2::timestamptz[]) as k(account_id, at)'
/** Deletes what the log can reproduce. */
export const dropBuckets = statement(
  'statistics_drop_buckets',
  `delete from stat_bucket s using ${WHOLE} where s.account_id = k.account_id and s.bucket >= k.at`,
)
export const dropFirsts = statement(
  'statistics_drop_firsts',
  `delete from stat_first s using ${WHOLE} where s.account_id = k.account_id
     and ${FIRSTS.map((name) => `(${name} is null or ${name} >= k.at)`).join(' and ')}`,
)
export const clearFirsts = statement(
  'statistics_clear_firsts',
  `update stat_first s set ${FIRSTS.map((name) => `${name} = case when s.${name} < k.at then s.${name} end`).join(', ')}
   from ${WHOLE} where s.account_id = k.account_id and (${FIRSTS.map((name) => `s.${name} >= k.at`).join(' or ')})`,
)
/** Deletes at most $3 firsts, of an account's emails before the id $2. */
export const forgetFirsts = statement(
  'statistics_forget_firsts',
  `delete from stat_first s using (
     select account_id, email_id from stat_first where account_id = $1 and email_id < $2 order by email_id limit $3
   ) k where s.account_id = k.account_id and s.email_id = k.email_id`,
)

/** The accounts with rows in a table, after $1 and in order: one index lookup for each. */
const accountsIn = (table: string): string => `with recursive accounts as (
     (select account_id from ${table} where account_id > $1 order by account_id limit 1)
     union all
     select n.account_id from accounts a cross join lateral (
       select s.account_id from ${table} s where s.account_id > a.account_id order by s.account_id limit 1) n
   )`
const ACCOUNTS = accountsIn('stat_bucket')
/** The first $2 of them. Without an order of its own, the look-ups end with the last one. */
export const someAccountsIn = (table: 'stat_bucket' | 'stat_provider' | 'stat_first'): Statement =>
  statement(`statistics_some_accounts_in_${table}`, `${accountsIn(table)} select account_id from accounts limit $2`)
export const activeAccounts = statement(
  'statistics_active_accounts',
  `${ACCOUNTS}
   select account_id from accounts a where exists (select from stat_bucket s where s.account_id = a.account_id
     and s.scope = 0 and s.span = 1 and s.domain_id = '00000000-0000-0000-0000-000000000000' and s.tag = '' and s.bucket >= $2)
   order by account_id limit $3`,
)

/** The sums of domains of all accounts from $2 on, without the sandbox. $1 all zeros. */
const domainsWith = (name: string, sums: string, having: string, where = ''): Statement =>
  statement(
    name,
    `${ACCOUNTS}
     select a.account_id, c.* from accounts a cross join lateral (
       select domain_id, sum(delivered)::bigint as delivered, ${sums} from stat_bucket s
       where s.account_id = a.account_id and scope = 1 and span = 1 and tag = '' and bucket >= $2 and not sandbox
       group by domain_id having ${having}) c ${where}`,
  )

export interface ComplainedRow {
  readonly account_id: string
  readonly domain_id: string
  readonly delivered: number
  readonly complained: number
}
/** $3 the least complaints, $4 the least delivered, $5 the least rate. */
export const complainedDomains = domainsWith(
  'statistics_complained_domains',
  'sum(complained)::bigint as complained',
  'sum(complained) >= $3 and sum(delivered) >= $4 and sum(complained) >= $5::float8 * sum(delivered)',
)

export interface OpenedRow {
  readonly account_id: string
  readonly domain_id: string
  readonly delivered: number
  readonly opened: number
}
/** $3 the least opens, $4 the least opens for each mail delivered, $5 since when less was delivered than is opened. */
export const openedDomains = domainsWith(
  'statistics_opened_domains',
  'sum(opens + machine_opens)::bigint as opened',
  'sum(opens + machine_opens) >= $3 and sum(opens + machine_opens) >= $4::float8 * sum(delivered)',
  `where c.opened > (select coalesce(sum(s.delivered), 0) from stat_bucket s where s.account_id = a.account_id
     and s.scope = 1 and s.span = 1 and s.domain_id = c.domain_id and s.tag = '' and s.bucket >= $5 and not s.sandbox)`,
)
