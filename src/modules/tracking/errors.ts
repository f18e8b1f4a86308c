import { defineErrors } from '../../platform/errors.ts'

export const errors = defineErrors({
  not_found: [404, 'Not found'], // also for another account's: a 403 would reveal that it exists
  already_exists: [409, 'This account already has that tracking domain'],
  tracking_domain_in_use: [409, 'Sending domains use this tracking domain; force=true detaches it from them'],
})
