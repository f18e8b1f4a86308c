import { defineErrors } from '../../platform/errors.ts'

export const emailErrors = defineErrors({
  not_found: [404, 'Not found'],
  not_cancelable: [409, 'The email has already left the queue or an attempt is running'],
  invalid_state: [409, 'The email is not in a state that allows this'],
})
