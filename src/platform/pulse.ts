// The database's pulse, felt once a second over a connection of its own. A server that is gone fails by itself; one that
// hangs (a stopped process, a frozen disk) would keep every request waiting. When no beat comes within 2 seconds the
// requests under way are answered 503, and new ones too until it beats again. That this process itself stood still, as a
// machine that is overloaded or was asleep makes it, is no lost beat.

import type pg from 'pg'
import { platformErrors, unknownOutcome } from './errors.ts'
import { type Loop, loop } from './lifecycle.ts'
import { serversOf } from './servers.ts'
import { answerWithin } from './within.ts'

export interface Pulse extends Loop {
  readonly beating: () => boolean
  /**
   * What `work` comes to, or 503 when the pulse is lost or gets lost meanwhile. What was under way may still be done:
   * whoever asked asks again, and is told so where `work` writes.
   */
  readonly whileBeating: <T>(work: () => Promise<T>, writes?: boolean) => Promise<T>
}

const BEAT_EVERY_MS = 1_000
const BEAT_WITHIN_MS = 2_000
/** For the first connection, which is made while everything else of a process begins. */
const FIRST_WITHIN_MS = 5_000

export function databasePulse(url: string, onChange: (beating: boolean) => void): Pulse {
  const { Client } = serversOf(url)
  let client: pg.Client | null = null
  let beating = true
  /** Each gives one piece of work up. A set, not an abort signal: this is asked for every request. */
  const underWay = new Set<() => void>()

  const connect = async (withinMs: number): Promise<pg.Client> => {
    const made = new Client({
      connectionString: url,
      connectionTimeoutMillis: 2 * withinMs,
      application_name: 'posthorn_pulse',
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
      if (!now) {
        for (const giveUp of underWay) giveUp()
        underWay.clear()
      }
      onChange(now)
    }
    return BEAT_EVERY_MS
  }

  const beats = loop({ name: 'database pulse', turn: beat, onError: () => undefined })
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
        const giveUp = (): void => reject(writes ? unknownOutcome() : away())
        underWay.add(giveUp)
        working.then(
          (result) => {
            underWay.delete(giveUp)
            resolve(result)
          },
          (error: unknown) => {
            underWay.delete(giveUp)
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
