// Times of last use of keys and SMTP credentials. They are kept in memory and written together every few seconds, so that
// a call costs no write. A crash loses the last seconds.

import type { Database } from '../../platform/db.ts'
import { type SmtpUse, touchKeys, touchSmtp, type Use } from './sql.ts'

export interface LastUseLog {
  key(use: Use): void
  smtp(use: SmtpUse): void
  /** Writes what was noted since the last flush. After a failure it is kept for the next one. */
  flush(): Promise<void>
}

const MAX_NOTED = 20_000

export function lastUseLog(database: Database): LastUseLog {
  let keys = new Map<string, Use>()
  let credentials = new Map<string, SmtpUse>()
  const note = <T>(log: Map<string, T>, name: string, use: T): void => {
    if (log.size < MAX_NOTED || log.has(name)) log.set(name, use)
  }
  return {
    key: (use) => note(keys, use.id, use),
    smtp: (use) => note(credentials, `${use.accountId} ${use.mode}`, use),
    flush: async () => {
      const [usedKeys, usedCredentials] = [keys, credentials]
      keys = new Map()
      credentials = new Map()
      try {
        if (usedKeys.size > 0) await touchKeys(database.system, [...usedKeys.values()])
        if (usedCredentials.size > 0) await touchSmtp(database.system, [...usedCredentials.values()])
      } catch (error) {
        for (const [name, use] of usedKeys) if (!keys.has(name)) note(keys, name, use)
        for (const [name, use] of usedCredentials) if (!credentials.has(name)) note(credentials, name, use)
        throw error
      }
    },
  }
}
