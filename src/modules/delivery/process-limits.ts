// Two limits of a process: how many copies receivers may have accepted without our database knowing, and how many bytes of
// large messages may be in memory.

import type { Clock } from '../../platform/clock.ts'
import { giveBack, type Turns } from '../../platform/files/body-spool.ts'
import { recentlyUsed } from '../../platform/recently-used.ts'
import { accountTurns } from './account-turns.ts'
import { quickestAfter, SLOWER_COUNTS } from './quickest.ts'
import type { Outgoing } from './types.ts'

/** Copies of a large content in memory while it is read and composed. */
const COPIES = 3

/** Larger than any content that is kept for the next recipient (prepared-contents.ts). */
const GIVEN_BACK_BYTES = 4 * 1_048_576

export interface AnswerGate {
  /** Resolves when one more message may get its final dot. Accounts take turns (account-turns.ts). */
  enter(mail: AtGate): Promise<Pass>
}

export interface AtGate {
  readonly site: string
  readonly accountId: string
  readonly bulk: boolean
}

export interface Pass {
  /** The receiver has answered, or the connection has ended: the place is held from here on, however long recording takes. */
  answered(): void
  /** The result is durable, or there was no answer. May be called more than once. */
  leave(): void
}

/** How long a mail holds its place without an answer: at a destination whose answers are quick, and where they never are. */
const QUICK_DOT_MS = 1_000
const SLOW_DOT_MS = 50
/** The quickest answers of a destination that takes its time are not below this. */
const SLOW_MS = 100
/** A longer answer counts as one of this time. */
const NOTED_MS = 2 * SLOW_MS
const MAX_DESTINATIONS = 10_000

/**
 * At most `limit` messages are between their final dot and the commit of their result, not counting those whose receiver has not
 * answered for a second, or for 50 ms where it always takes its time: places that waited for such a receiver would limit the
 * process to 64 mails in that time. When the process dies, at most these are sent twice, and those that receivers take without an
 * answer.
 */
export function answerGate(limit: number, clock: Clock): AnswerGate {
  const waiting = accountTurns<AtGate & { readonly resolve: () => void }>()
  const quickest = recentlyUsed<number>(MAX_DESTINATIONS)
  /** Destinations not known yet, with one mail on its way: the others wait, or they would take the places of other destinations. */
  const firsts = new Map<string, PromiseWithResolvers<void>>()
  /** How long the first answers of destinations took: what a destination counts as before its own. */
  let firstMs = 0
  let inside = 0
  const leaveOne = (): void => {
    inside--
    const next = inside < limit ? waiting.next() : undefined
    if (next === undefined) return
    inside++
    next.resolve()
  }
  const endFirst = (site: string): void => {
    firsts.get(site)?.resolve()
    firsts.delete(site)
  }
  const noteAnswer = (site: string, ms: number): void => {
    const noted = Math.min(ms, NOTED_MS)
    const known = quickest.get(site)
    if (known === undefined) firstMs += (noted - firstMs) * SLOWER_COUNTS
    quickest.set(site, quickestAfter(known, noted))
  }
  const passOf = (site: string): Pass => {
    const sinceMs = clock.monotonicMs()
    let counted = true
    let isAnswered = false
    let over = false
    const uncount = (): void => {
      if (!counted) return
      counted = false
      leaveOne()
    }
    const late = (): void => {
      if (isAnswered) return
      if (!quickest.has(site)) noteAnswer(site, Math.max(placeMs, SLOW_MS))
      endFirst(site)
      uncount()
    }
    // After a turn of the loop that took long, answers that have arrived meanwhile are read first.
    const placeMs = (quickest.get(site) ?? firstMs) < SLOW_MS ? QUICK_DOT_MS : SLOW_DOT_MS
    const timer = setTimeout(() => setImmediate(late), placeMs)
    timer.unref()
    return {
      answered: () => {
        clearTimeout(timer)
        if (!isAnswered) noteAnswer(site, clock.monotonicMs() - sinceMs)
        isAnswered = true
        endFirst(site)
        if (over || counted) return
        counted = true
        inside++
      },
      leave: () => {
        clearTimeout(timer)
        over = true
        endFirst(site)
        uncount()
      },
    }
  }
  return {
    enter: async (mail) => {
      const { site } = mail
      if (!quickest.has(site)) {
        const first = firsts.get(site)
        if (first === undefined) firsts.set(site, Promise.withResolvers())
        else await first.promise
      }
      if (inside < limit) inside++
      else {
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.add({ ...mail, resolve })
        await promise
      }
      return passOf(site)
    },
  }
}

export interface ByteBudget {
  /** Null: taken at once. Else resolves when there is room or nothing else is inside, in order of arrival. Then call `give`. */
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

export interface LargeMessageMemory {
  /** Waits for part of the budget and, where memory is limited, for the turn to fill it. @param idle told of the wait */
  enter(idle?: (wait: Promise<void>) => Promise<void>): Promise<void>
  /** What the message was made of is gone: while it is sent, which may take minutes, its own size counts. */
  composed(messageBytes: number): void
  leave(): void
}

/** The memory of one large message. @param bytes of its content; 0: it is not large, and nothing is waited for */
export function largeMessageMemory(budget: ByteBudget, turns: Turns | undefined, bytes: number): LargeMessageMemory {
  let taken = 0
  let filled: (() => void) | undefined
  const keep = (most: number): void => {
    filled?.()
    filled = undefined
    const surplus = Math.max(0, taken - most)
    taken -= surplus
    if (surplus > 0) budget.give(surplus)
  }
  return {
    enter: async (idle) => {
      if (bytes === 0) return
      const wait = budget.take(bytes * COPIES)
      if (wait !== null) await (idle === undefined ? wait : idle(wait))
      taken = bytes * COPIES
      filled = await turns?.grow(bytes)
    },
    composed: keep,
    leave: () => keep(0),
  }
}

/** Once a large message is composed, frees its source and the copies (four times its size) without waiting for a collection. */
export async function freeingSource(
  body: Buffer,
  turns: Turns | undefined,
  made: Promise<Outgoing>,
): Promise<Outgoing> {
  const outgoing = await made
  if (body.length >= GIVEN_BACK_BYTES && outgoing.message.buffer !== body.buffer) {
    giveBack(body)
    turns?.collect()
  }
  return outgoing
}
