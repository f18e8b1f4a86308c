// Resolves a session's cookie to its person, for endpoints that act for a person and not for a key.
//
// An operator may look into another account: the session then acts for that account with an owner's rights, but remains
// the operator's. The person's own settings (password, second factor, sessions) stay theirs whatever account they look into.

import type { UncheckedRequest } from '../../platform/http.ts'
import { errors } from './errors.ts'
import type { Operator } from './operator-actions.ts'
import { assertAccountOfPage } from './session-roles.ts'
import type { Sessions } from './sessions.ts'
import type { FoundSession } from './sql-users.ts'

export type SessionCheck = (request: UncheckedRequest) => Promise<FoundSession>

/** Lets operators in. @throws ApiError not_signed_in, not_operator, cross_site_request */
export type OperatorCheck = (request: UncheckedRequest) => Promise<Operator>

export interface SessionChecks {
  /** @throws ApiError not_signed_in, cross_site_request */
  readonly person: SessionCheck
  /** @throws ApiError not_signed_in, insufficient_role, cross_site_request */
  readonly owner: SessionCheck
  /** @throws ApiError not_signed_in, not_operator, cross_site_request */
  readonly operator: SessionCheck
}

export function sessionChecks(
  sessions: Pick<Sessions, 'tokenIn' | 'isFromOurPages' | 'find' | 'noteActing'>,
): SessionChecks {
  const person: SessionCheck = async ({ method, headers }) => {
    if (!sessions.isFromOurPages(method, headers)) throw errors.cross_site_request()
    const token = sessions.tokenIn(headers.cookie)
    const found = token === null ? null : await sessions.find(token)
    if (found === null) throw errors.not_signed_in()
    return found
  }
  return {
    person,
    owner: async (request) => {
      const session = await person(request)
      assertAccountOfPage(session, request.headers)
      if (session.acting_id === null && session.role !== 'owner') throw errors.insufficient_role()
      await sessions.noteActing(session, request)
      return session
    },
    operator: async (request) => {
      const session = await person(request)
      if (!session.operator) throw errors.not_operator()
      return session
    },
  }
}

/** For the other modules. */
export function operatorCheck(
  sessions: Pick<Sessions, 'tokenIn' | 'isFromOurPages' | 'find' | 'noteActing'>,
): OperatorCheck {
  const { operator } = sessionChecks(sessions)
  return async (request) => ({ email: (await operator(request)).email, ip: request.ip })
}
