import { statement } from '../../platform/db.ts'
import { ASKED, adding, type DaysStatements, EACH_DAY, edgesOf, IN_UTC_DAYS, KEYS, midnightsOf, WHOLE } from './sql.ts'

/** The possible answers of a provider's hosts to an attempt, which are also the columns that count them. */
export const ANSWERS = ['accepted', 'deferred', 'bounced', 'blocked'] as const

const COLUMNS = ANSWERS.join(', ')

export const addAnswers = adding('statistics_add_answers', 'stat_provider', [...KEYS, ['provider', 'text']], ANSWERS)

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
    `with ${midnightsOf(EACH_DAY)},
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
  edges: 'of each day',
}

/** Deletes what the log can reproduce; parameters as for the other roll-ups. */
export const dropAnswers = statement(
  'statistics_drop_answers',
  `delete from stat_provider s using ${WHOLE} where s.account_id = k.account_id and s.bucket >= k.at`,
)
