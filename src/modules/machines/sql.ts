import { type Db, statement } from '../../platform/db.ts'

const MAY_RUN_SECONDS = 60
/** Three beats. */
export const SILENT_AFTER_SECONDS = 30

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
  /** Numbers of secrets: the newest one that the process holds, and the one that it uses. */
  readonly secret_held: number
  readonly secret_used: number
  /** Those that must be the same in all processes, by name, as far as this one uses them. */
  readonly settings: Readonly<Record<string, string>>
}

const BEAT = statement(
  'machines_beat',
  `insert into machine (id, host, pid, roles, version, started_at, seen_at, loop_delay_ms, memory_bytes, secret_held, secret_used,
     settings)
   values ($1, $2, $3, $4, $5, $6, now(), $7, $8, $9, $10, $11)
   on conflict (id) do update set seen_at = now(), loop_delay_ms = excluded.loop_delay_ms,
     memory_bytes = excluded.memory_bytes, secret_held = excluded.secret_held, secret_used = excluded.secret_used,
     stopped_at = null`,
)
const STOP = statement('machines_stop', 'update machine set stopped_at = now() where id = $1')
const FORGET = statement('machines_forget', `delete from machine where seen_at < now() - $1 * interval '1 second'`)
const LIST = statement(
  'machines_list',
  `select id, host, pid, roles, version, started_at, seen_at, loop_delay_ms, memory_bytes, stopped_at, secret_held, secret_used,
     extract(epoch from now() - seen_at)::float8 as silent_seconds
   from machine order by stopped_at is not null, host, started_at, id limit $1`,
)

export type Beat = Omit<MachineRow, 'seen_at' | 'stopped_at'>
type ListedMachine = Omit<MachineRow, 'settings'>

export async function beat(db: Db, row: Beat): Promise<void> {
  const { id, host, pid, roles, version, started_at, loop_delay_ms, memory_bytes } = row
  const values = [id, host, pid, roles, version, started_at, loop_delay_ms, memory_bytes]
  await db.execute(BEAT, [...values, row.secret_held, row.secret_used, JSON.stringify(row.settings)])
}

export async function stopMachine(db: Db, id: string): Promise<void> {
  await db.execute(STOP, [id])
}

export async function forgetMachines(db: Db, silentSeconds: number): Promise<void> {
  await db.execute(FORGET, [silentSeconds])
}

/** Running processes first. `silent_seconds`: time since the last beat, by the database's clock. */
export function listMachines(
  db: Db,
  limit: number,
): Promise<readonly (ListedMachine & { readonly silent_seconds: number })[]> {
  return db.query(LIST, [limit])
}

const ROLES = statement(
  'machines_roles',
  `select distinct unnest(roles) as role from machine
   where stopped_at is null and seen_at > now() - $1 * interval '1 second'`,
)

/** The roles that at least one process runs at present; empty when no process runs. */
export async function runningRoles(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ role: string }>(ROLES, [SILENT_AFTER_SECONDS])
  return new Set(rows.map(({ role }) => role))
}

export interface Running {
  readonly host: string
  readonly pid: number
  /** Time since the last beat. */
  readonly silent_seconds: number
}

const BEHIND = statement(
  'machines_behind',
  `select host, pid, extract(epoch from now() - seen_at)::float8 as silent_seconds from machine
   where stopped_at is null and seen_at > now() - $3 * interval '1 second'
     and case $2 when 'held' then secret_held else secret_used end < $1
   order by host, pid`,
)

/** The processes that may run and do not yet hold, or use, this secret. A silent one counts as running for a minute. */
export function runningBehind(db: Db, number: number, by: 'held' | 'used'): Promise<readonly Running[]> {
  return db.query(BEHIND, [number, by, MAY_RUN_SECONDS])
}

export interface StatedSetting {
  readonly setting: string
  readonly value: string
  /** `host:pid` of each. */
  readonly processes: readonly string[]
}

const STATED = statement(
  'machines_stated_settings',
  `select setting, value, array_agg(host || ':' || pid order by host, pid) as processes
   from machine cross join lateral jsonb_each_text(settings) as s(setting, value)
   where stopped_at is null and seen_at > now() - $1 * interval '1 second'
   group by setting, value order by setting, value`,
)

/** What the running processes state: a row for each value of a setting. */
export function statedSettings(db: Db): Promise<readonly StatedSetting[]> {
  return db.query(STATED, [SILENT_AFTER_SECONDS])
}

export const HOSTNAMES_CHANNEL = 'posthorn_hostnames'

const USE_HOSTNAME = statement(
  'machines_use_hostname',
  `with used as (
     insert into hostname (name, used_at) values ($1, now())
     on conflict (name) do update set used_at = now() where hostname.used_at < now() - interval '1 hour'
     returning xmax = 0 as is_new)
   select pg_notify('${HOSTNAMES_CHANNEL}', '') from used where is_new`,
)
const FORGET_HOSTNAMES = statement('machines_forget_hostnames', 'delete from hostname where used_at < $1')
const HOSTNAMES = statement('machines_hostnames', 'select name from hostname')

/** Writes at most once an hour, and tells all processes when the name is new. @param name in lower case */
export async function useHostname(db: Db, name: string): Promise<void> {
  await db.execute(USE_HOSTNAME, [name])
}

export function deleteHostnames(db: Db, usedBefore: Date): Promise<number> {
  return db.execute(FORGET_HOSTNAMES, [usedBefore])
}

/** In lower case. */
export async function listHostnames(db: Db): Promise<readonly string[]> {
  const rows = await db.query<{ name: string }>(HOSTNAMES, [])
  return rows.map(({ name }) => name)
}

export interface SettledTime {
  /** What deletions count from. */
  readonly settledAt: Date
  readonly seenAt: Date
  /** The time of day when it was first found ahead of what deletions count from; null: it is not. */
  readonly doubtedSince: Date | null
}

const SETTLED_TIME = `select settled_at as "settledAt", seen_at as "seenAt", doubted_since as "doubtedSince" from settled_time`
const READ_SETTLED_TIME = statement('machines_settled_time', SETTLED_TIME)
const LOCK_SETTLED_TIME = statement('machines_lock_settled_time', `${SETTLED_TIME} for update`)
const SET_SETTLED_TIME = statement(
  'machines_set_settled_time',
  `insert into settled_time (settled_at, seen_at, doubted_since) values ($1, $2, $3)
   on conflict (is_row) do update
   set settled_at = excluded.settled_at, seen_at = excluded.seen_at, doubted_since = excluded.doubted_since`,
)

/** Null: no deletion has asked for it yet. */
export function readSettledTime(db: Db): Promise<SettledTime | null> {
  return db.one<SettledTime>(READ_SETTLED_TIME, [])
}

export function lockSettledTime(db: Db): Promise<SettledTime | null> {
  return db.one<SettledTime>(LOCK_SETTLED_TIME, [])
}

export async function setSettledTime(db: Db, { settledAt, seenAt, doubtedSince }: SettledTime): Promise<void> {
  await db.execute(SET_SETTLED_TIME, [settledAt, seenAt, doubtedSince])
}
