// Whether all unsubscribes that somebody was promised stand in the database. While it is away each process keeps them in a
// journal of its own (intake.ts); when it comes back nothing may be sent before the journals of the processes that are up
// have been handed on.
//
// Every process has a row, and says about once a second as of when its journal was empty: a moment of the database's clock
// that lay before it looked, so that a statement which hung on its way claims no more than was true when it left. A process
// that saw the database away, or another's claim older than 3 s, or has just begun, waits until each row claims a moment
// after that. A row that says nothing for 6 s is of a process that is not up: a machine that is gone costs the others these
// 6 s, once and after each outage, for a day. One that is still handing on says so, and is waited for, 5 minutes at most.
//
// A process of the same folder that died is noticed by its number. What it left is handed on before its row goes, and
// before anything is claimed again.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import * as sql from './sql-journals.ts'

export interface JournalWatch {
  /** Since when all that was journaled is known, in monotonic milliseconds; null: it may not be. */
  knownSince(): number | null
  /** The database was away just now. */
  doubt(): void
  /** To be called about once a second, when the own journal was handed on. Rejects while the database is away. */
  look(): Promise<void>
  /** The own journal is being handed on: to be called every few seconds. Rejects while the database is away. */
  busy(): Promise<void>
  /** Tells the judges that this process's hits are in the database up to a moment. Null: all but the latest. */
  hitsUntil(db: Db, until: Date | null): Promise<void>
  /** Takes the own row away. */
  leave(): Promise<void>
}

export interface JournalWatchOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  /** Where the journal stands. */
  readonly folder: string
  /** The own journal may hold something. */
  readonly waiting: () => boolean
  /** A process of the folder has died: what it left is to be handed on, and waits until then. */
  readonly inherit: () => void
  /** Who says nothing for so long is not up. 6,000 when absent. */
  readonly silentMs?: number
}

const SILENT_MS = 6_000
const LATE_MS = 3_000
const BUSY_MS = 300_000
const FORGOTTEN_MS = 86_400_000

export function journalWatch(options: JournalWatchOptions): JournalWatch {
  const { database, clock, ids, folder, waiting, inherit, silentMs = SILENT_MS } = options
  const { system } = database
  const own = ids.next()
  let folderId: string | null = null
  let knownSince: number | null = null
  /** By the database's clock; null: no look has succeeded since the last doubt. */
  let backAt: Date | null = null
  let doubts = 0
  /** The dead of this folder whose lines are handed on before the next look. */
  let inherited: ReadonlySet<string> = new Set()
  /** What speaks after its row went is alive: its number is of another container. */
  const buried = new Set<string>()
  /** Who is not waited for, with the last claim. */
  let givenUp: ReadonlyMap<string, number> = new Map()
  const doubt = (): void => {
    knownSince = null
    backAt = null
    doubts++
  }
  const checkIn = async (clearAt: Date | null): Promise<void> => {
    folderId ??= await idOf(folder, ids)
    await system.execute(sql.checkIn, [own, folderId, process.pid, clearAt])
  }
  /** The rows of the others, but for those of the dead whose journals are handed on. Null: some are not. */
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
    msBetween(clearAt, now) > LATE_MS && givenUp.get(id) !== clearAt.getTime()
  const judge = (rows: readonly sql.JournalRow[], now: Date): void => {
    if (knownSince !== null && !rows.some((row) => isLate(row, now))) return
    knownSince = null
    backAt ??= now
    const since = backAt
    const waitedMs = msBetween(since, now)
    const isGone = (row: sql.JournalRow): boolean =>
      waitedMs >= silentMs && (msBetween(lastWord(row), now) >= silentMs || waitedMs >= BUSY_MS)
    const open = rows.filter(({ clear_at: clearAt }) => clearAt < since)
    if (!open.every(isGone)) return
    givenUp = new Map(open.map(({ id, clear_at: clearAt }) => [id, clearAt.getTime()]))
    knownSince = clock.monotonicMs()
    backAt = null
  }
  const look = async (): Promise<void> => {
    const before = doubts
    const now = (await system.one<{ now: Date }>(sql.timeOfDay))?.now ?? clock.now()
    const rows = waiting() ? null : await others(now)
    if (rows === null || waiting()) {
      doubt()
      await checkIn(null)
      return
    }
    await checkIn(now)
    if (doubts === before) judge(rows, now)
  }
  return {
    knownSince: () => (waiting() ? null : knownSince),
    doubt,
    look: async () => {
      try {
        await look()
      } catch (error) {
        doubt()
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

function msBetween(from: Date, to: Date): number {
  return to.getTime() - from.getTime()
}

/** Of the folder, kept in it: whoever finds the folder hands on what stands there. */
async function idOf(folder: string, ids: Ids): Promise<string> {
  const file = path.join(folder, 'id')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const made = ids.next()
  await writeFile(file, made, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const kept = (await readFile(file, 'utf8')).trim()
  if (/^[0-9a-f-]{36}$/.test(kept)) return kept
  // Torn by a crash: nobody has used it.
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
