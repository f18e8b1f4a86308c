// The statements of requests to erase what was sent to a recipient.

import { statement } from '../../platform/db.ts'

const COLUMNS = 'id, recipient as email, emails_canceled, emails_erased, created_at, completed_at'

/** $1 account, $2 id, $3 address, $4 key, $5 emails canceled, $6 now, $7 when it is due, and until when it covers what is accepted. An open request for the address goes on. */
export const REQUEST = statement(
  'suppression_request_erasure',
  `insert into recipient_erasure as r (account_id, id, recipient, key_id, emails_canceled, created_at, due_at, covers_until)
   values ($1, $2, $3, $4, $5, $6, $7, $7)
   on conflict (account_id, recipient) where completed_at is null
   do update set emails_canceled = r.emails_canceled + excluded.emails_canceled, due_at = excluded.due_at,
     covers_until = excluded.covers_until
   returning ${COLUMNS}`,
)
export const LIST = statement(
  'suppression_list_erasures',
  `select ${COLUMNS} from recipient_erasure where account_id = $1 order by id desc limit $2 offset $3`,
)
export const COUNT = statement(
  'suppression_count_erasures',
  'select count(*)::int as total from recipient_erasure where account_id = $1',
)
export const READ = statement(
  'suppression_read_erasure',
  `select ${COLUMNS} from recipient_erasure where account_id = $1 and id = $2`,
)
/** $1 now, $2 until when the request is this worker's. */
export const CLAIM = statement(
  'suppression_claim_erasure',
  `update recipient_erasure set due_at = $2 where (account_id, id) = (
     select account_id, id from recipient_erasure where due_at <= $1 order by due_at limit 1 for update skip locked)
   returning account_id, id, recipient, covers_until`,
)
export const COUNT_CANCELED = statement(
  'suppression_count_canceled',
  'update recipient_erasure set emails_canceled = emails_canceled + $3 where account_id = $1 and id = $2',
)
export const COUNT_ERASED = statement(
  'suppression_count_erased',
  'update recipient_erasure set emails_erased = emails_erased + $3 where account_id = $1 and id = $2',
)
/** $3 when it is due next; null: it is completed, $4 now, $5 until when it covers what is accepted, as claimed. */
export const NOTE = statement(
  'suppression_note_erasure',
  `update recipient_erasure set due_at = $3,
     completed_at = case when $3::timestamptz is null then $4::timestamptz end,
     recipient = case when $3::timestamptz is not null then recipient end
   where account_id = $1 and id = $2 and completed_at is null and covers_until = $5`,
)
