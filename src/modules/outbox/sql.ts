import { statement } from '../../platform/db.ts'
import type { MailKind } from './types.ts'

export const addEmails = statement(
  'outbox_add_emails',
  `insert into email (id, account_id, domain_id, body_id, created_at, status, sender, sender_name, recipient,
     recipient_key, subject, message_id, stream, sandbox, sandbox_result, tag, metadata, size_bytes, scheduled_at,
     expires_at, tls_required, risk, next_attempt_at, ended_at, cc, reply_to)
   select id, account_id, domain_id, body_id, created_at, status, sender, sender_name, recipient,
     recipient_key, subject, message_id, stream, sandbox, sandbox_result, tag, metadata::json, size_bytes, scheduled_at,
     expires_at, tls_required, risk::jsonb, due, ended_at, cc::text[], reply_to::text[]
   from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::timestamptz[], $6::smallint[], $7::text[], $8::text[],
     $9::text[], $10::text[], $11::text[], $12::text[], $13::smallint[], $14::boolean[], $15::smallint[], $16::text[],
     $17::text[], $18::int[], $19::timestamptz[], $20::timestamptz[], $21::boolean[], $22::text[], $23::timestamptz[],
     $24::timestamptz[], $25::text[], $26::text[])
     as e(id, account_id, domain_id, body_id, created_at, status, sender, sender_name, recipient,
       recipient_key, subject, message_id, stream, sandbox, sandbox_result, tag, metadata, size_bytes, scheduled_at,
       expires_at, tls_required, risk, due, ended_at, cc, reply_to)`,
)

// All contents are passed as one binary parameter with 1-based offsets and lengths: an array of bytea would be sent as text.
export const addBodies = statement(
  'outbox_add_bodies',
  `insert into email_body (id, account_id, body)
   select id, account_id, substr($3::bytea, start, length)
   from unnest($1::uuid[], $2::uuid[], $4::int[], $5::int[]) as b(id, account_id, start, length)`,
)
export const addLargeBody = statement(
  'outbox_add_large_body',
  'insert into email_body (id, account_id, body, whole_bytes) values ($1, $2, $3::bytea, $4)',
)
export const addPiece = statement(
  'outbox_add_piece',
  'insert into email_body_piece (id, account_id, body, piece) values ($1, $2, $3::bytea, $4)',
)

export const addQueueRows = statement(
  'outbox_add_queue_rows',
  `insert into queue (id, account_id, domain_id, site_id, at, state, sandbox, scheduled, recipient_key, bulk)
   select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::timestamptz[], $6::smallint[], $7::boolean[],
     $8::boolean[], $9::text[], $10::boolean[])`,
)

export const findSites = statement('outbox_find_sites', 'select id, name from site where name = any($1::text[])')
// In name order, so that two nodes adding the same sites wait for each other instead of deadlocking.
export const addSites = statement(
  'outbox_add_sites',
  `insert into site (name) select name from unnest($1::text[]) as n(name) order by name on conflict (name) do nothing`,
)

const OF_KIND: Readonly<Record<MailKind, string>> = { all: '', single: ' and not y.bulk', bulk: ' and y.bulk' }

/**
 * The fair claim: a loose index scan visits each (destination, account) with ready rows once and takes at most its free slots,
 * so that no destination or account with a million rows delays another, and the cost does not grow with the depth of the
 * queue. `blocked` checks the lists again for the leased rows. A paused destination is visited but nothing of it is leased. A
 * row may be handed back and claimed again without limit: the attempt number wraps around. `kind` leases one kind of mail alone,
 * which is a range of the index too.
 *
 * $1 row limit, $2 $3 cursor, $4 jsonb {"site": free slots}, $5 free slots of all other sites, $6 most pairs visited,
 * $7 suspended accounts, $8 epoch, $9 now
 */
export const claim = (kind: MailKind, blocked: string): ReturnType<typeof statement> =>
  statement(
    kind === 'all' ? 'outbox_claim' : `outbox_claim_${kind}`,
    `with recursive d(site_id, account_id, n) as (
       (select site_id, account_id, 1 from queue where state = 0 and (site_id, account_id) > ($2::int, $3::uuid)
        order by site_id, account_id limit 1)
       union all
       select x.site_id, x.account_id, d.n + 1 from d cross join lateral (
         select y.site_id, y.account_id from queue y
         where y.state = 0 and (y.site_id, y.account_id) > (d.site_id, d.account_id)
         order by y.site_id, y.account_id limit 1) x
       where d.n < $6),
     p as materialized (select array(select id from site where paused) as sites),
     c as materialized (
       select d.site_id, d.account_id, d.n, z.id from d cross join p left join lateral (
         select y.id from queue y
         where y.site_id = d.site_id and y.account_id = d.account_id and y.state = 0${OF_KIND[kind]}
         order by y.bulk, y.at
         limit case when d.account_id = any($7::uuid[]) or d.site_id = any(p.sites) then 0
           else coalesce(($4::jsonb ->> d.site_id::text)::int, $5) end
         for update skip locked) z on true
       limit $1),
     u as (
       update queue q set state = 1, lease_owner = $8, attempt = attempt % 32767::smallint + 1::smallint
       where id = any(array(select id from c where id is not null))
         and exists (select 1 from node where epoch = $8 and not dead)
       returning q.id, q.account_id, q.domain_id, q.site_id, q.attempt, q.sandbox, q.bulk, ${blocked} as blocked)
     select m.site_id as cursor_site, m.account_id as cursor_account, m.visited, m.taken,
       u.id, u.account_id, u.domain_id, u.site_id, u.attempt, u.sandbox, u.bulk, u.blocked
     from (select (array_agg(site_id order by n desc))[1] as site_id, (array_agg(account_id order by n desc))[1] as account_id,
             max(n) as visited, count(*)::int as taken from c) m
       left join u on true`,
  )

export const pausedSites = statement('outbox_paused_sites', 'select id from site where paused')
// $1 the id before, $2 most rows visited, $3 paused destinations, $4 suspended accounts, $5 epoch, $6 now. A row whose email no
// longer exists counts as expired. `blocked` as for a claim. 1,000 rows take 1.2 ms when none is blocked, 7 ms when all are
// blocked and none has expired.
export const claimOverdue = (blocked: string): ReturnType<typeof statement> =>
  statement(
    'outbox_claim_overdue',
    `with v as materialized (
     select id, account_id, site_id, state from queue where id > $1 order by id limit $2),
   o as materialized (
     select v.id from v left join lateral (
       select e.expires_at from email e where e.account_id = v.account_id and e.id = v.id offset 0) e on true
     where v.state = 0 and (v.site_id = any($3::int[]) or v.account_id = any($4::uuid[]))
       and (e.expires_at is null or e.expires_at <= $6)),
   u as (
     update queue q set state = 1, lease_owner = $5, attempt = attempt % 32767::smallint + 1::smallint
     where id = any(array(
         select id from queue where id = any(array(select id from o)) and state = 0 for update skip locked))
       and exists (select 1 from node where epoch = $5 and not dead)
     returning q.id, q.account_id, q.domain_id, q.site_id, q.attempt, q.sandbox, q.bulk, ${blocked} as blocked)
   select m.last, m.visited, u.id, u.account_id, u.domain_id, u.site_id, u.attempt, u.sandbox, u.bulk, u.blocked
   from (select (array_agg(id order by id desc))[1] as last, count(*)::int as visited from v) m left join u on true`,
  )

// `offset 0` keeps the look-up by key. While a day's partition is empty, the planner would rather read the whole range of ids
// once and compare each pair; such a plan lasts until the day's first statistics, after thousands of emails.
export const fetchEmails = statement(
  'outbox_fetch_emails',
  `select e.id, e.account_id, e.domain_id, e.created_at, e.sender, e.recipient, e.recipient_key, e.subject, e.message_id, e.stream,
     e.sandbox, e.sandbox_result, e.tag, e.scheduled_at, e.expires_at, e.tls_required, e.attempts_count, e.last_smtp_code,
     e.last_response, e.body_id
   from unnest($1::uuid[], $2::uuid[]) as k(account_id, id)
   cross join lateral (select * from email e where e.account_id = k.account_id and e.id = k.id
     and e.id >= $3 and e.id <= $4 offset 0) e`,
)
export const fetchBodies = statement(
  'outbox_fetch_bodies',
  `select b.id, coalesce(b.whole_bytes, octet_length(b.body)) as bytes,
     case when b.whole_bytes is null and octet_length(b.body) <= $5 then b.body end as body
   from unnest($1::uuid[], $2::uuid[]) as k(account_id, id)
   cross join lateral (select * from email_body b where b.account_id = k.account_id and b.id = k.id
     and b.id >= $3 and b.id <= $4 offset 0) b`,
)

// $6 next attempt (null: ended; at the expiry or later: no other attempt), $7 epoch. Ids that are not returned were fenced out,
// and nothing of them is written. `f` and `l` return the columns of `r`: joined with `r` again, each of 300 results would read
// all 300 rows in full, which took three quarters of the statement. The bounds $11 and $12 are stated for `w` too, although
// they follow: PostgreSQL 15 then expects few rows, and finds each email by its key while the tables are new.
export const complete = statement(
  'outbox_complete',
  `with r as materialized (
     select * from unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::smallint[], $5::timestamptz[], $6::timestamptz[],
       $8::int[], $9::text[], $10::boolean[], $13::int[])
       as r(id, account_id, fence, status, at, next, smtp_code, response, tried, size)),
   f as (delete from queue q using r where q.id = r.id and q.attempt = r.fence and q.lease_owner = $7 and q.state = 1
     and r.next is null returning r.*),
   l as (update queue q set state = 2, at = r.next, lease_owner = null from r
     where q.id = r.id and q.attempt = r.fence and q.lease_owner = $7 and q.state = 1 and r.next is not null returning r.*),
   w as (select * from f union all select * from l),
   e as (update email e set status = w.status, last_smtp_code = case when w.response is null then e.last_smtp_code else w.smtp_code end,
       last_response = coalesce(w.response, e.last_response),
       next_attempt_at = case when w.next < e.expires_at then w.next end,
       attempts_count = e.attempts_count + case when w.tried then 1 else 0 end,
       size_bytes = coalesce(w.size, e.size_bytes),
       delivered_at = case when w.status in (3, 8) then w.at else e.delivered_at end,
       ended_at = case when w.next is null then w.at end
     from w where e.account_id = w.account_id and e.id = w.id and e.id >= $11 and e.id <= $12
       and w.id >= $11 and w.id <= $12)
   select id from w`,
)

export const addAttempts = statement(
  'outbox_add_attempts',
  `insert into attempt (email_id, account_id, number, started_at, duration_ms, outcome, detail)
   select * from unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::timestamptz[], $5::int[], $6::smallint[], $7::text[])
   on conflict do nothing`,
)

export const handBack = statement(
  'outbox_hand_back',
  `update queue q set state = 0, lease_owner = null from unnest($1::uuid[], $2::smallint[]) as r(id, fence)
   where q.id = r.id and q.attempt = r.fence and q.lease_owner = $3 and q.state = 1`,
)

export const promote = statement(
  'outbox_promote',
  `update queue set state = 0 where id = any(array(
     select id from queue where state = 2 and at <= $1 order by at limit $2 for update skip locked))
   returning id, account_id, domain_id, scheduled`,
)
// Rows far ahead are those deferred under a clock that has since been set back, and scheduled mail, which stays. `offset 0`:
// there are few bounds, and each row is checked against them, instead of a join that the planner may reverse.
export const recall = statement(
  'outbox_recall',
  `update queue set state = 0, at = $1 where id = any(array(
     select q.id from queue q where q.state = 2 and not q.scheduled
       and q.at > (select min(latest) from unnest($5::timestamptz[]) as b(latest))
       and exists (select from unnest($2::uuid[], $3::uuid[], $4::int[], $5::timestamptz[])
         as b(from_id, before_id, claims, latest)
         where q.id >= b.from_id and q.id < b.before_id and q.attempt <= b.claims and q.at > b.latest offset 0)
     limit $6 for update skip locked))`,
)
// `+ 0` avoids the index on status, which holds the scheduled mail of all accounts.
export const startScheduled = statement(
  'outbox_start_scheduled',
  `update email e set status = 1 from unnest($1::uuid[], $2::uuid[]) as k(account_id, id)
   where e.account_id = k.account_id and e.id = k.id and e.status + 0 = 0
   returning e.id, e.account_id, e.domain_id, e.stream, e.sandbox, e.tag`,
)
export const clearScheduled = statement(
  'outbox_clear_scheduled',
  'update queue set scheduled = false where id = any($1::uuid[])',
)

// A piece of the waiting rows, in id order after $1: an email deferred again meanwhile lies behind the walk. `+ 0` uses the
// primary key: the index on waiting rows would be scanned in full for each piece.
export const MOVED_AT_ONCE = 5_000
export const releaseDomain = statement(
  'outbox_release_domain',
  `update queue set state = 0 where id = any(array(
     select id from queue where id > $1 and state + 0 = 2 and domain_id = $2 order by id limit ${MOVED_AT_ONCE} for update))
   returning id`,
)
export const releaseRemoved = (isRemoved: string): ReturnType<typeof statement> =>
  statement(
    'outbox_release_removed',
    `update queue q set state = 0
     where q.id = any($1::uuid[]) and q.state + 0 = 2 and q.domain_id is not null and ${isRemoved}`,
  )

export const joinNode = statement(
  'outbox_join_node',
  `insert into node (name, lease_until) values ($1, now() + $2 * interval '1 second') returning epoch, now() as now`,
)
export const renewNode = statement(
  'outbox_renew_node',
  `update node set lease_until = now() + $2 * interval '1 second' where epoch = $1 and not dead returning now() as now`,
)
export const leaveNode = statement(
  'outbox_leave_node',
  `with given_back as (update queue set state = 0, lease_owner = null where state = 1 and lease_owner = $1)
   update node set dead = true, died_at = now() where epoch = $1 and not dead`,
)
export const markDead = statement(
  'outbox_mark_dead_nodes',
  `update node set dead = true, died_at = now()
   where not dead
     and (lease_until < $1::timestamptz or lease_until > greatest($1::timestamptz, now()) + $2 * interval '1 second')`,
)
export const deadNodes = statement('outbox_dead_nodes', 'select count(*)::int as count from node where dead')
// A claim that raced with the marking can still commit rows under a dead epoch: the sweep is repeated for all dead
// epochs, and node rows are deleted only ten minutes after their death.
export const sweepDead = statement(
  'outbox_sweep_dead_leases',
  `update queue set state = 0, lease_owner = null
   where state = 1 and lease_owner = any(array(select epoch from node where dead))`,
)
export const forgetDead = statement(
  'outbox_forget_dead_nodes',
  `delete from node where dead and died_at < now() - interval '10 minutes'`,
)

// --- reading and controlling emails, as the account

export const EMAIL_COLUMNS = `id, domain_id, body_id, status, sender, sender_name, recipient, cc, reply_to, subject,
  message_id, stream, sandbox, tag, metadata, size_bytes, scheduled_at, expires_at, risk, attempts_count, last_smtp_code,
  last_response, next_attempt_at, delivered_at, ended_at, open_count, click_count`

export const oneEmail = statement(
  'outbox_one_email',
  `select ${EMAIL_COLUMNS} from email where account_id = $1 and id = $2`,
)
/** $3 $4 the first and last id, which prune partitions. */
export const keptFacts = statement(
  'outbox_kept_facts',
  `select e.id, e.recipient, e.sender, e.sender_name, e.subject, e.message_id, e.metadata
   from unnest($1::uuid[], $2::uuid[]) as k(account_id, id)
   cross join lateral (select * from email e where e.account_id = k.account_id and e.id = k.id
     and e.id >= $3 and e.id <= $4 offset 0) e`,
)
export const oneBody = statement(
  'outbox_one_body',
  'select body, whole_bytes from email_body where account_id = $1 and id = $2',
)
export const hasBody = statement('outbox_has_body', 'select id from email_body where account_id = $1 and id = $2')
export const onePiece = statement(
  'outbox_one_piece',
  'select body from email_body_piece where account_id = $1 and id = $2 and piece = $3',
)
export const attemptsOf = statement(
  'outbox_attempts_of',
  `select number, started_at, duration_ms, outcome, detail from attempt
   where account_id = $1 and email_id = $2 order by number limit $3`,
)

export const firstAttemptWith = statement(
  'outbox_first_attempt_with',
  `select min(started_at) as at from attempt
   where account_id = $1 and email_id = $2 and detail::jsonb ->> 'enhanced_code' = $3
     and detail::jsonb ->> 'smtp_code' is null`,
)

export const lastAttempts = statement(
  'outbox_last_attempts',
  `select k.id, a.number, a.started_at, a.duration_ms, a.outcome, a.detail
   from unnest($1::uuid[], $2::uuid[]) as k(account_id, id) cross join lateral (
     select number, started_at, duration_ms, outcome, detail from attempt a
     where a.account_id = k.account_id and a.email_id = k.id order by number desc limit 1) a`,
)

// Everyone who controls emails takes row locks in the same order: the queue row, then the email.
export const lockQueueRow = statement(
  'outbox_lock_queue_row',
  'select state from queue where account_id = $1 and id = $2 for update',
)
export const dropQueueRow = statement('outbox_drop_queue_row', 'delete from queue where account_id = $1 and id = $2')
export const lockEmail = statement(
  'outbox_lock_email',
  `select id, domain_id, body_id, status, stream, sandbox, tag, recipient_key, attempts_count, expires_at, scheduled_at
   from email where account_id = $1 and id = $2 for update`,
)
export const endEmail = statement(
  'outbox_end_email',
  'update email set status = $3, ended_at = $4, next_attempt_at = null where account_id = $1 and id = $2',
)
export const readyQueueRow = statement(
  'outbox_ready_queue_row',
  `update queue set state = 0, at = $3 where account_id = $1 and id = $2 and state = 2`,
)
export const hurryEmail = statement(
  'outbox_hurry_email',
  'update email set next_attempt_at = $3 where account_id = $1 and id = $2',
)
export const requeue = statement(
  'outbox_requeue',
  `insert into queue (id, account_id, domain_id, site_id, at, state, attempt, sandbox, recipient_key, bulk)
   select $2, $1, $3, $4, $5, 0, $6, $7, $8, $9 on conflict (id) do nothing`,
)
export const reopenEmail = statement(
  'outbox_reopen_email',
  `update email set status = 1, delivered_at = null, ended_at = null, next_attempt_at = $3, expires_at = greatest(expires_at, $4)
   where account_id = $1 and id = $2`,
)
export const rescheduleQueueRow = statement(
  'outbox_reschedule_queue_row',
  'update queue set at = $3 where account_id = $1 and id = $2 and state = 2 and scheduled',
)
export const rescheduleEmail = statement(
  'outbox_reschedule_email',
  `update email set scheduled_at = $3, next_attempt_at = $3, expires_at = $4 where account_id = $1 and id = $2 and status = 0`,
)
export const newestTo = statement(
  'outbox_newest_to',
  'select id from email where account_id = $1 and recipient_key = $2 order by id desc limit $3',
)

/** Waiting emails to the mailbox $2 that no attempt holds, after the id $3. */
export const waitingTo = statement(
  'outbox_waiting_to',
  `select e.id from email e join queue q on q.id = e.id and q.account_id = e.account_id and q.state <> 1
   where e.account_id = $1 and e.recipient_key = $2 and e.id > $3 and e.id < $4 order by e.id limit $5`,
)

const REPORTED = `select id, account_id, domain_id, recipient, recipient_key, stream, sandbox, tag, status, sender, sender_name,
  subject, message_id, metadata, delivered_at, attempts_count > 0 as tried from email`
export const lockByToken = statement(
  'outbox_lock_by_token',
  `${REPORTED} where account_id between $2 and $3 and id = $1 for update`,
)
/** $4 the earliest id to consider. Returns two rows at most: only a single match is an answer. */
export const lockByMessageId = statement(
  'outbox_lock_by_message_id',
  `${REPORTED} where account_id = $1 and message_id = $2 and ($3::text is null or recipient_key = $3) and id >= $4
   limit 2 for update`,
)
export const markReported = statement(
  'outbox_mark_reported',
  'update email set status = $3 where account_id = $1 and id = $2',
)
export const markReportedBounce = statement(
  'outbox_mark_reported_bounce',
  `update email set status = $3, ended_at = greatest(ended_at, $4), last_smtp_code = $5, last_response = $6
   where account_id = $1 and id = $2`,
)

// --- what readers did

const ENGAGED = `select e.id, e.domain_id, e.stream, e.sandbox, e.tag, e.delivered_at, e.open_count, e.click_count
  from unnest($1::uuid[], $2::uuid[]) as k(account_id, id)
    join email e on e.account_id = k.account_id and e.id = k.id`
export const engagedEmails = statement('outbox_engaged_emails', ENGAGED)
export const lockEngagedEmails = statement(
  'outbox_lock_engaged_emails',
  `${ENGAGED} for no key update of e skip locked`,
)
export const countEngagement = statement(
  'outbox_count_engagement',
  `update email e set open_count = open_count + k.opens, click_count = click_count + k.clicks
   from unnest($1::uuid[], $2::uuid[], $3::int[], $4::int[]) as k(account_id, id, opens, clicks)
   where e.account_id = k.account_id and e.id = k.id`,
)

// --- for the operator

/** $1 suspended accounts. `oldest` is null where every email of the state is held back: its account suspended, its destination paused. */
// Counted by account first: the array is searched from its start each time, and a thousand accounts a million times took 28 s.
export const queueByState = statement(
  'outbox_queue_by_state',
  `with p as materialized (select array(select id from site where paused) as sites),
   a as materialized (
     select q.state, q.account_id, count(*) as emails, min(q.at) filter (where q.site_id <> all(p.sites)) as oldest
     from queue q, p group by q.state, q.account_id)
   select state, sum(emails)::int as emails, min(oldest) filter (where account_id <> all($1::uuid[])) as oldest
   from a group by state`,
)
// Joins here are nested loops (see platform/db.ts), over $1 destinations at most.
export const queueByDestination = statement(
  'outbox_queue_by_destination',
  `with d as materialized (
     select site_id, count(*) filter (where state = 0)::int as ready, count(*) filter (where state = 1)::int as leased,
       count(*) filter (where state = 2 and not scheduled)::int as waiting,
       count(*) filter (where state = 2 and scheduled)::int as scheduled, count(*) filter (where sandbox)::int as sandbox,
       min(at) as oldest, min(at) filter (where state = 2 and not scheduled) as next,
       (array_agg(id) filter (where state = 2 and not scheduled and not sandbox))[1] as one,
       (array_agg(account_id) filter (where state = 2 and not scheduled and not sandbox))[1] as account
     from queue
     where $2::text is null or site_id in (select id from site where name like $2 escape '\\' order by id limit $1)
     group by site_id order by count(*) desc, site_id limit $1),
   x as (
     select site_id from d
     union select id from site where paused and ($2::text is null or name like $2 escape '\\'))
   select s.name, s.paused_at, coalesce(d.ready, 0) as ready, coalesce(d.leased, 0) as leased,
     coalesce(d.waiting, 0) as waiting, coalesce(d.scheduled, 0) as scheduled, coalesce(d.sandbox, 0) as sandbox,
     d.oldest, d.next,
     coalesce((select sum(r.attempts)::int from site_report r where r.site_id = s.id and r.at > $3), 0) as attempts,
     coalesce((select sum(r.delivered)::int from site_report r where r.site_id = s.id and r.at > $3), 0) as delivered,
     coalesce(l.response,
       (select e.last_response from email e where e.account_id = d.account and e.id = d.one)) as last_response,
     l.at as last_at, l.outcome as last_outcome
   from x join site s on s.id = x.site_id left join d on d.site_id = x.site_id
     left join lateral (select response, at, outcome from site_report r where r.site_id = x.site_id and r.response is not null
       order by r.at desc limit 1) l on true
   order by coalesce(d.ready + d.leased + d.waiting + d.scheduled, 0) desc, s.name limit $1`,
)
export const pauseSite = statement(
  'outbox_pause_site',
  'update site set paused = $2, paused_at = case when $2 then coalesce(paused_at, $3::timestamptz) end where name = $1',
)
export const siteExists = statement('outbox_site_exists', 'select from site where name = $1')
export const putSiteReports = statement(
  'outbox_put_site_reports',
  `insert into site_report (site_id, node, at, attempts, delivered, outcome, response)
   select site_id, $1, $2, attempts, delivered, outcome, response
   from unnest($3::int[], $4::int[], $5::int[], $6::smallint[], $7::text[])
     as r(site_id, attempts, delivered, outcome, response)
   on conflict (site_id, node) do update set at = excluded.at, attempts = excluded.attempts,
     delivered = excluded.delivered, outcome = excluded.outcome, response = coalesce(excluded.response, site_report.response)`,
)
export const forgetSiteReports = statement('outbox_forget_site_reports', 'delete from site_report where at < $1')
export const flushQueue = statement(
  'outbox_flush_queue',
  `update queue set state = 0, at = $3 where id = any(array(
     select id from queue where id > $1 and state + 0 = 2 and not scheduled
       and ($2::text is null or site_id = (select id from site where name = $2))
     order by id limit ${MOVED_AT_ONCE} for update))
   returning id`,
)
export const QUEUED_CHANNEL = 'posthorn_queued'
export const announceQueued = statement('outbox_announce_queued', `select pg_notify('${QUEUED_CHANNEL}', '')`)
export const ownerOfEmail = statement('outbox_owner_of_email', 'select account_id from email where id = $1')

export function judgedEmails(range: {
  readonly accountId: string
  readonly from: string
  readonly below: string
}): string {
  return `select e.id, e.domain_id, e.risk from email e
   where e.account_id = ${range.accountId} and e.id >= ${range.from} and e.id < ${range.below}`
}
