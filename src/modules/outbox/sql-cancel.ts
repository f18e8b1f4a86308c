// The statements of the bulk cancel.

import { statement } from '../../platform/db.ts'

/** How many emails are looked at, and canceled, together. */
export const CANCELED_AT_ONCE = 1_000

/**
 * A piece of what waits in status $2, after the id $3 and below $4, with whether each matches: $5 tag, $6 domains, $7 mailbox;
 * null matches all. As in sql-lists.ts, the row comparison and the order name all columns of the index.
 */
export const WAITING = statement(
  'outbox_cancelable',
  `select id, ($5::text is null or tag is not distinct from $5) and ($6::uuid[] is null or coalesce(domain_id = any($6), false))
     and ($7::text is null or recipient_key = $7) as wanted
   from email
   where status = $2 and account_id = $1 and id > $3 and id < $4
     and (status, account_id, id) > ($2::smallint, $1::uuid, $3::uuid) and (status, account_id, id) < ($2, $1, $4::uuid)
   order by status, account_id, id limit ${CANCELED_AT_ONCE}`,
)

/** Removes from the queue what no attempt holds and nobody has locked. Everyone who controls emails locks the queue row first. */
export const TAKE_FROM_QUEUE = statement(
  'outbox_take_from_queue',
  `with k as materialized (
     select id from queue where account_id = $1 and id = any($2::uuid[]) and state <> 1 order by id for update skip locked)
   delete from queue q using k where q.id = k.id returning q.id`,
)

/** For emails removed from the queue. $3 the canceled status, $4 when; $5 $6 bounds of the ids: the list alone prunes no day. */
export const CANCEL = statement(
  'outbox_cancel',
  `update email set status = $3, ended_at = $4, next_attempt_at = null
   where account_id = $1 and id = any($2::uuid[]) and id >= $5 and id <= $6 returning id, domain_id, stream, sandbox, tag`,
)

/** Which of the emails are still in the queue, and whether an attempt holds them. */
export const LEFT_IN_QUEUE = statement(
  'outbox_left_in_queue',
  'select id, state = 1 as leased from queue where account_id = $1 and id = any($2::uuid[]) order by id',
)
