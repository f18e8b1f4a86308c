import { statement } from '../../platform/db.ts'

export interface JournalRow {
  readonly id: string
  readonly folder_id: string
  readonly pid: number
  readonly clear_at: Date
  readonly seen_at: Date
}

export const journals = statement('tracking_journals', 'select id, folder_id, pid, clear_at, seen_at from journal_node')
export const timeOfDay = statement('tracking_time_of_day', 'select clock_timestamp() as now')
// A claim from the future was made before the database's clock was put back: it would hide for as long that the journal holds
// something.
/** $4 a moment at which the journal was empty; null: it may hold something. */
export const checkIn = statement(
  'tracking_journal_check_in',
  `insert into journal_node (id, folder_id, pid, clear_at, seen_at)
   values ($1, $2, $3, coalesce($4::timestamptz, 'epoch'), clock_timestamp())
   on conflict (id) do update set seen_at = excluded.seen_at, clear_at = case
     when journal_node.clear_at > clock_timestamp() then excluded.clear_at
     else greatest(journal_node.clear_at, excluded.clear_at) end`,
)
export const forgetJournals = statement(
  'tracking_forget_journals',
  'delete from journal_node where id = any($1::uuid[])',
)
export const hitsUntil = statement(
  'tracking_hits_until',
  'update journal_node set hits_until = $2, told_at = clock_timestamp() where id = $1',
)
