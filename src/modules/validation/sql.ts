import { statement } from '../../platform/db.ts'

/** $1 account, $2 addresses, $3 now. */
export const KNOWN_RESULTS = statement(
  'validation_known_results',
  `select r.address, r.result, r.latency_ms, r.note from validation_result r
   where r.account_id = $1 and r.address = any($2::text[]) and r.expires_at > $3`,
)

export const KEEP_RESULT = statement(
  'validation_keep_result',
  `insert into validation_result (account_id, address, result, latency_ms, note, expires_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (account_id, address) do update set result = excluded.result, latency_ms = excluded.latency_ms,
     note = excluded.note, expires_at = excluded.expires_at`,
)

/** $1 domain, $2 now. */
export const KNOWN_CATCH_ALL = statement(
  'validation_known_catch_all',
  'select c.catch_all from validation_catch_all c where c.domain = $1 and c.expires_at > $2',
)

export const KEEP_CATCH_ALL = statement(
  'validation_keep_catch_all',
  `insert into validation_catch_all (domain, catch_all, expires_at) values ($1, $2, $3)
   on conflict (domain) do update set catch_all = excluded.catch_all, expires_at = excluded.expires_at`,
)

/** $1 now, $2 at most so many. */
export const FORGET_RESULTS = statement(
  'validation_forget_results',
  `delete from validation_result r using (
     select e.account_id, e.address from validation_result e where e.expires_at <= $1 order by e.expires_at limit $2
   ) old where r.account_id = old.account_id and r.address = old.address`,
)

export const FORGET_CATCH_ALLS = statement(
  'validation_forget_catch_alls',
  `delete from validation_catch_all c using (
     select e.domain from validation_catch_all e where e.expires_at <= $1 order by e.expires_at limit $2
   ) old where c.domain = old.domain`,
)
