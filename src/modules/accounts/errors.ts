// The errors of this module (contract section 2).

import { defineErrors, type ErrorKind } from '../../platform/errors.ts'

export const errors = defineErrors({
  missing_api_key: [401, 'An API key is required: X-API-Key or Authorization: Bearer'],
  invalid_api_key: [401, 'The API key is not valid'],
  api_key_expired: [401, 'The API key has expired'],
  api_key_revoked: [401, 'The API key has been revoked'],
  ip_not_allowed: [403, 'The API key cannot be used from this IP address'],
  account_suspended: [403, 'The account is suspended: it can read, but not write or send'],
  insufficient_scope: [403, 'The API key does not have the required scope'],
  plan_required: [403, "The account's plan does not include this"],
  feature_not_enabled: [403, 'This feature is not enabled for the account'],
  invalid_credentials: [401, 'The email address, password or code is incorrect'],
  second_factor_required: [401, 'A second-factor code is required'],
  second_factor_in_force: [409, 'A second factor is already set up; remove it first'],
  not_signed_in: [401, 'Nobody is signed in'],
  insufficient_role: [403, 'Only an owner of the account can do this'],
  not_operator: [403, 'Only an operator of this installation can do this'],
  invalid_token: [401, 'The set-up token is no longer valid; posthorn operator token prints a new one'],
  cross_site_request: [403, 'The request does not come from a page of this service'],
  last_owner: [409, 'The account must keep at least one owner'],
  already_exists: [409, 'The account already has a user with that address'],
  not_found: [404, 'Not found'],
  invalid_state: [409, 'The API key is revoked'],
  rate_limit_exceeded: [429, 'Too many requests'],
  quota_exceeded: [429, 'The monthly quota is used up'],
})

/** The errors every metered endpoint lists. */
export const quotaErrors: readonly ErrorKind[] = [errors.quota_exceeded]
