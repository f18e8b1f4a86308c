// A key bound to some domains may not change what applies to the whole account.

import type { Principal } from '../../platform/http.ts'
import { errors } from './errors.ts'

/** @throws ApiError insufficient_scope */
export function assertWholeAccount({ domainIds }: Pick<Principal, 'domainIds'>, message: string): void {
  if (domainIds !== null) throw errors.insufficient_scope({ required_scope: 'full' }, { message })
}
