// What a session may do, and for which account.

import type { Principal, Requester } from '../../platform/http.ts'
import { errors } from './errors.ts'
import { SCOPES } from './scopes.ts'
import type { FoundSession, Role } from './sql-users.ts'

const READING = SCOPES.filter((scope) => scope.endsWith(':read'))

/** What a role may do, as the scopes of a key. Owners also handle users and keys. */
export const SCOPES_OF: Readonly<Record<Role, readonly string[]>> = {
  owner: ['full'],
  developer: SCOPES.filter((scope) => scope !== 'full' && scope !== 'api_keys:write' && scope !== 'smtp:write'),
  viewer: READING.filter((scope) => scope !== 'smtp:read' && scope !== 'api_keys:read'),
}

/** An operator acts as an owner in another account. */
export function roleOf({ role, acting_id }: Pick<FoundSession, 'role' | 'acting_id'>): Role {
  return acting_id === null ? role : 'owner'
}

export function principalOfSession(session: FoundSession): Principal {
  const scopes = SCOPES_OF[roleOf(session)]
  return { accountId: accountOf(session), keyId: null, mode: 'live', scopes, domainIds: null }
}

/** The account that a session acts for. */
export function accountOf({ account_id, acting_id }: Pick<FoundSession, 'account_id' | 'acting_id'>): string {
  return acting_id ?? account_id
}

/** In which the dashboard names the account that its page shows. */
const PAGE_ACCOUNT = 'x-dashboard-account'

/**
 * All tabs of a browser share one session: when it is signed in anew, or an operator opens an account, in one of them, the pages
 * of the others must not act for that account.
 *
 * @throws ApiError cross_site_request
 */
export function assertAccountOfPage(session: FoundSession, headers: Requester['headers']): void {
  const shown = headers[PAGE_ACCOUNT]
  if (shown === undefined || shown === accountOf(session)) return
  const message =
    'Another tab of this browser changed to another account, and this page shows the previous one. Nothing was changed; reload the page'
  throw errors.cross_site_request({}, { message })
}
