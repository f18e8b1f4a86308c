import { errors } from './errors.ts'
import type { DomainRow } from './sql.ts'
import { type Domain, domainOf } from './types.ts'

/** The domains of an account, or those of them that an API key is bound to. */
export interface Holder {
  readonly accountId: string
  /** Null: all. */
  readonly domainIds: readonly string[] | null
}

/** @throws not_found */
export function requireHeld({ domainIds }: Holder, id: string): void {
  if (domainIds !== null && !domainIds.includes(id.toLowerCase())) throw errors.not_found()
}

/** @throws not_found */
export function found(row: DomainRow | null): Domain {
  if (row === null) throw errors.not_found()
  return domainOf(row)
}
