import { statement } from '../../platform/db.ts'
import { recipientRowsSql } from '../suppression/index.ts'

/**
 * Everything the database knows for a verdict, for any number of recipients of any number of accounts. Per recipient: $1 account,
 * $2 suppression key, $3 sandbox, $5 MAC of the address, $6 MAC of the domain. $4 now, $7 the distinct accounts, $8 today,
 * $9 the first day to compare with, $10 the hour. One row per known fact.
 */
export const GATHER = statement(
  'risk_gather',
  `with ask as materialized (
     select * from unnest($1::uuid[], $2::text[], $3::boolean[], $5::bytea[], $6::bytea[])
       with ordinality as t(account_id, email, sandbox, mac, domain_mac, n)
   )
   select n, list, reason, source, id, created_at, null::bigint[] as volume from (${recipientRowsSql('$4')}) r
   union all
   select a.n::int, 'trap', null, null, null, null, null from ask a
   where exists (select from spamtrap t where t.mac = a.mac) or exists (select from spamtrap t where t.mac = a.domain_mac)
   union all
   select o.n::int, 'volume', null, null, null, null, v.volume
   from unnest($7::uuid[]) with ordinality as o(account_id, n) cross join lateral (
     select array[
       coalesce(max(d.accepted) filter (where d.day = $8::date), 0),
       coalesce(max(d.in_hour) filter (where d.day = $8::date and d.hour = $10::smallint), 0),
       coalesce(max(d.accepted) filter (where d.day < $8::date), 0),
       coalesce(max(d.busiest_hour) filter (where d.day < $8::date), 0),
       (exists (select from sent_day e where e.account_id = o.account_id))::int] as volume
     from sent_day d where d.account_id = o.account_id and d.day >= $9::date and d.day <= $8::date
   ) v`,
)

// Sorted by account, so that two transactions with the same accounts cannot deadlock. A late commit from the previous hour
// counts in the current hour.
export const COUNT_SENT = statement(
  'risk_count_sent',
  `insert into sent_day as d (account_id, day, accepted, hour, in_hour, busiest_hour)
   select account_id, $3::date, accepted, $4::smallint, accepted, accepted
   from unnest($1::uuid[], $2::bigint[]) as t(account_id, accepted) order by account_id
   on conflict (account_id, day) do update set
     accepted = d.accepted + excluded.accepted,
     hour = greatest(d.hour, excluded.hour),
     in_hour = case when excluded.hour > d.hour then 0 else d.in_hour end + excluded.in_hour,
     busiest_hour = greatest(d.busiest_hour, case when excluded.hour > d.hour then 0 else d.in_hour end + excluded.in_hour)`,
)

export const RECORD_OVERRIDES = statement(
  'risk_record_overrides',
  `insert into risk_override (account_id, email_id, key_id, reason, score, at)
   select account_id, email_id, key_id, reason, score, $6
   from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::smallint[])
     as t(account_id, email_id, key_id, reason, score)`,
)

export interface OverrideRow {
  readonly at: Date
  readonly account_id: string
  readonly email_id: string
  readonly key_id: string | null
  readonly reason: string
  readonly score: number
}

/** Newest first. $1 account or null, $2 from, $3 limit. */
export const LIST_OVERRIDES = statement(
  'risk_list_overrides',
  `select at, account_id, email_id, key_id, reason, score from risk_override
   where ($1::uuid is null or account_id = $1) and at >= $2 order by at desc limit $3`,
)

export const ADD_TRAPS = statement(
  'risk_add_traps',
  'insert into spamtrap (mac, added_at) select distinct mac, $2::timestamptz from unnest($1::bytea[]) as t(mac) order by mac on conflict (mac) do nothing',
)
export const REMOVE_TRAPS = statement(
  'risk_remove_traps',
  'delete from spamtrap s using unnest($1::bytea[]) as t(mac) where s.mac = t.mac',
)
export const COUNT_TRAPS = statement('risk_count_traps', 'select count(*) as count from spamtrap')

export const countPreview = statement(
  'risk_count_preview',
  `insert into risk_preview_count as c (account_id, month, action, level, reason, previews, score_sum)
   values ($1, $2::date, $3, $4, $5, 1, $6)
   on conflict (account_id, month, action, level, reason) do update
     set previews = c.previews + 1, score_sum = c.score_sum + excluded.score_sum`,
)

export interface PreviewCountRow {
  readonly action: string
  readonly level: string
  readonly reason: string
  readonly previews: number
  readonly score_sum: number
}
export const previewCounts = statement(
  'risk_preview_counts',
  `select action, level, reason, previews, score_sum from risk_preview_count where account_id = $1 and month = $2::date`,
)

export const ERASE_OVERRIDES = statement(
  'risk_erase_overrides',
  'delete from risk_override where account_id = $1 and email_id = any($2)',
)
