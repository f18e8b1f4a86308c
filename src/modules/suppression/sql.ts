// Every statement on the two lists, on the counts that feed them and on the record of removals. Callers pass several rows
// sorted by key, so that two writers cannot deadlock.

import { statement } from '../../platform/db.ts'

/** The reasons of a suppression in order of weight; a row stores the position, counted from 1. */
const REASON_NAMES = `(array['manual', 'repeated_soft_bounce', 'hard_bounce', 'complaint', 'spamtrap'])`

/** Evaluated once per statement, so an instance without erased addresses computes no hashes while it claims mail. */
const ANY_ERASED = '(select exists (select from erased_address))'

/** The hash kept of an erased address (bytea). Both arguments are SQL expressions: uuid, and the suppression key as text. */
function addressKey(accountId: string, recipient: string): string {
  return `sha256((select salt from erasure_salt) || convert_to(${accountId}::text || ' ' || ${recipient}, 'UTF8'))`
}

/**
 * The entries that forbid a mail, as rows (n, list, reason, source, id, created_at), for a statement that has a table
 * `ask (account_id, email, sandbox, n)`. `now` is an expression for the current time.
 */
export function refusalRows(now: string): string {
  return `select a.n::int, 'suppression' as list, ${REASON_NAMES}[e.reason] as reason, e.source, e.id, e.created_at
   from ask a cross join lateral (
     select * from suppression s
     where s.account_id = a.account_id and s.email = a.email and (a.sandbox or not s.sandbox)
       and (s.expires_at is null or s.expires_at > ${now})
     order by s.reason desc limit 1
   ) e
   union all
   select a.n::int, 'unsubscribe', e.reason, e.source, e.id, e.created_at
   from ask a cross join lateral (
     select * from unsubscribe u
     where u.account_id = a.account_id and u.email = a.email and (a.sandbox or not u.sandbox)
     order by u.sandbox limit 1
   ) e
   union all
   select a.n::int, case when e.reason is null then 'unsubscribe' else 'suppression' end, ${REASON_NAMES}[e.reason], 'erasure',
     e.id, e.created_at
   from ask a cross join lateral (
     select * from erased_address d where d.account_id = a.account_id and d.address_key = ${addressKey('a.account_id', 'a.email')}
   ) e
   where ${ANY_ERASED}`
}

/** Removed suppressions in the same form, with `past` as the list. */
export const PAST_ROWS = `select a.n::int, 'past', p.reason, null, null::uuid, p.at
   from ask a join past_refusal p on p.account_id = a.account_id and p.email = a.email`

const ASK = `ask as materialized (
     select * from unnest($1::uuid[], $2::text[], $3::boolean[]) with ordinality as t(account_id, email, sandbox, n)
   )`

/** The rows that refuse an ask, none when it may be sent; `n` counts asks from 1. $4 is the current time. */
export const WHO_SAID_NO = statement('suppression_who_said_no', `with ${ASK} ${refusalRows('$4')}`)

/** The same with past suppressions. */
export const WHAT_IS_KNOWN = statement(
  'suppression_what_is_known',
  `with ${ASK} ${refusalRows('$4')} union all ${PAST_ROWS}`,
)

/** The expressions of another room's statement that identify the mail to check. */
export interface AskExpressions {
  /** uuid */
  readonly accountId: string
  /** text: the suppression key */
  readonly recipient: string
  /** boolean */
  readonly sandbox: string
  /** timestamptz */
  readonly now: string
}

export function blockedExpression({ accountId, recipient, sandbox, now }: AskExpressions): string {
  return `coalesce(
    (select ${REASON_NAMES}[asked_s.reason] from suppression asked_s
     where asked_s.account_id = ${accountId} and asked_s.email = ${recipient} and (${sandbox} or not asked_s.sandbox)
       and (asked_s.expires_at is null or asked_s.expires_at > ${now})
     order by asked_s.reason desc limit 1),
    case when ${ANY_ERASED} then
      (select coalesce(${REASON_NAMES}[asked_e.reason], 'unsubscribed') from erased_address asked_e
       where asked_e.account_id = ${accountId} and asked_e.address_key = ${addressKey(accountId, recipient)}) end,
    (select 'unsubscribed' from unsubscribe asked_u
     where asked_u.account_id = ${accountId} and asked_u.email = ${recipient} and (${sandbox} or not asked_u.sandbox)
     limit 1))`
}

/** Whether the recipient is on the unsubscribe list for live mail (boolean). */
export function isUnsubscribedExpression({
  accountId,
  recipient,
}: Pick<AskExpressions, 'accountId' | 'recipient'>): string {
  return `(exists (select from unsubscribe left_u
     where left_u.account_id = ${accountId} and left_u.email = ${recipient} and not left_u.sandbox)
   or case when ${ANY_ERASED} then exists (select from erased_address left_e
     where left_e.account_id = ${accountId} and left_e.address_key = ${addressKey(accountId, recipient)}) else false end)`
}

/** Whether the recipient once complained and the account removed the entry (boolean). */
export function hasComplainedExpression({
  accountId,
  recipient,
}: Pick<AskExpressions, 'accountId' | 'recipient'>): string {
  return `exists (select from past_refusal past_c
     where past_c.account_id = ${accountId} and past_c.email = ${recipient} and past_c.reason = 'complaint')`
}

/** Tables for a statement that asks about all recipients of an account, and expressions of their columns. */
export interface JoinedStanding {
  /** Left joins that add no row. */
  readonly joins: string
  /** As `blockedExpression`, for live mail. */
  readonly blocked: string
  /** As `isUnsubscribedExpression`. */
  readonly unsubscribed: string
  /** As `hasComplainedExpression`. */
  readonly complained: string
}

export function joinedStanding({ accountId, recipient, now }: Omit<AskExpressions, 'sandbox'>): JoinedStanding {
  const of = (table: string): string => `${table}.account_id = ${accountId} and ${table}.email = ${recipient}`
  const erased = `from erased_address joined_e
    where joined_e.account_id = ${accountId} and joined_e.address_key = ${addressKey(accountId, recipient)}`
  return {
    joins: `left join suppression joined_s on ${of('joined_s')} and not joined_s.sandbox
       and (joined_s.expires_at is null or joined_s.expires_at > ${now})
     left join unsubscribe joined_u on ${of('joined_u')} and not joined_u.sandbox
     left join past_refusal joined_p on ${of('joined_p')} and joined_p.reason = 'complaint'`,
    blocked: `coalesce(${REASON_NAMES}[joined_s.reason],
      case when ${ANY_ERASED} then (select coalesce(${REASON_NAMES}[joined_e.reason], 'unsubscribed') ${erased}) end,
      case when joined_u.email is not null then 'unsubscribed' end)`,
    unsubscribed: `(joined_u.email is not null or case when ${ANY_ERASED} then exists (select ${erased}) else false end)`,
    complained: '(joined_p.email is not null)',
  }
}

/** When the recipient last unsubscribed (timestamptz), even if the entry was removed since; null: never. */
export function unsubscribedAtExpression({
  accountId,
  recipient,
}: Pick<AskExpressions, 'accountId' | 'recipient'>): string {
  return `coalesce(
    (select left_u.created_at from unsubscribe left_u
     where left_u.account_id = ${accountId} and left_u.email = ${recipient} and not left_u.sandbox),
    (select max((left_r.entry ->> 'created_at')::timestamptz) from list_removal left_r
     where left_r.account_id = ${accountId} and left_r.email = ${recipient} and left_r.list = 'unsubscribe'
       and left_r.entry ->> 'sandbox' = 'false'))`
}

// --- suppressions

/** The columns of a `SuppressionRow` (entries.ts), from the table aliased `s`. */
const SUPPRESSION = `s.id, s.account_id, s.email, ${REASON_NAMES}[s.reason] as reason, s.source, s.domain_id, s.email_id, s.bounce_id, s.details,
  s.sandbox, s.expires_at, s.created_at`

/**
 * An existing entry only becomes firmer: the heavier reason wins, together with its evidence, and the later end wins. An
 * expired entry counts as absent and is replaced. A returned row with the id that was passed in is new. An entry that is
 * not returned already existed and stays unchanged (its row lock is held until the end of the transaction).
 * $12 the current time.
 */
export const SUPPRESS = statement(
  'suppression_suppress',
  `insert into suppression as s
     (account_id, email, sandbox, id, reason, source, domain_id, email_id, bounce_id, details, expires_at, created_at)
   select account_id, email, sandbox, id, array_position(${REASON_NAMES}, reason), source, domain_id, email_id, bounce_id,
     details, expires_at, $12
   from unnest($1::uuid[], $2::text[], $3::boolean[], $4::uuid[], $5::text[], $6::text[], $7::uuid[], $8::uuid[],
     $9::uuid[], $10::text[], $11::timestamptz[])
     as n(account_id, email, sandbox, id, reason, source, domain_id, email_id, bounce_id, details, expires_at)
   on conflict (account_id, email, sandbox) do update set
     (id, created_at, reason, source, domain_id, email_id, bounce_id, details, expires_at) = (
       select
         case when gone then excluded.id else s.id end,
         case when gone then excluded.created_at else s.created_at end,
         case when heavier then excluded.reason else s.reason end,
         case when heavier then excluded.source else s.source end,
         case when heavier then excluded.domain_id else s.domain_id end,
         case when heavier then excluded.email_id else s.email_id end,
         case when heavier then excluded.bounce_id else s.bounce_id end,
         case when heavier then excluded.details else s.details end,
         case when gone then excluded.expires_at
           else nullif(greatest(coalesce(s.expires_at, 'infinity'), coalesce(excluded.expires_at, 'infinity')), 'infinity') end
       from (select coalesce(s.expires_at <= $12, false) as gone,
               coalesce(s.expires_at <= $12, false) or excluded.reason > s.reason as heavier) as it)
   where s.expires_at <= $12 or excluded.reason > s.reason
     or s.expires_at < coalesce(excluded.expires_at, 'infinity')
   returning ${SUPPRESSION}`,
)

export const SUPPRESSIONS_BY_KEY = statement(
  'suppression_by_key',
  `select ${SUPPRESSION}
   from unnest($1::uuid[], $2::text[], $3::boolean[]) as k(account_id, email, sandbox)
   join suppression s on s.account_id = k.account_id and s.email = k.email and s.sandbox = k.sandbox`,
)

/** $3 the current time. The live entry comes first. */
export const SUPPRESSION_OF = statement(
  'suppression_of',
  `select ${SUPPRESSION} from suppression s
   where s.account_id = $1 and s.email = $2 and (s.expires_at is null or s.expires_at > $3) order by s.sandbox limit 1`,
)

/**
 * Deletes the live and the sandbox entry. $3 $4 two ids, $5 who, $6 their key, $7 the current time. If a real hard bounce
 * or complaint made the entry, that is kept in past_refusal.
 */
export const REMOVE_SUPPRESSION = statement(
  'suppression_remove',
  `with s as (delete from suppression where account_id = $1 and email = $2 returning *),
   recorded as (
     insert into list_removal (id, account_id, list, email, entry, removed_by, key_id, removed_at)
     select case when s.sandbox then $4::uuid else $3::uuid end, s.account_id, 'suppression', s.email, to_jsonb(s), $5, $6, $7 from s),
   remembered as (
     insert into past_refusal (account_id, email, reason, at)
     select s.account_id, s.email, ${REASON_NAMES}[s.reason], s.created_at from s
     where s.bounce_id is not null and not s.sandbox and ${REASON_NAMES}[s.reason] in ('hard_bounce', 'complaint')
     on conflict (account_id, email, reason) do update set at = excluded.at)
   select ${SUPPRESSION} from s where s.expires_at is null or s.expires_at > $7`,
)

/** $1 the current time, $2 the row limit. */
export const EXPIRED_SUPPRESSIONS = statement(
  'suppression_expired',
  `select account_id, email, sandbox from suppression where expires_at <= $1 order by expires_at limit $2
   for update skip locked`,
)

/** $4 an id for each, $5 the current time. */
export const EXPIRE_SUPPRESSIONS = statement(
  'suppression_expire',
  `with k as materialized (
     select * from unnest($1::uuid[], $2::text[], $3::boolean[], $4::uuid[]) as t(account_id, email, sandbox, removal_id)),
   s as (
     delete from suppression d using k where d.account_id = k.account_id and d.email = k.email and d.sandbox = k.sandbox
       and d.expires_at <= $5
     returning d.*, k.removal_id),
   recorded as (
     insert into list_removal (id, account_id, list, email, entry, removed_by, removed_at)
     select s.removal_id, s.account_id, 'suppression', s.email, to_jsonb(s) - 'removal_id', 'expiry', $5 from s)
   select ${SUPPRESSION} from s`,
)

// $2 include sandbox entries, $3 pattern and $6 the same in its other spelling, $4 $5 created from and before, $7 reason,
// $8 the current time. A substring search scans the account's entries: no index serves it, with or without row level security.
const SUPPRESSION_FILTER = `s.account_id = $1 and ($2 or not s.sandbox) and ($3::text is null or s.email like $3 or s.email like $6)
  and ($4::timestamptz is null or s.created_at >= $4) and ($5::timestamptz is null or s.created_at < $5)
  and ($7::text is null or s.reason = array_position(${REASON_NAMES}, $7)) and (s.expires_at is null or s.expires_at > $8)`

export const LIST_SUPPRESSIONS = statement(
  'suppression_list',
  `select ${SUPPRESSION} from suppression s where ${SUPPRESSION_FILTER}
   order by s.created_at desc, s.id desc limit $9 offset $10`,
)

export const COUNT_SUPPRESSIONS = statement(
  'suppression_count',
  `select count(*) as total from suppression s where ${SUPPRESSION_FILTER}`,
)

/** The filtered entries after ($9, $10) in primary key order. */
export const SUPPRESSIONS_AFTER = statement(
  'suppression_after',
  `select ${SUPPRESSION} from suppression s
   where ${SUPPRESSION_FILTER} and (s.email, s.sandbox) > ($9, $10)
   order by s.email, s.sandbox limit $11`,
)

// --- unsubscribes

const UNSUBSCRIBE_COLUMNS = 'u.id, u.account_id, u.email, u.source, u.reason, u.sandbox, u.created_at'

/** $9 the current time. An entry that is not returned already existed and stays unchanged. */
export const UNSUBSCRIBE = statement(
  'suppression_unsubscribe',
  `insert into unsubscribe as u (account_id, email, sandbox, id, source, reason, domain_id, email_id, created_at)
   select n.*, $9
   from unnest($1::uuid[], $2::text[], $3::boolean[], $4::uuid[], $5::text[], $6::text[], $7::uuid[], $8::uuid[]) as n
   on conflict (account_id, email, sandbox) do nothing
   returning ${UNSUBSCRIBE_COLUMNS}`,
)

export const UNSUBSCRIBE_BY_KEY = statement(
  'suppression_unsubscribe_by_key',
  `select ${UNSUBSCRIBE_COLUMNS} from unsubscribe u where u.account_id = $1 and u.email = $2 and u.sandbox = $3`,
)

/** Same parameters as REMOVE_SUPPRESSION. */
export const REMOVE_UNSUBSCRIBE = statement(
  'suppression_resubscribe',
  `with u as (delete from unsubscribe where account_id = $1 and email = $2 returning *),
   recorded as (
     insert into list_removal (id, account_id, list, email, entry, removed_by, key_id, removed_at)
     select case when u.sandbox then $4::uuid else $3::uuid end, u.account_id, 'unsubscribe', u.email, to_jsonb(u), $5, $6, $7 from u)
   select ${UNSUBSCRIBE_COLUMNS} from u`,
)

const UNSUBSCRIBE_FILTER = `u.account_id = $1 and ($2 or not u.sandbox) and ($3::text is null or u.email like $3 or u.email like $6)
  and ($4::timestamptz is null or u.created_at >= $4) and ($5::timestamptz is null or u.created_at < $5)`

export const LIST_UNSUBSCRIBES = statement(
  'suppression_list_unsubscribes',
  `select ${UNSUBSCRIBE_COLUMNS} from unsubscribe u where ${UNSUBSCRIBE_FILTER}
   order by u.created_at desc, u.id desc limit $7 offset $8`,
)

export const COUNT_UNSUBSCRIBES = statement(
  'suppression_count_unsubscribes',
  `select count(*) as total from unsubscribe u where ${UNSUBSCRIBE_FILTER}`,
)

/** The filtered entries after ($7, $8) in primary key order. */
export const UNSUBSCRIBES_AFTER = statement(
  'suppression_unsubscribes_after',
  `select ${UNSUBSCRIBE_COLUMNS} from unsubscribe u
   where ${UNSUBSCRIBE_FILTER} and (u.email, u.sandbox) > ($7, $8)
   order by u.email, u.sandbox limit $9`,
)

// --- soft bounces

// Bounces and deliveries of a recipient share one sequence: the clock is too coarse to order simultaneous ones.
const NEXT_IN_ORDER = '1 + (select max(o) from unnest(s.bounce_order || s.delivered_order) o)'

/**
 * $4 the email, $5 when, $6 the window in days. An email counts once, however many reports arrive for it, and its own
 * delivery is deleted. @returns the number of soft-bounced emails since the last remaining delivery
 */
export const COUNT_SOFT_BOUNCE = statement(
  'suppression_count_soft_bounce',
  `insert into soft_bounce as s (account_id, email, sandbox, email_ids, bounced_at, bounce_order, last_at)
   values ($1, $2, $3, array[$4::uuid], array[$5::timestamptz], array[1], $5)
   on conflict (account_id, email, sandbox) do update set
     (email_ids, bounced_at, bounce_order, last_at) = (
       select array_agg(k.email_id), array_agg(k.at), array_agg(k.place), max(k.at)
       from (select * from unnest(s.email_ids, s.bounced_at, s.bounce_order) as known(email_id, at, place) where email_id <> $4
             union all
             select $4, $5, coalesce(s.bounce_order[array_position(s.email_ids, $4)], ${NEXT_IN_ORDER})) as k(email_id, at, place)
       where k.at > greatest(s.last_at, $5) - $6 * interval '1 day'),
     (delivered_ids, delivered_order) = (
       select coalesce(array_agg(d.email_id), '{}'), coalesce(array_agg(d.place), '{}')
       from unnest(s.delivered_ids, s.delivered_order) as d(email_id, place) where d.email_id <> $4)
   returning (select count(*)::int from unnest(s.bounce_order) b
     where b > coalesce((select max(d) from unnest(s.delivered_order) d), 0)) as emails`,
)

export const FORGET_SOFT_BOUNCES = statement(
  'suppression_forget_soft_bounces',
  `delete from soft_bounce s using unnest($1::uuid[], $2::text[], $3::boolean[]) as d(account_id, email, sandbox)
   where s.account_id = d.account_id and s.email = d.email and s.sandbox = d.sandbox`,
)

/** $4 the emails, $5 how many deliveries each row keeps. A delivery of live mail also deletes past hard bounces. */
export const NOTE_DELIVERY = statement(
  'suppression_note_delivery',
  `with d as materialized (
     select account_id, email, sandbox, array_agg(email_id) as email_ids
     from unnest($1::uuid[], $2::text[], $3::boolean[], $4::uuid[]) as t(account_id, email, sandbox, email_id) group by 1, 2, 3),
   past as (
     delete from past_refusal p using d where p.account_id = d.account_id and p.email = d.email and p.reason = 'hard_bounce'
       and not d.sandbox)
   update soft_bounce s set (delivered_ids, delivered_order) = (
     select coalesce(array_agg(k.email_id), '{}'), coalesce(array_agg(k.place), '{}')
     from (select * from unnest(s.delivered_ids, s.delivered_order) as known(email_id, place)
           union all
           select e, ${NEXT_IN_ORDER} from unnest(d.email_ids) e where e <> all (s.email_ids)
           order by place desc limit $5) k)
   from d where s.account_id = d.account_id and s.email = d.email and s.sandbox = d.sandbox`,
)

/** $1 bounces before this moment no longer count, $2 the row limit. */
export const FORGET_OLD_SOFT_BOUNCES = statement(
  'suppression_forget_old_soft_bounces',
  `delete from soft_bounce s using (
     select account_id, email, sandbox from soft_bounce where last_at < $1 order by last_at limit $2 for update skip locked) o
   where s.account_id = o.account_id and s.email = o.email and s.sandbox = o.sandbox`,
)

// --- erasure

/** $1 the account, $2 the address, $3 an id, $4 now. Keeps the reason of a live suppression without an end, except `manual`. */
export const ERASE = statement(
  'suppression_erase',
  `with s as (delete from suppression where account_id = $1 and email = $2 returning reason, sandbox, expires_at),
   u as (delete from unsubscribe where account_id = $1 and email = $2),
   b as (delete from soft_bounce where account_id = $1 and email = $2),
   p as (delete from past_refusal where account_id = $1 and email = $2),
   r as (update list_removal set email = 'erased', entry = '{}' where account_id = $1 and email = $2)
   insert into erased_address as e (account_id, address_key, id, reason, created_at)
   values ($1, ${addressKey('$1::uuid', '$2')}, $3,
     (select max(reason) from s where not sandbox and expires_at is null and reason > 1), $4)
   on conflict (account_id, address_key) do update set reason = coalesce(greatest(e.reason, excluded.reason), e.reason)`,
)

/**
 * Erases what came on the lists since, if the hash is still on one: entries that bounces and links made, and all others from
 * before $3. @returns a row if the hash is on a list
 */
export const ERASE_LATE = statement(
  'suppression_erase_late',
  `with h as materialized (
     select address_key from erased_address where account_id = $1 and address_key = ${addressKey('$1::uuid', '$2')}),
   s as (
     delete from suppression d using h
     where d.account_id = $1 and d.email = $2 and (d.bounce_id is not null or d.created_at < $3)
     returning d.reason, d.sandbox, d.expires_at),
   u as (
     delete from unsubscribe d using h
     where d.account_id = $1 and d.email = $2 and (d.email_id is not null or d.created_at < $3)),
   b as (delete from soft_bounce d using h where d.account_id = $1 and d.email = $2),
   p as (delete from past_refusal d using h where d.account_id = $1 and d.email = $2),
   r as (update list_removal d set email = 'erased', entry = '{}' from h where d.account_id = $1 and d.email = $2)
   update erased_address e
   set reason = greatest(e.reason, (select max(reason) from s where not sandbox and expires_at is null and reason > 1))
   from h where e.account_id = $1 and e.address_key = h.address_key
   returning e.id`,
)

/** Whether the address was erased, so that its hash is on a list: a row or none. */
export const IS_ERASED = statement(
  'suppression_is_erased',
  `select 1 as found from erased_address where ${ANY_ERASED} and account_id = $1 and address_key = ${addressKey('$1::uuid', '$2')}`,
)

/** Removes an erased address from one of the two lists: $3 true for suppressions, false for unsubscribes. */
export const FORGET_ERASED = statement(
  'suppression_forget_erased',
  `delete from erased_address where account_id = $1 and address_key = ${addressKey('$1::uuid', '$2')}
     and (reason is not null) = $3`,
)
