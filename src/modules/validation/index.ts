// The door of the room: what can be known of an address before mail goes to it.

import type { Db } from '../../platform/db.ts'
import type { AnyEndpoint } from '../../platform/http.ts'
import { type ValidationRoutesOptions, validationRoutes } from './routes.ts'
import * as sql from './sql.ts'
import { type CheckerOptions, checkerOf } from './validation.ts'

export { disposableConfidence, isAliasRelay } from './disposable.ts'
export { isRole } from './local-part.ts'
export { providerOf } from './providers.ts'

export interface ValidationRoomOptions extends CheckerOptions {
  readonly accounts: ValidationRoutesOptions['accounts']
}

export function validationRoom(options: ValidationRoomOptions): { readonly endpoints: readonly AnyEndpoint[] } {
  const { accounts, database } = options
  return { endpoints: validationRoutes({ accounts, database, checker: checkerOf(options) }) }
}

/** Takes out of what was kept what nobody may use any more. @returns the larger count of the two tables */
export async function forgetValidations(db: Db, now: Date, limit: number): Promise<number> {
  const [results, domains] = await Promise.all([
    db.execute(sql.FORGET_RESULTS, [now, limit]),
    db.execute(sql.FORGET_CATCH_ALLS, [now, limit]),
  ])
  return Math.max(results, domains)
}
