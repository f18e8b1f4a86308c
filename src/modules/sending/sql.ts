import { statement } from '../../platform/db.ts'

// In the order of the keys, so that two groups that hold the same keys wait for one another instead of locking up. A
// key that is running in another process makes this one wait for its commit, and then answer the same.
export const claimKeys = statement(
  'sending_claim_keys',
  `insert into idempotency (account_id, path, key, body_hash, created_at)
   select account_id, path, key, body_hash, $5
   from unnest($1::uuid[], $2::text[], $3::text[], $4::bytea[]) as k(account_id, path, key, body_hash)
   order by account_id, path, key
   on conflict (account_id, path, key) do update
     set body_hash = excluded.body_hash, answer = null, status = null, created_at = excluded.created_at
     where idempotency.created_at < $6
   returning account_id, path, key`,
)
export const findKeys = statement(
  'sending_find_keys',
  `select i.account_id, i.path, i.key, i.body_hash, i.answer, i.status
   from unnest($1::uuid[], $2::text[], $3::text[]) as k(account_id, path, key)
   cross join lateral (select * from idempotency i where i.account_id = k.account_id and i.path = k.path and i.key = k.key) i`,
)
export const storeAnswers = statement(
  'sending_store_answers',
  `update idempotency i set answer = k.answer, status = k.status
   from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::smallint[]) as k(account_id, path, key, answer, status)
   where i.account_id = k.account_id and i.path = k.path and i.key = k.key`,
)
export const freeKeys = statement(
  'sending_free_keys',
  `delete from idempotency i using unnest($1::uuid[], $2::text[], $3::text[]) as k(account_id, path, key)
   where i.account_id = k.account_id and i.path = k.path and i.key = k.key`,
)
export const forgetKeys = statement('sending_forget_keys', 'delete from idempotency where created_at < $1')
