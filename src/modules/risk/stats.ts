// Results of previews. A preview is counted in the transaction that consumes its credit, so the counts and the quota agree:
// a later failure undoes both.

import type { Db } from '../../platform/db.ts'
import * as sql from './sql.ts'
import type { Verdict } from './verdict.ts'

/** @param month `YYYY-MM-01` */
export async function countPreview(db: Db, accountId: string, month: string, found: Verdict): Promise<void> {
  const { action, level, reasonCode, score } = found
  await db.query(sql.countPreview, [accountId, month, action, level, reasonCode ?? '', score])
}

export interface PreviewStats {
  readonly total: number
  readonly byAction: Readonly<Record<string, number>>
  readonly byLevel: Readonly<Record<string, number>>
  /** Most frequent first, at most ten. */
  readonly topReasons: readonly { readonly reason_code: string; readonly count: number }[]
  /** Null when there were no previews. */
  readonly averageScore: number | null
}

const TOP_REASONS = 10

/** @param month `YYYY-MM-01` */
export async function previewStats(db: Db, accountId: string, month: string): Promise<PreviewStats> {
  const rows = await db.query<sql.PreviewCountRow>(sql.previewCounts, [accountId, month])
  const byAction: Record<string, number> = { allow: 0, warn: 0, soft_block: 0, block: 0 }
  const byLevel: Record<string, number> = { safe: 0, low: 0, medium: 0, high: 0 }
  const byReason = new Map<string, number>()
  let total = 0
  let scores = 0
  for (const { action, level, reason, previews, score_sum: scoreSum } of rows) {
    total += previews
    scores += scoreSum
    byAction[action] = (byAction[action] ?? 0) + previews
    byLevel[level] = (byLevel[level] ?? 0) + previews
    if (reason !== '') byReason.set(reason, (byReason.get(reason) ?? 0) + previews)
  }
  const topReasons = [...byReason]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, TOP_REASONS)
    .map(([code, count]) => ({ reason_code: code, count }))
  return {
    total,
    byAction,
    byLevel,
    topReasons,
    averageScore: total === 0 ? null : Math.round((scores / total) * 10) / 10,
  }
}
