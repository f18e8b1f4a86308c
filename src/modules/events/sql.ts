import { matches } from '../../platform/db/sql-pattern.ts'
import { statement } from '../../platform/db.ts'

export const append = statement(
  'events_append',
  `insert into event (at, event_id, account_id, domain_id, email_id, type, stream, sandbox, tag, data, facts, provider)
   select at, event_id, account_id, domain_id, email_id, type, stream, sandbox, tag, data::jsonb, facts::json, provider
   from unnest($1::timestamptz[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::smallint[], $7::smallint[],
     $8::boolean[], $9::text[], $10::text[], $11::text[], $12::text[])
     as e(at, event_id, account_id, domain_id, email_id, type, stream, sandbox, tag, data, facts, provider)`,
)

export const ofEmail = statement(
  'events_of_email',
  `select at, event_id, account_id, domain_id, email_id, type, stream, sandbox, tag, data, facts
   from event where account_id = $1 and email_id = $2 and at >= $3 order by at, seq limit $4`,
)

// A follower locks its own row, so two workers never read the same stretch. Readers that stay below the oldest open
// transaction see every event exactly once, because no smaller transaction id can still commit. `at` prunes partitions; it
// is capped at now(), so that a clock that was ahead for a while does not hide the events after its correction.
export const lockFollower = statement(
  'events_lock_follower',
  'select xid::text as xid, seq, least(at, now()) as at from follower where name = $1 for update',
)
/** Whether there is anything to read. Takes no lock: a row lock is a write, which each commit would sync to disk. */
export const hasUnread = statement(
  'events_has_unread',
  `select exists (select from event e where (e.xid, e.seq) > (f.xid, f.seq) and e.xid < pg_snapshot_xmin(pg_current_snapshot())
     and e.at >= least(f.at, now()) - $2 * interval '1 millisecond') as unread
   from follower f where f.name = $1`,
)
export const addFollower = statement(
  'events_add_follower',
  'insert into follower (name) values ($1) on conflict (name) do nothing',
)
// `order by` resolves a bare name to the output column first, where `xid` is text and sorts 999 after 1000. Hence the
// qualified column `event.xid`.
const STRETCH = `from event where (xid, seq) > ($1::xid8, $2) and xid < pg_snapshot_xmin(pg_current_snapshot()) and at >= $3
   order by event.xid, event.seq limit $4`
/**
 * $5 the types whose data is read, without facts; null: data and facts of all. Most followers need neither data nor facts of
 * the two events that an email usually has.
 */
export const after = statement(
  'events_after',
  `select xid::text as xid, seq, at, event_id, account_id, domain_id, email_id, type, stream, sandbox, tag, provider,
     case when $5::smallint[] is null or type = any($5) then data end as data,
     case when $5::smallint[] is null then facts end as facts ${STRETCH}`,
)
const endOf = (stretch: string): string => `select xid::text as xid, seq, latest, taken::int
   from (select xid, seq, max(at) over stretch as latest, row_number() over stretch as taken
     from (select xid, seq, at ${stretch}) s window stretch as (order by xid, seq)) t
   order by taken desc limit 1`
/** The end of a stretch that is read only for some types. */
export const stretchEnd = statement('events_stretch_end', endOf(STRETCH))
export const ofTypes = statement(
  'events_of_types',
  `select xid::text as xid, seq, at, event_id, account_id, domain_id, email_id, type, stream, sandbox, tag, data, facts
   from event where (xid, seq) > ($1::xid8, $2) and (xid, seq) <= ($3::xid8, $4) and at >= $5
     and type = any($6::smallint[]) order by event.xid, event.seq`,
)
/** An account apart counts as its follower: the row that is furthest behind. */
export const followers = statement(
  'events_followers',
  `select distinct on (split_part(name, ':', 1)) split_part(name, ':', 1) as name, f.xid::text as xid, seq, least(at, now()) as at
   from follower f order by split_part(name, ':', 1), f.xid, seq`,
)

// An account that is followed apart has a cursor of its own, named after the follower and the account.
const IS_APART = `starts_with(name, $1::text || ':')`
export const apart = statement(
  'events_apart',
  `select split_part(name, ':', 2) as account_id from follower where ${IS_APART}`,
)
/** Begins where the follower stands, which its worker has locked. */
export const setApart = statement(
  'events_set_apart',
  `insert into follower (name, xid, seq, at) select f.name || ':' || a.id, f.xid, f.seq, f.at
   from follower f cross join unnest($2::text[]) as a(id) where f.name = $1`,
)
/** The account after $2, or from the first one again, that no other worker has. */
export const lockApart = statement(
  'events_lock_apart',
  `select split_part(a.name, ':', 2) as account_id, a.xid::text as xid, a.seq, least(a.at, now()) as at,
     f.xid::text as main_xid, f.seq as main_seq
   from follower a join follower f on f.name = $1 where starts_with(a.name, $1::text || ':')
   order by split_part(a.name, ':', 2) > $2 desc, a.name limit 1 for update of a skip locked`,
)
/** As `stretchEnd`, up to where the follower has come: $5 and $6. */
export const apartEnd = statement(
  'events_apart_end',
  endOf(`from event where (xid, seq) > ($1::xid8, $2) and (xid, seq) <= ($5::xid8, $6) and at >= $3
   order by event.xid, event.seq limit $4`),
)
/** The account as text: the plan begins at the cursor and not at the account, which may have millions of events. */
export const ofAccount = statement(
  'events_of_account',
  `select xid::text as xid, seq, at, event_id, account_id, domain_id, email_id, type, stream, sandbox, tag, provider,
     null::jsonb as data, null::json as facts
   from event where (xid, seq) > ($1::xid8, $2) and (xid, seq) <= ($3::xid8, $4) and at >= $5 and account_id::text = $6::text
   order by event.xid, event.seq limit $7`,
)
/** Only if nothing is left of what the follower has passed. $3 the overlap, in ms. */
export const rejoin = statement(
  'events_rejoin',
  `delete from follower a using follower f where f.name = $1 and a.name = $1::text || ':' || $2::text and not exists (
     select from event e where (e.xid, e.seq) > (a.xid, a.seq) and (e.xid, e.seq) <= (f.xid, f.seq)
       and e.at >= least(a.at, now()) - $3 * interval '1 millisecond')`,
)
// Like `after`, but only the first event and including those above open transactions: it measures lag, not what may be read.
export const firstAfter = statement(
  'events_first_after',
  'select at from event where (xid, seq) > ($1::xid8, $2) and at >= $3 order by xid, seq limit 1',
)
export const advance = statement(
  'events_advance_follower',
  'update follower set xid = $2::xid8, seq = $3, at = greatest(at, $4) where name = $1',
)
// The facts of emails, by email id. The bounds prune partitions to the days on which the emails were accepted.
export const factsOf = statement(
  'events_facts_of',
  `select e.email_id, e.facts from unnest($1::uuid[], $2::uuid[]) as k(account_id, email_id)
   cross join lateral (select f.email_id, f.facts from event f where f.account_id = k.account_id
     and f.email_id = k.email_id and f.at >= $3 and f.at < $4 and f.facts is not null order by f.at limit 1) e`,
)

/** Over one domain's events of one type in a period, without sandbox events. */
export const firstAndLast = statement(
  'events_first_and_last',
  `select min(at) as first, max(at) as last from event
   where account_id = $1 and at >= $2 and at < $3 and domain_id = $4 and type = $5 and not sandbox`,
)

export const ensurePartitions = statement(
  'events_ensure_partitions',
  `select ensure_partitions('event', false, $1::date, $2)`,
)
export const dropPartition = statement('events_drop_partition', `select drop_partition('event', $1::date) as day`)
// Times are stored in microseconds and read in milliseconds, so `forget` deletes the whole last millisecond.
export const forgottenUpTo = statement(
  'events_forgotten_up_to',
  'select at from event where account_id = $1 and at >= $2 and at < $3 order by at offset $4 limit 1',
)
export const hasEvents = statement('events_any', 'select 1 as found from event where account_id = $1 limit 1')
/** Every follower of the log has read the event; null: there are no followers. */
const READ_BY_ALL = '(e.xid, e.seq) <= (select f.xid, f.seq from follower f order by f.xid, f.seq limit 1)'
export const forget = statement(
  'events_forget',
  `delete from event e where e.account_id = $1 and e.at >= $2 and e.at < $3::timestamptz + interval '1 millisecond'
     and e.at < $4 and ${READ_BY_ALL}`,
)

// $2 $3 from and before, $4 type, $5 email, $6 emails (those to one recipient; never empty), $7 domain, $8 tag, $9 the
// domains that the key is bound to, $10 the recipient, to match events about an address (also an unsubscribe from an email
// that is no longer kept), $11 include sandbox events, $12 pattern of what the receiver answered: the response of a try, and of the
// last one of a bounced or failed email.
const ANSWER = `coalesce(e.data ->> 'response', e.data ->> 'error_message', e.data ->> 'last_response')`
const FILTER = `e.account_id = $1 and ($2::timestamptz is null or e.at >= $2) and ($3::timestamptz is null or e.at < $3)
  and ($4::smallint is null or e.type = $4) and ($5::uuid is null or e.email_id = $5)
  and ($6::uuid[] is null or e.email_id = any($6)
    or ((e.email_id is null or e.type = 7) and coalesce(e.data ->> 'recipient', e.data ->> 'email') = $10))
  and ($7::uuid is null or e.domain_id = $7) and ($8::text is null or e.tag = $8)
  and ($9::uuid[] is null or e.domain_id = any($9)) and ($11::boolean or not e.sandbox)
  and ($12::text is null or ${matches(ANSWER, '$12')})`
const COLUMNS = `e.xid::text as xid, e.seq, e.at, e.event_id, e.account_id, e.domain_id, e.email_id, e.type, e.stream,
  e.sandbox, e.tag, e.data, e.facts`

/** $13 and $14: time (microseconds since 1970) and id of the event after which to continue, or null. $15 limit, $16 offset. */
export const list = statement(
  'events_list',
  `select ${COLUMNS}, (extract(epoch from e.at) * 1000000)::bigint as at_us from event e where ${FILTER}
     and ($13::bigint is null or (e.at, e.event_id) < ('epoch'::timestamptz + $13 * interval '1 microsecond', $14::uuid))
   order by e.at desc, e.event_id desc limit $15 offset $16`,
)
// Counting stops at a limit: an account with millions of events must not pay for a number that nobody reads.
export const count = statement(
  'events_count',
  `select count(*) as total from (select 1 from event e where ${FILTER} limit $13) as counted`,
)

// Streams read in the order of the followers, below the oldest open transaction, and keep no cursor in the database.
export const horizon = statement('events_horizon', 'select pg_snapshot_xmin(pg_current_snapshot())::text as xid')
export const between = statement(
  'events_between',
  `select ${COLUMNS} from event e where (e.xid, e.seq) > ($1::xid8, $2) and e.xid < $3::xid8
     and e.account_id = any($4::uuid[]) and e.at >= $5
   order by e.xid, e.seq limit $6`,
)

/** Expressions of another room's statement: the follower's name (text) and the account whose events are read (uuid). */
export interface UnfollowedExpressions {
  readonly follower: string
  readonly accountId: string
}

/**
 * A query for one account's events that a follower has not processed yet, in the snapshot of the surrounding statement.
 * Only for the system face. The account is compared as text so that the plan starts at the follower's place, which few
 * events follow, and not at the account, which may have millions.
 */
export function unfollowedSql({ follower, accountId }: UnfollowedExpressions): string {
  const of = (column: string, none: string): string =>
    `coalesce((select ${column} from follower f where f.name = ${follower}), ${none})`
  // The xid range excludes no unread visible row; it and the `offset 0` fence keep the planner on the (xid, seq) index. By
  // event time the scan would read days of events (20 million events: 400 ms).
  return `select e.at, e.type, e.data, e.sandbox from event e
    where (e.xid, e.seq) > (${of('f.xid', `'0'::xid8`)}, ${of('f.seq', '0')})
      and e.xid >= ${of('f.xid', `'0'::xid8`)} and e.xid < pg_snapshot_xmax(pg_current_snapshot())
      and e.at >= ${of('least(f.at, now())', `'-infinity'`)} - interval '7 days' and e.account_id::text = ${accountId}::text offset 0`
}

export const rewind = statement(
  'events_rewind_follower',
  `insert into follower (name) values ($1)
   on conflict (name) do update set xid = '0', seq = 0, at = '-infinity'`,
)
// Partitions are dropped by whole days, and the name of each ends in its day.
export const logBegins = statement(
  'events_log_begins',
  `select to_date(min(right(c.relname, 8)), 'YYYYMMDD')::timestamp at time zone 'UTC' as at
   from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = 'event'::regclass and right(c.relname, 8) ~ '^\\d{8}$'`,
)

// The time is precise to the millisecond and selects the partition; the id identifies the event.
export const byReference = statement(
  'events_by_reference',
  `select ${COLUMNS} from unnest($1::uuid[], $2::timestamptz[], $3::uuid[]) as k(account_id, at, event_id)
   cross join lateral (select * from event f where f.account_id = k.account_id and f.at >= k.at
     and f.at < k.at + interval '1 millisecond' and f.event_id = k.event_id limit 1) e`,
)
export const ofPeriod = statement(
  'events_of_period',
  `select ${COLUMNS} from event e where e.account_id = $1 and e.at >= $2 and e.at < $3
     and ($4::smallint[] is null or e.type = any($4)) and ($5::uuid[] is null or e.domain_id = any($5))
     and ($6::timestamptz is null or (e.at, e.event_id) > ($6, $7::uuid))
   order by e.at, e.event_id limit $8`,
)

// --- erasing a recipient

const IS_READ = `coalesce(${READ_BY_ALL}, false) as read`
export const aboutEmails = statement(
  'events_about_emails',
  `select e.at, e.event_id, e.email_id, ${IS_READ} from event e where e.account_id = $1 and e.email_id = any($2) and e.at >= $3`,
)
/** Events about an address rather than an email: unsubscribes, list entries, confirmations. $5 also later ones about a bounce. */
export const aboutPerson = statement(
  'events_about_person',
  `select e.at, e.event_id, e.email_id, ${IS_READ} from event e where e.account_id = $1 and e.type in (7, 30, 31, 40)
     and coalesce(e.data ->> 'recipient', e.data ->> 'email') = $2 and (e.at < $3 or ($5 and e.data ->> 'bounce_id' is not null))
     order by e.at limit $4`,
)
/** $4 the fields that stay; `reason` is a person's own words in an unsubscribe (type 7), else a code. The others become null. */
export const redact = statement(
  'events_redact',
  `update event e set facts = null, data = (
     select jsonb_object_agg(d.key, case when d.key = any($4) or (d.key = 'reason' and e.type <> 7) then d.value else 'null'::jsonb end)
     from jsonb_each(e.data) as d)
   from unnest($2::timestamptz[], $3::uuid[]) as k(at, event_id)
   where e.account_id = $1 and e.at >= k.at and e.at < k.at + interval '1 millisecond' and e.event_id = k.event_id`,
)
