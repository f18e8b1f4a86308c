import { statement } from '../../platform/db.ts'

export interface JournalRow {
  readonly id: string
  readonly folder_id: string
  readonly pid: number
  readonly clear_at: Date
  readonly now: Date
}

// The statement sees the own row as it was; the answer has it as it is.
export const checkIn = statement(
  'tracking_journal_check_in',
  `with own as (
     insert into journal_node (id, folder_id, pid, clear_at) values ($1, $2, $3, clock_timestamp())
     on conflict (id) do update set clear_at = excluded.clear_at
     returning id, folder_id, pid, clear_at)
   select id, folder_id, pid, clear_at, clock_timestamp() as now from own
   union all
   select id, folder_id, pid, clear_at, clock_timestamp() from journal_node where id <> $1`,
)
export const forgetJournals = statement(
  'tracking_forget_journals',
  'delete from journal_node where id = any($1::uuid[])',
)
export const hitsUntil = statement(
  'tracking_hits_until',
  'update journal_node set hits_until = $2, told_at = clock_timestamp() where id = $1',
)
