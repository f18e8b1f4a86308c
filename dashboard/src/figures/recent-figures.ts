// The figures of the last days, with which several pages open.

import { type Json, useApi, withQuery } from '../api/api.ts'
import { lastDays } from '../words/days.ts'

const EVERY_MS = 15_000

/** Null until they are read. `span` names the days in a sentence. */
export function useRecentFigures(days: number): { readonly figures: Json; readonly span: string } | null {
  const { data } = useApi(withQuery('/stats/outbound', lastDays(days)), { every: EVERY_MS })
  return data === undefined ? null : { figures: data.data, span: `in the last ${days} days` }
}
