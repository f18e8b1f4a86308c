import { statement } from '../../platform/db.ts'

export const add = statement(
  'notices_add',
  `insert into notice (id, account_id, key, kind, subject, body, created_at)
   select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
   on conflict (key) do nothing`,
)
export const lockWaiting = statement(
  'notices_lock_waiting',
  `select id, account_id, kind, subject, body from notice where mailed_at is null order by id limit $1
   for update skip locked`,
)
export const mailed = statement(
  'notices_mailed',
  `update notice n set mailed_at = $3, email_id = k.email_id
   from unnest($1::uuid[], $2::uuid[]) as k(id, email_id) where n.id = k.id`,
)
export const forget = statement(
  'notices_forget',
  'delete from notice where id = any(array(select id from notice where id < $1 order by id limit $2))',
)
