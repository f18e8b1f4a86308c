// One owner per data directory. Only the owner may start, adopt or stop the PostgreSQL in it.
//
// Node has no flock, but it has SQLite, which locks files. The kernel releases the lock when the process ends, however it
// ends, so a lock is never stale; a pid file could be stale after a crash and in containers.

import { DatabaseSync } from 'node:sqlite'

export interface Lock {
  release(): void
}

/** @returns null when another process (or another caller in this one) holds the lock */
export function tryLock(file: string): Lock | null {
  const handle = new DatabaseSync(file)
  try {
    handle.exec('pragma busy_timeout = 0; begin exclusive')
  } catch (error) {
    handle.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null
    throw new Error(`cannot lock ${file}`, { cause: error })
  }
  let held = true
  return {
    release: () => {
      if (!held) return
      held = false
      handle.close()
    },
  }
}

const SQLITE_BUSY = 5
