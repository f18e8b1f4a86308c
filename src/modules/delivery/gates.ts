// Two bounds of a process: how many copies may have been taken by a receiver without our database knowing it, and how many
// bytes of large messages may be in memory.

import { giveBack, type Turns } from '../../platform/intake.ts'
import type { Outgoing } from './types.ts'

/** Of a large content, while it is read, composed and on its way. */
export const COPIES = 3

/** More than any content that is kept for the next recipient (contents.ts). */
const GIVEN_BACK_BYTES = 4 * 1_048_576

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

// A receiver that takes its time over the final dot (up to ten minutes) must not hold a place that others need.
const SLOW_DOT_MS = 1_000

/**
 * At most `limit` messages are between their final dot and the commit of their result, but for those whose receiver has
 * been silent for more than a second. A process that dies sends at most these a second time.
 */
export function answerGate(limit: number): AnswerGate {
  const waiting: (() => void)[] = []
  let inside = 0
  const leaveOne = (): void => {
    inside--
    const next = inside < limit ? waiting.shift() : undefined
    if (next === undefined) return
    inside++
    next()
  }
  const passOf = (): Pass => {
    let counted = true
    let over = false
    const uncount = (): void => {
      if (!counted) return
      counted = false
      leaveOne()
    }
    const timer = setTimeout(uncount, SLOW_DOT_MS)
    timer.unref()
    return {
      answered: () => {
        clearTimeout(timer)
        if (over || counted) return
        counted = true
        inside++
      },
      leave: () => {
        clearTimeout(timer)
        over = true
        uncount()
      },
    }
  }
  return {
    enter: async () => {
      if (inside < limit) inside++
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

/** A part of the budget, and where memory has a limit the turn to fill it. @returns to be called at the end of both */
export async function bytesAndTurn(budget: ByteBudget, turns: Turns | undefined, bytes: number): Promise<() => void> {
  if (bytes === 0) return () => undefined
  await budget.take(bytes)
  const leave = await turns?.grow(bytes / COPIES)
  return () => {
    leave?.()
    budget.give(bytes)
  }
}

/** Once a message is made, what it was made of and the copies on the way, four times its size, are not waited for. */
export async function lettingGo(body: Buffer, turns: Turns | undefined, made: Promise<Outgoing>): Promise<Outgoing> {
  const outgoing = await made
  if (body.length >= GIVEN_BACK_BYTES && outgoing.message.buffer !== body.buffer) {
    giveBack(body)
    turns?.collect()
  }
  return outgoing
}
