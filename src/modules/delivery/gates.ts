// Two bounds of a process: how many copies may have been taken by a receiver without our database knowing it, and how many
// bytes of large messages may be in memory.

import { type Clock, systemClock } from '../../platform/clock.ts'

export interface AnswerGate {
  /** Resolves when one more message may get its final dot. */
  enter(): Promise<Pass>
}

export interface Pass {
  /** The receiver has answered, or the connection has ended: from here on the place is held however long recording takes. */
  answered(): void
  /** Its result is durable, or there was no answer. May be called more than once. */
  leave(): void
}

// A database that is reached records within a fraction of this: one that does not may be away, or we are cut off from it.
const LATE_RECORD_MS = 2_000
// A receiver that takes its time over the final dot (up to ten minutes) must not hold a place that others need.
const SLOW_DOT_MS = 1_000

/**
 * At most `limit` messages are between their final dot and the commit of their result, but for those whose receiver has
 * been silent for more than a second; and none more while something that was answered two seconds ago is not committed.
 * A process that dies, or is cut off from the database for longer than a lease, sends at most these a second time.
 */
export function answerGate(limit: number, clock: Pick<Clock, 'monotonicMs'> = systemClock()): AnswerGate {
  const waiting: (() => void)[] = []
  /** When each was answered, in that order. */
  const unrecorded = new Set<{ readonly answeredMs: number }>()
  let inside = 0
  const mayEnter = (): boolean => {
    const [oldest] = unrecorded
    return inside < limit && (oldest === undefined || clock.monotonicMs() - oldest.answeredMs < LATE_RECORD_MS)
  }
  const admit = (): void => {
    while (waiting.length > 0 && mayEnter()) {
      inside++
      waiting.shift()?.()
    }
  }
  const passOf = (): Pass => {
    let counted = true
    let over = false
    let record: { readonly answeredMs: number } | null = null
    const uncount = (): void => {
      if (counted) inside--
      counted = false
      admit()
    }
    const timer = setTimeout(uncount, SLOW_DOT_MS)
    timer.unref()
    return {
      answered: () => {
        clearTimeout(timer)
        if (over || record !== null) return
        record = { answeredMs: clock.monotonicMs() }
        unrecorded.add(record)
        if (!counted) inside++
        counted = true
      },
      leave: () => {
        clearTimeout(timer)
        over = true
        if (record !== null) unrecorded.delete(record)
        uncount()
      },
    }
  }
  return {
    enter: async () => {
      if (mayEnter()) inside++
      else await new Promise<void>((resolve) => void waiting.push(resolve))
      return passOf()
    },
  }
}

export interface ByteBudget {
  /** Null: inside. Else resolves when there is room, or when nothing else is inside. Then `give` is due. First come, first served. */
  take(bytes: number): Promise<void> | null
  give(bytes: number): void
}

export function byteBudget(limit: number): ByteBudget {
  const waiting: { readonly bytes: number; readonly resolve: () => void }[] = []
  let taken = 0
  const fits = (bytes: number): boolean => taken === 0 || taken + bytes <= limit
  const next = (): void => {
    for (let first = waiting[0]; first !== undefined && fits(first.bytes); first = waiting[0]) {
      waiting.shift()
      taken += first.bytes
      first.resolve()
    }
  }
  return {
    take: (bytes) => {
      if (waiting.length === 0 && fits(bytes)) {
        taken += bytes
        return null
      }
      return new Promise((resolve) => void waiting.push({ bytes, resolve }))
    },
    give: (bytes) => {
      taken -= bytes
      next()
    },
  }
}
