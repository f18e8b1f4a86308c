import { defineErrors } from '../../platform/errors.ts'

export const errors = defineErrors({
  sender_domain_not_allowed: [
    403,
    "The sender's domain does not belong to this account or is suspended, or the key is not allowed to use it",
  ],
  sender_not_verified: [422, 'The sending domain is not verified'],
  idempotency_in_progress: [409, 'A request with this idempotency key is still running'],
  idempotency_key_reused: [422, 'This idempotency key was used with another body'],
  quota_exceeded: [429, 'The monthly quota is used up'],
  not_found: [404, 'Not found'],
  payload_too_large: [413, 'The encoded message is larger than this service accepts'],
  service_unavailable: [503, 'The service cannot accept more email right now'],
})
