import { defineErrors } from '../../platform/errors.ts'

export const errors = defineErrors({
  not_found: [404, 'Not found'], // also for another account's domain: a 403 would reveal that it exists
  already_exists: [409, 'This account already has that domain'],
  invalid_state: [409, 'The operator of this service suspended the domain; contact them'],
})
