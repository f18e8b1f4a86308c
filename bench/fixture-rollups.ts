// The statistics of events made by the database itself, as the follower would have counted them.

import { statement } from '../src/platform/db.ts'

/** $1 account, $2 $3 from (inclusive) and to (exclusive). */
export const ROLL_UP = statement(
  'bench_roll_up',
  `insert into stat_bucket (account_id, scope, span, domain_id, tag, bucket, stream, sandbox, sent, delivered, hard, opens,
     unique_opens, clicks, unique_clicks, webmail)
   select $1::uuid, scope, span, case when scope in (1, 3) then domain_id else '00000000-0000-0000-0000-000000000000' end,
     case when scope in (2, 3) then tag else '' end,
     case span when 1 then date_trunc('day', bucket) when 2 then date_trunc('hour', bucket) else bucket end,
     stream, false, sum(sent), sum(delivered), sum(hard), sum(opens), sum(opens), sum(clicks), sum(clicks), sum(opens)
   from (
     select domain_id, tag, stream, date_bin('15 minutes', at, '2000-01-01Z') as bucket,
       count(*) filter (where type = 1) as sent, count(*) filter (where type = 2) as delivered,
       count(*) filter (where type = 5) as hard, count(*) filter (where type = 3) as opens,
       count(*) filter (where type = 4) as clicks
     from event where account_id = $1::uuid and at >= $2 and at < $3 group by 1, 2, 3, 4
   ) q, generate_series(0, 3) scope, generate_series(0, 2) span where scope < 2 or tag is not null
   group by 1, 2, 3, 4, 5, 6, 7`,
)

/** The same by provider, eight of them, for the account and its domains. $1 account, $2 $3 from and to as above. */
export const ROLL_UP_PROVIDERS = statement(
  'bench_roll_up_providers',
  `insert into stat_provider (account_id, scope, span, domain_id, tag, bucket, stream, sandbox, provider, accepted, bounced)
   select account_id, scope, span, domain_id, tag, bucket, stream, sandbox, p, delivered / 8, hard / 8
   from stat_bucket, unnest(array['google', 'microsoft', 'yahoo', 'apple', 'gmx', 'orange', 'mailru', 'unknown']) p
   where account_id = $1::uuid and scope in (0, 1) and bucket >= $2 and bucket < $3 and (delivered > 0 or hard > 0)`,
)
