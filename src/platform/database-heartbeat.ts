// The database's heartbeat, checked once a second over a connection of its own. A server that is gone fails by itself; one that
// hangs (a stopped process, a frozen disk) would keep every request waiting. When no beat comes within 2 seconds, requests
// under way are answered with 503, and so are new ones until it beats again. A standstill of this process itself (an
// overloaded machine, or one that was asleep) does not count as a lost beat.

import type pg from 'pg'
import { answerWithin } from './db/answer-timeout.ts'
import { serversOf } from './db/servers.ts'
import { platformErrors, unknownOutcome } from './errors.ts'
import { inFlightMembers } from './in-flight.ts'
import { type Loop, loop } from './lifecycle.ts'

export interface DatabaseHeartbeat extends Loop {
  readonly beating: () => boolean
  /**
   * The result of `work`, or 503 when the heartbeat is lost before or meanwhile. Work under way may still be carried out: the
   * caller must ask again, and where `work` writes the answer says so.
   */
  readonly whileBeating: <T>(work: () => Promise<T>, writes?: boolean) => Promise<T>
}

const BEAT_EVERY_MS = 1_000
const BEAT_WITHIN_MS = 2_000
/** For the first connection, which is made while the rest of the process starts. */
const FIRST_WITHIN_MS = 5_000

export function databaseHeartbeat(url: string, onChange: (beating: boolean) => void): DatabaseHeartbeat {
  const { Client } = serversOf(url)
  let client: pg.Client | null = null
  let beating = true
  /** Each member gives up one piece of work. Not an abort signal: every request passes here. */
  const underWay = inFlightMembers<() => void>()

  const connect = async (withinMs: number): Promise<pg.Client> => {
    const made = new Client({
      connectionString: url,
      connectionTimeoutMillis: 2 * withinMs,
      application_name: 'posthorn_heartbeat',
    })
    made.on('error', () => {
      if (client === made) client = null
    })
    client = made
    await answerWithin(made.connect(), withinMs)
    return made
  }

  const feel = async (): Promise<boolean> => {
    try {
      await answerWithin((client ?? (await connect(BEAT_WITHIN_MS))).query('select 1'), BEAT_WITHIN_MS)
      return true
    } catch {
      leave()
      return false
    }
  }

  const leave = (): void => {
    client?.end().catch(() => undefined)
    client = null
  }

  const beat = async (): Promise<number> => {
    const now = await feel()
    if (now !== beating) {
      beating = now
      if (!now) for (const giveUp of [...underWay]) giveUp()
      onChange(now)
    }
    return BEAT_EVERY_MS
  }

  const beats = loop({ name: 'database heartbeat', turn: beat, onError: () => undefined })
  return {
    ...beats,
    start: async () => {
      await connect(FIRST_WITHIN_MS).catch(leave)
      await beats.start()
    },
    beating: () => beating,
    whileBeating: async (work, writes = false) => {
      if (!beating) throw away()
      const working = work()
      return new Promise((resolve, reject) => {
        const over = underWay.add(() => reject(writes ? unknownOutcome() : away()))
        working.then(
          (result) => {
            over()
            resolve(result)
          },
          (error: unknown) => {
            over()
            reject(error)
          },
        )
      })
    },
    stop: async (deadline) => {
      await beats.stop(deadline)
      await client?.end()
      client = null
    },
  }
}

const RETRY_AFTER_SECONDS = 5

function away(): Error {
  return platformErrors.service_unavailable({}, { retryAfter: RETRY_AFTER_SECONDS })
}
