import { defineErrors } from '../../platform/errors.ts'

export const errors = defineErrors({
  not_found: [404, 'Not found'],
  already_exists: [409, 'This account already has a contact with that address'],
  invalid_state: [409, 'The contact does not wait for a confirmation'],
  sender_not_verified: [422, 'The account has no domain in use to send the confirmation mail from'],
  rate_limit_exceeded: [429, 'A confirmation mail cannot be sent again now'],
})
