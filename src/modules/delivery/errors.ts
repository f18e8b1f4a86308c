import { defineErrors } from '../../platform/errors.ts'

export const errors = defineErrors({
  not_found: [404, 'No such mail in the inbox'],
})
