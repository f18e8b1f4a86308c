import { statement } from '../../platform/db.ts'

export const countPreview = statement(
  'risk_count_preview',
  `insert into risk_preview_count as c (account_id, month, action, level, reason, previews, score_sum)
   values ($1, $2::date, $3, $4, $5, 1, $6)
   on conflict (account_id, month, action, level, reason) do update
     set previews = c.previews + 1, score_sum = c.score_sum + excluded.score_sum`,
)

export interface PreviewCountRow {
  readonly action: string
  readonly level: string
  readonly reason: string
  readonly previews: number
  readonly score_sum: number
}
export const previewCounts = statement(
  'risk_preview_counts',
  `select action, level, reason, previews, score_sum from risk_preview_count where account_id = $1 and month = $2::date`,
)
