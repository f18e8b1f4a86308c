import { Type } from 'typebox'
import { type Answer, type AnyEndpoint, endpoint, exampleBody, IdParams, named } from '../../platform/http.ts'
import type { OperatorContext } from './accounts.ts'
import { deleteAccount } from './deletion.ts'
import { errors } from './errors.ts'
import type { Accounts } from './room.ts'
import { MAX_EMAIL_CHARS } from './schemas.ts'
import { sessionChecks } from './session-checks.ts'

/** The operator's endpoint that deletes an account. */
export function deletionRoute({ accounts }: { readonly accounts: Accounts }, context: OperatorContext): AnyEndpoint {
  return endpoint({
    method: 'POST',
    path: '/api/v1/operator/accounts/{id}/delete',
    params: IdParams,
    access: null,
    authenticate: sessionChecks(accounts.sessions).operator,
    operationId: 'deleteAccount',
    summary: 'Delete an account with all its data. This cannot be undone.',
    tag: 'Operator',
    examples: exampleBody({ confirm: 'ben@store.example' }, 'Confirmed by the address of the account'),
    body: named(
      'DeleteAccountRequest',
      Type.Object(
        {
          confirm: Type.String({
            maxLength: MAX_EMAIL_CHARS,
            description: 'The email address of the account, as a safeguard.',
          }),
        },
        { additionalProperties: false },
      ),
    ),
    answers: { 204: Type.Null() },
    errors: [
      errors.not_signed_in,
      errors.not_operator,
      errors.cross_site_request,
      errors.not_found,
      errors.invalid_state,
    ],
    handle: async (call): Promise<Answer> => {
      const by = { email: call.visitor.email, ip: call.ip }
      await deleteAccount({ ...context, by }, call.params.id, call.body.confirm)
      return { status: 204, body: null }
    },
  })
}
