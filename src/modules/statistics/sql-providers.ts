import { statement } from '../../platform/db.ts'

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

// By day and provider: $2 scope, $3 domains, $4 tag, $5 stream, $6 sandbox too, $7 $8 first and last date, $9 time zone. UTC
// ($10) reads days; another zone hours, or quarters where one of its midnights lies within an hour.
export const answersByDay = statement(
  'statistics_answers_by_day',
  `select to_char(day, 'YYYY-MM-DD') as date, provider, ${ANSWERS.map((name) => `sum(${name})::bigint as ${name}`).join(', ')}
   from (
     select (bucket at time zone $9)::date as day, provider, ${COLUMNS} from stat_provider
     where account_id = $1 and scope = $2 and domain_id = any($3::uuid[]) and tag = $4
       and ($5::smallint is null or stream = $5) and ($6 or not sandbox)
       and span = case when $10 then 1 else (
         select case when bool_or(extract(minute from d::timestamp at time zone $9) <> 0) then 0 else 2 end
         from generate_series($7::date, $8::date + 1, interval '1 day') d) end
       and bucket >= $7::date - 1 and bucket < $8::date + 2
   ) b where day between $7::date and $8::date group by day, provider`,
)

// $1 when the log begins; $2 $3 accounts of which it has less, and from when on it is whole.
/** Forgets what the log can tell again. */
export const dropAnswersFrom = statement(
  'statistics_drop_answers',
  `delete from stat_provider s where s.bucket >= $1
     and s.bucket >= coalesce((select k.at from unnest($2::uuid[], $3::timestamptz[]) as k(account_id, at)
       where k.account_id = s.account_id and k.at > $1), $1)`,
)
