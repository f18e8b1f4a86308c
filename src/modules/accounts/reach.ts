// How far a key reaches. What holds for the whole account is changed by no key that is bound to some of its domains.

import type { Principal } from '../../platform/http.ts'
import { errors } from './errors.ts'

/** @throws ApiError insufficient_scope */
export function assertWholeAccount({ domainIds }: Pick<Principal, 'domainIds'>, message: string): void {
  if (domainIds !== null) throw errors.insufficient_scope({ required_scope: 'full' }, { message })
}
