import { statement } from '../../platform/db.ts'

// --- endpoints

const ENDPOINT = `id, account_id, name, url, events, domain_ids, is_active, secret_last4, created_at, updated_at,
  active_since, last_delivery_at, last_delivery_status, consecutive_failures, disabled_at, disabled_reason,
  previous_secret_until`
// A key bound to domains sees only endpoints bound to these.
const SEEN = '($2::uuid[] is null or (domain_ids is not null and domain_ids <@ $2))'

/** Serializes creations of one account, so that the limit is exact. */
export const lockAccount = statement(
  'webhooks_lock_account',
  `select pg_advisory_xact_lock(hashtextextended('webhooks ' || $1::text, 0))`,
)
export const countAll = statement('webhooks_count_all', 'select count(*) as total from webhook where account_id = $1')
export const insert = statement(
  'webhooks_insert',
  `insert into webhook (account_id, id, name, url, events, domain_ids, is_active, secret, secret_last4, created_at,
     updated_at, active_since)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $10) returning ${ENDPOINT}`,
)
export const list = statement(
  'webhooks_list',
  `select ${ENDPOINT} from webhook where account_id = $1 and ${SEEN} order by created_at, id limit $3 offset $4`,
)
export const count = statement(
  'webhooks_count',
  `select count(*) as total from webhook where account_id = $1 and ${SEEN}`,
)
export const one = statement(
  'webhooks_one',
  `select ${ENDPOINT}, secret, previous_secret from webhook where account_id = $1 and ${SEEN} and id = $3`,
)
/** Those of the given domains that an endpoint of the account has. */
export const namedDomains = statement(
  'webhooks_named_domains',
  `select distinct d.id from webhook w cross join lateral unnest(w.domain_ids) as d(id)
   where w.account_id = $1 and d.id = any($2::uuid[])`,
)
// Waits for a fan-out that has read the endpoint, so that the following statements see what it queued.
export const lockOne = statement(
  'webhooks_lock_one',
  `select ${ENDPOINT} from webhook where account_id = $1 and ${SEEN} and id = $3 for update`,
)
// The lock a fan-out takes: the endpoint stays enabled meanwhile, and neither fan-out nor results wait for it.
export const lockShared = statement(
  'webhooks_lock_shared',
  `select ${ENDPOINT} from webhook where account_id = $1 and ${SEEN} and id = $3 for key share`,
)
export const CHANGED_CHANNEL = 'webhook_changed'
export const notify = statement('webhooks_notify', `select pg_notify('${CHANGED_CHANNEL}', $1)`)
export const update = statement(
  'webhooks_update',
  `update webhook set name = $3, url = $4, events = $5, domain_ids = $6, is_active = $7, updated_at = $8,
     active_since = case when $7 and not is_active then $8 else active_since end,
     consecutive_failures = case when $7 and not is_active then 0 else consecutive_failures end,
     failing_since = case when $7 and not is_active then null else failing_since end,
     disabled_at = case when $7 then null else disabled_at end,
     disabled_reason = case when $7 then null else disabled_reason end
   where account_id = $1 and id = $2 returning ${ENDPOINT}`,
)
export interface SealedSecrets {
  readonly secret: Buffer
  readonly previous_secret: Buffer | null
  /** Null: the one before stopped being used at once. */
  readonly previous_secret_until: Date | null
}
/** $6 until when the present one is used too; null: no longer. */
export const setSecret = statement(
  'webhooks_set_secret',
  `update webhook set secret = $3, secret_last4 = $4, updated_at = $5, previous_secret_until = $6,
     previous_secret = case when $6::timestamptz is not null then secret end
   where account_id = $1 and id = $2 returning ${ENDPOINT}`,
)
export const remove = statement('webhooks_remove', 'delete from webhook where account_id = $1 and id = $2')
/** Counts no further than $3. */
export const countWaiting = statement(
  'webhooks_count_waiting',
  `select count(*) as waiting from (
     select from webhook_queue where account_id = $1 and webhook_id = $2 limit $3) q`,
)
export const dropQueued = statement(
  'webhooks_drop_queued',
  'delete from webhook_queue where account_id = $1 and webhook_id = $2',
)
/** Of one endpoint, the newest: one transaction cannot write millions. */
const LOGGED_TOGETHER = 10_000
/** The oldest delivery of an endpoint that `purge` logs when it ends; no row: it logs all that were attempted. */
export const oldestLogged = statement(
  'webhooks_oldest_logged',
  `select id from webhook_queue where webhook_id = $1 and attempt > 0 order by id desc offset ${LOGGED_TOGETHER - 1} limit 1`,
)
// Deletes, of the $5 next deliveries of an endpoint after due time $3 and id $4, what leaves nothing in the log: what was never
// attempted, and what is older than $2; with $6 all of them, of an enabled endpoint too. What a worker writes is passed over.
export const thinOut = statement(
  'webhooks_thin_out',
  `with page as materialized (
     select q.id, q.due, q.attempt = 0 or $6 or coalesce(q.id < $2, false) as goes from webhook_queue q
     where q.webhook_id = $1 and (q.due, q.id) > ($3::timestamptz, $4::uuid)
       and exists (select from webhook w where w.id = $1 and ($6 or not w.is_active))
     order by q.due, q.id limit $5),
   dropped as (
     delete from webhook_queue where id = any(array(
       select id from webhook_queue where id = any(array(select id from page where goes)) for update skip locked)))
   select due::text, id, (select count(*)::int from page) as looked_at from page order by page.due desc, page.id desc limit 1`,
)

// --- fan-out

export const listeners = statement(
  'webhooks_listeners',
  `select ${ENDPOINT} from webhook where account_id = any($1::uuid[]) and is_active order by account_id, id for key share`,
)
export const countListeners = statement(
  'webhooks_count_listeners',
  `select account_id, count(*)::int as endpoints from webhook where account_id = any($1::uuid[]) and is_active group by account_id`,
)
export const backlogged = statement(
  'webhooks_backlogged',
  `select w.id from unnest($1::uuid[]) as w(id)
   where exists (select from webhook_queue q where q.webhook_id = w.id and q.due < $2)`,
)
export const enqueue = statement(
  'webhooks_enqueue',
  `insert into webhook_queue (id, account_id, webhook_id, event_id, event_at, event, email_id, due, leads, held)
   select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::timestamptz[], $6::smallint[], $7::uuid[],
     $8::timestamptz[], $9::boolean[], $10::boolean[])`,
)

// --- deliveries

/** The endpoints of the first $2 deliveries that are due at $1; `looked_at` is how many deliveries these were. */
export const firstDue = statement(
  'webhooks_first_due',
  `with page as materialized (select webhook_id from webhook_queue where due <= $1 order by due limit $2)
   select w.id as webhook_id, w.account_id, w.consecutive_failures, (select count(*)::int from page) as looked_at
   from (select distinct webhook_id from page) p join webhook w on w.id = p.webhook_id`,
)
// One index lookup per endpoint with something waiting, due or not, however much it has.
export const allDue = statement(
  'webhooks_all_due',
  `with recursive endpoints as (
     (select webhook_id, due from webhook_queue order by webhook_id, due limit 1)
     union all
     select n.webhook_id, n.due from endpoints e cross join lateral (
       select q.webhook_id, q.due from webhook_queue q where q.webhook_id > e.webhook_id
       order by q.webhook_id, q.due limit 1) n
   )
   select e.webhook_id, w.account_id, w.consecutive_failures from endpoints e join webhook w on w.id = e.webhook_id
   where e.due <= $1`,
)
// $1 endpoints, $2 how many of the oldest of each and $3 of the newest, $4 now, $5 the lease, $6 its end.
export const claim = statement(
  'webhooks_claim',
  `with places as materialized (
     select * from unnest($1::uuid[], $2::int[], $3::int[]) as k(webhook_id, oldest, newest)
   ), taken as materialized (
     select q.id from places k cross join lateral (
       select id from webhook_queue where webhook_id = k.webhook_id and due <= $4
       order by due, id limit k.oldest for update skip locked) q
     union
     select q.id from places k cross join lateral (
       select id from webhook_queue where webhook_id = k.webhook_id and due <= $4
       order by due desc, id desc limit k.newest for update skip locked) q
   ), claimed as (
     update webhook_queue q set lease = $5, due = $6, held = false from taken t where q.id = t.id
     returning q.id, q.account_id, q.webhook_id, q.event_id, q.event_at, q.event, q.email_id, q.attempt, q.leads
   )
   select c.*, w.url, w.secret, w.previous_secret, w.previous_secret_until, w.is_active from claimed c join webhook w on w.id = c.webhook_id order by c.id`,
)
export const release = statement(
  'webhooks_release',
  'update webhook_queue set lease = null, due = $3 where id = any($1::uuid[]) and lease = $2',
)
// Everyone writes endpoints before the queue, ordered by id. The lock is a separate statement. A statement that both locks
// and changes a row, and had to wait while a fan-out read the row, would request its lock a second time, behind a transaction
// that has since queued to change the endpoint and that waits for the first lock: a deadlock.
export const lockTried = statement(
  'webhooks_lock_tried',
  'select id, url, active_since from webhook where id = any($1::uuid[]) order by id for no key update',
)
// $2 last attempt, $3 its status, $4 whether any of the batch succeeded, $5 number of failures at its end, $6 whether a 410
// disables it, $7 disabling time in ms.
export const noteResults = statement(
  'webhooks_note_results',
  `with k as (select * from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::boolean[], $5::int[], $6::boolean[])
       as k(id, at, status, succeeded, failures, gone)),
   before as materialized (
     select k.*, w.is_active and (k.gone or coalesce(not k.succeeded
       and w.failing_since <= k.at - $7 * interval '1 millisecond', false)) as ends
     from webhook w join k on k.id = w.id)
   update webhook w set last_delivery_at = k.at, last_delivery_status = k.status,
     consecutive_failures = case when k.succeeded then k.failures else w.consecutive_failures + k.failures end,
     failing_since = case when k.failures = 0 then null when k.succeeded then k.at
       else coalesce(w.failing_since, k.at) end,
     is_active = w.is_active and not k.ends,
     disabled_at = case when k.ends then k.at else w.disabled_at end,
     disabled_reason = case when not k.ends then w.disabled_reason when k.gone then 'gone' else 'failing' end
   from before k where w.id = k.id
   returning w.id, w.account_id, w.name, w.url, k.ends as disabled_now, w.disabled_reason`,
)
// The log does not accept what was queued before $5.
export const finish = statement(
  'webhooks_finish',
  `with k as (select * from unnest($1::uuid[], $2::uuid[], $3::boolean[], $4::text[]) as k(id, lease, success, last)),
   ended as (
     delete from webhook_queue q using k where q.id = k.id and q.lease = k.lease
     returning q.*, k.success, k.last as how
   )
   insert into webhook_delivery (id, account_id, webhook_id, event_id, event_at, event, email_id, attempt, success, last)
   select id, account_id, webhook_id, event_id, event_at, event, email_id, attempt + 1, success, how::jsonb from ended
   where id >= $5`,
)
// For attempts whose delivery is neither queued nor logged: it ended with its endpoint's disabling while they were in
// progress, and the endpoint still exists. An attempt later than the logged one replaces it. $11: as $5 above.
export const logLate = statement(
  'webhooks_log_late',
  `insert into webhook_delivery as d (id, account_id, webhook_id, event_id, event_at, event, email_id, attempt, success, last)
   select k.id, k.account_id, k.webhook_id, k.event_id, k.event_at, k.event, k.email_id, k.attempt, k.success, k.last::jsonb
   from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::timestamptz[], $6::smallint[], $7::uuid[], $8::smallint[],
     $9::boolean[], $10::text[])
     as k(id, account_id, webhook_id, event_id, event_at, event, email_id, attempt, success, last)
   where k.id >= $11 and not exists (select from webhook_queue q where q.id = k.id)
     and exists (select from webhook w where w.id = k.webhook_id)
   on conflict (id) do update set attempt = excluded.attempt, success = excluded.success, last = excluded.last
     where d.attempt < excluded.attempt and not d.success`,
)
export const retryLater = statement(
  'webhooks_retry_later',
  `update webhook_queue q set lease = null, attempt = q.attempt + 1, leads = false, due = k.due,
     last = k.last::jsonb || jsonb_build_object('asked_ms', k.asked)
   from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::int[]) as k(id, lease, due, last, asked)
   where q.id = k.id and q.lease = k.lease`,
)
// Checks a page of the queue. Nothing may be due later than $4 (now), $5 (a lease's end) while a request is in progress, $6
// (a hold's end), or $7 (by attempt: its delay) plus what the receiver asked for. What is later was deferred by a clock that
// has been set back since. It becomes due now ($2); a leased one gets a new lease ($3), as its holder may be in a request.
export const recall = statement(
  'webhooks_recall',
  `with page as materialized (
     select id, due > case when lease is not null then $5 when held then $6 when attempt = 0 then $4
       else ($7::timestamptz[])[attempt] end as far
     from webhook_queue where id > $1 order by id limit $8),
   recalled as (
     update webhook_queue set due = case when lease is null then $2 else $3::timestamptz end where id = any(array(
       select id from webhook_queue where id = any(array(select id from page where far)) and (lease is not null
         or last is null or due > $4::timestamptz + (last->>'asked_ms')::int * interval '1 millisecond')
       for update skip locked)))
   select id as last from page order by id desc limit 1`,
)
// Releases customer-level endpoints whose leading ones have ended.
export const letGo = statement(
  'webhooks_let_go',
  `update webhook_queue q set held = false, due = $2 where q.event_id = any($1::uuid[]) and q.held and q.due > $2
     and not exists (select from webhook_queue l where l.event_id = q.event_id and l.leads)`,
)
// Logs as failed what was attempted and will not be retried; what was never attempted leaves nothing. Only of a disabled endpoint:
// one enabled meanwhile may have been queued something since. The log does not accept what was queued before $2.
export const purge = statement(
  'webhooks_purge',
  `with dropped as (
     delete from webhook_queue q using webhook w where q.webhook_id = $1 and w.id = q.webhook_id and not w.is_active returning q.*)
   insert into webhook_delivery (id, account_id, webhook_id, event_id, event_at, event, email_id, attempt, success, last)
   select id, account_id, webhook_id, event_id, event_at, event, email_id, attempt, false, last from dropped
   where attempt > 0 and id >= $2 order by id desc limit ${LOGGED_TOGETHER}`,
)

// --- the delivery log

export const keepTest = statement(
  'webhooks_keep_test',
  `with noted as (
     update webhook set last_delivery_at = $9, last_delivery_status = case when $7 then 'success' else 'failed' end
     where account_id = $2 and id = $3)
   insert into webhook_delivery (id, account_id, webhook_id, event_id, event_at, event, email_id, attempt, success, last)
   values ($1, $2, $3, $4, $5, $6, null, 1, $7, $8::jsonb)`,
)

const ENDED = `select id, account_id, webhook_id, event_id, event_at, event, email_id, attempt,
  case when success then 'success' else 'failed' end as status, last, null::timestamptz as due, null::uuid as lease
  from webhook_delivery`
const PENDING = `select id, account_id, webhook_id, event_id, event_at, event, email_id, attempt,
  'pending' as status, last, due, lease from webhook_queue`
// $3 status, $4 event, $5 from, $6 to (as ids).
const DELIVERIES = `account_id = $1 and webhook_id = $2 and ($4::smallint is null or event = $4)
  and id >= $5 and id < $6`

const listed = (of: string): string => `select * from (
     (${ENDED} where ${of} and ($3::text is null or $3 = case when success then 'success' else 'failed' end)
       and ($7::uuid is null or id < $7) order by id desc limit $8::bigint + $9::bigint)
     union all
     (${PENDING} where ${of} and ($3::text is null or $3 = 'pending') and ($7::uuid is null or id < $7)
       order by id desc limit $8::bigint + $9::bigint)
   ) d order by id desc limit $8::bigint offset $9::bigint`
const counted = (of: string): string => `select count(*) as total from (
     (select 1 from webhook_delivery where ${of}
       and ($3::text is null or $3 = case when success then 'success' else 'failed' end) limit $7)
     union all (select 1 from webhook_queue where ${of} and ($3::text is null or $3 = 'pending') limit $7)
   ) d`
export const deliveries = statement('webhooks_deliveries', listed(DELIVERIES))
export const countDeliveries = statement('webhooks_count_deliveries', counted(DELIVERIES))
// The same for one email, its id last. Separate statements, so that they are planned over its index.
export const deliveriesOf = statement('webhooks_deliveries_of', listed(`${DELIVERIES} and email_id = $10`))
export const countDeliveriesOf = statement('webhooks_count_deliveries_of', counted(`${DELIVERIES} and email_id = $8`))
export const oneDelivery = statement(
  'webhooks_one_delivery',
  `${ENDED} where account_id = $1 and id = $2 union all ${PENDING} where account_id = $1 and id = $2 limit 1`,
)
export const hurry = statement(
  'webhooks_hurry',
  'update webhook_queue set due = $3, held = false where account_id = $1 and id = $2 and lease is null',
)

export const ensurePartitions = statement(
  'webhooks_ensure_partitions',
  `select ensure_partitions('webhook_delivery', true, $1::date, $2)`,
)
export const dropPartition = statement(
  'webhooks_drop_partition',
  `select drop_partition('webhook_delivery', $1::date) as day`,
)

export const oldestUntold = statement(
  'webhooks_oldest_untold',
  'select account_id, min(event_at) as at from webhook_queue where event_at < $1 group by account_id',
)

export const figures = statement(
  'webhooks_figures',
  `select (select count(*)::int from webhook_queue) as waiting,
     (select min(due) from webhook_queue) as due`,
)

// Deliveries of an account are found by its endpoints, which are erased after them.
export const eraseQueue = statement(
  'account_erase_webhook_queue',
  `delete from webhook_queue where id = any(array(
     select q.id from webhook w join webhook_queue q on q.webhook_id = w.id where w.account_id = $1 limit $2))`,
)

/** Those of $2 that are still to be delivered to an endpoint. */
export const untoldOf = statement(
  'webhooks_untold_of',
  `select q.event_id from webhook w join webhook_queue q on q.webhook_id = w.id
   where w.account_id = $1 and q.event_id = any($2)`,
)
export const eraseDeliveries = statement(
  'webhooks_erase_deliveries',
  'delete from webhook_delivery where account_id = $1 and email_id = any($2)',
)
