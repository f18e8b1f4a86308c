// Tracks whether all acknowledged unsubscribes are in the database. While the database is down, each process keeps them in its
// own journal (intake.ts). Once it is back, nothing may be sent until the journals of all running processes have been handed
// on.
//
// Every process has a row, and claims there about once a second when its journal was last empty. It takes that moment from the
// database's clock before it checks the journal, so a statement that hangs on its way claims only what was true when it left.
// A process that saw the database down, or another's claim older than 3 s, or has just started, waits until each row claims a
// later moment. A row silent for 6 s belongs to a process that is not running: a lost machine costs the others these 6 s, once
// and after each outage, for a day. A process that is still handing on says so, and is waited for, at most 5 minutes.
//
// A claim or a sign of life from the future dates from before the database's clock was put back, and counts as old.
//
// A dead process of the same folder is detected by its process id. Its journal is handed on before its row is deleted and
// before anything is claimed again.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import * as sql from './sql-journals.ts'

export interface JournalWatch {
  /** Since when the database holds all journaled unsubscribes, in monotonic milliseconds; null: it may not. */
  knownSince(): number | null
  /** Reports that the database was just down. */
  databaseWasAway(): void
  /** Call about once a second, after the own journal has been handed on. Rejects while the database is down. */
  look(): Promise<void>
  /** Call every few seconds while the own journal is being handed on. Rejects while the database is down. */
  busy(): Promise<void>
  /** Tells the judges up to when this process's hits are in the database. Null: all but the latest. */
  hitsUntil(db: Db, until: Date | null): Promise<void>
  /** Deletes the own row. */
  leave(): Promise<void>
}

export interface JournalWatchOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  /** The folder of the journal. */
  readonly folder: string
  /** Whether the own journal may hold something. */
  readonly waiting: () => boolean
  /** Called when a process of the folder has died; `waiting` must be true until its journal is handed on. */
  readonly inherit: () => void
  /** A process silent for this long is not running. 6,000 when absent. */
  readonly silentMs?: number
}

const SILENT_MS = 6_000
const LATE_MS = 3_000
const BUSY_MS = 300_000
const FORGOTTEN_MS = 86_400_000
const ID_LOOKS = 20
const ID_LOOK_AGAIN_MS = 50
const OLD = Number.POSITIVE_INFINITY

export function journalWatch(options: JournalWatchOptions): JournalWatch {
  const { database, clock, ids, folder, waiting, inherit, silentMs = SILENT_MS } = options
  const { system } = database
  const own = ids.next()
  let folderId: string | null = null
  let knownSince: number | null = null
  /** By the database's clock; null: no look has succeeded since the database was last away. */
  let backAt: Date | null = null
  let outages = 0
  /** The dead processes of this folder whose journals are handed on before the next look. */
  let inherited: ReadonlySet<string> = new Set()
  /** Rows deleted as dead. One that reappears is alive: its process id belongs to another container. */
  const buried = new Set<string>()
  /** Processes that are not waited for, with their last claim. */
  let givenUp: ReadonlyMap<string, number> = new Map()
  const databaseWasAway = (): void => {
    knownSince = null
    backAt = null
    outages++
  }
  const checkIn = async (clearAt: Date | null): Promise<void> => {
    folderId ??= await idOf(folder, ids)
    await system.execute(sql.checkIn, [own, folderId, process.pid, clearAt])
  }
  /** The rows of the other processes, without the dead ones whose journals are handed on. Null: some are not handed on yet. */
  const others = async (now: Date): Promise<readonly sql.JournalRow[] | null> => {
    folderId ??= await idOf(folder, ids)
    const here = folderId
    const rows = (await system.query<sql.JournalRow>(sql.journals)).filter(({ id }) => id !== own)
    const dead = rows.filter(({ id, folder_id, pid }) => folder_id === here && !isRunning(pid) && !buried.has(id))
    if (dead.some(({ id }) => !inherited.has(id))) {
      inherited = new Set(dead.map(({ id }) => id))
      inherit()
      return null
    }
    const gone = rows.filter((row) => dead.includes(row) || msBetween(lastWord(row), now) > FORGOTTEN_MS)
    if (gone.length > 0) await system.execute(sql.forgetJournals, [gone.map(({ id }) => id)])
    for (const { id } of dead) buried.add(id)
    return rows.filter((row) => !gone.includes(row))
  }
  const isLate = ({ id, clear_at: clearAt }: sql.JournalRow, now: Date): boolean =>
    ageMs(clearAt, now) > LATE_MS && givenUp.get(id) !== clearAt.getTime()
  const judge = (rows: readonly sql.JournalRow[], now: Date): void => {
    if (knownSince !== null && !rows.some((row) => isLate(row, now))) return
    knownSince = null
    const since = backAt === null || ageMs(backAt, now) === OLD ? now : backAt
    backAt = since
    const waitedMs = msBetween(since, now)
    const isGone = (row: sql.JournalRow): boolean =>
      waitedMs >= silentMs && (ageMs(lastWord(row), now) >= silentMs || waitedMs >= BUSY_MS)
    const open = rows.filter(({ clear_at: clearAt }) => clearAt < since || ageMs(clearAt, now) === OLD)
    if (!open.every(isGone)) return
    givenUp = new Map(open.map(({ id, clear_at: clearAt }) => [id, clearAt.getTime()]))
    knownSince = clock.monotonicMs()
    backAt = null
  }
  const look = async (): Promise<void> => {
    const before = outages
    const now = (await system.one<{ now: Date }>(sql.timeOfDay))?.now ?? clock.now()
    const rows = waiting() ? null : await others(now)
    if (rows === null || waiting()) {
      databaseWasAway()
      await checkIn(null)
      return
    }
    await checkIn(now)
    if (outages === before) judge(rows, now)
  }
  return {
    knownSince: () => (waiting() ? null : knownSince),
    databaseWasAway,
    look: async () => {
      try {
        await look()
      } catch (error) {
        databaseWasAway()
        throw error
      }
    },
    busy: () => checkIn(null),
    hitsUntil: async (db, until) => {
      await db.execute(sql.hitsUntil, [own, until])
    },
    leave: async () => {
      await system.execute(sql.forgetJournals, [[own]])
    },
  }
}

function lastWord({ clear_at: clearAt, seen_at: seenAt }: sql.JournalRow): Date {
  return clearAt > seenAt ? clearAt : seenAt
}

/** A time from the future is older than any: the database's clock has been put back since. */
function ageMs(at: Date, now: Date): number {
  const ms = msBetween(at, now)
  return ms < -LATE_MS ? OLD : ms
}

function msBetween(from: Date, to: Date): number {
  return to.getTime() - from.getTime()
}

/** The id of the folder, kept in a file in it: processes of the same folder hand on each other's journals. */
async function idOf(folder: string, ids: Ids): Promise<string> {
  const file = path.join(folder, 'id')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const made = ids.next()
  await writeFile(file, made, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  for (let look = 0; look < ID_LOOKS; look++) {
    const kept = (await readFile(file, 'utf8')).trim()
    if (/^[0-9a-f-]{36}$/.test(kept)) return kept
    // Another process is writing it.
    await delay(ID_LOOK_AGAIN_MS)
  }
  // A crash cut the file short, so nobody has used the id.
  await writeFile(file, made, { mode: 0o600 })
  return made
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
