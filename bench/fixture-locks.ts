// Samples every 50 ms who waits for whom in the database, and how long locks are held.

import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

const EVERY_MS = 50

// $1: the application name of the watched connections. A lock is held no longer than its transaction lasts.
const LOOK = `
  with locks as materialized (
    select pid, mode, granted, waitstart, relation from pg_locks where not granted or mode in
      ('AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock', 'ShareUpdateExclusiveLock')),
   active as materialized (select pid, application_name, xact_start, query from pg_stat_activity where state <> 'idle')
   select
     (select max(extract(epoch from clock_timestamp() - xact_start)) * 1000 from active where application_name = $1)::float8
       as transaction,
     (select max(extract(epoch from clock_timestamp() - a.xact_start)) * 1000 from locks l join active a using (pid)
       where l.granted and l.relation is not null and a.application_name = $1)::float8 as strong,
     w.ms::float8 as wait, w.watched, w.what
   from (select 1) one left join lateral (
     select extract(epoch from clock_timestamp() - l.waitstart) * 1000 as ms, a.application_name = $1 as watched,
       l.mode || ' on ' || coalesce(l.relation::regclass::text, 'a transaction') || ', held by '
         || coalesce((select string_agg(b.application_name || ': ' || left(b.query, 80), '; ') from active b
           where b.pid = any(pg_blocking_pids(l.pid))), 'nobody any more') || ', asked by ' || left(a.query, 80) as what
     from locks l join active a using (pid) where not l.granted and l.waitstart is not null order by l.waitstart limit 1) w on true`

interface Look {
  readonly transaction: number | null
  readonly strong: number | null
  readonly wait: number | null
  readonly watched: boolean | null
  readonly what: string | null
}

/** Milliseconds, each the maximum seen. */
export interface Locks {
  readonly looks: number
  /** Time between two samples. */
  gapMs: number
  /** A transaction of a watched connection, and so any of its locks. */
  transactionMs: number
  /** A transaction that held a lock which keeps others out of a table. */
  strongMs: number
  /** Time that a watched connection waited for a lock. */
  ownWaitMs: number
  /** Time that any other connection waited for a lock. */
  othersWaitMs: number
  longestWait: string
}

/** @param url of a superuser @param name application name of the watched connections @returns stops watching and reports */
export async function watchLocks(url: string, name: string): Promise<() => Promise<Locks>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const most = { looks: 0, gapMs: 0, transactionMs: 0, strongMs: 0, ownWaitMs: 0, othersWaitMs: 0, longestWait: '' }
  let watching = true
  let last = performance.now()
  const watch = async (): Promise<void> => {
    while (watching) {
      const [look] = (await client.query<Look>({ name: 'look', text: LOOK, values: [name] })).rows
      const now = performance.now()
      if (most.looks++ > 0) most.gapMs = Math.max(most.gapMs, now - last)
      last = now
      most.transactionMs = Math.max(most.transactionMs, look?.transaction ?? 0)
      most.strongMs = Math.max(most.strongMs, look?.strong ?? 0)
      const wait = look?.wait ?? 0
      if (wait > Math.max(most.ownWaitMs, most.othersWaitMs)) most.longestWait = look?.what ?? ''
      if (look?.watched === true) most.ownWaitMs = Math.max(most.ownWaitMs, wait)
      else most.othersWaitMs = Math.max(most.othersWaitMs, wait)
      await delay(Math.max(0, EVERY_MS - (performance.now() - now)))
    }
    await client.end()
  }
  const watched = watch()
  return async () => {
    watching = false
    await watched
    const { gapMs, transactionMs, strongMs, ownWaitMs, othersWaitMs } = most
    const whole = Object.entries({ gapMs, transactionMs, strongMs, ownWaitMs, othersWaitMs }).map(([of, ms]) => [
      of,
      Math.round(ms),
    ])
    return { ...most, ...Object.fromEntries(whole) }
  }
}
