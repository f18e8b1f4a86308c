// What the database server reports about itself.

import { type Db, statement } from '../db.ts'

const FACTS = statement(
  'platform_server_facts',
  `select current_setting('server_version') as version, current_setting('fsync') as fsync,
     current_setting('synchronous_commit') as "synchronousCommit", current_setting('full_page_writes') as "fullPageWrites",
     current_setting('default_transaction_read_only') as "readOnly", pg_is_in_recovery() as "isStandby",
     clock_timestamp() as now`,
)
const NOW = statement('platform_now', 'select clock_timestamp() as now')
// A commit that writes to the log, and leaves nothing behind.
const EMPTY_COMMIT = statement('platform_empty_commit', `select pg_logical_emit_message(true, 'posthorn', '')`)
const BACKEND = statement('platform_backend', 'select 1 from pg_stat_activity where pid = $1')

export interface ServerFacts {
  readonly version: string
  readonly fsync: string
  readonly synchronousCommit: string
  readonly fullPageWrites: string
  /** on or off */
  readonly readOnly: string
  readonly isStandby: boolean
  /** The server's time of day. */
  readonly now: Date
}

export async function serverFacts(db: Db): Promise<ServerFacts> {
  const row = await db.one<ServerFacts>(FACTS)
  if (row === null) throw new Error('the database says nothing of itself')
  return row
}

/** The server's time of day. */
export async function databaseNow(db: Db): Promise<Date> {
  const row = await db.one<{ now: Date }>(NOW)
  if (row === null) throw new Error('the database does not tell the time')
  return row.now
}

/** Resolves when a commit has reached the disk. */
export async function commitOnce(db: Db): Promise<void> {
  await db.execute(EMPTY_COMMIT)
}

/** Whether the server process of a connection, by the pid it reported, still exists. */
export async function hasBackend(db: Db, pid: number): Promise<boolean> {
  return (await db.one(BACKEND, [pid])) !== null
}
