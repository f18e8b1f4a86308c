import { statement } from '../../platform/db.ts'

const COLUMNS = 'account_id, day, calculated_at, score, grade, record'

/** Serialises the calculations of one account, so that each change of grade is reported once. */
export const lock = statement('health_lock', `select pg_advisory_xact_lock(hashtextextended('health ' || $1::text, 0))`)
export const latest = statement(
  'health_latest',
  `select ${COLUMNS} from health_record where account_id = $1 order by day desc limit 1`,
)
export const latestGrade = statement(
  'health_latest_grade',
  'select grade from health_record where account_id = $1 and grade is not null order by day desc limit 1',
)
export const put = statement(
  'health_put',
  `insert into health_record (account_id, day, calculated_at, score, grade, record) values ($1, $2, $3, $4, $5, $6)
   on conflict (account_id, day) do update set calculated_at = excluded.calculated_at, score = excluded.score,
     grade = excluded.grade, record = excluded.record`,
)
export const history = statement(
  'health_history',
  `select ${COLUMNS} from health_record where account_id = $1 and day between $2 and $3
   order by day desc limit $4 offset $5`,
)
export const count = statement(
  'health_count',
  'select count(*) as total from health_record where account_id = $1 and day between $2 and $3',
)
/** Those of the accounts whose latest record is not that of the day. */
export const missing = statement(
  'health_missing',
  `select a.id from unnest($1::uuid[]) as a(id)
   where (select max(h.day) from health_record h where h.account_id = a.id) is distinct from $2::date`,
)
/** The records of days to come, made under a clock that was ahead. */
export const forgetLater = statement(
  'health_forget_later',
  'delete from health_record where account_id = $1 and day > $2',
)
