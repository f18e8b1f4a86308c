import { defineErrors } from '../../platform/errors.ts'

export const errors = defineErrors({
  webhook_limit_reached: [403, 'The account has as many webhook endpoints as its plan allows'],
  not_found: [404, 'Not found'],
  invalid_state: [409, 'The endpoint is not active'],
})
