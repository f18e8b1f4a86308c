import { defineErrors } from '../../platform/errors.ts'

export const errors = defineErrors({
  not_found: [404, 'Not found'],
})
