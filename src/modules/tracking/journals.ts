// Whether all unsubscribes that somebody was promised stand in the database. While it is away each process keeps them in a
// journal of its own (intake.ts); when it comes back nothing may be sent before the journals of the processes that are up
// have been handed on.
//
// Every process has a row, and says about once a second that its journal was empty. A process that saw the database away,
// or has just begun, waits until each row says so by a moment after the return. A row that is silent for 6 s after it is a
// process that is not up: a process that begins takes away the rows of dead ones of its own folder, whose journals it
// hands on itself; a machine that is gone costs the others these 6 s, after each outage, for a day.

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
}

const SILENT_MS = 6_000
const FORGOTTEN_MS = 86_400_000

export function journalWatch({ database, clock, ids, folder, waiting }: JournalWatchOptions): JournalWatch {
  const own = ids.next()
  let folderId: string | null = null
  let knownSince: number | null = null
  /** By the database's clock; null: no look has succeeded since the last doubt. */
  let backAt: Date | null = null
  const doubt = (): void => {
    knownSince = null
    backAt = null
  }
  const checkIn = async (): Promise<readonly sql.JournalRow[]> => {
    folderId ??= await idOf(folder, ids)
    const rows = await database.system.query<sql.JournalRow>(sql.checkIn, [own, folderId, process.pid])
    const here = folderId
    const gone = rows.filter(({ id, folder_id: where, pid, clear_at: clearAt, now }) => {
      if (id === own) return false
      return (where === here && !isRunning(pid)) || now.getTime() - clearAt.getTime() > FORGOTTEN_MS
    })
    if (gone.length > 0) await database.system.execute(sql.forgetJournals, [gone.map(({ id }) => id)])
    return rows.filter((row) => !gone.includes(row))
  }
  return {
    knownSince: () => (waiting() ? null : knownSince),
    doubt,
    look: async () => {
      if (waiting()) {
        doubt()
        return
      }
      let rows: readonly sql.JournalRow[]
      try {
        rows = await checkIn()
      } catch (error) {
        doubt()
        throw error
      }
      if (knownSince !== null) return
      const now = rows[0]?.now ?? clock.now()
      backAt ??= now
      const since = backAt
      const isKnown = rows.every(({ clear_at: clearAt }) => clearAt >= since)
      if (isKnown || now.getTime() - since.getTime() >= SILENT_MS) knownSince = clock.monotonicMs()
    },
    hitsUntil: async (db, until) => {
      await db.execute(sql.hitsUntil, [own, until])
    },
    leave: async () => {
      await database.system.execute(sql.forgetJournals, [[own]])
    },
  }
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
