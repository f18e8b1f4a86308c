import { defineErrors } from '../../platform/errors.ts'

export const errors = defineErrors({
  not_found: [404, 'Not found'],
  already_exists: [409, 'This account already has a contact with that address'],
  invalid_state: [409, 'The contact is not waiting for confirmation'],
  sender_not_verified: [422, 'The account has no verified domain to send the confirmation email from'],
  rate_limit_exceeded: [429, 'A confirmation email cannot be sent again yet'],
})
