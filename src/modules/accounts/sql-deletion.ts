// The statements of deleting an account.

import { statement } from '../../platform/db.ts'

export const hasOperators = statement(
  'accounts_has_operators',
  'select exists (select from dashboard_user where account_id = $1 and operator) as found',
)
export const endAccess = [
  statement('accounts_end_keys', 'delete from api_key where account_id = $1'),
  statement('accounts_end_smtp', 'delete from smtp_credential where account_id = $1'),
  statement('accounts_end_setup_tokens', 'delete from setup_token where account_id = $1'),
  statement('accounts_end_users', 'delete from dashboard_user where account_id = $1'),
  statement('accounts_end_visits', 'update dashboard_session set acting_id = null where acting_id = $1'),
]
export const markDeleted = statement(
  'accounts_mark_deleted',
  `update account set deleted_at = $2, suspended_at = coalesce(suspended_at, $2), erase_at = $3, email = '', name = '',
     company = null, limits = '{}', features = '{}' where account_id = $1`,
)
export const claim = statement(
  'accounts_claim_erasure',
  `update account set erase_at = $2 where account_id = (
     select account_id from account where erase_at <= $1 order by erase_at limit 1 for update skip locked)
   returning account_id, created_at, deleted_at, erased_at`,
)
export const note = statement(
  'accounts_note_erasure',
  'update account set erase_at = $2, erased_at = coalesce(erased_at, $3) where account_id = $1',
)
