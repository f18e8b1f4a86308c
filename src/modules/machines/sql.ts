import { type Db, statement } from '../../platform/db.ts'

export interface MachineRow {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly roles: readonly string[]
  readonly version: string
  readonly started_at: Date
  readonly seen_at: Date
  readonly loop_delay_ms: number
  readonly memory_bytes: number
  readonly stopped_at: Date | null
}

const BEAT = statement(
  'machines_beat',
  `insert into machine (id, host, pid, roles, version, started_at, seen_at, loop_delay_ms, memory_bytes)
   values ($1, $2, $3, $4, $5, $6, now(), $7, $8)
   on conflict (id) do update set seen_at = now(), loop_delay_ms = excluded.loop_delay_ms,
     memory_bytes = excluded.memory_bytes, stopped_at = null`,
)
const STOP = statement('machines_stop', 'update machine set stopped_at = now() where id = $1')
const FORGET = statement('machines_forget', `delete from machine where seen_at < now() - $1 * interval '1 second'`)
const LIST = statement(
  'machines_list',
  `select id, host, pid, roles, version, started_at, seen_at, loop_delay_ms, memory_bytes, stopped_at,
     extract(epoch from now() - seen_at)::float8 as silent_seconds
   from machine order by stopped_at is not null, host, started_at, id limit $1`,
)

export type Beat = Omit<MachineRow, 'seen_at' | 'stopped_at'>

export async function beat(db: Db, row: Beat): Promise<void> {
  const { id, host, pid, roles, version, started_at, loop_delay_ms, memory_bytes } = row
  await db.execute(BEAT, [id, host, pid, roles, version, started_at, loop_delay_ms, memory_bytes])
}

export async function stopMachine(db: Db, id: string): Promise<void> {
  await db.execute(STOP, [id])
}

export async function forgetMachines(db: Db, silentSeconds: number): Promise<void> {
  await db.execute(FORGET, [silentSeconds])
}

/** Those that run first. `silent_seconds`: since the last beat, by the clock of the database. */
export function listMachines(
  db: Db,
  limit: number,
): Promise<readonly (MachineRow & { readonly silent_seconds: number })[]> {
  return db.query(LIST, [limit])
}
