import { defineErrors } from '../../platform/errors.ts'

export const errors = defineErrors({
  rate_limit_exceeded: [429, 'This account has too many open event streams'],
})
