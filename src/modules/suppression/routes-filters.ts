// The query filters, shared by each list and its export.

import { type Static, Type } from 'typebox'
import { FromDate, named, ToDate } from '../../platform/http.ts'
import { REASONS } from './import.ts'
import type { ListFilter, SuppressionFilter } from './lists.ts'
import type { SuppressionReason } from './may-we-send.ts'

export const MAX_ADDRESS_CHARS = 1_100

export const Reason = named('SuppressionReason', Type.Union(REASONS.map((reason) => Type.Literal(reason))))
export const ListFilters = Type.Object({
  search: Type.Optional(Type.String({ maxLength: MAX_ADDRESS_CHARS, pattern: '^[^\\u0000]*$' })),
  from_date: FromDate,
  to_date: ToDate,
  include_sandbox: Type.Boolean({ default: false, description: 'Whether entries of sandbox emails are included.' }),
})
export const SuppressionFilters = Type.Object({ ...ListFilters.properties, reason: Type.Optional(Reason) })

export function filterOf(query: Static<typeof ListFilters>): ListFilter {
  return {
    includeSandbox: query.include_sandbox,
    search: query.search === undefined || query.search === '' ? null : query.search,
    fromDate: query.from_date ?? null,
    toDate: query.to_date ?? null,
  }
}

export function suppressionFilterOf(query: Static<typeof SuppressionFilters>): SuppressionFilter {
  return { ...filterOf(query), reason: (query.reason ?? null) as SuppressionReason | null }
}
