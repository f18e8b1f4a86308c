// The statements of retention, and of what a deleted account leaves.

import { statement } from '../../platform/db.ts'

export const ensurePartitions = statement(
  'outbox_ensure_partitions',
  `select ensure_partitions(t::regclass, true, $1::date, $2) from unnest(array['email', 'email_body', 'email_body_piece', 'attempt']) as t`,
)
export const dropEmails = statement('outbox_drop_emails', `select drop_partition('email', $1::date) as day`)
export const dropBodies = statement('outbox_drop_bodies', `select drop_partition('email_body', $1::date) as day`)
export const dropPieces = statement('outbox_drop_pieces', `select drop_partition('email_body_piece', $1::date) as day`)
export const dropAttempts = statement('outbox_drop_attempts', `select drop_partition('attempt', $1::date) as day`)
export const oldestUnended = statement(
  'outbox_oldest_unended',
  'select account_id, min(id::text) as id from queue where id < $1 group by account_id',
)
// The last id, in id order, of a batch of the emails of [$2, $3): at most $4 of them, of which all but the last have fewer than $5
// bytes together.
export const forgottenUpTo = statement(
  'outbox_forgotten_up_to',
  `select id from (
     select id, row_number() over (order by id) as n, sum(size_bytes) over (order by id) as bytes from (
       select id, size_bytes from email where account_id = $1 and id >= $2 and id < $3 order by id limit $4) as taken
   ) as summed where n = $4 or bytes >= $5 order by id limit 1`,
)
export const forgetBodies = statement(
  'outbox_forget_bodies',
  'delete from email_body where account_id = $1 and id >= $2 and id < $3',
)
export const forgetPieces = statement(
  'outbox_forget_pieces',
  'delete from email_body_piece where account_id = $1 and id >= $2 and id < $3',
)
export const forgetAttempts = statement(
  'outbox_forget_attempts',
  'delete from attempt where account_id = $1 and email_id >= $2 and email_id < $3',
)
export const forgetQueued = statement(
  'outbox_forget_queued',
  'delete from queue where account_id = $1 and id >= $2 and id < $3 and state <> 1',
)
// Reads the whole queue; asked for deleted accounts alone.
export const hasLeased = statement(
  'outbox_has_leased',
  'select 1 as found from queue where account_id = $1 and state = 1 limit 1',
)
export const hasEmails = statement('outbox_has_emails', 'select 1 as found from email where account_id = $1 limit 1')
export const forgetEmails = statement(
  'outbox_forget_emails',
  'delete from email where account_id = $1 and id >= $2 and id < $3',
)

// --- erasing a recipient

export const lockErasing = statement(
  'outbox_lock_erasing',
  `select pg_advisory_xact_lock(hashtextextended('erasing ' || $1::text, 0))`,
)
/** The next emails to the mailbox $2 after the id $3 and before $4; `waits`: it is queued or being attempted. */
export const lockTo = statement(
  'outbox_lock_to',
  `select e.id, exists (select from queue q where q.id = e.id) as waits from email e
   where e.account_id = $1 and e.recipient_key = $2 and e.id > $3 and e.id < $4 order by e.id limit $5 for update of e`,
)
// A content is kept for the other recipients of the same message.
const UNSHARED = `select e.body_id from email e where e.account_id = $1 and e.id = any($2) and not exists (
     select from email o where o.account_id = $1 and o.message_id = e.message_id and o.body_id = e.body_id and o.id <> all($2))`
export const eraseEmails = [
  statement('outbox_erase_bodies', `delete from email_body where account_id = $1 and id in (${UNSHARED})`),
  statement('outbox_erase_pieces', `delete from email_body_piece where account_id = $1 and id in (${UNSHARED})`),
  statement('outbox_erase_attempts', 'delete from attempt where account_id = $1 and email_id = any($2)'),
  statement('outbox_erase_emails', 'delete from email where account_id = $1 and id = any($2)'),
]
