// A fault that lasts is one fact, although whoever meets it meets it again and again: it is logged when it begins, every ten
// minutes while it lasts, and when it has ended. It has ended once it was not met for ten seconds: a disk at the limit, or one
// that takes small files and no large ones, would otherwise begin and end it many times a minute.

import type { Clock } from './clock.ts'
import type { Fields, Logger } from './log.ts'

export interface LastingFault {
  /** The fault is there, or still there. */
  met(fields: Fields): void
  /** It is not, or no longer. Cheap, and may be called at any time. */
  absent(fields?: Fields): void
}

export interface LastingFaultOptions {
  readonly log: Logger
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** The line, an error, while it lasts; `repeated` says how often it was met since the line before. */
  readonly lasts: string
  readonly ended: string
  /** It has ended once it was not met for this long. SETTLED_MS when absent. */
  readonly settledMs?: number
}

export const REMINDER_MS = 600_000
export const SETTLED_MS = 10_000

export function lastingFault({ log, clock, lasts, ended, settledMs = SETTLED_MS }: LastingFaultOptions): LastingFault {
  /** Null: it is not there. */
  let last: { metMs: number; loggedMs: number; repeated: number } | null = null
  return {
    met: (fields) => {
      const now = clock.monotonicMs()
      if (last !== null && now - last.loggedMs < REMINDER_MS) {
        last.metMs = now
        last.repeated++
        return
      }
      log.error(last === null ? fields : { ...fields, repeated: last.repeated }, lasts)
      last = { metMs: now, loggedMs: now, repeated: 0 }
    },
    absent: (fields = {}) => {
      if (last === null || clock.monotonicMs() - last.metMs < settledMs) return
      last = null
      log.info(fields, ended)
    },
  }
}
