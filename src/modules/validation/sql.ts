import { statement } from '../../platform/db.ts'

/** $1 account, $2 addresses, $3 now. Includes what has been learnt of the domain since. */
export const KNOWN_RESULTS = statement(
  'validation_known_results',
  `select r.address, r.result, r.latency_ms, r.note, c.catch_all
   from validation_result r
   left join validation_catch_all c on c.domain = substring(r.address from '[^@]*$') and c.expires_at > $3
   where r.account_id = $1 and r.address = any($2::text[]) and r.expires_at > $3`,
)

/** $6 expiry, $7 when to ask again or null, $8 how often that has been done. */
export const KEEP_RESULT = statement(
  'validation_keep_result',
  `insert into validation_result (account_id, address, result, latency_ms, note, expires_at, reprobe_at, reprobes)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict (account_id, address) do update set result = excluded.result, latency_ms = excluded.latency_ms,
     note = excluded.note, expires_at = excluded.expires_at, reprobe_at = excluded.reprobe_at, reprobes = excluded.reprobes`,
)

/** The same for an address that was claimed to be asked about again, if nothing else has come of it since. $9 the claim's end. */
export const KEEP_REPROBED = statement(
  'validation_keep_reprobed',
  `update validation_result set result = $3, latency_ms = $4, note = $5, expires_at = $6, reprobe_at = $7, reprobes = $8
   where account_id = $1 and address = $2 and reprobe_at = $9`,
)

/** $1 now, $2 until when the claimed rows are left alone, $3 limit. */
export const CLAIM_REPROBES = statement(
  'validation_claim_reprobes',
  `update validation_result r set reprobe_at = $2 from (
     select d.account_id, d.address from validation_result d where d.reprobe_at <= $1 order by d.reprobe_at limit $3
     for update skip locked
   ) due where r.account_id = due.account_id and r.address = due.address
   returning r.account_id, r.address, r.reprobes`,
)

/** $1 domain, $2 now, $3 expiry, $4 an unclear answer from before this may be asked for again. A row means: ask now. */
export const CLAIM_CATCH_ALL = statement(
  'validation_claim_catch_all',
  `insert into validation_catch_all as c (domain, catch_all, asked_at, expires_at) values ($1, null, $2, $3)
   on conflict (domain) do update set catch_all = null, asked_at = excluded.asked_at,
     expires_at = case when c.expires_at <= $2 then excluded.expires_at else c.expires_at end
     where c.expires_at <= $2 or (c.catch_all is null and c.asked_at <= $4)
   returning c.domain`,
)

export const KNOWN_CATCH_ALL = statement(
  'validation_known_catch_all',
  'select c.catch_all from validation_catch_all c where c.domain = $1 and c.expires_at > $2',
)

export const KEEP_CATCH_ALL = statement(
  'validation_keep_catch_all',
  'update validation_catch_all c set catch_all = $2 where c.domain = $1',
)

export const SHUNNED = statement(
  'validation_shunned',
  'select true as shunned from validation_shunned s where s.host = $1 and s.until > $2',
)

export const SHUN = statement(
  'validation_shun',
  `insert into validation_shunned as s (host, until) values ($1, $2)
   on conflict (host) do update set until = greatest(s.until, excluded.until)`,
)

/**
 * Takes one of the $4 slots of host $1 until $3; $2 now. No row: all are taken, or another process was faster.
 */
export const TAKE_SLOT = statement(
  'validation_take_slot',
  `insert into validation_slot as v (host, slot, until)
   select $1, free.slot, $3 from generate_series(1, $4::int) free(slot)
   where not exists (select from validation_slot t where t.host = $1 and t.slot = free.slot and t.until > $2)
   order by free.slot limit 1
   on conflict (host, slot) do update set until = excluded.until where v.until <= $2
   returning v.slot`,
)

/** $3 the expiry it was taken with: a slot that another process has taken since stays with that process. */
export const GIVE_SLOT = statement(
  'validation_give_slot',
  'delete from validation_slot v where v.host = $1 and v.slot = $2 and v.until = $3',
)

// What lies further ahead than anything is put off was written by a clock that has been put back since.
/** $1 the latest end of a slot. */
export const RECALL_SLOTS = statement('validation_recall_slots', 'delete from validation_slot where until > $1')
/** $1 the latest time until which a host is left alone. */
export const RECALL_SHUNNED = statement('validation_recall_shunned', 'delete from validation_shunned where until > $1')
/** $1 now, $2 the latest time to ask again. */
export const RECALL_REPROBES = statement(
  'validation_recall_reprobes',
  'update validation_result set reprobe_at = $1 where reprobe_at > $2',
)
/** $1 the latest time until which a result is kept. */
export const RECALL_RESULTS = statement(
  'validation_recall_results',
  'delete from validation_result where expires_at > $1',
)
/** The same for the answers of whole domains. */
export const RECALL_CATCH_ALLS = statement(
  'validation_recall_catch_alls',
  'delete from validation_catch_all where expires_at > $1',
)

/** $1 now, $2 limit. */
export const FORGET_SLOTS = statement(
  'validation_forget_slots',
  `delete from validation_slot v using (
     select e.host, e.slot from validation_slot e where e.until <= $1 limit $2
   ) old where v.host = old.host and v.slot = old.slot`,
)

/** $1 now, $2 limit, $3: what expired before this goes, even if it waits to be asked about again. */
export const FORGET_RESULTS = statement(
  'validation_forget_results',
  `delete from validation_result r using (
     select e.account_id, e.address from validation_result e
     where e.expires_at <= $1 and (e.reprobe_at is null or e.expires_at <= $3) order by e.expires_at limit $2
   ) old where r.account_id = old.account_id and r.address = old.address`,
)

export const FORGET_CATCH_ALLS = statement(
  'validation_forget_catch_alls',
  `delete from validation_catch_all c using (
     select e.domain from validation_catch_all e where e.expires_at <= $1 order by e.expires_at limit $2
   ) old where c.domain = old.domain`,
)

export const FORGET_SHUNNED = statement(
  'validation_forget_shunned',
  `delete from validation_shunned s using (
     select e.host from validation_shunned e where e.until <= $1 order by e.until limit $2
   ) old where s.host = old.host`,
)

/** $2 addresses of one mailbox, in each spelling that was asked about. */
export const ERASE_RESULTS = statement(
  'validation_erase_results',
  'delete from validation_result where account_id = $1 and lower(address) = lower($2)',
)
