// The statements that cancel much at once.

import { statement } from '../../platform/db.ts'

/** So many are looked at, and canceled, together. */
export const CANCELED_AT_ONCE = 1_000

/**
 * A piece of what waits as the status $2, behind the id $3 and below $4, and which of it is wanted: $5 tag, $6 domains, $7
 * mailbox, null lets all pass. As in sql-lists.ts the comparison of rows and the order name the index's columns in full.
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

/** Takes what no attempt holds out of the queue. The queue row is locked first, by all who steer. */
export const TAKE_FROM_QUEUE = statement(
  'outbox_take_from_queue',
  `with k as materialized (
     select id from queue where account_id = $1 and id = any($2::uuid[]) and state <> 1 order by id for update skip locked)
   delete from queue q using k where q.id = k.id returning q.id`,
)

/** Of what is out of the queue. $3 the status of what is canceled, $4 when. */
export const CANCEL = statement(
  'outbox_cancel',
  `update email set status = $3, ended_at = $4, next_attempt_at = null where account_id = $1 and id = any($2::uuid[])
   returning id, domain_id, stream, sandbox, tag`,
)
