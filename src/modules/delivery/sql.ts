import { matches } from '../../platform/db/sql-pattern.ts'
import { statement } from '../../platform/db.ts'

// All messages travel as one binary parameter with 1-based offsets and lengths, because an array of bytea would be sent as text.
// A single message is not cut out of it: that would copy up to 25 MB.
export const addInbox = statement(
  'delivery_add_inbox',
  `insert into inbox (id, account_id, email_id, sender, recipient, recipient_key, subject, raw, size_bytes, received_at)
   select id, account_id, email_id, sender, recipient, recipient_key, subject,
     case when length = octet_length($8::bytea) then $8::bytea else substr($8::bytea, start, length) end, length, received_at
   from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $9::int[], $10::int[],
     $11::timestamptz[])
     as m(id, account_id, email_id, sender, recipient, recipient_key, subject, start, length, received_at)
   on conflict (account_id, email_id) do nothing`,
)

const INBOX_COLUMNS = 'id, email_id, sender, recipient, subject, size_bytes, received_at'
const INBOX_FILTER = `account_id = $1 and ($2::text is null or recipient_key = $2)
  and ($3::text is null or ${matches('subject', '$3')}) and ($4::uuid is null or email_id = $4)
  and ($5::timestamptz is null or received_at >= $5) and ($6::timestamptz is null or received_at < $6)`

export const listInbox = statement(
  'delivery_list_inbox',
  `select ${INBOX_COLUMNS} from inbox where ${INBOX_FILTER} and ($7::uuid is null or id < $7)
   order by id desc limit $8 offset $9`,
)
export const countInbox = statement('delivery_count_inbox', `select count(*) as total from inbox where ${INBOX_FILTER}`)
export const oneInbox = statement(
  'delivery_one_inbox',
  `select ${INBOX_COLUMNS}, raw from inbox where account_id = $1 and id = $2`,
)
export const inboxBytes = statement(
  'delivery_inbox_bytes',
  'select size_bytes from inbox where account_id = $1 and id = $2',
)
export const deleteInbox = statement('delivery_delete_inbox', 'delete from inbox where account_id = $1 and id = $2')

/** A statement deletes so many bytes and a mail at most: large ones take their time, and a statement has 30 s. */
const DELETED_BYTES = 64 * 1_048_576
/** The first of the inbox mails `where`, as many as `limit`, whose predecessors have fewer bytes than that together. */
const few = (where: string, order: string, limit: string): string =>
  `select account_id, id from (
     select account_id, id, sum(size_bytes) over (order by ${order}) - size_bytes as bytes_before from (
       select account_id, id, size_bytes, received_at from inbox where ${where} order by ${order} limit ${limit}) as taken
   ) as summed where bytes_before < ${DELETED_BYTES}`

/** $7 below this id, $8 mails at most. Newest first. */
export const clearInbox = statement(
  'delivery_clear_inbox',
  `with page as materialized (${few(`${INBOX_FILTER} and id < $7`, 'id desc', '$8')}),
   gone as (delete from inbox where account_id = $1 and id = any(array(select id from page)) returning id)
   select (select count(*)::int from gone) as deleted, (select min(id::text) from page) as last`,
)
/** $1 received before, $2 mails at most. */
export const forgetInbox = statement(
  'delivery_forget_inbox',
  `delete from inbox where (account_id, id) in (${few('received_at < $1', 'received_at, id', '$2')})`,
)
/** $1 account, $2 mails at most. */
export const eraseAccountInbox = statement(
  'delivery_erase_account_inbox',
  `delete from inbox where (account_id, id) in (${few('account_id = $1', 'id', '$2')})`,
)
export const eraseInbox = statement(
  'delivery_erase_inbox',
  'delete from inbox where account_id = $1 and email_id = any($2)',
)
