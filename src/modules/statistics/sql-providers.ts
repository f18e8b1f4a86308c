import { statement } from '../../platform/db.ts'
import { ASKED, type DaysStatements, edgesOf, IN_UTC_DAYS, midnightsOf } from './sql.ts'

/** What a provider's hosts can answer to a try, and the columns that count it. */
export const ANSWERS = ['accepted', 'deferred', 'bounced', 'blocked'] as const

const KEYS = 'account_id, scope, span, domain_id, tag, bucket, stream, sandbox, provider'
const KEY_ARRAYS =
  '$1::uuid[], $2::smallint[], $3::smallint[], $4::uuid[], $5::text[], $6::timestamptz[], $7::smallint[], $8::boolean[], $9::text[]'
const COLUMNS = ANSWERS.join(', ')

// Sorted by key, as the other roll-ups are.
export const addAnswers = statement(
  'statistics_add_answers',
  `insert into stat_provider as s (${KEYS}, ${COLUMNS})
   select ${KEYS}, ${COLUMNS} from unnest(${KEY_ARRAYS}, $10::int[], $11::int[], $12::int[], $13::int[])
     as c(${KEYS}, ${COLUMNS}) order by ${KEYS}
   on conflict (${KEYS}) do update set ${ANSWERS.map((name) => `${name} = s.${name} + excluded.${name}`).join(', ')}`,
)

const SUMS = ANSWERS.map((name) => `sum(${name})::bigint as ${name}`).join(', ')

/** By day and provider; parameters and days as in the other reports. */
export const answersByDay: DaysStatements = {
  utc: statement(
    'statistics_answers_by_utc_day',
    `select to_char(bucket, 'YYYY-MM-DD') as date, provider, ${SUMS} from stat_provider where ${IN_UTC_DAYS}
     group by bucket, provider`,
  ),
  zone: statement(
    'statistics_answers_by_zone_day',
    `with ${midnightsOf(`generate_series($7::date, $8::date + 1, interval '1 day')`)},
     spans as materialized (
       select m.*, lead(base) over (order by day) as next_base, lag(day) over (order by day) as day_before,
         case when late then -1 else 1 end as sign
       from midnights m
     ), edges as materialized (
       select m.day, m.day_before, m.sign, e.* from spans m cross join lateral (
         select provider, ${SUMS} from (${edgesOf(`provider, ${COLUMNS}`, 'stat_provider')}) c group by provider) e
     )
     select to_char(day, 'YYYY-MM-DD') as date, provider, ${SUMS} from (
       select m.day, d.* from spans m cross join lateral (
         select provider, ${COLUMNS} from stat_provider
         where ${ASKED} and span = 1 and bucket >= m.base and bucket < m.next_base offset 0) d
       union all
       select day, provider, ${ANSWERS.map((name) => `-sign * ${name}`).join(', ')} from edges where day <= $8::date
       union all
       select day_before, provider, ${ANSWERS.map((name) => `sign * ${name}`).join(', ')} from edges
       where day_before is not null
     ) t group by day, provider having ${ANSWERS.map((name) => `sum(${name}) <> 0`).join(' or ')}`,
  ),
}

// $1 when the log begins; $2 $3 accounts of which it has less, and from when on it is whole.
/** Forgets what the log can tell again. */
export const dropAnswersFrom = statement(
  'statistics_drop_answers',
  `delete from stat_provider s where s.bucket >= $1
     and s.bucket >= coalesce((select k.at from unnest($2::uuid[], $3::timestamptz[]) as k(account_id, at)
       where k.account_id = s.account_id and k.at > $1), $1)`,
)
